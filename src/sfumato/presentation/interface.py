"""The interface that sentences are made for: a terminal, Python code, web pages, or a file that is edited."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum


class Interface(Enum):
    COMMAND = "command"
    PYTHON = "python"
    WEB = "web"
    SCHEMA = "schema"  # the TOML of a schema or a policy: errors about it are in its terms, whatever shows them


_CURRENT = ContextVar("interface", default=Interface.PYTHON)


def current_interface() -> Interface:
    return _CURRENT.get()


@contextmanager
def speaking(interface: Interface) -> Iterator[None]:
    """Within this, errors are worded for this interface. A command and a server say so once, around all they do.

    >>> with speaking(Interface.COMMAND):
    ...     current_interface().value
    'command'
    >>> current_interface().value
    'python'
    """
    before = _CURRENT.set(interface)
    try:
        yield
    finally:
        _CURRENT.reset(before)
