"""Every preference: those without a guarantee must be accepted, and then nothing that leaves tells what was chosen."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.model.guarantee import Guarantee
from sfumato.privacy.noise.gaussian import mu_analytic
from tests.e2e.command import Ran, Typed

pytestmark = pytest.mark.e2e

SQL = "SELECT SUM(v) AS total FROM t"
BOUND, LARGEST, SMALLEST = 97, 61.3, 3.3
VALUES = (LARGEST, SMALLEST, 13.7, 29.9, 44.1, 7.7)
CANDIDATES = "0.0373,0.0737,0.1373,0.3737,0.7373"  # odd ones, so that no other number looks like them
DELTA = 0.00137
DP, SELECTED, NONE = Guarantee


@dataclass(frozen=True)
class Stated:
    """A preference as it is typed; its word; whether its epsilon is typed too, or follows from public facts."""

    options: str
    word: Guarantee
    public: bool = False


GAUSSIAN = f"--mechanism gaussian --delta {DELTA}"

# One line each, in the order of the interface's table
PREFERENCES = [
    Stated("--epsilon 0.537", DP, public=True),
    Stated("--gap 1.237 --worst-case", DP, public=True),
    Stated("--gap 1.237", NONE),
    Stated("--gap 1.237 --exact", NONE),
    Stated("--ratio 0.913", NONE),
    Stated("--ratio 0.913 --exact", NONE),
    Stated(f"--ratio 0.713 --candidates {CANDIDATES}", NONE),
    Stated("--ratio 0.913 --worst-case", DP, public=True),
    Stated("--ratio 0.913 --worst-case --exact", DP, public=True),
    Stated("--ratio 0.913 --between v>20", NONE),
    Stated(f"--satisfies median('v>20')/min<=1.137 --candidates {CANDIDATES}", NONE),
    Stated("--variance 0.00137 --select-epsilon 0.837", SELECTED),
    Stated(f"--variance 0.337 --select-epsilon 9.37 --as-published --candidates {CANDIDATES}", NONE),
    Stated("--exposure-cap 0.537", DP, public=True),
    Stated("--exposure-cap 0.537 --allow 0.137 --select-epsilon 0.837", SELECTED),
    Stated("--attack-chance 0.637", DP, public=True),
    Stated(f"--pri 73 --candidates {CANDIDATES}", NONE),
    Stated("--belief 0.737 --worlds w.csv", DP, public=True),
    Stated("--guess 0.437 --choices 4", DP, public=True),
    Stated("--guess 0.437 --secret v --radius 5", DP, public=True),
    Stated("--guess 0.437 --prior 0.237", DP, public=True),
    Stated("--advantage 0.237", DP, public=True),
    Stated("--sharing-risk low --trust low --data-sensitivity high --choices 4", DP, public=True),
    Stated("--sharing-risk 0.237 --trust 0.137 --data-sensitivity 0.737 --choices 4 --as-published", DP, public=True),
    Stated("--within 537 --confidence 0.937", DP, public=True),
    Stated("--relative-error 0.137 --expected 7337 --confidence 0.937", DP, public=True),
    Stated(f"--guess 0.437 --choices 4 {GAUSSIAN}", DP, public=True),
    Stated(f"--within 537 --confidence 0.937 {GAUSSIAN}", DP, public=True),
    Stated("--within 537 --guess 0.637 --choices 4", DP, public=True),
    Stated("--epsilon 0.537 --bounds-from-data", NONE, public=True),
    Stated("--gap 1.237 --worst-case --bounds-from-data", NONE, public=True),
    Stated("--ratio 0.913 --bounds-from-data", NONE),
    Stated("--attack-chance 0.637 --ratio 0.913", NONE),
    Stated(f"--attack-chance 0.637 {GAUSSIAN}", DP, public=True),
    Stated(f"--ratio 0.913 {GAUSSIAN}", NONE),
    Stated(f"--variance 0.00137 --select-epsilon 0.837 {GAUSSIAN}", SELECTED),
    Stated(f"--exposure-cap 0.537 --allow 0.137 --select-epsilon 0.837 {GAUSSIAN}", SELECTED),
    Stated("--gap 1.237 --worst-case --priority 2.13", DP, public=True),
    Stated("--attack-chance 0.637 --together 3", DP, public=True),
    Stated(f"--attack-chance 0.637 --together 3 {GAUSSIAN}", DP, public=True),
]
ALL = pytest.mark.parametrize("stated", PREFERENCES, ids=lambda s: s.options)
WITHOUT = pytest.mark.parametrize("stated", [s for s in PREFERENCES if s.word is NONE], ids=lambda s: s.options)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("v\n" + "".join(f"{v}\n" for v in VALUES * 400), "utf-8")
    (tmp_path / "w.csv").write_text("answer\n3\n17\n59\n", "utf-8")
    (tmp_path / "t.toml").write_text(f'name = "t"\n[columns.v]\ntype = "number"\nbounds = [0, {BOUND}]\n', "utf-8")
    return tmp_path


def asked(command: str, stated: Stated, *options: str) -> list[str]:
    return [command, "t.csv", "--schema", "t.toml", "--sql", SQL, *stated.options.split(), *options]


@ALL
@pytest.mark.usefixtures("folder")
def test_the_word_of_each(typed: Typed, stated: Stated) -> None:
    chosen = typed(*asked("choose", stated, "--json"))
    assert (chosen.code, chosen.json["guarantee"]) == (0, stated.word)
    assert chosen.json["epsilon"] is not None
    if stated.word.holds:
        released = typed(*asked("release", stated, "--json"))
        assert released.code == 0
        assert released.json["certificate"]["epsilon"] == chosen.json["epsilon"]


@pytest.mark.usefixtures("folder")
def test_what_was_selected_comes_back_and_says_so(typed: Typed) -> None:
    stated = Stated("--variance 0.00137 --select-epsilon 0.837", SELECTED)
    first, same, anew = (typed(*asked("choose", stated, *options)) for options in ((), (), ("--redraw",)))
    assert (first.err, same.out) == ("", first.out)
    assert same.err.startswith("The same selection was made before and is returned. Nothing was charged.")
    assert anew.err == ""
    total = typed("ledger", "show", "t.ledger", "--json").json[0]
    assert total["spent"] == pytest.approx(2 * 0.837)


@pytest.mark.usefixtures("folder")
def test_a_rehearsal_names_the_command_that_goes_on_only_where_something_came_out(typed: Typed) -> None:
    told = [
        typed(*asked("rehearse", Stated(f"--variance {tau} --select-epsilon 0.837 --rows 500", SELECTED))).out
        for tau in (0.0137, 1e-9)
    ]
    assert ["\n  sfumato choose " in said for said in told] == [True, False]


@WITHOUT
def test_what_has_no_guarantee_is_refused_and_nothing_is_entered(folder: Path, typed: Typed, stated: Stated) -> None:
    """Neither where there is no ledger yet, nor in one that is there."""
    ledger = folder / "t.ledger"

    def refused(*options: str) -> bytes:
        told = typed(*asked("release", stated, *options))
        assert told.code == 3
        assert "nothing was drawn or charged" in told.err
        return ledger.read_bytes() if ledger.exists() else b""

    assert refused() == b""
    typed(*asked("release", Stated("--epsilon 0.25", DP)))
    before = ledger.read_bytes()
    for options in (["--redraw"], ["--preregistered", "minutes of 3 May"], ["--json"]):
        assert refused(*options) == before


@WITHOUT
def test_what_is_accepted_tells_nothing_of_what_was_chosen(folder: Path, typed: Typed, stated: Stated) -> None:
    chosen = typed(*asked("choose", stated, "--json", "--ledger", "other.ledger")).json["epsilon"]
    secret = secrets(chosen, stated)
    for said in everything(folder, typed, stated):
        assert not (told := told_by(said, secret)), (told, said)


def everything(folder: Path, typed: Typed, stated: Stated) -> Iterator[str]:
    """All that leaves of a release that was accepted."""
    files = {"c.json": "a.csv", "c.txt": "a.json", "c.html": "a.parquet"}
    written = (["--certificate", certificate, "--out", answer] for certificate, answer in files.items())
    for options in ([], ["--json"], *written):
        released = typed(*asked("release", stated, "--allow-no-guarantee", *options))
        assert released.code == 0
        yield released.out + released.err
    for name in (*files, "a.csv", "a.json"):
        yield re.sub("<style>.*?</style>", "", (folder / name).read_text("utf-8"), flags=re.DOTALL)
    for command in (["show", "t.ledger"], ["show", "t.ledger", "--json"], ["verify", "t.ledger"]):
        yield _of_ledger(typed(*["ledger", *command]))


def _of_ledger(ran: Ran) -> str:
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def secrets(epsilon: float, stated: Stated) -> dict[str, float]:
    """Numbers that tell what was chosen, or what was read off the data."""
    from_data = "--bounds-from-data" in stated.options
    reach = LARGEST if from_data else BOUND
    scale = reach / (mu_analytic(epsilon, DELTA) if GAUSSIAN in stated.options else epsilon)
    told = {"scale": scale, "sd": scale * 2**0.5, "variance": 2 * scale**2}
    told |= {f"noise at {p}": -scale * math.log(1 - p) for p in (0.5, 0.9, 0.95, 0.99)}
    told |= {f"rdr of {v}": v + scale for v in VALUES}
    if from_data:
        told |= {"largest": LARGEST, "smallest": SMALLEST, "width": LARGEST - SMALLEST}
        told |= {"middle": (LARGEST + SMALLEST) / 2, "half width": (LARGEST - SMALLEST) / 2}
    if stated.public:
        return told
    for whose, e in (("", epsilon), ("own ", epsilon * LARGEST / BOUND)):
        ratio = math.exp(e)
        told |= {f"{whose}epsilon": e, f"{whose}inverse": 1 / e, f"{whose}square": e**2, f"{whose}root": e**0.5}
        told |= {f"{whose}ln": abs(math.log(e)), f"{whose}log10": abs(math.log10(e)), f"{whose}mu": e / 2**0.5}
        told |= {f"{whose}half": e / 2, f"{whose}twice": 2 * e, f"{whose}percent": 100 * e, f"{whose}nano": 1e9 * e}
        told |= {f"{whose}ratio": ratio, f"{whose}inverse ratio": 1 / ratio, f"{whose}more": ratio - 1}
        told |= {f"{whose}rho": e**2 / 2, f"{whose}rho of Laplace": e + 1 / ratio - 1}
        told |= {f"{whose}odds": ratio / (1 + ratio), f"{whose}attack": 1 - ratio**-0.5 / 2}
        told |= {f"{whose}advantage": math.tanh(e / 4), f"{whose}left": 10 - e, f"{whose}spent": 10 + e}
    return told


HASHES_AND_TIMES = re.compile(r"[0-9a-f]{64}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[+-]\d\d:\d\d|Z)?")
NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)


def told_by(text: str, secret: dict[str, float]) -> list[tuple[str, str]]:
    """The numbers in a text that are a secret, rounded to as many digits as they show, if that is three or more."""
    found = []
    for number in NUMBER.findall(HASHES_AND_TIMES.sub("", text)):
        mantissa, _, power = number.lower().replace(",", "").partition("e")
        digits, last = mantissa.replace(".", "").lstrip("0"), int(power or 0) - len(mantissa.partition(".")[2])
        if len(digits) < 3:
            continue
        value, half = float(f"{mantissa}e{power or 0}"), 10.0**last / 2
        found += [(name, number) for name, s in secret.items() if abs(value - s) <= max(half * 1.001, s * 1e-9)]
    return found


# A function of the RDRs is stated in Python alone


@pytest.mark.usefixtures("folder")
def test_a_function_of_the_rdrs_tells_nothing_of_what_was_chosen() -> None:
    candidates = [float(e) for e in CANDIDATES.split(",")]
    query = sf.open("t.csv", "t.toml").query(SQL)
    chosen = query.choose(sf.satisfies(lambda rdrs: rdrs.ratio >= 0.713), candidates=candidates)
    assert (chosen.guarantee, chosen.epsilon is None) == (NONE, False)
    before = Path("t.ledger").read_bytes()
    with pytest.raises(sf.SfumatoError) as refused:
        query.release(chosen)
    assert (refused.value.exit_status, Path("t.ledger").read_bytes()) == (3, before)
    release, ledger = query.release(chosen, allow_no_guarantee=True), query.dataset.ledger
    said = [str(release), release.to_json(), release._repr_html_(), repr(release.certificate), repr(chosen)]
    secret = secrets(chosen.epsilon or 0, Stated("", NONE))
    for text in (*said, repr(ledger), ledger._repr_html_(), *map(repr, ledger.entries)):
        assert not (told := told_by(text, secret)), (told, text)


# The search itself


@pytest.mark.parametrize("name", ["epsilon", "scale", "inverse", "ln", "own attack", "noise at 0.9", "nano"])
def test_a_number_that_tells_is_seen(name: str) -> None:
    secret = secrets(0.15438237, PREFERENCES[2])
    for digits in range(3, 16):
        for text in (f"{secret[name]:.{digits}g}", f"{secret[name]:,.{digits}g}", f"[{secret[name]:.{digits - 1}e}]"):
            assert name in {told for told, _ in told_by(f"scale: {text}, 90 of 100", secret)}, text
    assert not told_by("90 of 100, 0.913, 2026, 2,400 rows, v > 20, [0, 97]", secret)
