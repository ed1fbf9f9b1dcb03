"""What a person sees of risk: histogram, quantiles, the most exposed, and the page that has it all."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.composition import local
from sfumato.model.choice import Noise
from sfumato.model.facts import Bin, Distribution, Histogram, Reach
from sfumato.model.risk import RiskAt, RiskView, Source
from sfumato.presentation.document import Document
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.histogram import folded, heaps, histogram_figure, spread
from sfumato.presentation.figures.marks import Bars
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.figures.terminal import text
from sfumato.presentation.risk.exposure import ExposedPerson, ExposureTable, blocks
from sfumato.presentation.risk.report import risk_document
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.privacy.risk.profile import chance_against

COUNT = Distribution((Bin(0.0, 0.0, 9954), Bin(1.0, 1.0, 46)))
SUM = Distribution(
    (Bin(0.0, 0.0, 9_000_000), *(Bin(i / 100, i / 100 + 0.004, 400 - 4 * i) for i in range(1, 99)), Bin(1.0, 1.0, 3))
)
SAME = Distribution((Bin(0.7, 0.7, 12),))
NOBODY = Distribution(())
NASTY = "<script>alert('&')</script>"


def as_text(people: ExposureTable) -> str:
    return Document(people.title, blocks(people)).text()


def report(*what: Any, footer: str = "", **more: Any) -> str:
    return risk_document(*what, **more).page(footer)


def people(exposure: Distribution | None, **more: object) -> ExposureTable:
    """The people of a query whose influence is spread like SUM."""
    carried = None if exposure is None else spread(exposure.histogram, exposure.quantile)
    return ExposureTable(spread(SUM.histogram, SUM.quantile), carried, **more)  # type: ignore[arg-type]


def persons(*exposures: float) -> tuple[ExposedPerson, ...]:
    chances = [tuple(chance_against(u, epsilon, Noise()) for epsilon in (0.1, 1)) for u in exposures]
    return tuple(ExposedPerson(f"p{i}", 100 * u, u, chances[i]) for i, u in enumerate(exposures))


def view(source: Source, query: str = "SELECT COUNT(*) FROM adult") -> RiskView:
    rows = tuple(RiskAt(e, None, None, 1 / (1 + e), 1 + e, (2.3 / e,), 0.6) for e in (0.1, 0.2, 1.0))
    number = None if source is Source.WORST_CASE else 10_000
    return RiskView(source, query, number, 1, "laplace", (1.0,), Reach(0, 1), Reach(0, 1), rows)


# Heaps and bars


def test_a_count_is_told_as_its_two_heaps() -> None:
    told = as_text(people(COUNT))
    assert "9,954 people at 0 · 46 at 1" in told
    assert "█" not in told, "two heaps need no picture in a terminal"


def test_everybody_at_one_figure_is_a_sentence() -> None:
    assert "All 12 people at 0.7" in as_text(people(SAME))
    assert "The table is empty." in as_text(people(NOBODY))
    assert "<svg" not in report(view(Source.PEOPLE), people(SAME)).split("Exposure of")[1]


def test_a_heap_is_called_exact_only_where_it_is() -> None:
    nearly = Distribution((Bin(0.0, 0.001, 5), Bin(1.0, 1.0, 2)))
    assert spread(nearly.histogram, nearly.quantile).in_words == "5 people from 0 to 0.001 · 2 at 1"


@given(
    st.lists(st.tuples(st.integers(0, 3839), st.integers(1, 10**7)), min_size=1, max_size=40, unique_by=lambda b: b[0])
)
def test_heaps_hold_everybody_between_figures_that_occur(bins: list[tuple[int, int]]) -> None:
    found = Distribution(tuple(Bin(at / 3840, at / 3840, people) for at, people in sorted(bins)))
    piles = heaps(found.histogram, found.quantile)
    occurring = {each.low for each in found.bins}
    assert sum(heap.people for heap in piles) == found.people
    assert all(heap.low in occurring and heap.high in occurring for heap in piles)
    assert [heap.low for heap in piles] == sorted(heap.low for heap in piles)


def test_sixty_bars_are_folded_by_three_and_nobody_is_lost() -> None:
    short = folded(SUM.histogram)
    assert len(SUM.histogram.people) == 60
    assert len(short.people) == 20
    assert sum(short.people) == SUM.people
    assert (short.edges[0], short.edges[1], short.edges[-1]) == pytest.approx((0, 0.05, 1))
    assert folded(Histogram((0.0, 1.0, 3.0), (1, 2))) == Histogram((0.0, 1.0, 3.0), (1, 2))
    assert folded(Histogram((0.0, 1.0, 2.0, 3.0), (1, 2, 4)), rows=2) == Histogram((0.0, 2.0, 3.0), (3, 4))


def test_three_people_are_seen_beside_nine_million() -> None:
    told = as_text(people(SUM))
    rows = [line for line in told.splitlines() if "█" in line]
    assert 10 <= len(rows) <= 20
    assert rows[0].split()[-1].startswith("9,00")
    assert len(re.findall("█", rows[-1])) >= 3
    assert f"people ({of_risk.TENFOLD})" in told, "a scale that is not even says so"
    assert max(map(len, told.splitlines())) <= 80


def test_an_even_scale_where_it_shows_every_bar() -> None:
    figure = histogram_figure(Histogram((0.0, 0.5, 1.0), (100, 2)), "People")
    assert figure.y.scale == "linear"
    assert of_risk.TENFOLD not in figure.y.name
    assert histogram_figure(Histogram((0.0, 0.5, 1.0), (100, 0)), "People").y.scale == "linear"


def test_a_scale_of_counts_has_a_place_for_nothing_and_steps_of_ten() -> None:
    up = Figure("", "", Axis("x"), Axis("people", scale="counts"), (Bars((0, 1, 2), (0, 9999)),)).up
    assert up.ticks == (0, 1, 10, 100, 1000)
    assert (up.at(0), up.at(9999)) == (0, 1)
    assert up.at(99) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="counts"):
        Figure("", "", Axis("x"), Axis("people", scale="counts", ticks=(-1,)), (Bars((0, 1), (1,)),))


def test_the_ruler_of_counts_names_its_steps() -> None:
    ruler = text(histogram_figure(COUNT.histogram, "People")).split("\n\n")[2].splitlines()[-1]
    assert ruler.split() == ["0", "1", "10", "100", "1,000", "9,954"]


def test_few_bars_carry_their_numbers() -> None:
    drawn = svg(histogram_figure(COUNT.histogram, "People"))
    assert ">9,954</text>" in drawn
    assert ">46</text>" in drawn
    assert "60 bars, all empty but for 9,954 from 0 to 0.0167, 46 from 0.983 to 1" in drawn
    assert "60 bars, the tallest" in svg(histogram_figure(SUM.histogram, "People"))


# Quantiles and names


def test_what_so_many_of_100_carry_at_most() -> None:
    told = as_text(people(COUNT))
    assert re.search(r"percentile +least +10% +25% +50% +75% +90% +99% +most\n", told)
    assert re.search(r"exposure +0 +0 +0 +0 +0 +0 +0 +1\n", told)


def test_long_numbers_turn_the_table_upright() -> None:
    figures = tuple(1e8 + i for i in range(8))
    tall = ExposureTable(replace(people(None).influence, quantiles=figures))
    assert max(map(len, as_text(tall).splitlines())) <= 80
    assert re.search(r"^most +100,000,007$", as_text(tall), re.MULTILINE)


def test_nobody_is_named_unless_asked_for() -> None:
    assert "p0" not in as_text(people(COUNT))
    named = as_text(people(COUNT, most_exposed=persons(1.0, 0.5), epsilons=(0.1, 1)))
    assert re.search(r"person +influence +exposure +at epsilon 0.1 +at epsilon 1\n", named)
    assert re.search(r"p0 +100 +1 +52.5% +69.7%\n", named)
    assert re.search(r"p1 +50 +0.5 +51.3% +61.1%", named)
    assert "The 2 most exposed people" in named
    assert "46 people have this figure; the list has 2 of them." in " ".join(named.split())


def test_all_who_carry_the_most_are_shown_where_they_fit() -> None:
    named = as_text(people(SUM, most_exposed=persons(1.0, 1.0, 1.0), epsilons=(0.1, 1)))
    assert "of them" not in named


def test_what_is_no_sum_bounds_nobodys_odds() -> None:
    named = as_text(people(COUNT, most_exposed=persons(1.0), epsilons=(0.1, 1), not_additive=("median(age)",)))
    assert "median(age) is not a sum over people." in " ".join(named.split())
    assert "at epsilon" not in named
    assert "coin" not in named
    assert of_risk.not_additive(["a", "b"]).startswith("a, b are not sums over people. Exposure")


def test_as_published_there_is_influence_alone() -> None:
    alone = as_text(people(None, most_exposed=(ExposedPerson("p0", 3.0, None),), epsilons=(1.0,)))
    assert alone.startswith("Influence of the people\n")
    assert "The person with the most influence" in alone
    assert "exposure" not in alone


def test_people_stay_out_of_repr() -> None:
    everybody = people(COUNT, most_exposed=persons(1.0))
    assert repr(everybody) == "<ExposureTable: confidential>"
    assert repr(everybody.most_exposed[0]) == "<ExposedPerson: confidential>"


# The page

VOID = {"meta", "br"}


class Outline(HTMLParser):
    """Checks that every tag is closed in its order, and keeps what a reader of the structure would use."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said: dict[str, list[str]] = {}
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.said.setdefault(self.open[-1], []).append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


