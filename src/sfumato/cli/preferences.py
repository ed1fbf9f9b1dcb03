"""The options that state preferences, once for every command that takes them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any

from sfumato.cli import options
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.choose.preference import Preference

Stated = tuple[Any, ...]  # the preferences that a command is handed

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "epsilon": (options.Epsilon, None),
    "gap": (options.Gap, None),
    "ratio": (options.Ratio, None),
    "worst_case": (options.WorstCase, False),
    "exact": (options.Exact, False),
    "between": (options.Between, None),
    "attack_chance": (options.AttackChance, None),
    "variance": (options.Variance, None),
    "exposure_cap": (options.ExposureCap, None),
    "allow": (options.Allow, None),
    "select_epsilon": (options.SelectEpsilon, None),
    "beta": (options.Beta, None),
    "as_published": (options.AsPublished, False),
    "priority": (options.Priority, None),
    "larger_than_spent": (options.LargerThanSpent, False),
}
_SELECTING = ("variance", "allow"), "--variance or --exposure-cap with --allow", "--variance 1e-4 --select-epsilon 0.1"
_COMPARING = ("gap", "ratio"), "--gap or --ratio"
_HOW = {  # what says how a preference is met: of which, in words, and how that is typed
    "worst_case": (*_COMPARING, "--gap 1.2 --worst-case"),
    "exact": (*_COMPARING, "--gap 1.2 --worst-case --exact"),
    "between": (*_COMPARING, '--gap 1.2 --between "age > 60"'),
    "as_published": (("variance",), "--variance", "--variance 1e-4 --select-epsilon 1 --as-published"),
    "allow": (("exposure_cap",), "--exposure-cap", "--exposure-cap 0.5 --allow 0.01 --select-epsilon 0.1"),
    "select_epsilon": _SELECTING,
    "beta": (*_SELECTING[:2], f"{_SELECTING[2]} --beta 0.05"),
}


def with_preferences(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options where its parameter `preferences` stands; it is handed what they state."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    asked = [inspect.Parameter(n, keyword, default=unsaid, annotation=a) for n, (a, unsaid) in _OPTIONS.items()]
    own = inspect.signature(command, eval_str=True)
    parameters = [
        one
        for parameter in own.parameters.values()
        for one in (asked if parameter.name == "preferences" else [parameter.replace(kind=keyword)])
    ]

    @wraps(command)
    def run(**typed: Any) -> None:
        stated = preferences({name: typed.pop(name) for name in _OPTIONS})
        command(preferences=stated, **typed)

    vars(run)["__signature__"] = own.replace(parameters=parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def preferences(typed: Mapping[str, Any]) -> tuple[Preference, ...]:
    """The preferences among all that was typed, in the order of the interface."""
    from sfumato.choose import preference

    for name, (of, goes_with, example) in _HOW.items():
        if typed[name] not in (None, False) and all(typed[one] is None for one in of):
            raise BadInput(f"--{name.replace('_', '-')} goes with {goes_with}", hint=f"try {example}.")
    compared = {name: typed[name] for name in ("worst_case", "exact", "between")}
    selected = {"select_epsilon": typed["select_epsilon"]} | ({} if typed["beta"] is None else {"beta": typed["beta"]})
    capped = {"allow": typed["allow"]} | (selected if typed["allow"] else {})
    makers: dict[str, Callable[[Any], Preference]] = {
        "epsilon": preference.epsilon,
        "gap": lambda times: preference.gap(times, **compared),
        "ratio": lambda tau: preference.ratio(tau, **compared),
        "variance": lambda tau: preference.variance(tau, as_published=typed["as_published"], **selected),
        "exposure_cap": lambda cap: preference.exposure_cap(cap, **capped),
        "attack_chance": preference.attack_chance,
    }
    stated = [make(typed[name]) for name, make in makers.items() if typed[name] is not None]
    if typed["priority"] is not None:
        if not stated:
            raise BadInput("--priority goes with a preference", hint="try --gap 1.2 --worst-case --priority 2.")
        stated = [preference.weighted(one, typed["priority"]) for one in stated]
    return (*stated, *([preference.larger_than_spent()] if typed["larger_than_spent"] else []))
