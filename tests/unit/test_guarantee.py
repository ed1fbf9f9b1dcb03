"""Every path to a release carries the right word: computed from the record, not from good intentions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from sfumato.ledger.entry import Event
from sfumato.model import guarantee
from sfumato.model.guarantee import Guarantee, Label, Provenance, guarantee_of, weakest

PEOPLE = pd.DataFrame({"ward": ["a", "a", "b"], "days": [3, 40, 7]})
RULE = {"gap": 1.2, "worst_case": True}
SQL = "SELECT ward, AVG(days) FROM stays GROUP BY ward"


def schema(**changes: object) -> dict[str, object]:
    columns = {"ward": {"categories": ["a", "b", "c"]}, "days": {"type": "integer", "bounds": [0, 60]}}
    return {"name": "stays", "columns": columns} | changes


WORST = sf.gap(1.2, worst_case=True)


class Story:
    """A controller's day on one ledger; each verb is one step."""

    def __init__(self, ledger: Path, **how: object) -> None:
        self.ledger = ledger
        self.how = how
        self.reopen(schema())

    def reopen(self, stated: dict[str, object]) -> Story:
        self.stays = sf.open(PEOPLE, stated, ledger=self.ledger, version="1", **self.how)  # type: ignore[arg-type]
        return self

    @property
    def query(self) -> sf.Query:
        return self.stays.query(SQL)

    def with_rule(self, **rule: object) -> Story:
        return self.reopen(schema(rule=rule or RULE))

    def with_bounds(self, upper: int) -> Story:
        columns = {"ward": {"categories": ["a", "b", "c"]}, "days": {"type": "integer", "bounds": [0, upper]}}
        return self.reopen(schema(columns=columns))

    def look(self) -> Story:
        self.query.risk()
        return self

    def check(self) -> Story:
        self.stays.check()
        return self

    def plan(self, preference: object = None) -> Story:
        self.query.choose(preference or WORST)  # type: ignore[arg-type]
        return self

    def without_bounds(self) -> Story:
        return self.reopen(schema(columns={"ward": {"categories": ["a", "b", "c"]}}))

    def count(self) -> str:
        """A question that the withdrawn facts are not needed for, but that reads the column."""
        query = self.stays.query("SELECT COUNT(days) FROM stays")
        return query.release(epsilon=0.5, allow_no_guarantee=True, preregistered="").certificate.guarantee

    def by_ward(self, type_: str) -> Story:
        """Each ward is a person; as whole numbers these have no name, and their rows are left out."""
        columns = {"ward": {"type": type_}, "days": {"type": "integer", "bounds": [0, 60]}}
        self.reopen(schema(columns=columns, unit="ward", max_rows=1, rule=RULE))
        return self

    def people(self) -> str:
        """By the rule: a question that does not name the column of people."""
        return self.stays.query("SELECT COUNT(*) FROM stays").release(allow_no_guarantee=True).certificate.guarantee

    def release(self, *preferences: object, **how: object) -> str:
        choice = self.query.choose(*preferences, **how)  # type: ignore[arg-type]
        return self.query.release(choice, allow_no_guarantee=True).certificate.guarantee

    def release_epsilon(self, **how: object) -> str:
        return self.query.release(epsilon=0.5, allow_no_guarantee=True, **how).certificate.guarantee  # type: ignore[arg-type]

    def release_rule(self) -> str:
        return self.query.release(allow_no_guarantee=True).certificate.guarantee


