"""One tree of errors. Each says what happened, to what, and what to do (`hint`).

SfumatoError            exit 1  our own failure
├── EngineFailure               an engine could not run a query (one constant sentence: details tell about the data)
├── DatabaseFailure             the database of a workspace cannot be used just now
├── BadInput            exit 2  something that was typed in
│   ├── SchemaError             the schema file
│   ├── SourceError             the data file or table
│   ├── QueryError              the SQL, with its place
│   ├── PreferenceError         a preference or one of its numbers
│   ├── LedgerUnwritable        the ledger's path
│   ├── NoServer                the address of a server, or what answers there
│   ├── PolicyError             a policy
│   ├── NotFound                nothing of that name is there, or not for whoever asks
│   └── VaultUnwritable         the vault's folder or key file
└── Refused             exit 3  by a guarantee, a policy or arithmetic
    ├── NoGuarantee             a release that would carry no guarantee, without a word that this is accepted
    ├── Infeasible              no epsilon meets the preference, or every one does
    ├── NoMechanism             no sound way to draw the noise that was asked for
    ├── StopReached             the dataset's total would pass its stop
    ├── LedgerBroken            the record was edited: nothing is released on top of it
    ├── NotSignedIn             nobody known asked
    ├── Forbidden               a role or a policy does not allow it
    ├── NotIntroduced           whoever signed in to approve has not passed the introduction
    ├── Conflict                it is no longer what it was when it was last seen
    ├── TooMany                 too much was asked in too little time
    ├── Gone                    it was kept as long as the policy said
    ├── AwaitingApproval exit 4 somebody else is to decide first
    ├── VaultBroken             what was encrypted was altered, or is not what belongs there: it is not read
    ├── SandboxMissing          an analyst's own code, where there is no sandbox that it can be run in
    └── Cancelled               somebody stopped it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, TypeVar

T = TypeVar("T")


class SfumatoError(Exception):
    """What went wrong, where, and what to do about it; never a value from the data."""

    code: ClassVar[str] = "failure"
    exit_status: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "", where: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.where = where

    def __str__(self) -> str:
        place = f": {self.where}" if self.where else ""
        hint = f" Hint: {self.hint}" if self.hint else ""
        sentence = f"{self.message.removesuffix('.')}{place}"
        return f"{sentence}{'' if sentence.endswith('?') else '.'}{hint}"

    def as_dict(self) -> dict[str, dict[str, str]]:
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint, "where": self.where}}


class EngineFailure(SfumatoError):
    """Whatever an engine says while it runs is swallowed: its messages quote rows.

    `worker_lost`: the process that ran it took too long or too much memory, or died, and could enter nothing itself.
    """

    code = "engine"
    worker_lost = False

    def __init__(self, *, worker_lost: bool = False) -> None:
        self.worker_lost = worker_lost
        super().__init__(
            "The engine could not finish this query",
            hint="nothing was released, and what was charged stays charged (`sfumato ledger show`). That it failed "
            "tells something exact about the data, so no total holds for this dataset until a controller states a "
            "cause outside the data (`sfumato ledger cause`).",
        )


class DatabaseFailure(SfumatoError):
    """Whatever a database says is swallowed too: its messages quote rows, and its address may hold a password."""

    code = "database"


class BadInput(SfumatoError):
    code = "input"
    exit_status = 2


class SchemaError(BadInput):
    code = "schema"


class SourceError(BadInput):
    code = "source"


class QueryError(BadInput):
    code = "query"


class PreferenceError(BadInput):
    code = "preference"


class LedgerUnwritable(BadInput):
    code = "ledger"


class NoServer(BadInput):
    code = "server"


class PolicyError(BadInput):
    code = "policy"


class NotFound(BadInput):
    code = "not-found"


class VaultUnwritable(BadInput):
    code = "vault"


class Refused(SfumatoError):
    code = "refused"
    exit_status = 3


class NoGuarantee(Refused):
    code = "no-guarantee"


class Infeasible(Refused):
    code = "infeasible"


class NoMechanism(Refused):
    code = "no-mechanism"


class StopReached(Refused):
    code = "stop-reached"


class Cancelled(Refused):
    code = "cancelled"

    def __init__(self) -> None:
        super().__init__("This was cancelled", hint="nothing was released, and what was charged stays charged.")


class LedgerBroken(Refused):
    code = "ledger-broken"


class NotSignedIn(Refused):
    code = "not-signed-in"


class Forbidden(Refused):
    code = "forbidden"


class NotIntroduced(Refused):
    code = "introduction"


class Conflict(Refused):
    code = "conflict"


class TooMany(Refused):
    code = "too-many"


class Gone(Refused):
    code = "gone"


class AwaitingApproval(Refused):
    code = "awaiting-approval"
    exit_status = 4


class VaultBroken(Refused):
    code = "vault-broken"


class SandboxMissing(Refused):
    """`lack`: what has to be installed, or why the sandbox may not be used."""

    code = "sandbox_unavailable"

    def __init__(self, lack: str) -> None:
        super().__init__("Analysts' own code runs in a sandbox only, which cannot be used here", hint=lack)


class SamePeopleWarning(UserWarning):
    """The same rows were opened under another name, and the two are counted separately."""


class UnrecordedLookWarning(UserWarning):
    """Individual risks were shown, and no ledger file knows of it."""


def rebuilt(code: str, message: str, hint: str = "", where: str = "") -> SfumatoError | None:
    """An error as it was said in another process, by its code; None where no such code is known."""
    kind = next((kind for kind in _family(SfumatoError) if kind.code == code), None)
    if kind is None:
        return None
    error = kind.__new__(kind)
    SfumatoError.__init__(error, message, hint=hint, where=where)
    return error


def _family(kind: type[SfumatoError]) -> Iterator[type[SfumatoError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _family(below)


def instead(
    failure: SfumatoError | Callable[[str], SfumatoError], kinds: tuple[type[Exception], ...], work: Callable[[], T]
) -> T:
    """Do the work; if it fails, raise `failure` with nothing of the other error left, not even as its context.

    A failure that is made from a name is told the kind of the other error, and nothing else of it.
    """
    try:
        return work()
    except kinds as other:
        kind = type(other).__name__
    raise failure if isinstance(failure, SfumatoError) else failure(kind)
