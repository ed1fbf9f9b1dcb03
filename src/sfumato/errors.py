"""One tree of errors. Each says what happened, to what, and what to do, as a reason with its values or as sentences.

`code` names an error in JSON; `exit_status` is that of the command line: 1 ours, 2 bad input, 3 refused, 4 waiting.
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

    def __init_subclass__(cls, *, code: str = "", exit_status: int = 0) -> None:
        cls.code, cls.exit_status = code or cls.code, exit_status or cls.exit_status

    def __init__(self, message: str = "", *, hint: str = "", where: str = "") -> None:
        super().__init__(message or self.reason)
        self._written = message, hint
        self.where = where

    @classmethod
    def because(cls, reason: str, /, *, where: str = "", **values: Value) -> Self:
        """An error by its reason, for which `presentation.refusals` has a sentence in each interface."""
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


class EngineFailure(SfumatoError, code="engine"):
    """An engine could not run a query. Its own messages are dropped, because they quote rows.

    `worker_lost`: the process that ran it took too long or too much memory, or died, and could enter nothing itself.
    """

    reason = "engine-failed"
    worker_lost = False

    def __init__(self, *, worker_lost: bool = False) -> None:
        self.worker_lost = worker_lost
        super().__init__()


class OutOfMemory(EngineFailure):
    """The memory that an engine may use was not enough for a query."""


class DatabaseFailure(SfumatoError, code="database"):
    """The database of a workspace cannot be used. Its messages are dropped: they quote rows, and maybe a password."""


class BadInput(SfumatoError, code="input", exit_status=2):
    """Something in the input is wrong."""


class SchemaError(BadInput, code="schema"):
    """Something in the schema file is wrong."""


class SourceError(BadInput, code="source"):
    """The data file or table cannot be used."""


class QueryError(BadInput, code="query"):
    """The SQL is not supported or not readable; the error has its place."""


class PreferenceError(BadInput, code="preference"):
    """A preference or one of its numbers is wrong."""


class LedgerUnwritable(BadInput, code="ledger"):
    """The ledger cannot be written where its path says."""


class NoServer(BadInput, code="server"):
    """No sfumato server answers at the address."""


class PolicyError(BadInput, code="policy"):
    """Something in a policy is wrong."""


class NotFound(BadInput, code="not-found"):
    """Nothing of that name exists, or the caller may not see it."""


class VaultUnwritable(BadInput, code="vault"):
    """The folder or the key file of the vault cannot be written."""


class Refused(SfumatoError, code="refused", exit_status=3):
    """Refused by a guarantee, a policy or arithmetic."""


class NoGuarantee(Refused, code="no-guarantee"):
    """The release would have no guarantee, and the caller did not allow that."""


class Infeasible(Refused, code="infeasible"):
    """No epsilon meets the preference, or every epsilon does."""


class NoMechanism(Refused, code="no-mechanism"):
    """There is no sound way to draw the requested noise."""


class BudgetExceeded(Refused, code="budget-exceeded"):
    """The total of the dataset would exceed its budget."""


class Cancelled(Refused, code="cancelled"):
    """The user cancelled it."""

    reason = "cancelled"

    def __init__(self) -> None:
        super().__init__()


class LedgerBroken(Refused, code="ledger-broken"):
    """The ledger was edited: nothing more is released from it."""


class NotSignedIn(Refused, code="not-signed-in"):
    """The caller is not signed in."""


class Forbidden(Refused, code="forbidden"):
    """The role of the caller, or a policy, does not allow it."""


class NotIntroduced(Refused, code="introduction"):
    """The user has to pass the introduction before approving."""


class Conflict(Refused, code="conflict"):
    """It changed since the caller last read it."""


class TooMany(Refused, code="too-many"):
    """Too many requests in too little time."""


class Stopping(Refused, code="stopping"):
    """The server is stopping and starts nothing more; nothing was charged for this."""

    reason = "server-stopping"

    def __init__(self) -> None:
        super().__init__()


class Gone(Refused, code="gone"):
    """It was deleted after the time that the policy states."""


class AwaitingApproval(Refused, code="awaiting-approval", exit_status=4):
    """Another person has to decide first."""


class VaultBroken(Refused, code="vault-broken"):
    """An encrypted file was altered or replaced, and is not read."""


class SandboxMissing(Refused, code="sandbox_unavailable"):
    """Its hint says what has to be installed, or why the sandbox may not be used."""


class SfumatoWarning(UserWarning):
    """A warning, as a reason with its values; `presentation.refusals` has the sentences."""

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
