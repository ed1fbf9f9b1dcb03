"""Users and their roles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sfumato.errors import BadInput, Forbidden

EVERYONE = "everyone"
_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")


class Role(StrEnum):
    ADMIN = "admin"  # who is let in
    CONTROLLER = "controller"  # holds data, writes policies, decides
    ANALYST = "analyst"  # asks
    AUDITOR = "auditor"  # reads the record


@dataclass(frozen=True)
class Person:
    name: str
    organisation: str
    roles: tuple[Role, ...]
    public_key: str
    created_at: str
    disabled: bool = False

    def has(self, *roles: Role) -> bool:
        return not {*self.roles}.isdisjoint(roles)

    def require(self, *roles: Role, to: str) -> None:
        """Refuse a person without any of these roles; `to` names the act."""
        if not self.has(*roles):
            raise Forbidden.because("role-missing", roles=[role.value for role in roles], to=to)

    def is_among(self, names: Iterable[str]) -> bool:
        """Whether a list of names and organisations has this person on it."""
        own = {EVERYONE, self.name, *([self.organisation.casefold()] if self.organisation else [])}
        return any(name.casefold() in own for name in names)


def checked_name(text: str) -> str:
    """A user name in lower case."""
    name = text.strip().casefold()
    if not _NAME.fullmatch(name) or name == EVERYONE:
        raise BadInput.because("person-name", name=text)
    return name


def checked_roles(names: Iterable[str]) -> frozenset[Role]:
    known = [role.value for role in Role]
    try:
        roles = frozenset(map(Role, names))
    except ValueError:
        raise BadInput.because("role-unknown", known=known) from None
    if not roles:
        raise BadInput.because("roles-empty", known=known)
    return roles
