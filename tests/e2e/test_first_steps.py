"""What a person types first: each step answers, or says what is wrong, before it misleads."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.composition import local
from sfumato.errors import BadInput, PreferenceError, SchemaError
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from tests.e2e.command import Typed

pytestmark = pytest.mark.e2e

COUNT = "SELECT COUNT(*) FROM stays"
STAYS = """\
name = "stays"
[columns.ward]
type = "integer"
bounds = [1, 3]
[columns.days]
type = "number"
bounds = [0, 60]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stays.toml").write_text(STAYS, "utf-8")
    rows = [f"{1 + i % 4},{i % 50}.5" for i in range(400)]
    (tmp_path / "stays.csv").write_text("\n".join(["ward,days", *rows, ""]), "utf-8")
    return tmp_path


def ask(command: str, *options: object, sql: str = COUNT, data: str = "stays.csv") -> list[object]:
    return [command, data, "--schema", "stays.toml", "--sql", sql, *options]


def test_the_worst_case_reads_the_column_names(typed: Typed, folder: Path) -> None:
    """A missing file and a misspelt column are refused; a row is not read, even one that could not be."""
    refused = typed(*ask("worst-case", "--json", data="stay.csv"))
    assert (refused.code, "stay.csv" in refused.error["message"]) == (2, True)
    refused = typed(*ask("worst-case", "--json", sql="SELECT COUNT(wards) FROM stays"))
    assert (refused.code, "wards" in refused.error["message"]) == (2, True)
    (folder / "stays.csv").write_bytes(b'ward,days\n"\xff\x00')
    assert typed(*ask("worst-case", "--json")).code == 0
    (folder / "stays.csv").write_text("ward,nights\n", "utf-8")
    assert typed(*ask("worst-case", "--json")).error["message"].startswith("Column 'days' is in stays.toml")
    assert not (folder / "stays.ledger").exists()


def test_a_stated_epsilon_above_epsilon_max(typed: Typed) -> None:
    """Stated outright it is refused with both numbers; from a preference it is cut, and the reason says so."""
    for command in ("release", "choose"):
        refused = typed(*ask(command, "--epsilon", 50, "--json"))
        assert refused.code == 2
        assert {"50", "10"} <= set(refused.error["message"].split())
        assert "--epsilon-max 50" in refused.error["hint"]
    query = sf.open("stays.csv", "stays.toml").query(COUNT)
    with pytest.raises(PreferenceError, match=r"50.*epsilon_max.*10"):
        query.release(epsilon=50)
    with pytest.raises(PreferenceError, match=r"3.*epsilon_max.*2"):
        query.choose(stated_epsilon(3), epsilon_max=2)
    cut = query.preview(sf.gap(100, worst_case=True))
    assert (cut.epsilon, "99" in cut.why, "epsilon_max, 10, is used" in cut.why) == (10, True, True)
    assert query.release(epsilon=10).certificate.epsilon == 10
    assert typed(*ask("release", "--epsilon", 12, "--epsilon-max", 12)).code == 0


def test_a_batch_creates_its_folder(typed: Typed, folder: Path) -> None:
    queries = ["--sql", "SELECT AVG(days) FROM stays", "--epsilon", 1]
    done = typed(*ask("batch", *queries, "--out", "answers/june"))
    assert (done.code, done.err) == (0, "")
    assert sorted(file.name for file in (folder / "answers" / "june").iterdir()) == [
        *("query-1.csv", "query-1.html", "query-2.csv", "query-2.html"),
    ]
    for name in ("answers.csv", "stays.csv/answers"):
        assert typed(*ask("batch", *queries, "--out", name)).code == 2


def test_two_schemas_of_one_name_do_not_share_a_ledger(folder: Path) -> None:
    """Another file of another table is refused where it would join in silence; a renamed one and new data are not."""
    first = sf.open("stays.csv", "stays.toml")
    first.query(COUNT).release(epsilon=1)
    (folder / "visits.csv").write_text("clinic\n1\n2\n", "utf-8")
    other = 'name = "stays"\n[columns.clinic]\ntype = "integer"\nbounds = [1, 3]\n'
    (folder / "visits.toml").write_text(other, "utf-8")
    with pytest.raises(BadInput, match=r"stays\.ledger.*stays\.toml.*visits\.toml"):
        sf.open("visits.csv", "visits.toml")
    with pytest.raises(BadInput):
        local.open_without_data("visits.toml", source="visits.csv")
    assert sf.open("visits.csv", "visits.toml", ledger="visits.ledger").ledger.total.epsilon == 0
    assert sf.open("visits.csv", "visits.toml", ledger="stays.ledger").ledger.total.epsilon == 1
    (folder / "strict.toml").write_text(f"budget = 2\n{STAYS}", "utf-8")
    assert sf.open("stays.csv", "strict.toml").ledger.total.epsilon == 1, "of the same data"
    (folder / "july.csv").write_text("ward,days\n1,2\n", "utf-8")
    assert sf.open("july.csv", "stays.toml").ledger.total.epsilon == 1, "by the same schema"
    (folder / "stays.toml").rename(folder / "renamed.toml")
    assert sf.open("july.csv", "renamed.toml").ledger.total.epsilon == 1, "the file was renamed"


