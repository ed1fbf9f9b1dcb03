"""The explorer's picture for those who see no red and green, and without any colour: each verdict can still be told."""

from __future__ import annotations

import statistics
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import pytest
from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import CONTROLLER
from sfumato.presentation import exploration_view
from tests.depth import depth
from tests.web.conftest import SignedIn
from tests.web.house import House

THEMES = ("light", "dark")
MARKS = {"ok": "✓", "chosen": "●", "over": "✕"}
VISIONS = ("none", "deuteranopia", "protanopia", "achromatopsia")
APART = 1.25  # of two plain surfaces that touch nothing, at least so much contrast
EVEN = 0.05  # of luminance
HATCHED = 0.2  # so much of a surface is lighter or darker than its middle; a line across it is less
_PIXELS = """async ([image, boxes]) => {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${image}`)).blob());
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
  const drawn = canvas.getContext("2d", { willReadFrequently: true });
  drawn.drawImage(bitmap, 0, 0);
  return boxes.map(([x, y, w, h]) => [...drawn.getImageData(x, y, w, h).data]);
}"""


@dataclass(frozen=True)
class Surface:
    """Of a bar as somebody sees it: how light it is for the most part, and how much of it is something else."""

    light: float
    uneven: float

    @property
    def hatched(self) -> bool:
        return self.uneven > HATCHED

    def contrast(self, other: Surface) -> float:
        low, high = sorted((self.light, other.light))
        return (high + 0.05) / (low + 0.05)


def surface(pixels: list[int]) -> Surface:
    """By the luminance of WCAG 2."""
    linear = [c / 12.92 if (c := byte / 255) <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for byte in pixels]
    red, green, blue = linear[0::4], linear[1::4], linear[2::4]
    light = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in zip(red, green, blue, strict=True)]
    middle = statistics.median(light)
    return Surface(middle, sum(abs(one - middle) > EVEN for one in light) / len(light))


@pytest.fixture(params=THEMES[: depth("themes")])
def page(request: pytest.FixtureRequest, signed_in: SignedIn, house: House) -> Page:
    """Its plot, with a bar of each verdict that is high enough to be looked at."""
    page = signed_in(CONTROLLER)
    page.emulate_media(color_scheme=request.param)
    page.goto(f"/requests/{house.request_in('submitted')}")
    page.get_by_label("Risk gap at most").last.fill("9")
    expect(page.locator("#plot g.point")).not_to_have_count(0)
    return page


def bars(page: Page) -> Iterator[tuple[str, list[float]]]:
    """The mark above each, and the place of its surface in a picture of the plot."""
    frame = page.locator("#plot").bounding_box()
    assert frame is not None
    for bar in page.locator("#plot g.point").all():
        box = bar.locator("path").bounding_box()
        assert box is not None
        mark = bar.locator("text tspan").last.text_content() or ""
        if box["height"] > 8:
            inner = [box["x"] - frame["x"] + 3, box["y"] - frame["y"] + 3, box["width"] - 6, box["height"] - 6]
            yield mark, [round(each) for each in inner]


@pytest.mark.depth("themes")
def test_verdicts_differ_by_hatching_or_by_how_light_they_are(page: Page) -> None:
    found = dict(bars(page))
    assert set(found) == set(MARKS.values())
    eyes, desk = page.context.new_cdp_session(page), page.context.new_page()  # to take pictures apart on
    for vision in VISIONS:
        eyes.send("Emulation.setEmulatedVisionDeficiency", {"type": vision})
        picture = b64encode(page.locator("#plot").screenshot(animations="disabled")).decode()
        pixels = desk.evaluate(_PIXELS, [picture, list(found.values())])
        seen = dict(zip(found, map(surface, pixels), strict=True))
        for one, other in combinations(seen.values(), 2):
            assert one.hatched != other.hatched or one.contrast(other) >= APART, (vision, seen)
        assert [mark for mark, bar in seen.items() if bar.hatched] == [MARKS["over"]], (vision, seen)


@pytest.mark.depth("themes")
def test_the_marks_stand_in_the_picture_and_in_the_table(page: Page) -> None:
    assert {name: exploration_view.verdict_mark(name)["glyph"] for name in MARKS} == MARKS
    marks = page.locator("#plot g.point text tspan:last-child").all_text_contents()
    verdicts = page.locator("#rows td.verdict").all_inner_texts()
    assert [one.split()[0] for one in verdicts] == marks
    assert set(marks) == set(MARKS.values())
