"""How a command explains itself: its options under headings, an example, and what to type if nothing was typed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from sfumato.cli.examples import EXAMPLES, on_demo
from sfumato.errors import BadInput
from sfumato.presentation.option_help import HEADINGS, heading

Command = TypeVar("Command", bound=Callable[..., Any])
_VALUES = {"<float>": "NUMBER", "<int>": "N", "<int range>": "N", "<str>": "TEXT"}


class HelpfulCommand(TyperCommand):
    """A command whose help ends with an example."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing and any(each.required for each in self.params):
            needed = [_usage_of(each) for each in self.params if each.required]
            hint = f"run `{ctx.command_path} --help` for all options. For example:\n  {EXAMPLES[name_of(ctx)]}"
            raise BadInput(f"`{ctx.command_path}` needs {_listed(needed)}", hint=hint)
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, _context: Any) -> list[str]:
        arguments = [each for each in self.params if each.param_type_name == "argument"]
        options = [each for each in self.params if each.required and each not in arguments]
        return [*map(_usage_of, arguments + options), "[OPTIONS]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        names = frozenset(each.name for each in self.params)
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in ("Arguments", "Options", *HEADINGS)}
        parameters: list[Any] = self.get_params(ctx)
        for each in parameters:
            term, text = each.get_help_record(ctx)
            if each.param_type_name == "argument":
                sections["Arguments"].append((each.display_name_raw, text))
                continue
            flag, _, value = term.partition(" ")
            part = "Options" if each.required else heading(each.name, names)
            sections[part].append((f"{flag} {_VALUES.get(value, value)}".rstrip(), _in_words(text)))
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        with formatter.section(f"Example{on_demo(name_of(ctx))}"):
            formatter.write(f"  {EXAMPLES[name_of(ctx)]}\n")


class HelpfulGroup(TyperGroup):
    """A group that lists its commands with their first sentence in full."""

    def format_commands(self, _context: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(200)) for name, each in self.commands.items()])


class CommandGroup(typer.Typer):
    """Commands of this kind under one name, which lists them where it stands alone."""

    def __init__(self, help_text: str | None = None) -> None:
        super().__init__(help=help_text, cls=HelpfulGroup, rich_markup_mode=None)
        if help_text is not None:
            self.callback(invoke_without_command=True)(explain)

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Command], Command]:
        return super().command(name, cls=HelpfulCommand, **settings)


def explain(context: typer.Context) -> None:
    """A group of commands by itself lists them."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def name_of(context: Any) -> str:
    """The command's own name, such as `ledger show`."""
    names = []
    while context.parent is not None:
        names.append(context.info_name)
        context = context.parent
    return " ".join(reversed(names))


def _usage_of(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.display_name_raw) if parameter.required else f"[{parameter.display_name_raw}]"
    return f"{parameter.opts[0]} {parameter.metavar or parameter.name.upper()}"


def _in_words(text: str) -> str:
    """A range as people write it.

    >>> _in_words("[default: 50; 2<=x<=100]"), _in_words("[x>=1]")
    ('[default: 50; 2 to 100]', '[at least 1]')
    """
    return re.sub(r"x>=(\d+)", r"at least \1", re.sub(r"(\d+)<=x<=(\d+)", r"\1 to \2", text))


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