PATHS: list[tuple[str, Callable[[Story], str], str]] = [
    ("epsilon before a look", lambda s: s.release_epsilon(), "dp"),
    ("epsilon after a look", lambda s: s.look().release_epsilon(), "none"),
    ("epsilon after schema check", lambda s: s.check().release_epsilon(), "none"),
    ("epsilon after a look, fixed beforehand", lambda s: s.look().release_epsilon(preregistered="minutes"), "dp"),
    ("worst case before a look", lambda s: s.release(WORST), "dp"),
    ("worst case after a look", lambda s: s.look().release(WORST), "none"),
    ("worst case planned before a look", lambda s: s.plan().look().release(WORST), "dp"),
    ("another one than was planned", lambda s: s.plan().look().release(sf.gap(1.3, worst_case=True)), "none"),
    ("an earlier plan than the last one",
     lambda s: s.plan().plan(sf.gap(1.3, worst_case=True)).look().release(WORST), "none"),
    ("the last of several plans",
     lambda s: s.plan(sf.gap(1.3, worst_case=True)).plan().look().release(WORST), "dp"),
    ("planned with other noise options", lambda s: s.plan().look().release(WORST, epsilon_max=5), "none"),
    ("attack chance before a look", lambda s: s.release(sf.attack_chance(0.6)), "dp"),
    ("attack chance after a look", lambda s: s.look().release(sf.attack_chance(0.6)), "none"),
    ("ratio", lambda s: s.release(sf.ratio(0.95)), "none"),
    ("ratio, fixed beforehand", lambda s: s.release(sf.ratio(0.95), preregistered="minutes"), "none"),
    ("gap of the people", lambda s: s.release(sf.gap(1.2)), "none"),
    ("ratio and worst case together", lambda s: s.release(WORST, sf.ratio(0.95)), "none"),
    ("rule before a look", lambda s: s.with_rule().release_rule(), "dp"),
    ("rule after a look", lambda s: s.with_rule().look().release_rule(), "dp"),
    ("rule said aloud after a look", lambda s: s.with_rule().look().release(WORST), "dp"),
    ("rule with another option after a look", lambda s: s.with_rule().look().release(WORST, epsilon_max=5), "none"),
    ("rule written after a look", lambda s: s.look().with_rule().release_rule(), "none"),
    ("rule changed after a look",
     lambda s: s.with_rule().look().with_rule(gap=2, worst_case=True).release_rule(), "none"),
    ("rule changed back", lambda s: s.with_rule().look().with_rule(epsilon=1).with_rule().release_rule(), "dp"),
    ("rule that reads the people", lambda s: s.with_rule(gap=1.2).release_rule(), "none"),
    ("bounds changed before a look", lambda s: s.with_bounds(90).release_epsilon(), "dp"),
    ("bounds changed after a look", lambda s: s.plan().look().with_bounds(90).release(WORST), "none"),
    ("a column's facts withdrawn after a look",
     lambda s: s.look().without_bounds().count(), "none"),
    ("how people are named changed before a look", lambda s: s.by_ward("text").by_ward("integer").people(), "dp"),
    ("how people are named changed after a look",
     lambda s: s.by_ward("text").check().by_ward("integer").people(), "none"),
    ("bounds changed after a look, fixed beforehand",
     lambda s: s.plan().look().with_bounds(90).release(WORST, preregistered="codebook"), "dp"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "expected"), [pytest.param(p, w, id=name) for name, p, w in PATHS])
def test_every_path_to_a_release(tmp_path: Path, path: Callable[[Story], str], expected: str) -> None:
    assert path(Story(tmp_path / "stays.ledger")) == expected


def test_bounds_from_data_end_every_guarantee(tmp_path: Path) -> None:
    story = Story(tmp_path / "stays.ledger", bounds_from_data=True)
    assert story.release(WORST) == "none"
    assert story.release_epsilon(preregistered="minutes") == "none"
    assert story.with_rule().release_rule() == "none"


def test_none_needs_to_be_accepted_and_costs_nothing_until_then(tmp_path: Path) -> None:
    story = Story(tmp_path / "stays.ledger")
    choice = story.query.choose(sf.ratio(0.95))
    before = len(story.stays.ledger.entries)
    with pytest.raises(sf.SfumatoError, match="would have no guarantee") as refused:
        story.query.release(choice)
    assert refused.value.exit_status == 3
    assert "sf.gap(1.2, worst_case=True)" in refused.value.hint
    assert len(story.stays.ledger.entries) == before


def test_a_none_release_hides_its_noise_and_ends_the_total(tmp_path: Path) -> None:
    story = Story(tmp_path / "stays.ledger")
    assert story.release_epsilon() == "dp"
    assert story.stays.ledger.total.epsilon == 0.5
    choice = story.query.choose(sf.ratio(0.9))
    release = story.query.release(choice, allow_no_guarantee=True)
    stated = release.certificate.as_dict()
    assert [stated[name] for name in ("epsilon", "scale", "noise_90", "charged")] == [None] * 4
    assert release.intervals is None
    assert story.stays.ledger.total.epsilon is None
    assert story.stays.ledger.total.nano_epsilon == (10**9) // 2 + 10 * 10**9
    assert str(choice.epsilon) not in release.to_json() + repr(story.stays.ledger) + repr(choice)
    assert "No guarantee" in repr(release)


def test_no_digest_confirms_a_guess_of_an_epsilon_that_is_withheld(tmp_path: Path) -> None:
    """A key is a hash of the request, epsilon and all: it is not shown, and what is hashed with it nobody can guess."""
    story = Story(tmp_path / "stays.ledger").look()
    story.release_epsilon()
    story.query.exposure_histogram(0.3, allow_no_guarantee=True)
    telling = [e for e in story.stays.ledger.entries if e.draft.event not in (Event.OPENED, Event.LOOKED)]
    assert [e.draft.event.value for e in telling] == ["planned", "reserved", "released", "reserved", "released"]
    for entry in telling:
        assert len(str(entry.draft.confidential["salt"])) == 32
        assert entry.draft.key not in repr(entry)


def test_an_attestation_stands_on_the_certificate(tmp_path: Path) -> None:
    story = Story(tmp_path / "stays.ledger").look()
    release = story.query.release(epsilon=0.5, preregistered="board minutes of 3 May")
    assert any("board minutes of 3 May" in line for line in release.certificate.assumed)
    assert release.certificate.fixed == "attested"


