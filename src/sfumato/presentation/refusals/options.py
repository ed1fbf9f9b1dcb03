"""What a hint names, in the words of each interface: options, and steps that somebody can take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sfumato.presentation.interface import Interface


class _Words(NamedTuple):
    command: str
    python: str
    web: str


_OPTIONS = {  # in Python, with a place for its value where that is an argument of a function
    "again": _Words("--again", "again=True", "again"),
    "attack_chance": _Words("--attack-chance", "sf.attack_chance({})", "attack chance"),
    "bins": _Words("--bins", "bins", "bins"),
    "bounds_from_data": _Words("--bounds-from-data", "bounds_from_data", "bounds from data"),
    "delta": _Words("--delta", "delta", "delta"),
    "each": _Words("--each", "each", "each"),
    "epsilon": _Words("--epsilon", "epsilon", "epsilon"),
    "gap": _Words("--gap", "sf.gap({})", "gap"),
    "index": _Words("--index", "index", "index"),
    "kind": _Words("--kind", "kind", "kind"),
    "larger_than_spent": _Words("--larger-than-spent", "sf.larger_than_spent()", "larger than spent"),
    "ledger": _Words("--ledger", "ledger", "ledger"),
    "like": _Words("--like", "like", "like"),
    "mechanism": _Words("--mechanism", "mechanism", "mechanism"),
    "pri": _Words("--pri", "sf.pri({})", "PRI"),
    "ratio": _Words("--ratio", "sf.ratio({})", "ratio"),
    "select_epsilon": _Words("--select-epsilon", "select_epsilon", "epsilon for selecting"),
    "variance": _Words("--variance", "sf.variance({})", "variance"),
    "within": _Words("--within", "sf.within({})", "within"),
    "worst_case": _Words("--worst-case", "worst_case=True", "the worst case"),
}
_STEPS = {
    "accept_none": _Words(
        "accept it with --accept-none",
        "accept it with accept_none=True",
        "accept that what leaves carries no guarantee",
    ),
    "attest": _Words(
        "state where it was fixed with --fixed-beforehand",
        "state where it was fixed with fixed_beforehand",
        "declare that it was decided before anybody looked, and where that is written",
    ),
    "check_workspace": _Words("`sfumato doctor`", "`sfumato doctor`", "`sfumato doctor`"),
    "create_workspace": _Words("`sfumato init`", "`sfumato init`", "`sfumato init`"),
    "low_sharing_risk": _Words(
        "--sharing-risk low --trust low --data-sensitivity high --choices 4",
        "sf.sharing_risk('low', trust='low', data_sensitivity='high', choices=4)",
        "a low risk of sharing with low trust, high sensitivity and 4 choices",
    ),
    "low_trust": _Words(
        "--trust low --data-sensitivity high",
        "trust='low', data_sensitivity='high'",
        "low trust and high sensitivity",
    ),
    "show_ledger": _Words("`sfumato ledger show`", "`ledger.show()`", "the ledger of the dataset"),
    "show_missing": _Words("`sfumato missing`", "`query.missing()`", "`sfumato missing`"),
    "show_risk": _Words("`sfumato risk`", "`query.risk()`", "`sfumato risk`"),
    "show_worst_case": _Words("`sfumato worst-case`", "`query.worst_case()`", "the estimate"),
    "state_cause": _Words("`sfumato ledger cause`", "`state_cause()`", "`sfumato ledger cause`"),
    "state_grid": _Words("--grid paper or --grid 0.1,1", "grid='paper' or grid=[0.1, 1]", "paper, or 0.1 and 1"),
    "widen_to_range": _Words(
        "ask for sample_and_aggregate, or say --by-range: noise as wide as the whole range",
        "ask for sample_and_aggregate, or say by_range=True: noise as wide as the whole range",
        "choose “Sample and aggregate”, or tick that noise may be as wide as the whole scale",
    ),
    "worst_case_gap": _Words(
        "--gap 1.2 --worst-case", "sf.gap(1.2, worst_case=True)", "a gap of 1.2 in the worst case"
    ),
}


class Options:
    """An option by its name, or with a value after "=". In Python a word in small letters is a text.

    >>> for interface in Interface:
    ...     option = Options(interface)
    ...     print(option["delta"], "|", option["delta=1e-6"], "|", option["kind=free"], "|", option["gap=1.2"])
    --delta | --delta 1e-6 | --kind free | --gap 1.2
    delta | delta=1e-6 | kind='free' | sf.gap(1.2)
    delta | delta 1e-6 | kind free | gap 1.2
    """

    def __init__(self, interface: Interface) -> None:
        self._interface = interface

    def __getitem__(self, stated: str) -> str:
        name, equals, value = stated.partition("=")
        option: str = getattr(_OPTIONS[name], self._interface.value)
        if self._interface is not Interface.PYTHON:
            return f"{option} {value}" if equals else option
        value = repr(value) if value.isalpha() and value.islower() else value
        if "{}" in option:
            return option.format(value)
        return f"{option}={value}" if equals else option


def steps(interface: Interface) -> Mapping[str, str]:
    return {name: getattr(words, interface.value) for name, words in _STEPS.items()}
