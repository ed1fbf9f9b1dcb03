"""Options that several commands share, in place of one parameter of theirs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any


def expanded(
    command: Callable[..., None],
    place: str,
    options: Mapping[str, tuple[Any, Any]],
    made: Callable[[Mapping[str, Any]], Any],
) -> Callable[..., None]:
    """The command with these options where its parameter `place` stands; it is handed what is made of them."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    asked = [inspect.Parameter(n, keyword, default=unsaid, annotation=a) for n, (a, unsaid) in options.items()]
    own = inspect.signature(command, eval_str=True)
    parameters = [
        one
        for parameter in own.parameters.values()
        for one in (asked if parameter.name == place else [parameter.replace(kind=keyword)])
    ]

    @wraps(command)
    def run(**typed: Any) -> None:
        given = made({name: typed.pop(name) for name in options})
        command(**{place: given}, **typed)

    vars(run)["__signature__"] = own.replace(parameters=parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