def test_asking_again_returns_the_same_bits_and_word_at_no_charge(tmp_path: Path) -> None:
    story = Story(tmp_path / "stays.ledger").plan()
    first = story.query.release(story.query.choose(WORST))
    spent = story.stays.ledger.total.nano_epsilon
    story.look()
    redraw = Story(tmp_path / "stays.ledger").query
    repeated = redraw.release(redraw.choose(WORST))
    assert (repeated.answer, repeated.certificate) == (first.answer, first.certificate)
    assert redraw.dataset.ledger.total.nano_epsilon == spent
    anew = redraw.release(redraw.choose(WORST), redraw=True)
    assert redraw.dataset.ledger.total.nano_epsilon == 2 * spent
    assert anew.certificate.dataset_total == pytest.approx(0.4)


def test_what_was_released_comes_back_whatever_was_looked_at_since(tmp_path: Path) -> None:
    story = Story(tmp_path / "stays.ledger")
    first = story.query.release(epsilon=0.5)
    story.query.release(epsilon=0.7)
    story.look()
    entries = len(story.stays.ledger.entries)
    assert story.query.release(epsilon=0.5).answer == first.answer
    with pytest.raises(sf.SfumatoError, match="no guarantee"):
        story.query.release(epsilon=0.6)
    assert len(story.stays.ledger.entries) == entries


def test_a_look_is_recorded_before_anything_is_shown_and_once(tmp_path: Path) -> None:
    story = Story(tmp_path / "stays.ledger").look().look()
    looks = [e for e in story.stays.ledger.entries if e.draft.event == "looked"]
    assert len(looks) == 1
    assert "AVG(days)" in str(looks[0].draft.public["what"])


# Plans go by the noisy numbers, not by words

IN_OTHER_WORDS = "SELECT AVG(days) AS mean, ward FROM stays GROUP BY ward HAVING mean > 3 ORDER BY mean DESC LIMIT 2"
BY_WARD = "SELECT ward, AVG(days) FROM stays GROUP BY ward"


def test_a_plan_holds_for_the_same_numbers_in_other_words(tmp_path: Path) -> None:
    story = Story(tmp_path / "stays.ledger")
    story.stays.query(BY_WARD).plan(WORST)
    story.look()
    choice = story.stays.query(IN_OTHER_WORDS).choose(WORST)
    assert choice.guarantee == "dp"
    assert (
        story.stays.query("SELECT ward, AVG(days) FROM stays WHERE days > 3 GROUP BY ward").choose(WORST).guarantee
        == "none"
    )


def test_a_renamed_column_is_no_second_plan(tmp_path: Path) -> None:
    """Two plans for the same numbers would leave a choice after the look."""
    story = Story(tmp_path / "stays.ledger")
    story.stays.query(BY_WARD).plan(WORST)
    entries = len(story.stays.ledger.entries)
    story.stays.query(IN_OTHER_WORDS).plan(WORST)
    assert len(story.stays.ledger.entries) == entries
    story.stays.query(IN_OTHER_WORDS).plan(sf.gap(1.3, worst_case=True))
    story.look()
    assert story.stays.query(BY_WARD).choose(WORST).guarantee == "none"
    assert story.stays.query(BY_WARD).choose(sf.gap(1.3, worst_case=True)).guarantee == "dp"


# The algebra


def provenance(label: Label) -> Provenance:
    return Provenance("input", label, "")


@pytest.mark.parametrize("most", [0.0314, 3.0, 50.0])
def test_what_has_no_guarantee_is_charged_a_constant_whatever_is_said_after_a_look(tmp_path: Path, most: float) -> None:
    story = Story(tmp_path / "ledger").look()
    query = story.query
    query.release(query.choose(WORST, epsilon_max=most), allow_no_guarantee=True)
    assert story.stays.ledger.total.nano_epsilon == 10 * 10**9


@pytest.mark.parametrize("labels", list(product(Label, repeat=2)))
def test_the_algebra_never_upgrades(labels: tuple[Label, ...]) -> None:
    """One more input leaves the word or weakens it; one confidential input ends it."""
    order = [Guarantee.DP, Guarantee.SELECTED, Guarantee.NONE]
    one, both = guarantee_of([provenance(labels[0])]), guarantee_of([provenance(label) for label in labels])
    assert order.index(both) >= order.index(one)
    assert (both is Guarantee.NONE) == (Label.CONFIDENTIAL in labels)
    assert weakest([one, both]) is both


def test_only_one_module_writes_the_three_words() -> None:
    """No other module of the product holds one of the words as a literal, but for names of Python and of flags."""
    words = {w.value for w in Guarantee}
    home = Path(guarantee.__file__)
    for module in home.parents[1].rglob("*.py"):
        literals = {n.value for n in ast.walk(ast.parse(module.read_text("utf-8"))) if isinstance(n, ast.Constant)}
        assert module == home or not literals & words, module
