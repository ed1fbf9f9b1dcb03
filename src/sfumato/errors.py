"""One tree of errors. Each says what happened, to what, and what to do: as a reason with its values, or as sentences.

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
    ├── BudgetExceeded          the dataset's total would pass its budget
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

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Self, TypeVar

T = TypeVar("T")
Value = str | int | float | Sequence[str | int | float | None] | None
"""What an error may carry: plain JSON, so that it crosses to another process as it is."""

render: Callable[[str, Mapping[str, Value]], tuple[str, str] | None] = lambda _reason, _values: None  # noqa: E731
"""Message and hint for a reason with its values, or None where it has no wording. `sfumato/__init__.py` sets it."""


class SfumatoError(Exception):
    """What went wrong, where, and what to do about it; never a value from the data.

    An error has a `reason` and the `values` that its wording needs (`because`), or sentences that its raiser wrote.
    """

    code: ClassVar[str] = "failure"
    exit_status: ClassVar[int] = 1
    reason: str = ""
    values: Mapping[str, Value] = {}

    def __init__(self, message: str = "", *, hint: str = "", where: str = "") -> None:
        super().__init__(message or self.reason)
        self._written = message, hint
        self.where = where

    @classmethod
    def because(cls, reason: str, /, *, where: str = "", **values: Value) -> Self:
        """An error that says no sentence: `presentation.refusals` has one for its reason, in each interface."""
        return cls._restore("", "", where, reason, values)

    @classmethod
    def in_file(cls, error: SfumatoError, where: str) -> Self:
        """An error about what a schema or a policy file says: with its place, and always in the terms of the file."""
        return cls._restore(*error._written, where, error.reason, {**error.values, "interface": "schema"})

    @classmethod
    def _restore(cls, message: str, hint: str, where: str, reason: str, values: Mapping[str, Value]) -> Self:
        """Without the `__init__` of a subclass, which may write sentences of its own."""
        error = cls.__new__(cls)
        error.reason, error.values = reason, dict(values)
        SfumatoError.__init__(error, message, hint=hint, where=where)
        return error

    def __reduce__(self) -> tuple[object, ...]:
        """Without calling the class, whose arguments may be others than those of `Exception`."""
        return _unpickle, (type(self), self.args), dict(vars(self))

    @property
    def message(self) -> str:
        return self._sentences()[0]

    @property
    def hint(self) -> str:
        return self._sentences()[1]

    def _sentences(self) -> tuple[str, str]:
        """As they are worded here; as they were written where the reason has no wording."""
        sentences = render(self.reason, self.values) if self.reason else None
        return sentences or (self._written if self._written[0] else (self.reason, ""))

    def __str__(self) -> str:
        message, hint = self._sentences()
        place = f": {self.where}" if self.where else ""
        hint = f" Hint: {hint}" if hint else ""
        sentence = f"{message.removesuffix('.')}{place}"
        return f"{sentence}{'' if sentence.endswith('?') else '.'}{hint}"

    def as_dict(self) -> dict[str, dict[str, object]]:
        message, hint = self._sentences()
        return {"error": {"code": self.code, "message": message, "hint": hint, "where": self.where}}

    def as_values(self) -> dict[str, object]:
        """What another process makes the same error of: its sentences, and the reason with its values."""
        return self.as_dict()["error"] | ({"reason": self.reason, "values": dict(self.values)} if self.reason else {})


def _unpickle(kind: type[SfumatoError], args: tuple[object, ...]) -> SfumatoError:
    error = kind.__new__(kind)
    error.args = args
    return error


class EngineFailure(SfumatoError):
    """Whatever an engine says while it runs is swallowed: its messages quote rows.

    `worker_lost`: the process that ran it took too long or too much memory, or died, and could enter nothing itself.
    """

    code = "engine"
    reason = "engine-failed"
    worker_lost = False

    def __init__(self, *, worker_lost: bool = False) -> None:
        self.worker_lost = worker_lost
        super().__init__()


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


class BudgetExceeded(Refused):
    code = "budget-exceeded"


class Cancelled(Refused):
    code = "cancelled"
    reason = "cancelled"

    def __init__(self) -> None:
        super().__init__()


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
    """Its hint says what has to be installed, or why the sandbox may not be used."""

    code = "sandbox_unavailable"


class SfumatoWarning(UserWarning):
    """Something to know, as a reason with its values; `presentation.refusals` has the sentences."""

    def __init__(self, reason: str, values: Mapping[str, Value]) -> None:
        super().__init__(reason)
        self.reason, self.values = reason, dict(values)

    @classmethod
    def because(cls, reason: str, /, **values: Value) -> Self:
        return cls(reason, values)

    def __str__(self) -> str:
        message, hint = render(self.reason, self.values) or (self.reason, "")
        return f"{message}. {hint}".rstrip()


class SamePeopleWarning(SfumatoWarning):
    """The same rows were opened under another name, and the two are counted separately."""


class UnrecordedLookWarning(SfumatoWarning):
    """Individual risks were shown, and no ledger file knows of it."""


def rebuild_error(
    code: str, message: str, hint: str = "", where: str = "", *, reason: str = "", values: object = None
) -> SfumatoError | None:
    """An error as it was told by another process, by its code; None where no such code is known.

    Of values that are not plain, and of a reason that has no wording here, the sentences that came with it are kept.
    """
    kind = next((kind for kind in _family(SfumatoError) if kind.code == code), None)
    if kind is None:
        return None
    if not isinstance(values, Mapping) or not all(map(_is_plain, values.values())):
        reason, values = "", {}
    return kind._restore(message, hint, where, reason, values)


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(one is None or isinstance(one, str | int | float) for one in value)
    return value is None or isinstance(value, str | int | float)


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
