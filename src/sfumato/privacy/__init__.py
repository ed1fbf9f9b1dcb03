"""The mathematics, pure: from a statement and public facts to sensitivities, risks, noise and epsilons."""
