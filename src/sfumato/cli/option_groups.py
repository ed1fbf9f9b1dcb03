"""Groups of options that several commands share, each in place of one parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import wraps
from typing import Any

Options = Mapping[str, tuple[Any, Any]]  # by name: annotation for Typer, and default


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter that is a dataclass by one option for each field; the command gets the dataclass."""
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        group = parameter.annotation
        if is_dataclass(group) and isinstance(group, type):
            command = replace_parameter(command, name, options_of(group), group)
    return command


def options_of(group: type) -> Options:
    """The fields of a dataclass as options."""
    fields = inspect.signature(group, eval_str=True).parameters.values()
    return {field.name: (field.annotation, field.default) for field in fields}


def replace_parameter(
    command: Callable[..., None], name: str, options: Options, build: Callable[..., Any]
) -> Callable[..., None]:
    """Put these options where the parameter `name` stands; the command gets what `build` makes of them."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    new = [inspect.Parameter(n, keyword, default=default, annotation=a) for n, (a, default) in options.items()]
    own = inspect.signature(command, eval_str=True)
    parameters = [
        each
        for parameter in own.parameters.values()
        for each in (new if parameter.name == name else [parameter.replace(kind=keyword)])
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        value = build(**{option: given.pop(option) for option in options})
        command(**{name: value}, **given)

    vars(run)["__signature__"] = own.replace(parameters=parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
