"""All commands by name. A command's module is loaded when the command is named, so that `--help` loads none of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

COMMANDS: Mapping[str, tuple[str, str]] = {  # MODULE:NAME of a command or a group of them, and what `--help` says of it
    "demo": ("local.demo:demo", "The guided tour on an embedded population."),
    "worst-case": ("local.risk_commands:worst_case", "Risk from public facts alone; reads no data."),
    "sharing-risk": (
        "local.guessing_commands:sharing_risk",
        "What a snoop guesses, and what sharing risks; reads no data.",
    ),
    "rehearse": ("local.risk_commands:rehearse", "The same query on a look-alike; reads no data."),
    "exposure-histogram": ("local.risk_commands:exposure_histogram", "A private histogram of exposures, charged."),
    "risk": ("local.risk_commands:risk", "The people themselves: recorded as a look."),
    "beliefs": ("local.beliefs:beliefs", "Who is missing? Recorded as a look."),
    "choose": ("local.release_commands:choose", "The largest epsilon that meets a preference."),
    "release": ("local.release_commands:release", "A noisy answer with its certificate."),
    "batch": ("local.batch:batch", "Several noisy answers for one epsilon, split by an index."),
    "compare": ("local.compare:compare", "Every method side by side; reads no data."),
    "audit-mechanism": (
        "local.audit_mechanism:audit_mechanism",
        "Does a black-box audit contradict epsilon? Reads no data.",
    ),
    "init": ("escrow.workspace:init", "Make a workspace for several parties."),
    "serve": ("escrow.workspace:serve", "Serve a workspace."),
    "doctor": ("escrow.workspace:doctor", "Check a workspace, and say what to do."),
    "reproduce": ("local.reproduce:reproduce", "The papers' tables and figures, beside ours."),
    # The escrow: on a workspace here, or on a server
    "token": ("escrow.token:token", "How programs come in: make, list, revoke tokens."),
    "estimate": ("escrow.requests_commands:estimate", "What a request would cost and promise."),
    "submit": ("escrow.requests_commands:submit", "Ask a dataset that is held in trust."),
    "inbox": ("escrow.requests_commands:inbox", "The requests that wait for a decision."),
    "inspect": ("escrow.requests_commands:inspect", "One request, as whoever decides needs it."),
    "approve": ("escrow.requests_commands:approve", "Let a request go ahead."),
    "return": ("escrow.requests_commands:give_back", "Send a request back, with what is to be changed."),
    "refuse": ("escrow.requests_commands:refuse", "Refuse a request, and say why."),
    "withdraw": ("escrow.requests_commands:withdraw", "Take your own request back."),
    "cancel": ("escrow.requests_commands:cancel", "Stop a request that is computed."),
    "result": ("escrow.requests_commands:result", "The answers of a request."),
    "notifications": ("escrow.notifications_commands:notifications", "What happened that you should know."),
    # Groups
    "schema": ("local.schema_commands:app", "Describe a table: draft, ask, convert or check."),
    "ledger": ("local.ledger_commands:app", "Read and verify the record of looks, plans and releases."),
    "user": ("escrow.user:app", "Who is let in, and as what."),
    "dataset": ("escrow.dataset_commands:app", "What is held in trust: its description, its data, its versions."),
    "policy": ("escrow.policy_commands:app", "Who may ask what of a dataset."),
    "signal": ("escrow.signals_commands:app", "What did the noise cost? Asked about an answer that was released."),
    "audit": (
        "escrow.audit_log_commands:app",
        "The record of who did what: read it, verify it, keep its head elsewhere.",
    ),
}


class Commands(TyperGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        loaded: Any = _Loaded()  # Typer adds commands to a dict; here they are all known
        self.commands = loaded
        _give_default(self)

    def format_commands(self, _context: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in COMMANDS.items()])


class _Loaded(Mapping[str, Any]):
    """Each command by its name, loaded when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        return load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


@cache
def load(name: str) -> Any:
    """The command, or group of commands, with its options; its module is imported."""
    place, help_text = COMMANDS[name]
    module, attribute = place.split(":")
    function = getattr(import_module(f"sfumato.cli.{module}"), attribute)
    parent = typer.Typer(rich_markup_mode=None)
    if isinstance(function, typer.Typer):
        parent.add_typer(function, name=name, short_help=help_text)
    else:
        parent.command(name, short_help=help_text)(function)
    command = typer.main.get_group(parent).commands[name]
    _spare_pydantic(command)
    return command


# Typer converts every value with pydantic, whose import takes longer than most commands do.

_PLAIN: Mapping[type, re.Pattern[str]] = {
    str: re.compile(r"[\x00-\x7f]*"),
    int: re.compile(r"-?[0-9]{1,15}"),
    float: re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,20})?(e[+-]?[0-9]{1,3})?"),
}


def _spare_pydantic(command: Any) -> None:
    """Read plain values here; Typer reads all others, and finds all errors."""
    for each in getattr(command, "commands", {}).values():
        _spare_pydantic(each)
    _give_default(command)
    for option in command.params:
        vars(option)["process_value"] = partial(_read, option, option.process_value)


def _read(option: Any, convert: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    info, kind = option.type_descriptor.parameter_info, option.type_descriptor.annotation
    if option.callback or option.multiple or option.nargs != 1 or (info.min, info.max, info.parser) != (None,) * 3:
        return convert(context, value)
    if value is None and not option.required:
        return None
    if kind not in _PLAIN or not isinstance(value, str):
        return value if type(value) is kind else convert(context, value)
    return kind(value) if _PLAIN[kind].fullmatch(value) else convert(context, value)


def _give_default(command: Any) -> None:
    """Whether help is wanted is false unless it is said: a None would be converted."""
    command.get_help_option(typer.Context(command)).default = False