def test_answers_are_kept_at_the_end_of_input(typed: Typed, folder: Path) -> None:
    """What was answered is written, and what was not is listed in it."""
    answers = "\n".join(["visits", "row", "add-remove", "?", "integer", "1", "3", "number"])
    ended = typed("schema", "ask", "stays.csv", "--out", "new.toml", stdin=f"{answers}\n")
    assert ended.code == 2
    assert "your 8 answers are in new.toml" in ended.err.splitlines()[-1]
    text = (folder / "new.toml").read_text("utf-8")
    written = tomllib.loads(text)
    assert (written["name"], written["null_values"]) == ("visits", ["?"])
    assert written["columns"] == {"ward": {"type": "integer", "bounds": [1, 3]}, "days": {"type": "number"}}
    assert ("# days: lowest possible value" in text, "# ward" in text) == (True, False)
    local.open_without_data("new.toml")
    ended = typed("schema", "ask", "stays.csv", stdin="visits\n")
    assert (ended.code, 'name = "visits"' in ended.out) == (2, True)


def test_whole_numbers_with_bounds_are_group_keys(typed: Typed, folder: Path) -> None:
    """Every value within the bounds is one, whether the data has it or not; others are left out."""
    by_ward = "SELECT ward, COUNT(*) AS stays FROM stays GROUP BY ward"
    done = typed(*ask("release", "--epsilon", 10, "--json", sql=by_ward))
    assert [row[0] for row in done.json["rows"]] == [1, 2, 3]
    assert all(abs(row[1] - 100) < 10 for row in done.json["rows"])
    (folder / "stays.toml").write_text(STAYS.replace("[1, 3]", "[1, 100001]"), "utf-8")
    refused = typed(*ask("release", "--epsilon", 10, "--json", sql=by_ward))
    assert (refused.code, "100,000" in refused.error["message"] + refused.error["hint"]) == (2, True)
    (folder / "stays.toml").write_text(STAYS.replace("bounds = [1, 3]", 'categories = "2..4"'), "utf-8")
    dataset = sf.open("stays.csv", "stays.toml", ledger=":memory:")
    assert dataset.schema.columns[0].categories == (2, 3, 4)
    for wrong in ("4..2", "1..", "1..99999", "a..b", "1..2..3"):
        (folder / "stays.toml").write_text(STAYS.replace("bounds = [1, 3]", f'categories = "{wrong}"'), "utf-8")
        with pytest.raises(SchemaError):
            local.open_without_data("stays.toml")


def test_a_ratio_between_equal_groups_says_why(typed: Typed) -> None:
    """Before it looks it says so, and "every epsilon" comes with its reason: the medians are equal."""
    done = typed(*ask("choose", "--ratio", 0.9, "--between", "ward = 1"))
    assert (done.code, "equal" in done.out) == (0, True)
    assert "looks at the data" in done.err


def test_two_columns_of_one_name_are_named(typed: Typed, folder: Path) -> None:
    (folder / "stays.csv").write_text("ward,days,Ward\n1,2,3\n", "utf-8")
    refused = typed("schema", "draft", "stays.csv", "--json")
    assert (refused.code, refused.error["message"]) == (2, "stays.csv has two columns named 'Ward'")
    (folder / "stays.csv").write_text("ward,,\n1,2,3\n", "utf-8")
    assert "no header line" in typed("schema", "draft", "stays.csv", "--json").error["message"]


def test_a_batch_says_where_its_certificates_are(typed: Typed) -> None:
    batch = ["batch", "stays.csv", "--schema", "stays.toml", "--sql", COUNT, "--sql", "SELECT SUM(days) FROM stays"]
    for out, places in (
        ((), ["--out FOLDER writes it"] * 2),
        (("--out", "answers"), ["answers/query-1.html", "answers/query-2.html"]),
        (("--out", "all.json"), ["all.json"] * 2),
    ):
        lines = typed(*batch, "--epsilon", 1, *out).out.splitlines()
        assert [line for line in lines if line.startswith("Certificate")] == [f"Certificate: {at}" for at in places]


def test_an_interview_says_where_its_schema_is(typed: Typed) -> None:
    asked = typed("schema", "ask", "stays.csv", "--out", "asked.toml", stdin="\n" * 20)
    assert (asked.code, asked.err.endswith("The schema is in asked.toml.\n")) == (0, True)


def test_attack_success_counts_a_private_selection(typed: Typed) -> None:
    """An attacker sees what was selected too: epsilon 10 and 0.5 for the selection."""
    chosen = typed(*ask("choose", "--variance", 0.2, "--select-epsilon", 0.5, sql="SELECT SUM(days) FROM stays"))
    epsilon = float(chosen.out.split()[1])
    exact = 100 / (1 + math.exp(-epsilon - 0.5))
    printed = float(re.search(r"at most ([\d.]+)% of the time", chosen.out)[1])  # type: ignore[index]
    assert exact - 1e-9 <= printed <= exact + 0.1


def test_a_rehearsal_names_what_it_ran_on(typed: Typed, folder: Path) -> None:
    (folder / "public.csv").write_text("ward,days\n1,2.5\n2,7.5\n3,8\n", "utf-8")
    assert "Rehearsal on synthetic data." in typed(*ask("rehearse", "--rows", 50)).out
    assert "Rehearsal on a public stand-in" in typed(*ask("rehearse", "--like", "public.csv")).out
