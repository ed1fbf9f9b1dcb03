"""Every page at four widths, measured in a browser: nothing is outside its box, cut off, or over another text."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.depth import depth
from tests.web import pages
from tests.web.browser import Visitors
from tests.web.house import House
from tests.web.test_accessible import THEMES
from tests.web.walk import seen

WIDTHS = (400, 1024, 1280, 1600)
# Selectors of what is wrong, each with the reason. Plots follow the width some frames later, so it looks again.
_OFFENDERS = """async (patience) => {
  const name = (one) => {
    const own = one.id ? `#${one.id}` : [...one.classList].slice(0, 2).map((each) => `.${each}`).join("");
    const about = own.startsWith("#") || !one.parentElement || one === document.body ? "" : `${name(one.parentElement)} > `;
    return about + one.localName + own;
  };
  const box = (one) => one.getBoundingClientRect();
  const words = (one) => one.textContent.trim().slice(0, 30);
  const style = (one) => getComputedStyle(one);
  const unseen = (one) => {
    const head = one.closest("thead");
    const aside = one.closest(".vh, .unseen, .skip, template, noscript") || (head && style(head).clipPath !== "none");
    return aside || !one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };
  const scrolls = (one) => one && one !== document.body && (/auto|scroll/.test(style(one).overflowX) || scrolls(one.parentElement));
  const framed = (one) => {
    const { borderRightWidth, borderRightStyle, overflowX } = style(one);
    return one.matches("main, body") || overflowX !== "visible" || (borderRightStyle !== "none" && borderRightWidth !== "0px");
  };
  const frame = (one) => (framed(one) ? one : frame(one.parentElement));
  const offenders = () => {
    const found = [];
    const page = document.documentElement;
    if (page.scrollWidth > innerWidth) found.push(`page: ${page.scrollWidth} px in a window of ${innerWidth}`);
    const everything = [...document.body.querySelectorAll("*")].filter((one) => !(one instanceof SVGElement) && !unseen(one));
    for (const one of everything) {
      const { left, right, width } = box(one);
      if (width === 0 || one.matches("option, optgroup, br")) continue;
      const around = one.parentElement;
      const outer = box(frame(around));
      if ((right > outer.right + 1 || left < outer.left - 1) && !scrolls(around) && style(one).position !== "absolute")
        found.push(`${name(one)}: ${Math.round(left)} to ${Math.round(right)} in ${Math.round(outer.left)} to ${Math.round(outer.right)}`);
      const { overflowX, overflowY } = style(one);
      const cutAcross = /hidden|clip/.test(overflowX) && one.scrollWidth > one.clientWidth + 1;
      const cutDown = /hidden|clip/.test(overflowY) && one.scrollHeight > one.clientHeight + 1;
      if ((cutAcross || cutDown) && words(one) && one.clientWidth > 1 && !one.closest(".js-plotly-plot"))
        found.push(`${name(one)}: cut, ${one.scrollWidth} by ${one.scrollHeight} px in ${one.clientWidth} by ${one.clientHeight}`);
    }
    const figures = [...document.querySelectorAll(".js-plotly-plot, svg.chart")].filter((one) => !unseen(one));
    for (const figure of figures) {
      const whole = figure.localName === "svg" ? figure.closest("figure, td, .card, section") ?? figure : figure;
      for (const part of figure.querySelectorAll(".main-svg, canvas")) {
        if (box(part).right > box(whole).right + 1 || box(part).bottom > box(whole).bottom + 1)
          found.push(`${name(whole)}: a picture of ${Math.round(box(part).width)} by ${Math.round(box(part).height)} px in ${Math.round(box(whole).width)} by ${Math.round(box(whole).height)}`);
      }
      const texts = [...figure.querySelectorAll("text")].filter((one) => words(one) && !unseen(one) && box(one).width > 0);
      for (const [at, one] of texts.entries()) {
        const { left, right, top, bottom } = box(one);
        const outer = box(whole);
        if (left < outer.left - 2 || right > outer.right + 2 || top < outer.top - 2 || bottom > outer.bottom + 2)
          found.push(`${name(whole)}: the text “${words(one)}” is beyond the picture`);
        for (const other of texts.slice(at + 1)) {
          const second = box(other);
          const across = Math.min(right, second.right) - Math.max(left, second.left);
          const down = Math.min(bottom, second.bottom) - Math.max(top, second.top);
          if (across > 2 && down > 4) found.push(`${name(whole)}: “${words(one)}” is over “${words(other)}”`);
        }
      }
    }
    for (const [at, one] of figures.entries()) {
      for (const other of figures.slice(at + 1)) {
        const [first, second] = [box(one), box(other)];
        const across = Math.min(first.right, second.right) - Math.max(first.left, second.left);
        const down = Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top);
        if (across > 1 && down > 1) found.push(`${name(one)}: is over ${name(other)}`);
      }
    }
    return found;
  };
  await new Promise(requestAnimationFrame);
  let found = offenders();
  for (let frame = 0; found.length && frame < patience; frame += 1) {
    await new Promise((later) => setTimeout(later, 50));
    found = offenders();
  }
  return [...new Set(found)].slice(0, 8);
}"""
# All folds are open; the surface in three dimensions costs seconds to draw.
_UNFOLD = """(all) => {
  for (const one of document.querySelectorAll("main details")) if (all || one.id !== "in-space") one.open = true;
}"""


def offenders(page: Page, patience: int = 30) -> list[str]:
    found: list[str] = page.evaluate(_OFFENDERS, patience)
    return found


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
    every = (pages.adding(pages.different(pages.views(path, house))) for path in pages.ALL)
    wrong = [line for page, view in seen(chain(*every), house, visitors) for line in measured(page, str(view))]
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ("<p class='nowrap'>" + "very wide " * 60 + "</p>", "page: "),
        ("<div class='card'><div class='probe'>wide</div></div>", "div.probe: "),
        ("<div class='dots'>" + "●" * 400 + "</div>", "cut, "),
        ("<figure><svg class='chart'><text y='20'>one</text><text y='22'>two</text></svg></figure>", "is over"),
        ("<figure><svg class='chart'><text x='-400' y='20'>far</text></svg></figure>", "beyond the picture"),
    ],
)
def test_it_finds_what_is_wrong(page: Page, markup: str, reason: str) -> None:
    page.goto("/sign-in")
    sheet = "sheet.replaceSync('.probe { width: 2000px; margin-right: -2000px; }')"
    page.evaluate(f"() => {{ const sheet = new CSSStyleSheet(); {sheet}; document.adoptedStyleSheets.push(sheet); }}")
    add: Any = "(markup) => document.querySelector('main').insertAdjacentHTML('beforeend', markup)"
    page.evaluate(add, markup)
    assert any(reason in one for one in offenders(page, 0)), offenders(page, 0)
