"""Tables that say how something is to be done: what kind of value a name has is checked here, what it means is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from sfumato.privacy.preferences.registry import OPTIONS, OptionKind
from sfumato.server.texts import Text, plain

Epsilons: TypeAlias = Literal["paper"] | Annotated[list[float], Field(max_length=1000)]
Level: TypeAlias = str | float


class PreferenceBody(BaseModel):
    """Names that are not listed go on to the escrow, which knows them or says which there are."""

    model_config = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)

    mechanism: Text | None = None
    delta: float | None = None
    calibration: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, table: Any) -> Any:
        return plain(table) if isinstance(table, dict) else table

    def table(self) -> dict[str, Any]:
        """What was stated, and nothing else."""
        return self.model_dump(exclude_unset=True)


class How(PreferenceBody):
    """How the noise is thought of, and at which epsilons a risk is shown."""

    candidates: Epsilons | None = None
    exact: bool = False
    bins: int | None = None
    allow_no_guarantee: bool = False
    redraw: bool = False
    preregistered: Text = ""


class Guesses(PreferenceBody):
    """What is guessed (`choices`, `secret`, `radius` or `prior`), and with whom an answer is shared."""

    choices: int | None = None
    secret: Text | None = None
    radius: float | None = None
    prior: float | None = None
    trust: Level | None = None
    data_sensitivity: Level | None = None
    limit: Level | None = None
    candidates: Epsilons | None = None


_KINDS: dict[OptionKind, Any] = {
    OptionKind.NUMBER: float | None,
    OptionKind.WHOLE: int | None,
    OptionKind.FLAG: bool | None,
    OptionKind.TEXT: Text | None,
    OptionKind.LEVEL: Level | None,
    OptionKind.WORLDS: Annotated[list[Any], Field(max_length=10_000)] | None,
}


class _Drawn(PreferenceBody):
    """The names of a schema's [rule], and how the noise is drawn."""

    candidates: Epsilons | None = None
    epsilon_max: float | None = None


if TYPE_CHECKING:

    class NamedPreference(_Drawn): ...

else:
    NamedPreference = create_model(
        "Preference",
        __base__=_Drawn,
        __doc__=_Drawn.__doc__,
        **{option.name: (_KINDS[option.kind], None) for option in OPTIONS},
    )


def table_of(preference: NamedPreference | None) -> dict[str, Any] | None:
    """None, the rule of record, stays None."""
    return None if preference is None else preference.table()
