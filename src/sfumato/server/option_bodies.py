"""Tables of options: the kind of each value is checked here, its meaning in the escrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from sfumato.privacy.preferences.registry import OPTIONS, OptionKind
from sfumato.server.texts import Body, Text, plain

Epsilons: TypeAlias = Literal["paper"] | Annotated[list[float], Field(max_length=1000)]
Level: TypeAlias = str | float


class PreferenceBody(BaseModel):
    """Options by name; a name that is not listed here is checked by the escrow."""

    model_config = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)

    mechanism: Text | None = None
    delta: float | None = None
    calibration: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, table: Any) -> Any:
        return plain(table) if isinstance(table, dict) else table

    def table(self) -> dict[str, Any]:
        """The options that were set."""
        return self.model_dump(exclude_unset=True)


class How(PreferenceBody):
    """The noise of a planned release, and the epsilons at which risk is shown."""

    candidates: Epsilons | None = None
    exact: bool = False
    expected_count: float | None = None
    bins: int | None = None
    allow_no_guarantee: bool = False
    redraw: bool = False
    preregistered: Text = ""


class Guesses(PreferenceBody):
    """What an attacker guesses (`choices`, `secret`, `radius` or `prior`), and the recipient of the answer."""

    choices: int | None = None
    secret: Text | None = None
    radius: float | None = None
    prior: float | None = None
    trust: Level | None = None
    data_sensitivity: Level | None = None
    limit: Level | None = None
    earlier_epsilon: float | None = None
    earlier_delta: float | None = None
    count: int | None = None
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
    """The names of a schema's [rule], and the noise."""

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


class PreferenceChoice(Body):
    """`preference` has the names of a schema's [rule]; null is the preregistered rule."""

    preference: NamedPreference | None = None

    @property
    def terms(self) -> dict[str, Any] | None:
        return None if self.preference is None else self.preference.table()
