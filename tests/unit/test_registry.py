"""The list of preferences is what the functions that make them take, and what each interface offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any, get_type_hints

import pytest

import sfumato as sf
from sfumato.presentation.option_help import HEADINGS, HELP
from sfumato.presentation.wording.asking import OFFERS, RULE
from sfumato.presentation.wording.rule import KINDS
from sfumato.privacy.preferences.preference import epsilon
from sfumato.privacy.preferences.registry import KNOWN, NAMES, OPTIONS, UNSTATED, OptionKind, examples, preferences
from sfumato.privacy.risk.rdr_distribution import RDRs
from sfumato.server.option_bodies import NamedPreference

TYPES: dict[OptionKind, tuple[Any, ...]] = {
    OptionKind.NUMBER: (float, float | None),
    OptionKind.WHOLE: (int, int | None),
    OptionKind.FLAG: (bool,),
    OptionKind.TEXT: (str | None, Callable[[RDRs], bool] | str),
    OptionKind.LEVEL: (float | str, float | str | None, float | str | Mapping[str, float | str] | None),
    OptionKind.WORLDS: (object,),
}
# Of Python alone: words for sentences, a list of priors.
BY_NAME_ONLY = {("epsilon", "what"), ("belief", "prior"), ("satisfies", "name")}


def maker(name: str) -> Any:
    return epsilon if name == "epsilon" else getattr(sf, name)


@pytest.mark.parametrize("name", NAMES)
def test_a_preference_takes_what_the_list_says(name: str) -> None:
    value, *others = signature(maker(name)).parameters.values()
    taken = {one.name for one in others if (name, one.name) not in BY_NAME_ONLY}
    assert taken == {option.name for option in OPTIONS if name in option.of}
    assert value.kind is Parameter.POSITIONAL_OR_KEYWORD


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_value_is_of_the_kind_that_the_list_says(option: Any) -> None:
    if option.name == "together":
        return  # it changes the preferences beside it
    for name in option.of or (option.name,):
        hints = get_type_hints(maker(name))
        own = option.name if option.of else next(iter(signature(maker(name)).parameters))
        assert hints[own] in TYPES[option.kind], name


def test_every_interface_has_the_same_names() -> None:
    assert (
        set(NamedPreference.model_fields) - {"mechanism", "delta", "calibration", "candidates", "epsilon_max"} == KNOWN
    )
    assert set(HELP) - {"priority", "larger_than_spent"} == KNOWN


def test_help_has_a_heading_for_every_option() -> None:
    headed = [name for names in HEADINGS.values() for name in names]
    assert len(headed) == len({*headed})
    assert set(HELP) <= {*headed}


def test_forms_offer_what_the_list_has() -> None:
    in_rule = {option.name for option in OPTIONS if option.in_rule}
    assert {name for name in KINDS if name} <= {*NAMES} & in_rule
    assert {offer.name for offer in OFFERS} <= {RULE, *NAMES}
    assert {figure.name for offer in OFFERS for figure in offer.figures} <= KNOWN


def test_every_example_and_every_tried_method_can_be_stated() -> None:
    for example in (*examples({"choices": 4}, 4), *(tried for _, _, tried in UNSTATED if tried is not None)):
        assert len(preferences(example)) == 1


def test_what_two_preferences_share_goes_to_both() -> None:
    stated = {"exposure_cap": 0.5, "variance": 1e-3, "select_epsilon": 0.1}
    assert preferences(stated) == (sf.variance(1e-3, select_epsilon=0.1), sf.exposure_cap(0.5))
    assert preferences(stated | {"allow": 0.01})[1] == sf.exposure_cap(0.5, allow=0.01, select_epsilon=0.1)
