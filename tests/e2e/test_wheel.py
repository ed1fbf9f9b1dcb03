"""What is built is what people install: the wheel, in an environment of its own, far from the source tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.depth import depth

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
CONSTRAINTS = ROOT / "constraints.txt"
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")} | {
    "PIP_CONSTRAINT": CONSTRAINTS.as_uri(),  # what the build needs is pinned too
    "PIP_BUILD_CONSTRAINT": CONSTRAINTS.as_uri(),
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}
WHERE = """
import json, sys
import sfumato, sfumato.cli.main, sfumato.cli.local.tour
import sfumato.adapters.engines.duckdb.engine, sfumato.adapters.noise.laplace
print(json.dumps([m.__file__ for m in sys.modules.values() if getattr(m, "__file__", None)]))
"""


def run(folder: Path, *command: object) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def required(wheel: Path) -> dict[str, Distribution]:
    """Every distribution that a wheel asks for, and those ask for, as they are installed here."""
    [folder] = (path for path in zipfile.Path(wheel).iterdir() if path.name.endswith(".dist-info"))
    asking: list[tuple[Distribution, str]] = [(PathDistribution(folder), "")]
    found: dict[str, Distribution] = {}
    for asks, extra in asking:
        for requirement in map(Requirement, asks.requires or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                here = distribution(requirement.name)
                assert requirement.specifier.contains(here.version), requirement
                wanted = [(here, more) for more in ("", *requirement.extras)]
                asking += [each for each in wanted if each not in asking]
                found[here.name] = here
    return found


def link(wheel: Path, site: Path) -> None:
    """What a wheel asks for, and nothing else, as links to what is installed here: unpacking it all takes long."""
    for here in required(wheel).values():
        for name in {file.parts[0] for file in here.files or ()} - {"..", "__pycache__"}:
            (site / name).symlink_to(Path(str(here.locate_file(name))))


@pytest.mark.depth("wheels")
@pytest.mark.parametrize("how", ["linked", "by pip"][: depth("wheels")])
def test_the_wheel_stands_alone(tmp_path: Path, how: str) -> None:
    """Built once, installed with what it asks for and nothing else, run from a folder of its own."""
    run(tmp_path, sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path / "dist", ROOT)
    [wheel] = (tmp_path / "dist").glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    assert {f"sfumato/adapters/storage/migrations/{name}" for name in ("env.py", "versions/0001_initial.py")} <= packed
    for folder in ("server/static", "server/templates", "presentation/refusals"):
        files = [path for path in (ROOT / "src/sfumato" / folder).rglob("*.*") if path.suffix != ".pyc"]
        assert files
        assert {path.relative_to(ROOT / "src").as_posix() for path in files} <= packed
    venv.create(tmp_path / "fresh")
    python, sfumato = (tmp_path / "fresh" / "bin" / name for name in ("python", "sfumato"))
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile", "-c", CONSTRAINTS]
    if how == "linked":
        [site] = (tmp_path / "fresh" / "lib").glob("python*/site-packages")
        link(wheel, site)
        install.append("--no-deps")
    run(tmp_path, *install, wheel)

    toured = run(tmp_path, sfumato, "demo", "--rows", 500, "--keep", "adult")
    assert "1. The table and the preregistered rule" in toured
    data = ["adult/adult.parquet", "--schema", "adult/adult.toml"]
    sql = "SELECT sex, COUNT(*) FROM adult GROUP BY sex"
    released = json.loads(run(tmp_path, sfumato, "release", *data, "--sql", sql, "--json"))
    assert [row[0] for row in released["rows"]] == ["Female", "Male"]
    assert released["certificate"]["guarantee"] == "dp"
    assert "chain intact" in run(tmp_path, sfumato, "ledger", "verify", "adult/adult.ledger")

    files = [Path(file) for file in json.loads(run(tmp_path, python, "-c", WHERE))]
    assert any(file.name == "tour.py" for file in files)
    assert not [file for file in files if file.is_relative_to(ROOT)], "nothing comes from the source tree"
