"""All commands by name. Naming a command loads its module; `--help` loads none of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from sfumato.cli.help import CommandGroup

BEGIN = {
    "sfumato demo": "a tour of the main job",
    "sfumato schema ask FILE.csv --out FILE.toml": "describe a file of your own",
    "sfumato release --help": "all options of a command, with an example",
}
GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {  # MODULE:NAME of a command or a group of them, and its help
    "Your own files": {
        "demo": ("local.demo:demo", "Show the main job in six steps, on generated data."),
        "schema": ("local.schema_commands:app", "Describe a table: draft, ask, convert or check."),
        "worst-case": ("local.risk_commands:worst_case", "Show risk from public facts; no data is read."),
        "noise": ("local.noise_command:noise", "Show the noise of an answer; no data is read."),
        "sharing-risk": (
            "local.guessing_commands:sharing_risk",
            "Show the risk of sharing an answer; no data is read.",
        ),
        "rehearse": ("local.risk_commands:rehearse", "Try a query on synthetic data; no data is read."),
        "compare": ("local.compare:compare", "Compare all methods side by side; no data is read."),
        "exposure-histogram": (
            "local.risk_commands:exposure_histogram",
            "Draw a private histogram of exposures; charged.",
        ),
        "suggest-bounds": (
            "local.suggest_bounds:suggest_bounds",
            "Suggest how many rows of one person count; charged.",
        ),
        "choose": ("local.release_commands:choose", "Choose the largest epsilon that meets a preference."),
        "release": ("local.release_commands:release", "Release a noisy answer with its certificate."),
        "histogram": ("local.histogram:histogram", "Release a noisy histogram of a column, with a picture."),
        "batch": ("local.batch:batch", "Release several noisy answers for one epsilon."),
        "run": ("local.recurring:run", "Release the figures of a plan for one period."),
        "ledger": ("local.ledger_commands:app", "Show and verify the ledger: looks, plans and releases."),
        "risk": ("local.risk_commands:risk", "Show individual risks; logged as a look."),
        "beliefs": ("local.beliefs:beliefs", "Show how sure an attacker becomes; logged as a look."),
        "posthoc-risk": (
            "local.posthoc_command:posthoc_risk",
            "Show what an answer tells of each person; a look.",
        ),
        "explain": ("local.explain:explain", "Explain a term, or list all terms."),
    },
    "With a server: analysts": {
        "estimate": ("escrow.requests_commands:estimate", "Preview the cost and guarantee of a request."),
        "submit": ("escrow.requests_commands:submit", "Submit a query for approval."),
        "result": ("escrow.requests_commands:result", "Fetch the answers of a request."),
        "withdraw": ("escrow.requests_commands:withdraw", "Withdraw your own request."),
        "signal": ("escrow.signals_commands:app", "Ask what the noise did to a released answer."),
        "notifications": ("escrow.notifications_commands:notifications", "List your notifications."),
        "token": ("escrow.token:token", "Create, list or revoke tokens for programs."),
    },
    "With a server: controllers": {
        "inbox": ("escrow.requests_commands:inbox", "List the requests that wait for a decision."),
        "inspect": ("escrow.requests_commands:inspect", "Show one request to the person who decides."),
        "approve": ("escrow.requests_commands:approve", "Approve a request."),
        "undo": ("escrow.requests_commands:undo", "Take back an approval before it starts."),
        "assign": ("escrow.requests_commands:assign", "Assign a request to a controller."),
        "return": ("escrow.requests_commands:give_back", "Return a request with changes to make."),
        "refuse": ("escrow.requests_commands:refuse", "Refuse a request with a reason."),
        "cancel": ("escrow.requests_commands:cancel", "Stop a request that is being computed."),
        "dataset": ("escrow.dataset_commands:app", "Add, update and list datasets."),
        "policy": ("escrow.policy_commands:app", "Show or set who may ask what of a dataset."),
    },
    "Administration": {
        "init": ("escrow.workspace:init", "Create a workspace for several parties."),
        "serve": ("escrow.workspace:serve", "Serve a workspace."),
        "user": ("escrow.user:app", "Add, change and list users."),
        "audit": ("escrow.audit_log_commands:app", "Show and verify the audit log; save a checkpoint."),
        "doctor": ("escrow.workspace:doctor", "Check a workspace and list what to fix."),
    },
    "Papers and proofs": {
        "reproduce": ("local.reproduce:reproduce", "Reproduce the papers' tables and figures."),
        "audit-mechanism": (
            "local.audit_mechanism:audit_mechanism",
            "Test a mechanism's epsilon by a black-box audit.",
        ),
        "engine": ("local.engine_commands:app", "Check whether an engine computes what it must."),
        "study": ("local.study:app", "Run a user study: new, serve or export."),
    },
}
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}


class Commands(TyperGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        loaded: Any = _Loaded()  # Typer adds commands to a dict; here they are all known
        self.commands = loaded
        _give_default(self)

    def format_commands(self, _context: Any, formatter: Any) -> None:
        width = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), help_text) for name, (_, help_text) in group.items()])

    def format_epilog(self, _context: Any, formatter: Any) -> None:
        with formatter.section("To begin"):
            formatter.write_dl(list(BEGIN.items()))

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Names from the table above, where Typer would load every command."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        from typer._click.shell_completion import CompletionItem

        return [CompletionItem(n, help=text) for n, (_, text) in COMMANDS.items() if n.startswith(incomplete)]


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
    parent = CommandGroup()
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
    if option.callback or option.nargs != 1 or (info.min, info.max, info.parser) != (None,) * 3:
        return convert(context, value)
    if option.multiple:
        is_plain = kind == list[str] and not option.required and all(map(_PLAIN[str].fullmatch, value or ()))
        return (() if value is None else list(value)) if is_plain else convert(context, value)
    if value is None and not option.required:
        return None
    if kind not in _PLAIN or not isinstance(value, str):
        return value if type(value) is kind else convert(context, value)
    return kind(value) if _PLAIN[kind].fullmatch(value) else convert(context, value)


def _give_default(command: Any) -> None:
    """Whether help is wanted is false unless it is said: a None would be converted."""
    command.get_help_option(typer.Context(command)).default = False
