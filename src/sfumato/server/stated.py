"""Tables that say how something is to be done: what kind of value a name has is checked here, what it means is not."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sfumato.server.texts import Text, plain

Epsilons: TypeAlias = Literal["paper"] | Annotated[list[float], Field(max_length=1000)]
Level: TypeAlias = str | float


class Stated(BaseModel):
    """Names that are not listed go on to the escrow, which knows them or says which there are."""

    model_config = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)

    mechanism: Text | None = None
    delta: float | None = None
    calibration: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, said: Any) -> Any:
        return plain(said) if isinstance(said, dict) else said

    def table(self) -> dict[str, Any]:
        """What was stated, and nothing else."""
        return self.model_dump(exclude_unset=True)


class How(Stated):
    """How the noise is thought of, and at which epsilons a risk is shown."""

    candidates: Epsilons | None = None
    exact: bool = False
    bins: int | None = None
    allow_no_guarantee: bool = False
    redraw: bool = False
    preregistered: Text = ""


class Guesses(Stated):
    """What is guessed (`choices`, `secret`, `radius` or `prior`), and with whom an answer is shared."""

    choices: int | None = None
    secret: Text | None = None
    radius: float | None = None
    prior: float | None = None
    trust: Level | None = None
    data_sensitivity: Level | None = None
    limit: Level | None = None
    candidates: Epsilons | None = None


class Preference(Stated):
    """The names of a schema's [rule], and how the noise is drawn."""

    candidates: Epsilons | None = None
    epsilon_max: float | None = None
    epsilon: float | None = None
    gap: float | None = None
    ratio: float | None = None
    worst_case: bool | None = None
    exact: bool | None = None
    between: Text | None = None
    variance: float | None = None
    select_epsilon: float | None = None
    beta: float | None = None
    as_published: bool | None = None
    exposure_cap: float | None = None
    allow: float | None = None
    attack_chance: float | None = None
    pri: float | None = None
    guess: float | None = None
    advantage: float | None = None
    sharing_risk: Level | None = None
    trust: Level | None = None
    data_sensitivity: Level | None = None
    choices: int | None = None
    secret: Text | None = None
    radius: float | None = None
    prior: float | None = None
    belief: float | None = None
    worlds: Annotated[list[Any], Field(max_length=10_000)] | None = None
    missing: int | None = None
    bound: bool | None = None
    within: float | None = None
    relative_error: float | None = None
    confidence: float | None = None
    each: bool | None = None
    expected: float | None = None
    expected_count: float | None = None


def table_of(preference: Preference | None) -> dict[str, Any] | None:
    """None, the rule of record, stays None."""
    return None if preference is None else preference.table()