FULL = people(COUNT, most_exposed=persons(1.0, 0.5), epsilons=(0.1, 1))
PAGES = {
    "worst case": report(view(Source.WORST_CASE)),
    "rehearsal": report(view(Source.REHEARSAL), FULL, limit=1.2, chosen=0.2, conclusion="On the look-alike."),
    "people": report(view(Source.PEOPLE), FULL, footer="Written today."),
    "as published": report(view(Source.PEOPLE), people(None)),
}
each = pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)


@each
def test_a_page_is_whole_and_has_an_outline(page: str) -> None:
    outline = Outline(page)
    headings = [tag for tag, _ in outline.tags if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == "h1"
    assert headings.count("h1") == 1
    assert set(headings[1:]) == {"h2"}
    assert outline.of("html") == [{"lang": "en"}]
    assert outline.said["title"][0] == outline.said["h1"][0]
    for figure in outline.of("svg"):
        assert figure["role"] == "img"
        assert figure["aria-labelledby"]
    names = [attrs["id"] for _, attrs in outline.tags if "id" in attrs]
    assert len(set(names)) == len(names), "figures share a page without sharing names"


@each
def test_tables_have_captions_and_headers(page: str) -> None:
    outline = Outline(page)
    assert len(outline.of("table")) == len(outline.of("caption")) >= 1
    assert {attrs["scope"] for attrs in outline.of("th")} == {"col", "row"}
    assert all(attrs["aria-label"] for attrs in outline.of("div"))


@each
def test_a_page_asks_for_nothing(page: str) -> None:
    outline = Outline(page)
    assert not {"script", "link", "img", "iframe", "object", "a"} & {tag for tag, _ in outline.tags}
    assert set(re.findall(r"\w+://[^\"' <)]+", page)) == {"http://www.w3.org/2000/svg"}, "a name, not an address"
    assert not re.findall(r"url\((?!#)|@import| on\w+=", page)
    assert "default-src 'none'" in page


@each
def test_a_page_is_for_light_dark_narrow_and_paper(page: str) -> None:
    for medium in ("prefers-color-scheme:dark", "max-width", "@media print", "width=device-width"):
        assert medium in page


def test_the_banner_stands_on_the_peoples_page_only() -> None:
    for source in Source:
        page = report(view(source), None if source is Source.WORST_CASE else FULL)
        assert (of_guarantee.CONTROLLER_ONLY in page) == (source is Source.PEOPLE)
        assert of_risk.SOURCES[source] in page
        assert of_risk.GAP_IS_NO_PROBABILITY in page
        assert of_risk.DECIDING[source] in page


def test_the_page_says_what_was_chosen_and_what_is_over() -> None:
    page = PAGES["rehearsal"]
    assert "On the look-alike." in page
    assert "✓ allowed" in page
    assert "<td>● chosen</td>" in page
    assert "<td>✕ over</td>" in page
    assert "verdict" not in PAGES["people"]
    assert "Written today." in PAGES["people"]


def test_nothing_on_a_page_can_break_out() -> None:
    named = (ExposedPerson(NASTY, 1.0, 1.0, (0.5,)),)
    shown = people(COUNT, most_exposed=named, epsilons=(1.0,), not_additive=(NASTY,))
    page = report(view(Source.PEOPLE, query=f"SELECT '{NASTY}\x00\x1b'"), shown, conclusion=NASTY, footer=NASTY)
    outline = Outline(page)
    assert not outline.of("script")
    assert "\x00" not in page
    assert "\x1b" not in page
    for tag in ("code", "th", "footer"):
        assert any(NASTY in said for said in outline.said[tag])


@pytest.mark.parametrize("source", Source)
def test_no_word_that_promises_too_much(source: Source) -> None:
    page = report(view(source), FULL).partition("<body>")[2].lower()
    for avoided in ("privacy budget", "confidence interval", "anonym", "safe"):
        assert avoided not in page


def test_what_private_keys_and_ranks_will_cost_is_seen_before_it_is_spent() -> None:
    columns = {"age": {"type": "integer", "bounds": [0, 100]}, "street": {"type": "text", "keys": "private"}}
    dataset = local.open_without_data({"name": "people", "columns": columns}, ledger=":memory:")
    query = dataset.query("SELECT street, MEDIAN(age), COUNT(*) FROM people GROUP BY street")
    text, at = query.worst_case(delta=1e-6).text(), query.worst_case(delta=1e-6).at(1.0)
    assert (at.rank_90 or ())[0] == pytest.approx(2 * math.log(1010))
    assert at.threshold == pytest.approx(1 + 2 * math.log(1 / 2e-6), abs=0.01)
    assert "smallest group shown" in text
    assert "rank ±" in text
    assert "is within this many people (values, where a person has several) of the true one" in text.replace("\n", " ")
    assert "smallest group shown" not in query.worst_case().text(), "which takes a delta"
    counted = dataset.query("SELECT COUNT(*) FROM people").worst_case().at(1.0).as_dict()
    assert set(query.worst_case().at(1.0).as_dict()) - set(counted) == {"rank_90"}
