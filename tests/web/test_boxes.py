"""Every page at four widths, measured in a browser: nothing is outside its box, cut off, or over another text."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import ANALYST, CONTROLLER, POLICY
from tests.depth import depth
from tests.web import pages
from tests.web.browser import Visitors
from tests.web.conftest import SignedIn
from tests.web.house import House
from tests.web.test_accessible import THEMES
from tests.web.walk import seen

WIDTHS = (400, 1024, 1280, 1600)
# Selectors of what is wrong, each with the reason. Plots follow the width some frames later, so it looks again.
_OFFENDERS = """async (patience) => {
  const name = (one) => {
    if (one.id) return `${one.localName}#${one.id}`;
    const own = one.localName + [...one.classList].slice(0, 2).map((each) => `.${each}`).join("");
    return one === document.body ? own : `${name(one.parentElement)} > ${own}`;
  };
  const box = (one) => one.getBoundingClientRect();
  const size = (one) => `${Math.round(box(one).width)} by ${Math.round(box(one).height)} px`;
  const words = (one) => one.textContent.trim().slice(0, 30);
  const style = (one) => getComputedStyle(one);
  const shared = (one, two) => [
    Math.min(one.right, two.right) - Math.max(one.left, two.left),
    Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top),
  ];
  const seen = (one) => {
    const head = one.closest("thead");
    const aside = one.closest(".vh, .unseen, .skip, template, noscript") || (head && style(head).clipPath !== "none");
    return !aside && one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };
  const scrolls = (one) => {
    if (!one || one === document.body) return false;
    return /auto|scroll/.test(style(one).overflowX) || scrolls(one.parentElement);
  };
  const frame = (one) => {
    const { borderRightWidth, borderRightStyle, overflowX } = style(one);
    const drawn = borderRightStyle !== "none" && borderRightWidth !== "0px";
    return drawn || overflowX !== "visible" || one.matches("main, body") ? one : frame(one.parentElement);
  };
  const found = new Set();
  const measureElements = () => {
    for (const one of document.body.querySelectorAll("*:not(svg *, option, optgroup, br)")) {
      if (!seen(one) || box(one).width === 0) continue;
      const outer = frame(one.parentElement);
      const beyond = box(one).right > box(outer).right + 1 || box(one).left < box(outer).left - 1;
      if (beyond && style(one).position !== "absolute" && !scrolls(one.parentElement))
        found.add(`${name(one)}: ${size(one)} beyond ${name(outer)}, ${size(outer)}`);
      const hides = (overflow) => /hidden|clip/.test(overflow);
      const across = hides(style(one).overflowX) && one.scrollWidth > one.clientWidth + 1;
      const down = hides(style(one).overflowY) && one.scrollHeight > one.clientHeight + 1;
      const alone = !one.firstElementChild && parseFloat(style(one).fontSize) > 0 && one.textContent.trim().length > 6;
      if (alone && box(one).width < 40 && box(one).height > 3 * parseFloat(style(one).lineHeight))
        found.add(`${name(one)}: “${words(one)}” is squeezed into ${size(one)}`);
      if ((across || down) && words(one) && one.clientWidth > 1 && !one.closest(".js-plotly-plot"))
        found.add(`${name(one)}: cut, ${one.scrollWidth} by ${one.scrollHeight} px in ${size(one)}`);
    }
  };
  const measureFigure = (figure) => {
    const whole = figure.localName === "svg" ? figure.closest("figure, td, .card, section") ?? figure : figure;
    const outer = box(whole);
    for (const part of figure.querySelectorAll(".main-svg, canvas"))
      if (box(part).right > outer.right + 1 || box(part).bottom > outer.bottom + 1)
        found.add(`${name(whole)}: a picture of ${size(part)} in ${size(whole)}`);
    const texts = [...figure.querySelectorAll("text")].filter((one) => words(one) && seen(one) && box(one).width > 0);
    for (const [at, one] of texts.entries()) {
      const { left, right, top, bottom } = box(one);
      if (left < outer.left - 2 || right > outer.right + 2 || top < outer.top - 2 || bottom > outer.bottom + 2)
        found.add(`${name(whole)}: the text “${words(one)}” is beyond the picture`);
      for (const other of texts.slice(at + 1)) {
        const [across, down] = shared(box(one), box(other));
        if (across > 2 && down > 4) found.add(`${name(whole)}: “${words(one)}” is over “${words(other)}”`);
      }
    }
  };
  const measure = () => {
    found.clear();
    const wide = document.documentElement.scrollWidth;
    if (wide > innerWidth) found.add(`page: ${wide} px in a window of ${innerWidth}`);
    measureElements();
    const figures = [...document.querySelectorAll(".js-plotly-plot, svg.chart")].filter(seen);
    for (const [at, one] of figures.entries()) {
      measureFigure(one);
      for (const other of figures.slice(at + 1)) {
        const [across, down] = shared(box(one), box(other));
        if (across > 1 && down > 1) found.add(`${name(one)}: is over ${name(other)}`);
      }
    }
    return found.size;
  };
  await new Promise(requestAnimationFrame);
  for (let turn = 0; measure() && turn < patience; turn += 1) await new Promise((later) => setTimeout(later, 50));
  return [...found].slice(0, 8);
}"""
# All folds are open; the surface in three dimensions costs seconds to draw.
_UNFOLD = """(all) => {
  for (const one of document.querySelectorAll("main details")) if (all || one.id !== "in-space") one.open = true;
}"""


def offenders(page: Page, patience: int = 30) -> list[str]:
    reasons: list[str] = page.evaluate(_OFFENDERS, patience)
    return reasons


def measured(page: Page, whose: str) -> list[str]:
    wrong = []
    page.evaluate(_UNFOLD, depth("themes") > 1)
    for theme in THEMES[: depth("themes")]:
        page.emulate_media(color_scheme=theme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wrong += [f"{whose}, {width} px, {theme}: {one}" for one in offenders(page)]
    return wrong


@pytest.mark.depth("themes")
def test_every_page(house: House, visitors: Visitors) -> None:
    visitors.forgive("willReadFrequently", "GPU stall")  # hints on speed, of Plotly's own canvas
    every = (pages.adding(pages.different(pages.views(path, house))) for path in pages.ALL)
    wrong = [line for page, view in seen(chain(*every), house, visitors) for line in measured(page, str(view))]
    assert wrong == [], "\n".join(wrong)


@pytest.mark.depth("themes")
def test_pages_of_a_query(signed_in: SignedIn) -> None:
    page = signed_in(CONTROLLER)
    for path in ("/datasets/adult/compare", "/datasets/adult/risk"):
        page.goto(f"{path}?sql=SELECT+marital_status,+SUM(hours_per_week)+FROM+adult+GROUP+BY+marital_status")
        expect(page.locator("#plot svg").first).to_be_visible()
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        assert measured(page, path) == []


def test_a_request_of_several_figures_for_whom_the_introduction_is_due(own_house: House, visitors: Visitors) -> None:
    """Its bar has most to say."""
    escrow, figures = own_house.escrow, "AVG(hours_per_week) AS average_hours_per_week, COUNT(*) AS number_of_people"
    clara, arthur = escrow.accounts.one(CONTROLLER), escrow.accounts.one(ANALYST)
    rule = {"rule": {"attack_chance": 0.55}, "introduction": True}
    escrow.policies.set(clara, "adult", {**POLICY, **rule})
    query = {"sql": f"SELECT marital_status, {figures} FROM adult GROUP BY marital_status"}
    asked = escrow.requests.submit(arthur, "adult", "work " * 30, [query], None, accuracy=0.5)
    page = visitors.enter(own_house, CONTROLLER)
    page.goto(f"/requests/{asked.id}")
    expect(page.locator("#bar-facts")).to_contain_text("Noise of average_hours_per_week, 90%")
    expect(page.locator("#approve")).to_contain_text("Approve after the introduction (3 minutes)")
    expect(page.get_by_role("radio", name="Rehearsal")).to_be_enabled()
    assert measured(page, "several figures") == []
    escrow.requests.approval.approve(clara, asked.id, escrow.requests.approval.inspect(clara, asked.id).binding)
    answered = visitors.enter(own_house, ANALYST)
    answered.goto(f"/requests/{asked.id}")
    expect(answered.get_by_role("heading", name="Answer", exact=True)).to_be_visible()  # it comes by itself
    assert measured(answered, "an answer of several figures") == []


# The chart of risk against noise, drawn for every place of the request, the preview and the accuracy that is needed.
_CHARTS = """async (address) => {
  const { histogram, riskNoise } = await import(address);
  const { found, limit } = JSON.parse(document.getElementById("facts").textContent);
  const plot = document.getElementById("plot");
  const points = found.points.filter((point) => point.half);
  const some = points.filter((_, i) => i % Math.ceil(points.length / 7) === 0);
  const wrong = new Set();
  let drawn = 0;
  for (const width of [300, 520, 860])
    for (const own of ["", "Risk in a rehearsal"])
      for (const request of some)
        for (const preview of [undefined, ...some])
          for (const needs of [null, ...some.map((point) => point.half)]) {
            const [narrow, pinned] = [width < 480, "Requested"];
            const shared = { points, request, preview, narrow, pinned, limit, needs, axis: "", own };
            plot.replaceChildren(riskNoise(width, 260, shared));
            drawn += 1;
            const texts = [...plot.querySelectorAll("text")].filter((one) => !/^[0-9.]*$/.test(one.textContent));
            const boxes = texts.map((one) => [one.textContent, one.getBoundingClientRect()]);
            const frame = plot.firstChild.getBoundingClientRect();
            boxes.forEach(([words, one], i) => {
              const beyond = one.left < frame.left - 2 || one.right > frame.right + 2 || one.top < frame.top - 3;
              if (beyond) wrong.add(`${width}: ${words} is beyond`);
              for (const [others, other] of boxes.slice(i + 1)) {
                const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
                const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
                if (across > 2 && down > 4) wrong.add(`${width}: ${words} is over ${others}`);
              }
            });
          }
  const large = points.map((point) => ({ ...point, half: 1e5 * point.half }));
  for (const width of [300, 860]) {
    plot.replaceChildren(riskNoise(width, 260, { points: large, pinned: "", limit, axis: "", own: "" }));
    const ticks = [...plot.querySelectorAll("text")].filter((one) => one.textContent.startsWith("±"));
    const boxes = ticks.map((one) => one.getBoundingClientRect());
    if (ticks.length < 2) wrong.add(`${width}: ${ticks.length} ticks of large noise`);
    boxes.slice(1).forEach((one, i) => one.left - boxes[i].right < 4 && wrong.add(`${width}: large ticks meet`));
  }
  const alike = { ...points[0], marks: ["371", "371", "371"] };
  plot.replaceChildren(histogram(500, 260, { edges: [0.5, 0.75, 1], people: [10, 20], noise: 0, point: alike }));
  const named = [...plot.querySelectorAll("text")].filter((one) => one.textContent === "371").length;
  if (named !== 1 || plot.querySelectorAll(".bar").length !== 1) wrong.add(`one risk is named ${named} times`);
  return [drawn, [...wrong].slice(0, 12)];
}"""


@pytest.mark.depth("themes")
def test_the_noise_of_a_query(signed_in: SignedIn) -> None:
    page = signed_in(ANALYST)
    page.goto("/datasets/adult/noise?sql=SELECT+COUNT(*)+FROM+adult&epsilon=0.01,+0.1&expected=3000")
    for kind in ("noise", "least", "least-by-error"):
        expect(page.locator(f"#{kind} svg").first).to_be_visible()
    assert measured(page, "noise") == []


def test_no_labels_of_the_chart_meet(signed_in: SignedIn, house: House) -> None:
    page = signed_in(CONTROLLER)
    page.goto(f"/requests/{house.request_in('submitted')}")
    address = page.locator('link[rel="modulepreload"]').get_attribute("href")
    drawn, wrong = page.evaluate(_CHARTS, address)
    assert drawn > 2000
    assert wrong == []


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ("<p class='nowrap'>" + "very wide " * 60 + "</p>", "page: "),
        ("<div class='card'><div class='probe'>wide</div></div>", "div.probe: "),
        ("<div class='card'><p class='narrow-probe'>squeezed into letters</p></div>", "is squeezed into"),
        ("<div class='dots'>" + "●" * 400 + "</div>", "cut, "),
        ("<figure><svg class='chart'><text y='20'>one</text><text y='22'>two</text></svg></figure>", "is over"),
        ("<figure><svg class='chart'><text x='-400' y='20'>far</text></svg></figure>", "beyond the picture"),
    ],
)
def test_it_finds_what_is_wrong(page: Page, markup: str, reason: str) -> None:
    page.goto("/sign-in")
    sheet = "sheet.replaceSync('.probe { width: 2000px; margin-right: -2000px; } .narrow-probe { width: 20px; }')"
    page.evaluate(f"() => {{ const sheet = new CSSStyleSheet(); {sheet}; document.adoptedStyleSheets.push(sheet); }}")
    add: Any = "(markup) => document.querySelector('main').insertAdjacentHTML('beforeend', markup)"
    page.evaluate(add, markup)
    assert any(reason in one for one in offenders(page, 0)), offenders(page, 0)
