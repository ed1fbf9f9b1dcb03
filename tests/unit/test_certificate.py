"""What a certificate says, to whom and in which forms; what it withholds; releases that hold nobody or nothing."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.ledger.entry import Event
from sfumato.model import release as model
from sfumato.model.release import Answer, Assumption, PostProcessing
from sfumato.presentation.certificate import certificate_text, worded
from sfumato.presentation.ledger_view import as_dict
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import release_sentences as of_release
from sfumato.presentation.wording.assumptions import ASSUMPTIONS, assumed
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.release.answer import answer
from sfumato.release.decide import plan_of
from sfumato.release.noise import Noisy

STAYS = pd.DataFrame({"patient": ["a", "a", "b"], "days": [1, 2, 3], "ward": ["x", "x", "y"]})
COLUMNS = {
    "patient": {"type": "text"},
    "days": {"type": "integer", "bounds": [0, 100]},
    "ward": {"type": "text", "categories": ["x", "y"]},
}


def opened(
    rows: pd.DataFrame = STAYS, ledger: Any = ":memory:", bounds_from_data: Any = False, **stated: object
) -> sf.Dataset:
    schema = {"name": "stays", "columns": COLUMNS} | stated
    return sf.open(rows, schema, ledger=ledger, bounds_from_data=bounds_from_data)


@pytest.mark.parametrize(
    ("stated", "promised"),
    [
        ({}, "for one row (add-remove)."),
        ({"relation": "replace"}, "for one row (replace)."),
        ({"unit": "patient", "max_rows": 3}, "for one patient (add-remove)."),
        (
            {"unit": "patient", "max_rows": 1, "relation": "replace"},
            "for one patient (replace).",
        ),
    ],
)
def test_a_certificate_says_who_is_protected(stated: dict[str, object], promised: str) -> None:
    release = opened(**stated).query("SELECT COUNT(*) FROM stays").release(epsilon=0.5)
    text = str(release.certificate)
    assert f"0.5-differential privacy {promised}" in text
    assert f"0.5-differential privacy {promised}" in str(release)
    assert release.certificate.unit == stated.get("unit", "row")
    assert release.certificate.relation == stated.get("relation", "add-remove")
    assert ("whether a given person, or another in their place, is included" in text) == ("relation" in stated)


def test_a_certificate_says_how_many_rows_of_a_person_count() -> None:
    one, three = ({"unit": "patient", "max_rows": n} for n in (1, 3))
    query = "SELECT AVG(days) FROM stays"
    assert not any("of one person" in said for said in opened().query(query).release(epsilon=1).certificate.assumed)
    for stated, said in ((one, "at most 1 row of one patient counts"), (three, "at most 3 rows of one patient count")):
        certificate = opened(**stated).query(query).release(epsilon=1).certificate
        assert said in certificate.assumed[-1]
        assert certificate.max_groups is None
        assert "rows without a patient are left out" in str(certificate)
    bounded = opened(**three, max_groups=2).query(query).release(epsilon=1).certificate
    assert "at most 3 rows of one patient count, in at most 2 groups, in a query" in bounded.assumed[-1]
    assert (bounded.max_rows, bounded.max_groups) == (3, 2)
    assert "all rows of one patient, at most 3 counted in at most 2 groups" in bounded.to_html()


def test_a_release_may_hold_no_row(tmp_path: Any) -> None:
    """Also when it comes back from the ledger."""
    sql = "SELECT ward, COUNT(*) AS n, VAR_POP(days) AS v FROM stays GROUP BY ward HAVING n > 1000000"
    first, redraw = (opened(ledger=tmp_path / "stays.ledger").query(sql).release(epsilon=1) for _ in "12")
    assert redraw.answer == first.answer
    assert redraw.intervals == redraw.rows == redraw.numbers == ()
    assert redraw.certificate.noise_90 == ()
    assert list(redraw.to_pandas().columns) == redraw.to_arrow().column_names == ["ward", "n", "v"]
    read = json.loads(redraw.to_json())
    assert (read["columns"], read["rows"], read["intervals"]) == (["ward", "n", "v"], [], [])
    redraw.to_csv(tmp_path / "none.csv")
    assert (tmp_path / "none.csv").read_text().split() == ["ward,n,v"]
    assert "ward" in str(redraw)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("unit", [{}, {"unit": "patient", "max_rows": 2, "relation": "replace"}])
def test_a_release_about_nobody_lies_within_its_bounds(unit: dict[str, object], epsilon: float) -> None:
    sql = "SELECT ward, AVG(days), VAR_POP(days), VAR_SAMP(days), STDDEV(days), COUNT(*) FROM stays GROUP BY ward"
    release = opened(STAYS[:0], **unit).query(sql).release(epsilon=epsilon)
    assert [row[0] for row in release.rows] == ["x", "y"]
    for row, intervals in zip(release.rows, release.intervals or (), strict=True):
        highest = (100, 2500, 5000, 5000**0.5)
        for figure, within, most in zip(row[1:5], intervals[1:5], highest, strict=True):
            assert isinstance(figure, float)
            assert within is not None
            assert 0 <= within[0] <= within[1] <= most * (1 + 1e-9)
            assert 0 <= figure <= most * (1 + 1e-9)


def test_a_variance_of_hardly_more_than_one_lies_within_its_bounds() -> None:
    """A noisy count of 9/8 makes c / (c - 1) nine; a sample variance is at most twice that of a population."""
    measurement = opened().query("SELECT VAR_SAMP(days) FROM stays").measurement
    made = answer(measurement, Noisy(((),), ((Fraction(0), Fraction(0), Fraction(9, 8)),)), None)
    assert 0 <= made.rows[0][0] <= 5000  # type: ignore[operator]


def test_the_noisy_count_behind_a_mean_is_shown() -> None:
    query = opened().query("SELECT ward, AVG(days), COUNT(*), STDDEV(days) FROM stays GROUP BY ward")
    release = query.release(epsilon=10)
    for behind, numbers in zip(release.answer.behind, release.numbers, strict=True):
        assert behind[0] is behind[2] is None
        assert behind[1] == behind[3]
        assert behind[1] in [max(0, round(number)) for number in numbers]
    assert len(release.as_dict()["behind"]) == len(release.rows)
    assert repr(release).splitlines()[0].count("count behind it") == 2
    assert Answer.from_dict({k: v for k, v in release.answer.as_dict().items() if k != "behind"}).behind == ()


# What is on it

MEAN = "SELECT AVG(days) FROM stays"
OLDEST = "SELECT ward, MAX(days) AS most FROM stays GROUP BY ward"


def test_a_certificate_answers_who_chose_what_when_and_how() -> None:
    certificate = opened(unit="patient", max_rows=3).query(MEAN).release(epsilon=0.5).certificate
    assert certificate.shares == (0.5, 0.5)
    assert certificate.laws == ("laplace", "laplace")
    assert (certificate.calibration, certificate.threshold, certificate.rank_90) == (None, None, (None, None))
    assert (certificate.max_rows, certificate.bounds_source, certificate.looked) == (3, "codebook", False)
    assert certificate.why == "The epsilon was stated."
    assert certificate.planned_at is not None
    assert certificate.planned_at <= certificate.released_at
    assert certificate.released_by
    assert re.fullmatch(r"OpenDP \d+\.\d+\.\d+, exact on a lattice", certificate.sampler or "")
    assert certificate.software == f"sfumato {sf.__version__}"
    for said in (certificate.why, certificate.released_by, certificate.sampler, certificate.software, "share 0.5"):
        assert f"{said}" in str(certificate)


def test_an_epsilon_that_was_held_is_seen_to_be() -> None:
    query = opened().query(MEAN)
    certificate = query.release(query.choose(sf.gap(1000, worst_case=True))).certificate
    assert certificate.epsilon == 10
    assert "epsilon_max, 10, is used." in str(certificate)
    assert "epsilon_max, 10, is used." in certificate.to_html()


@pytest.mark.parametrize("calibration", ["analytic", "classic"])
def test_gaussian_noise_says_its_delta_and_how_it_was_calibrated(calibration: str) -> None:
    query = opened().query(MEAN)
    choice = query.choose(sf.attack_chance(0.6), mechanism="gaussian", delta=1e-5, calibration=calibration)
    certificate = query.release(choice).certificate
    assert (certificate.calibration, certificate.laws) == (calibration, ("gaussian", "gaussian"))
    assert ", 1e-05)-differential privacy for one row" in str(certificate)
    assert f"Gaussian noise, {calibration} calibration: 2 noisy numbers." in certificate.to_html()
    assert "except with probability 1e-05" in certificate.to_html()


def test_no_delta_reads_as_less_than_it_is() -> None:
    certificate = opened().query(MEAN).release(epsilon=1, mechanism="gaussian", delta=1.2345641e-6).certificate
    for shown in (str(certificate), certificate.to_html()):
        assert "(1, 1.2345641e-06)-differential privacy" in shown
        assert "1.23456e-06" not in shown


@pytest.mark.parametrize("delta", [Fraction(1, 8), np.float32(0.125), np.float64(0.125)])
def test_a_delta_of_any_kind_is_kept_as_a_number(delta: Any) -> None:
    release = opened().query(MEAN).release(epsilon=1, mechanism="gaussian", delta=delta)
    assert json.loads(release.certificate.to_json())["delta"] == 0.125


@pytest.mark.parametrize("delta", ["much", [0.1], 1j])
def test_what_is_no_delta_is_said_so(delta: Any) -> None:
    stays = opened()
    with pytest.raises(sf.SfumatoError, match="delta must be between 0 and 1"):
        stays.query(MEAN).release(epsilon=1, mechanism="gaussian", delta=delta)
    assert stays.ledger.total.releases == 0


def test_the_promise_counts_delta() -> None:
    """(e^eps + delta) / (1 + e^eps): 53% without delta, 62% with 0.2."""
    certificate = opened().query(MEAN).release(epsilon=0.1).certificate
    assert "at most 53% of the time" in of_guarantee.promise(certificate)
    assert "at most 62% of the time" in of_guarantee.promise(replace(certificate, delta=0.2))


def test_a_selection_says_how_far_its_rank_is_off() -> None:
    release = opened().query(OLDEST).release(epsilon=1)
    certificate = release.certificate
    assert certificate.rank_90 == pytest.approx([2 * math.log(10 * 101)])
    assert (certificate.scale, certificate.laws) == ((None,), ("exponential",))
    said = "MAX of days: with 90% probability its rank error exceeds that of the best candidate by at most 13.9 people"
    for shown in (str(release), release._repr_html_(), str(certificate), certificate.to_html()):
        assert shown.count(said) == 1
    assert "Ranges:" not in str(release)
    assert "covers the noise only" not in str(certificate), "there is no noise that has a range"


@pytest.mark.parametrize(
    ("figure", "counted"),
    [("MAX", "people"), ("QUANTILE_CONT at 0", "people"), ("QUANTILE_DISC at 1", "people"), ("MEDIAN", "values")],
)
def test_of_three_rows_a_person_only_extremes_are_ranked_by_people(figure: str, counted: str) -> None:
    name, _, at = figure.partition(" at ")
    sql = f"SELECT {name}(days{at and ', '}{at}) FROM stays"
    shown = str(opened(unit="patient", max_rows=3).query(sql).release(epsilon=1))
    misses = r"error exceeds that of the best candidate by at most" if counted == "people" else "is within"
    assert re.search(rf"{figure} of days: with 90% probability its rank {misses} [\d.]+ {counted}", shown)
    assert "At most 3 rows of each patient count; further rows are left out." in shown
    assert (of_release.EXTREMES[1:] in shown) == (figure != "MEDIAN")


@pytest.mark.parametrize("epsilon", [1e-9, 1e4, 1e6])
@pytest.mark.parametrize("delta", [1e-300, 1 - 2**-53])
def test_there_is_a_threshold_at_either_end_of_what_may_be_asked(epsilon: float, delta: float) -> None:
    """Somebody replaced costs e^(epsilon/2) of delta, which is beyond all floats."""
    stated = {"relation": "replace", "unit": "patient", "max_rows": 10**9}
    stays = opened(columns=COLUMNS | {"ward": {"type": "text", "keys": "private"}}, **stated)
    query = stays.query("SELECT ward, COUNT(*) FROM stays GROUP BY ward")
    choice = query.choose(stated_epsilon(epsilon), delta=delta, epsilon_max=1e6)
    assert (query.release(choice).certificate.threshold or 0) > 1


def test_private_groups_say_their_threshold() -> None:
    columns = COLUMNS | {"ward": {"type": "text", "keys": "private"}}
    query = opened(columns=columns).query("SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward")
    certificate = query.release(epsilon=1, delta=1e-6).certificate
    assert certificate.threshold is not None
    assert certificate.threshold > 14
    assert "(1, 1e-06)-differential privacy" in str(certificate)
    assert f"threshold ({math.ceil(certificate.threshold * 100) / 100:g})" in certificate.to_html()


def test_where_no_private_group_is_large_enough_the_answer_says_so() -> None:
    columns = COLUMNS | {"ward": {"type": "text", "keys": "private"}}
    by_ward = "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward"
    release = opened(columns=columns).query(by_ward).release(epsilon=1, delta=1e-9)
    shown = "No group is shown: none has a noisy count of at least"
    assert re.search(rf"{shown} [\d.]+ people. A larger epsilon or delta lowers this threshold\.$", str(release), re.M)
    assert shown in release._repr_html_()
    assert "Each interval" not in str(release), "there are none"
    several = opened(columns=columns, unit="patient", max_rows=2).query(by_ward).release(epsilon=1, delta=1e-9)
    assert "A larger epsilon or delta, or a smaller max_groups, lowers this threshold." in str(several)
    having = opened(columns=columns).query(f"{by_ward} HAVING n > 9").release(epsilon=1, delta=1e-9)
    assert "No group is shown" not in str(having), "a HAVING may have left it out"


def test_one_noisy_number_is_one() -> None:
    certificate = opened().query("SELECT COUNT(*) FROM stays").release(epsilon=1).certificate
    assert "laplace, 1 noisy number\n" in str(certificate)
    assert "Laplace noise: 1 noisy number." in certificate.to_html()


def test_a_look_is_on_every_certificate_after_it() -> None:
    stays = opened(rule={"epsilon": 0.5})
    before, _, after = stays.query(MEAN).release(), stays.query(MEAN).risk(), stays.query(MEAN).release(redraw=True)
    assert (before.certificate.looked, after.certificate.looked) == (False, True)
    assert (after.certificate.guarantee, after.certificate.bounds_source) == ("dp", "codebook")
    attested = stays.query(MEAN).release(epsilon=0.1, preregistered="minutes of 3 May").certificate
    assert (attested.decided_by, attested.fixed, attested.bounds_source) == ("looked", "attested", "codebook")
    assert "by declaration of a person" in attested.to_html()


def test_a_word_that_rests_on_a_declaration_says_so_beside_it() -> None:
    stays = opened(rule={"epsilon": 0.5})
    stays.query(MEAN).risk()
    by_rule = stays.query(MEAN).release().certificate
    declared = stays.query(MEAN).release(epsilon=0.1, preregistered="minutes of 3 May").certificate
    for text in (str(declared), declared.to_html()):
        assert "dp, by a declaration" in text
        assert of_guarantee.BY_A_DECLARATION in text
        assert "“minutes of 3 May”" in text
        assert "fixed without looking" not in text
    assert "declaration" not in str(by_rule)
    assert "sized without looking at the data" in by_rule.to_html()
    entries: Any = as_dict(stays.ledger.record)["entries"]
    rows = {e["charged"]: e for e in entries if e["event"] == "reserved"}
    assert (rows[0.1]["word"], rows[0.1]["attested"]) == ("dp, by a declaration", ["minutes of 3 May"])
    assert (rows[0.5]["word"], rows[0.5]["attested"]) == ("dp", [])


def test_what_came_later_is_on_no_earlier_certificate() -> None:
    """However late it is made: the record is asked for what stood in it before the charge."""
    stays = opened()
    choice = stays.query(MEAN).choose(sf.gap(1.2, worst_case=True))
    stays.query(MEAN).release(choice)
    stays.query(MEAN).risk()
    record = stays.ledger.record
    planned, reserved, looked = (
        next(e for e in record.entries if e.draft.event == event) for event in ("planned", "reserved", "looked")
    )
    assert [record.looked_before(e.number) for e in (reserved, looked)] == [False, False]
    assert record.looked_before(looked.number + 1)
    assert record.planned_at(plan_of(choice.request), before=reserved.number) == planned.draft.at
    assert record.planned_at(plan_of(choice.request), before=planned.number) is None


def test_bounds_that_were_changed_after_a_look_say_so(tmp_path: Any) -> None:
    opened(ledger=tmp_path / "stays.ledger").query(MEAN).risk()
    columns = COLUMNS | {"days": {"type": "integer", "bounds": [0, 50]}}
    query = opened(ledger=tmp_path / "stays.ledger", columns=columns).query(MEAN)
    attested = query.release(epsilon=1, preregistered="the codebook of 2024")
    accepted = query.release(epsilon=1, allow_no_guarantee=True, redraw=True)
    assert [r.certificate.bounds_source for r in (attested, accepted)] == ["attested", "data"]


# What is withheld

WITHHELD: dict[str, tuple[str, dict[str, Any]]] = {
    "a mean and an extreme": ("SELECT AVG(days), MAX(days), COUNT(*) FROM stays", {}),
    "groups in order": ("SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward ORDER BY n LIMIT 2", {}),
    "Gaussian": ("SELECT ward, AVG(days) FROM stays GROUP BY ward", {"mechanism": "gaussian", "delta": 1e-6}),
    "private groups": ("SELECT patient, COUNT(*) FROM stays GROUP BY patient", {"delta": 1e-6}),
}


@pytest.mark.parametrize("case", WITHHELD)
def test_without_a_guarantee_nothing_tells_epsilon(case: str) -> None:
    """Whatever epsilon was, all that is said about the release is the same, letter by letter."""
    sql, noise = WITHHELD[case]
    said = set()
    for epsilon in (0.037, 0.7321, 4.4321):
        stays = opened(columns=COLUMNS | {"patient": {"type": "text", "keys": "private"}})
        stays.query("SELECT COUNT(*) FROM stays").risk()
        release = stays.query(sql).release(epsilon=epsilon, allow_no_guarantee=True, **noise)
        certificate = replace(release.certificate, released_at="then", planned_at="before")
        assert certificate.guarantee == "none"
        sentences = str(release).rpartition("\n\n")[2], release._repr_html_().rpartition("</table>")[2]
        forms = certificate.to_json(), str(certificate), certificate.to_html(), certificate._repr_html_()
        said.add((*sentences, *forms, release.columns, release.intervals, release.answer.types, release.answer.ranged))
        assert not any(f"{epsilon:g}" in text for text in forms)
    assert len(said) == 1


def test_how_epsilon_was_read_off_the_people_is_told_but_not_what_it_was() -> None:
    query = opened(bounds_from_data=True).query(MEAN)
    choice = query.choose(sf.ratio(0.9), sf.attack_chance(0.6))
    certificate = query.release(choice, allow_no_guarantee=True).certificate
    assert certificate.method == (
        "ratio 0.9, of the people in the data; withheld: chosen by looking at the data; bounds from the data"
    )
    assert certificate.bounds_source == "data"
    assert (certificate.numbers, certificate.shares, certificate.laws, certificate.why) == ((), None, None, None)
    assert "There is no privacy guarantee for the people" in certificate.to_html()


@pytest.mark.parametrize("told", [{"rank_90": (1.0,)}, {"threshold": 17.0}, {"why": "w"}, {"grid_step": (1.0,)}])
def test_a_certificate_without_a_guarantee_cannot_be_made_to_tell(told: dict[str, Any]) -> None:
    query = opened(bounds_from_data=True).query(MEAN)
    certificate = query.release(epsilon=1, allow_no_guarantee=True).certificate
    with pytest.raises(ValueError, match="withholds"):
        replace(certificate, **told)


# As a page

QUESTIONS = (
    "How strong is the guarantee?",
    "Who is protected?",
    "Which tables are neighbours?",
    "What bounds the sensitivity?",
    "Who has to be trusted?",
    "Are side channels covered?",
    "Had anyone looked at the data?",
)


def test_the_page_stands_alone_and_does_not_tell_the_answer() -> None:
    release = opened().query("SELECT AVG(days), SUM(days) FROM stays").release(epsilon=0.5)
    page = release.certificate.to_html()
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("</html>") == 1
    assert not re.search(r"https?:|<script|<link|<img|<iframe|@import|url\(|\son\w+=", page)
    assert "default-src 'none'" in page
    assert page.index("an attacker who knows everyone else&#x27;s record can tell") < page.index("<h2>")
    for said in (*QUESTIONS, release.certificate.query_sha256, "0.5-differential privacy for one row (add-remove)."):
        assert said in page
    assert replace(release.certificate, noise_90=()).to_html() == page, "nothing else on it follows from what was drawn"
    assert "<style" not in release.certificate._repr_html_(), "a notebook keeps its own style"


@pytest.mark.parametrize("guarantee", ["dp", "none"])
def test_what_people_wrote_is_text_on_the_page(guarantee: str) -> None:
    rows = pd.DataFrame({"<b>who</b>": ["a", "b"], "<i>": [1, 2]})
    columns = {"<b>who</b>": {"type": "text"}, "<i>": {"type": "integer", "bounds": [0, 9]}}
    stays = sf.open(rows, {"name": "<s>", "unit": "<b>who</b>", "max_rows": 1, "columns": columns}, ledger=":memory:")
    query = stays.query("""SELECT SUM("<i>") AS "<img src=x onerror=y>" FROM "<s>" WHERE "<b>who</b>" <> '<script>' """)
    query.risk()
    beforehand: dict[str, Any] = (
        {"preregistered": "<script>alert(1)</script>"} if guarantee == "dp" else {"allow_no_guarantee": True}
    )
    release = query.release(epsilon=1, **beforehand)
    assert release.certificate.guarantee == guarantee
    for html in (release.certificate.to_html(), release.certificate._repr_html_(), release._repr_html_()):
        assert not re.search("<(script|img|s|b|i)[ >]", html)
    assert "&lt;script&gt;" in release.certificate.to_html()


# Codes and sentences


def test_a_record_keeps_codes_and_shows_sentences() -> None:
    stays = opened(unit="patient", max_rows=3, population="patients")
    release = stays.query("SELECT COUNT(*) AS n FROM stays HAVING COUNT(*) > 0").release(epsilon=0.5)
    stored: Any = next(e for e in stays.ledger.entries if e.draft.event is Event.RELEASED).draft.public["certificate"]
    assert stored["post_processing"] == ["counts-rounded", "applied-afterwards", "rows-picked"]
    assert stored["assumed"] == [
        "schema-public",
        "looked-line-kept",
        {"code": "counted-apart", "population": "patients"},
        {"code": "rows-counted", "unit": "patient", "rows": 3, "groups": 3},
    ]
    kept = model.ReleaseCertificate.from_dict(json.loads(json.dumps(stored)))
    assert kept.as_dict() == stored
    assert worded(kept).as_dict() == worded(release.certificate).as_dict() == release.certificate.as_dict()
    assert release.certificate.assumed[-2] == "the people of population patients are in no dataset outside it"
    assert certificate_text(kept) == str(release.certificate)


def test_sentences_that_an_earlier_version_stored_are_shown_as_they_are() -> None:
    query = opened(unit="patient", max_rows=3).query("SELECT ward, COUNT(*) FROM stays GROUP BY ward LIMIT 1")
    query.risk()
    release = query.release(epsilon=0.5, preregistered="minutes of 3 May")
    older = sf.Certificate.from_dict(json.loads(release.certificate.to_json()))
    assert all(" " in said for said in (*older.assumed, *older.post_processing))
    assert (str(older), older.to_html()) == (str(release.certificate), release.certificate.to_html())
    assert of_guarantee.declarations(older) == of_guarantee.declarations(release.certificate)
    strange = replace(older, assumed=("an assumption of long ago",), post_processing=("something else",))
    assert "Assumption:       an assumption of long ago" in str(strange)
    assert "Post-processing:  something else" in str(strange)


def test_what_was_stored_as_a_sentence_and_as_a_code_is_said_once() -> None:
    release = opened().query("SELECT COUNT(*) FROM stays").release(epsilon=0.5)
    stored = release.certificate.as_dict()
    stored["assumed"] += [Assumption.SCHEMA_PUBLIC.value, Assumption.CLOSED_QUOTES.value]
    said = assumed(model.ReleaseCertificate.from_dict(stored))
    assert said == (*release.certificate.assumed, ASSUMPTIONS[Assumption.CLOSED_QUOTES])


GAUSSIAN_RULE = {"gap": 1.2, "worst_case": True, "mechanism": "gaussian", "delta": 1e-6}


def ruled(sql: str, mechanism: str = "gaussian") -> sf.Query:
    columns = {"age": {"type": "integer", "bounds": [0, 100]}, "street": {"type": "text", "keys": "private"}}
    people = pd.DataFrame({"age": range(100), "street": ["a"] * 100})
    rule = GAUSSIAN_RULE | {"mechanism": mechanism}
    return sf.open(people, {"name": "people", "columns": columns, "rule": rule}, ledger=":memory:").query(sql)


@pytest.mark.parametrize("stated", ["gaussian", "truncated"])
@pytest.mark.parametrize(
    ("sql", "mechanism", "delta"),
    [
        ("SELECT AVG(age) FROM people", "", 1e-6),
        ("SELECT MEDIAN(age), COUNT(*) FROM people", "exponential, laplace", 0),
        ("SELECT street, COUNT(*) FROM people GROUP BY street", "laplace, threshold", 1e-6),
    ],
)
def test_a_rule_of_other_noise_is_applied_where_it_can_be(sql: str, mechanism: str, delta: float, stated: str) -> None:
    """And is the rule everywhere: which noise a statement carries is known without the data."""
    query = ruled(sql, stated)
    certificate = query.release().certificate
    assert (certificate.mechanism, certificate.delta, certificate.decided_by) == (mechanism or stated, delta, "policy")


def test_a_certificate_promises_what_the_view_of_gaussian_noise_shows() -> None:
    query = ruled("SELECT AVG(age) FROM people")
    certificate = query.release().certificate
    assert certificate.epsilon is not None
    shown = query.worst_case("gaussian", 1e-6).at(certificate.epsilon).attack_chance
    assert f"at most {math.ceil(100 * shown)}% of the time" in repr(certificate)


def test_a_view_of_private_keys_says_that_a_delta_is_to_come() -> None:
    query = ruled("SELECT street, COUNT(*), SUM(age) FROM people GROUP BY street")
    assert "a release also needs a delta" in query.worst_case().text()
    assert "a release also needs a delta" not in query.worst_case(delta=1e-6).text()
    assert "in this order: count of rows; sum of age." in " ".join(query.worst_case().text().split())


def test_each_assumption_has_a_sentence() -> None:
    assert ASSUMPTIONS.keys() == set(Assumption)
    assert {*of_release.POST_PROCESSING, PostProcessing.THRESHOLDED} == set(PostProcessing)


def test_after_a_look_it_is_assumed_that_nobody_was_led_by_it() -> None:
    """A rule says how wide the noise is, not what is asked, nor how often."""
    query = ruled("SELECT AVG(age) FROM people")
    assert of_guarantee.ASKED_BLINDLY not in query.release().certificate.assumed
    query.risk()
    for after in (query.release(redraw=True), ruled_after_a_look("SELECT COUNT(*) FROM people")):
        assert after.certificate.guarantee.holds
        assert of_guarantee.ASKED_BLINDLY in after.certificate.assumed
    without = query.release(query.choose(sf.ratio(0.9)), allow_no_guarantee=True)
    assert of_guarantee.ASKED_BLINDLY not in without.certificate.assumed


def ruled_after_a_look(sql: str) -> sf.Release:
    query = ruled(sql)
    query.risk()
    return query.release()
