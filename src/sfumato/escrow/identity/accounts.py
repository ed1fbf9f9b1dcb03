"""Users and their authentication: passwords, sessions, tokens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sfumato.errors import BadInput, Conflict, Forbidden, NotFound, NotSignedIn
from sfumato.escrow.identity.person import EVERYONE, Person, Role, checked_name, checked_roles
from sfumato.escrow.ports import EscrowPorts
from sfumato.model.plain import from_plain
from sfumato.ports import Containing, Row, Selection

SCOPES = ("read", "write")
LEAST_PASSWORD, MOST_PASSWORD = 12, 1024
_LONGEST_TOKEN = 366
QUIZ_ANSWERS = (1, 0, 2, 1)  # of each question of the introduction the right choice, from 0


@dataclass(frozen=True)
class Session:
    """`secret` is sent to the browser once; `csrf` is required with every change."""

    secret: str = field(repr=False)
    csrf: str = field(repr=False)
    person: Person
    expires_at: str


@dataclass(frozen=True)
class ActiveSession:
    """A browser in which a user is signed in; `current`: the one that asks."""

    id: str
    created_at: str
    expires_at: str
    current: bool


@dataclass(frozen=True)
class Token:
    id: str
    person: str
    label: str
    scopes: tuple[str, ...]
    created_at: str
    expires_at: str
    revoked: bool


@dataclass(frozen=True)
class IssuedToken:
    """`secret` is shown this once."""

    token: Token
    secret: str = field(repr=False)


@dataclass(frozen=True)
class SignedIn:
    """`csrf` is sent as X-CSRF-Token with every change."""

    person: Person
    csrf: str = field(repr=False)
    expires_at: str


@dataclass(frozen=True)
class CurrentUser:
    """The user who is signed in; a token has no `csrf`."""

    person: Person
    csrf: str | None = field(repr=False)
    scopes: tuple[str, ...]


@dataclass(frozen=True)
class PersonFilter:
    """What a list of users is narrowed to. Each word of `search` is in the name or in the organisation."""

    search: str = ""
    role: Role | None = None
    organisation: str | None = None
    disabled: bool | None = None


ALL_PEOPLE = PersonFilter()


class Accounts:
    def __init__(self, ports: EscrowPorts) -> None:
        self._ports = ports
        self._rows, self._tokens = ports.rows("people"), ports.rows("tokens")
        self._sessions = ports.rows("sessions")
        self.keep_roles: Callable[[Person], None] = lambda _actor: None  # refuses those who may not change roles

    # Who is there

    def first(self, name: str, password: str, roles: Iterable[str]) -> Person:
        """Add the first admin of a new workspace."""
        if self._rows.many(limit=1):
            raise Conflict.because("people-already")
        return self._added(name, name, roles, "", password)

    def add(
        self, actor: Person, name: str, roles: Iterable[str], *, organisation: str = "", password: str | None = None
    ) -> Person:
        """Add a user. Without a password they use tokens only, which an admin makes for them."""
        actor.require(Role.ADMIN, to="add users")
        self.keep_roles(actor)
        return self._added(actor.name, name, roles, organisation, password)

    def _added(self, by: str, text: str, roles: Iterable[str], organisation: str, password: str | None) -> Person:
        locks, name = self._ports.locks, checked_name(text)
        public, private = locks.new_pair()
        row = {
            "name": name,
            "organisation": " ".join(organisation.split()),
            "roles": sorted(checked_roles(roles)),
            "password": None if password is None else locks.hashed(_checked_password(password)),
            "public_key": public,
            "sealed_key": locks.seal(private, _about_key(name)),
            "created_at": self._ports.moment,
            "disabled": False,
        }
        with self._ports.transaction():
            self._keep_apart([name], [organisation])
            if not self._rows.add(row):
                raise Conflict.because("person-taken", name=name)
            self._say(by, "added the user", name, {"roles": row["roles"], "organisation": row["organisation"]})
        return from_plain(Person, row)

    def change(
        self,
        actor: Person,
        name: str,
        *,
        roles: Iterable[str] | None = None,
        organisation: str | None = None,
        disabled: bool | None = None,
        password: str | None = None,
        current_password: str | None = None,
    ) -> Person:
        """Change a user, as an admin; or your own password, with the current one."""
        own_password = actor.name == checked_name(name) and (roles, organisation, disabled) == (None, None, None)
        if not own_password:
            actor.require(Role.ADMIN, to="change others")
            self.keep_roles(actor)
        person = self.one(name)
        if password is not None and actor.name == person.name:
            self._require_known(person, current_password)
        values: dict[str, object] = {
            "roles": None if roles is None else sorted(checked_roles(roles)),
            "organisation": None if organisation is None else " ".join(organisation.split()),
            "disabled": disabled,
            "password": None if password is None else self._ports.locks.hashed(_checked_password(password)),
        }
        to = {name: value for name, value in values.items() if value is not None}
        if not to:
            raise BadInput.because("person-change-empty")
        with self._ports.transaction():
            self._keep_an_admin(person, to)
            self._keep_apart([], [organisation or ""])
            self._rows.change({"name": person.name}, to)
            if disabled or password is not None:
                self._sessions.remove(person=person.name)
            self._say(actor.name, "changed", person.name, {"what": sorted(to)})
        return self.one(person.name)

    def _require_known(self, person: Person, password: str | None) -> None:
        """Require the current password, if there is one: a token alone cannot take over an account."""
        row = self._rows.one(name=person.name)
        stored = None if row is None else row["password"]
        if stored is not None and not self._ports.locks.matches(stored, (password or "")[:MOST_PASSWORD]):
            raise Forbidden.because("password-not-the-current")

    def _keep_an_admin(self, person: Person, to: Mapping[str, Any]) -> None:
        leaves = to.get("disabled") or ("roles" in to and Role.ADMIN not in to["roles"])
        others = (p for p in self.all() if p.name != person.name and p.has(Role.ADMIN) and not p.disabled)
        if leaves and person.has(Role.ADMIN) and not any(others):
            raise Conflict.because("admin-last")

    def _keep_apart(self, names: Sequence[str], organisations: Sequence[str]) -> None:
        """Keep names of people and of organisations distinct: a policy names either."""
        named = {" ".join(one.split()).casefold() for one in organisations} - {""}
        people = {EVERYONE, *names, *(person.name for person in self.all())}
        known = {person.organisation.casefold() for person in self.all()}
        if both := sorted((named & people) | ({*names} & known)):
            raise Conflict.because("name-of-both", name=both[0])

    def one(self, name: str) -> Person:
        row = self._rows.one(name=name.strip().casefold())
        if row is None:
            raise NotFound.because("person-unknown", name=name)
        return from_plain(Person, row)

    def all(self) -> list[Person]:
        return [from_plain(Person, row) for row in self._rows.many(limit=100_000)]

    def named(self, names: Collection[str]) -> list[Person]:
        rows = self._rows.many(name=list(names), limit=len(names)) if names else ()
        return [from_plain(Person, row) for row in rows]

    def many(
        self,
        actor: Person,
        after: str | None = None,
        limit: int = 100,
        *,
        filter: PersonFilter = ALL_PEOPLE,
        skip: int = 0,
    ) -> list[Person]:
        """Users, for admins, controllers and auditors."""
        rows = self._rows.listed(self._selection(actor, filter), after=after, skip=skip, limit=limit)
        return [from_plain(Person, row) for row in rows]

    def count(self, actor: Person, filter: PersonFilter = ALL_PEOPLE) -> int:
        return sum(self._rows.counts(self._selection(actor, filter)).values())

    def organisations(self, actor: Person) -> list[str]:
        """Organisations of users, by name."""
        counts = self._rows.counts(self._selection(actor, ALL_PEOPLE), "organisation")
        return sorted((name for (name,) in counts if name), key=str.casefold)

    def _selection(self, actor: Person, filter: PersonFilter) -> Selection:
        actor.require(Role.ADMIN, Role.CONTROLLER, Role.AUDITOR, to="list people")
        named: dict[str, object] = {"roles": filter.role and Containing(filter.role.value), "disabled": filter.disabled}
        named |= {"organisation": filter.organisation}
        where = {name: value for name, value in named.items() if value is not None}
        return Selection((where,), (), filter.search, ("name", "organisation"))

    # Who asks

    def sign_in(self, name: str, password: str) -> Session:
        """Sign in; a wrong name and a wrong password get the same answer after the same work."""
        locks, row = self._ports.locks, self._rows.one(name=name.strip().casefold())
        stored = None if row is None or row["disabled"] else row["password"]
        if not locks.matches(stored, password[:MOST_PASSWORD]) or row is None:
            raise NotSignedIn.because("sign-in-wrong")
        secret, csrf, now = locks.new_secret(), locks.new_secret(), self._ports.now()
        until = (now + timedelta(hours=self._ports.limits.session_hours)).isoformat(timespec="seconds")
        kept = {"digest": locks.digest_of(secret), "person": row["name"], "csrf": csrf}
        with self._ports.transaction():
            self._sessions.add(kept | {"created_at": self._ports.moment, "expires_at": until})
            self._say(row["name"], "signed in", row["name"])
        return Session(secret, csrf, from_plain(Person, row), until)

    def sign_out(self, secret: str) -> None:
        self._sessions.remove(digest=self._ports.locks.digest_of(secret))

    def of_session(self, secret: str) -> tuple[Person, str]:
        row = self._sessions.one(digest=self._ports.locks.digest_of(secret))
        if row is None or self._is_over(row["expires_at"]):
            raise NotSignedIn.because("session-over")
        return self._let_in(row["person"]), row["csrf"]

    def of_token(self, secret: str) -> tuple[Person, frozenset[str]]:
        row = self._tokens.one(digest=self._ports.locks.digest_of(secret))
        if row is None or row["revoked"] or self._is_over(row["expires_at"]):
            raise NotSignedIn.because("token-not-good")
        return self._let_in(row["person"]), frozenset(row["scopes"])

    def _let_in(self, name: str) -> Person:
        row = self._rows.one(name=name)
        if row is None or row["disabled"]:
            raise NotSignedIn.because("person-disabled")
        return from_plain(Person, row)

    # Sessions

    def sessions(self, actor: Person, csrf: str | None) -> list[ActiveSession]:
        """Sessions of the user that have not expired, newest first; the one with this `csrf` is the current one."""
        rows = sorted(self._active(actor), key=lambda row: str(row["created_at"]), reverse=True)
        return [
            ActiveSession(_session_id(row), row["created_at"], row["expires_at"], row["csrf"] == csrf) for row in rows
        ]

    def end_session(self, actor: Person, id: str) -> None:
        """Sign the user out of one browser."""
        if not self._end(actor, [row for row in self._active(actor) if _session_id(row) == id]):
            raise NotFound.because("session-unknown")

    def end_other_sessions(self, actor: Person, csrf: str | None) -> None:
        """Sign the user out of every browser but the one with this `csrf`."""
        self._end(actor, [row for row in self._active(actor) if row["csrf"] != csrf])

    def _active(self, actor: Person) -> list[Row]:
        rows = self._sessions.many(person=actor.name, limit=1000)
        return [row for row in rows if not self._is_over(row["expires_at"])]

    def _end(self, actor: Person, rows: Sequence[Row]) -> int:
        with self._ports.transaction():
            ended = [_session_id(row) for row in rows if self._sessions.remove(digest=row["digest"])]
            for id in ended:
                self._say(actor.name, "ended a session of", actor.name, {"session": id})
        return len(ended)

    # Tokens

    def new_token(
        self,
        actor: Person,
        label: str,
        days: float = 90,
        scopes: Sequence[str] = SCOPES,
        *,
        person: str | None = None,
    ) -> tuple[Token, str]:
        """A new token and its secret, which is not stored; an admin may make one for another user."""
        owner = actor
        if person is not None and person.strip().casefold() != actor.name:
            actor.require(Role.ADMIN, to="make tokens for others")  # first: the reply must not reveal which users exist
            owner = self.one(person)
        if not 0 < days <= _LONGEST_TOKEN:
            raise BadInput.because("token-days", most=_LONGEST_TOKEN, days=days)
        if not scopes or not {*scopes} <= {*SCOPES}:
            raise BadInput.because("token-scopes")
        secret, until = self._ports.locks.new_secret(), self._ports.now() + timedelta(days=days)
        row = {
            "id": self._ports.new_id(),
            "person": owner.name,
            "digest": self._ports.locks.digest_of(secret),
            "label": label.strip()[:200],
            "scopes": sorted({*scopes}),
            "created_at": self._ports.moment,
            "expires_at": until.isoformat(timespec="seconds"),
            "revoked": False,
        }
        with self._ports.transaction():
            self._tokens.add(row)
            self._say(actor.name, "created a token for", owner.name, {"token": row["id"], "scopes": row["scopes"]})
        return from_plain(Token, row), secret

    def tokens(self, actor: Person) -> list[Token]:
        return [from_plain(Token, row) for row in self._tokens.many(person=actor.name, limit=1000)]

    def revoke(self, actor: Person, id: str) -> None:
        row = self._tokens.one(id=id)
        if row is None or (row["person"] != actor.name and not actor.has(Role.ADMIN)):
            raise NotFound.because("token-unknown")
        with self._ports.transaction():
            self._tokens.change({"id": id}, {"revoked": True})
            self._say(actor.name, "revoked a token of", row["person"], {"token": id})

    # The introduction

    def introduced(self, actor: Person) -> str | None:
        """When the introduction was first passed; None if never."""
        row = self._rows.one(name=actor.name)
        return None if row is None else row["introduced_at"]

    def introduce(self, actor: Person, answers: Sequence[int]) -> list[int]:
        """Numbers of the wrong answers, from 0; with none the introduction is passed."""
        if len(answers) != len(QUIZ_ANSWERS):
            raise BadInput.because("quiz-answers", questions=len(QUIZ_ANSWERS))
        both = zip(QUIZ_ANSWERS, answers, strict=True)
        wrong = [number for number, (right, answer) in enumerate(both) if answer != right]
        if not wrong and self.introduced(actor) is None:
            with self._ports.transaction():
                self._rows.change({"name": actor.name}, {"introduced_at": self._ports.moment})
                self._say(actor.name, "passed the introduction", actor.name)
        return wrong

    # Signing

    def signed(self, author: Person, message: bytes) -> str:
        row = self._rows.one(name=author.name)
        assert row is not None
        locks = self._ports.locks
        return locks.sign(locks.unseal(row["sealed_key"], _about_key(author.name)), message)

    def _is_over(self, until: str) -> bool:
        return datetime.fromisoformat(until) <= self._ports.now()

    def _say(self, who: str, verb: str, about: str, details: Mapping[str, object] | None = None) -> None:
        self._ports.audit.append(self._ports.moment, who, verb, about, details or {})


def _checked_password(password: str) -> str:
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        raise BadInput.because("password-length", least=LEAST_PASSWORD)
    return password


def _session_id(row: Row) -> str:
    """Names a session without its secret: the beginning of the digest of 256 random bits."""
    return str(row["digest"])[:16]


def _about_key(name: str) -> str:
    return f"signing key of {name}"
