"""PRI, Examples 1/3 to 3/3, through the protocol (Figure 4, steps 4 to 6): a server, a client, a real sandbox."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.client.client import Client
from sfumato.client.submissions import Answers
from sfumato.composition.settings import WorkspaceSettings
from sfumato.errors import AwaitingApproval, NoGuarantee
from sfumato.model.signal_score import FreeScore, PublishedScore
from tests.e2e.command import PATIENCE, Typed, sfumato
from tests.e2e.served import Served, prepared, secret_file, until

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

COUNTIES = [f"county {i:02}" for i in range(40)]
LEVELS = {county: float(i % 2) for i, county in enumerate(COUNTIES)}  # of income, known to the public
SQL = "SELECT county, COUNT(*) AS people, SUM(school) AS school, SUM(price) AS price FROM census GROUP BY county"
SCHEMA: dict[str, Any] = {
    "name": "census",
    "columns": {
        "county": {"type": "text", "categories": COUNTIES},
        "school": {"type": "integer", "bounds": [0, 20]},
        "price": {"type": "integer", "bounds": [0, 1000]},
    },
}
POLICY = {
    "access_rule": [{"who": ["bob"], "preferences": ["epsilon"], "signals": ["free", "as_published"], "code": True}]
}
TREE = sf.task("classifier", features=["people", "school", "price"], reference=LEVELS, model="tree")
CODE = """
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier


def evaluate(tables):
    table = tables[0]
    level = table["county"].str[-2:].astype(int) % 2
    tree = DecisionTreeClassifier(random_state=0)
    return cross_val_score(tree, table[["people", "school", "price"]], level, cv=5).mean()
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Client, Client]]:
    """In rich counties people went to school for longer and live in dearer houses; all counties are as large."""
    folder = tmp_path_factory.mktemp("signal") / "served"
    folder.mkdir()
    drawn = random.Random(3)
    rows = ["county,school,price"]
    for county in COUNTIES:
        for _ in range(60):
            school, price = drawn.gauss(11 + 2 * LEVELS[county], 3), drawn.gauss(300 + 60 * LEVELS[county], 120)
            rows.append(f"{county},{round(school)},{round(price)}")
    data = folder / "census.csv"
    data.write_text("\n".join(rows) + "\n", "utf-8")
    tokens = prepared(folder, WorkspaceSettings(workers=1, code_seconds=15))
    with Served(folder) as server, server.start().client(tokens.alice) as alice, server.client(tokens.bob) as bob:
        alice.register(data, SCHEMA)
        alice.set_policy("census", POLICY)
        yield server, alice, bob


@pytest.fixture(scope="module")
def answers(served: tuple[Served, Client, Client]) -> Answers:
    """Example 1/3: aggregates are released; the analyst trains on them, and wonders what the noise did."""
    _, alice, bob = served
    request = bob.dataset("census").submit([SQL], {"epsilon": 0.15}, purpose="Where is income high?")
    alice.request(request.id).approve()
    return request.wait(PATIENCE).result()


def test_example_1_the_free_signal_answers_at_once(served: tuple[Served, Client, Client], answers: Answers) -> None:
    signal = answers.signal(TREE, draws=20)
    assert (signal.state, signal.as_dict()["guarantee"], signal.as_dict()["charged"]) == ("released", "dp", 0.0)
    found = signal.result()
    assert isinstance(found, FreeScore)
    assert len(set(found.scores)) > 1, "noise of this size moves the score"
    assert "fresh noise" in found.text()
    _, alice, _ = served
    events = [entry["event"] for entry in alice.dataset("census").ledger.as_dict()["entries"]]
    assert (events.count("reserved"), events.count("looked")) == (1, 0), "what the release cost, and nothing since"


def test_examples_2_and_3_both_scores_of_a_classifier_of_ones_own(
    served: tuple[Served, Client, Client], answers: Answers, typed: Typed, tmp_path: Path
) -> None:
    server, alice, bob = served
    ready = bob.tasks().as_dict()["code"]
    if not ready["ready"]:
        pytest.skip(ready["sentence"])
    signal = answers.signal(kind="as_published", code=CODE, range=[0, 1])
    with pytest.raises(AwaitingApproval):
        signal.result()
    token = secret_file(tmp_path, "token", alice.new_token("a command").secret)
    at = ["--server", server.url, "--token-file", str(token)]
    page = typed("signal", "inspect", str(signal.number), *at)
    assert page.code == 0, page.err
    assert "DecisionTreeClassifier" in page.out
    assert "If you approve it now, its guarantee is none." in " ".join(page.out.split())
    asked = alice.signal(signal.number)
    with pytest.raises(NoGuarantee):
        asked.approve()
    approved = sfumato("signal", "approve", str(signal.number), "--allow-no-guarantee", *at)
    assert approved.code == 0, approved.err
    until(lambda: asked.state not in ("approved", "running"), every=0.25)
    assert asked.state == "computed", asked.refresh().note
    assert signal.state == "computed"
    with pytest.raises(AwaitingApproval):
        signal.result()
    assert "Score of the exact answer" in asked.value().text()
    asked.page()
    asked.approve(allow_no_guarantee=True)
    found = signal.result()
    assert isinstance(found, PublishedScore)
    assert found.exact is not None
    assert found.exact >= 0.8, "the paper's g(S'): trained on raw aggregates"
    assert found.score < found.exact, "the paper's g(S): trained on DP aggregates"
    assert (found.guarantee, round(found.bits, 1)) == ("none", 6.7)
    shown = typed("signal", "list", "--json", *at)
    assert '"state": "released"' in shown.out
