"""The mathematics, without I/O: from a statement and public facts to sensitivities, risks, noise and epsilons."""
