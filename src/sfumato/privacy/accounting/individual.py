"""What one charge tells about one person: rho of what they carry, never below it (docs/theory/per-person.md)."""

from __future__ import annotations

from sfumato.privacy.risk.rdr_exact import kl
from sfumato.privacy.sensitivity import FINEST

_UP = 1 + 2**-40  # more than what floats lose


def rho_of_loss(loss: float, epsilon: float) -> float:
    """Rho of Laplace noise for a person whose loss is `loss` of this epsilon: `KL(loss)`, and a little for the lattice.

    >>> round(rho_of_loss(1, 1), 4), round(rho_of_loss(0.5, 1), 4)
    (0.3679, 0.1065)
    """
    return (kl(loss) + loss * lattice_cost(epsilon)) * _UP


def lattice_cost(epsilon: float) -> float:
    """Cost of noise on a lattice of D / 1024 beyond continuous noise, for each unit of loss: `(eps / 1024)^2 / 6`."""
    return (epsilon / FINEST) ** 2 / 6
