"""`sfumato study`: a user study of how people choose epsilon."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.escrow.workspace import require_server_extra
from sfumato.cli.help import CommandGroup
from sfumato.cli.options import argument, flag, option
from sfumato.errors import BadInput

app = CommandGroup("Run a user study of how people choose epsilon: new, serve or export.")
Folder = Annotated[Path, argument("DIR", "Folder of the study.")]
MOST = 10_000  # links of a study


@app.command()
def new(
    folder: Folder,
    tasks: Annotated[
        str, option("Tasks: rdr, pri (the noise with the indicator beside it) or sharing.", "KIND", "--tasks")
    ] = "rdr",
    participants: Annotated[int, option("Number of links.", "N", "--participants", "-n")] = 60,
    histogram: Annotated[
        bool, flag("--histogram", "Add a third arm, which sees histograms in place of ranges.")
    ] = False,
    rows: Annotated[int, option("People in the generated population.", "N", "--rows")] = 32_561,
    url: Annotated[str, option("Address that participants will use.", "URL", "--url")] = "http://127.0.0.1:8000",
    as_json: options.Json = False,
) -> None:
    """Make a study on the embedded population, with one link for each participant."""
    from sfumato.study import design
    from sfumato.study.design import Arm, Kind
    from sfumato.study.file import StudyFile
    from sfumato.study.tasks import make

    if tasks not in list(Kind):
        raise BadInput(f"{tasks} is no kind of study", hint="use --tasks rdr, pri or sharing.")
    kind = Kind(tasks)
    if histogram and kind is Kind.SHARING:
        raise BadInput("The tasks of sharing have no histogram", hint="leave --histogram out.")
    arms = (*design.DEFAULT_ARMS, *((Arm.HISTOGRAM,) if histogram else ()))
    if not len(arms) <= participants <= MOST:
        raise BadInput(
            f"A study of {len(arms)} arms cannot have {participants} participants",
            hint=f"choose --participants from {len(arms)} to {MOST:,}.",
        )
    questions = make(kind, rows)
    people = design.assign(participants, arms, [task.name for task in questions])
    StudyFile.create(folder, kind, questions, people)
    links = [f"{url.rstrip('/')}/study/{each.link}" for each in people]
    path = folder / "links.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("participant", "link"), *enumerate(links, start=1)])
    if as_json:
        typer.echo(json.dumps({"folder": str(folder), "tasks": kind, "links": links}, indent=2))
        return
    typer.echo(f"A study with {len(questions)} tasks, {len(arms)} arms and {participants} links.")
    typer.echo(f"The links are in {path}; give each participant one. The arms are not in it.")
    typer.echo(f"To begin: sfumato study serve {folder}")


@app.command()
def serve(
    folder: Folder,
    host: Annotated[str, option("Address to listen on.", "ADDRESS")] = "127.0.0.1",
    port: Annotated[int, option("Port to listen on.", "PORT")] = 8000,
    behind_proxy: Annotated[
        bool, flag("--behind-proxy", "A proxy with TLS passes calls on, so other machines may connect.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Serve the links of a study until Ctrl-C. Answers are kept; it may be served again."""
    require_server_extra()
    from sfumato.server.run import bind_socket
    from sfumato.server.run import serve as listen
    from sfumato.server.study import create_study_app
    from sfumato.study.file import StudyFile

    study = StudyFile(folder)
    with bind_socket(host, port, behind_proxy=behind_proxy) as taken:
        url = f"http://{host}:{taken.getsockname()[1]}"
        if as_json:
            typer.echo(json.dumps({"study": str(folder), "url": url}))
        else:
            typer.echo(f"sfumato serves the study {folder} at {url}. Press Ctrl-C to stop; answers are kept.", err=True)
        listen(create_study_app(study, secure=behind_proxy), taken, behind_proxy=behind_proxy)


@app.command()
def export(
    folder: Folder,
    out: Annotated[
        Path | None, option("Write the answers to this file; by default answers.csv in DIR.", "FILE.csv")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Write the answers as CSV, one row for each answered task, and print their analysis."""
    from sfumato.study.analysis import analyse
    from sfumato.study.export import COLUMNS, rows
    from sfumato.study.file import StudyFile

    _require_scipy()
    path = out or folder / "answers.csv"
    study = StudyFile(folder)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows(study))
    analysis = analyse(path)
    if as_json:
        typer.echo(json.dumps({"file": str(path)} | analysis.as_dict(), indent=2))
        return
    from sfumato.presentation import study_view as view

    typer.echo(f"The answers are in {path}.\n\n{view.text(analysis)}")


def _require_scipy() -> None:
    from importlib.util import find_spec

    if find_spec("scipy") is None:
        raise BadInput("SciPy is not installed, and the analysis needs it", hint="pip install 'sfumato[study]'.")
