"""The chart of a request for those who see no red and green, and without any colour: each mark can still be told."""

from __future__ import annotations

import statistics
from base64 import b64encode

import pytest
from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import CONTROLLER
from tests.depth import depth
from tests.web.conftest import SignedIn
from tests.web.house import House

THEMES = ("light", "dark")
VISIONS = ("none", "deuteranopia", "protanopia", "achromatopsia")
APART = 3.0  # of the inside of two marks, at least so much contrast
_PIXELS = """async ([image, boxes]) => {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${image}`)).blob());
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
  const drawn = canvas.getContext("2d", { willReadFrequently: true });
  drawn.drawImage(bitmap, 0, 0);
  return boxes.map(([x, y, w, h]) => [...drawn.getImageData(x, y, w, h).data]);
}"""


def light(pixels: list[int]) -> float:
    """How light a surface is for the most part, by the luminance of WCAG 2."""
    linear = [c / 12.92 if (c := byte / 255) <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for byte in pixels]
    red, green, blue = linear[0::4], linear[1::4], linear[2::4]
    return statistics.median(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in zip(red, green, blue, strict=True))


def contrast(one: float, other: float) -> float:
    low, high = sorted((one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.fixture(params=THEMES[: depth("themes")])
def page(request: pytest.FixtureRequest, signed_in: SignedIn, house: House) -> Page:
    """Its chart, with the request, a preview and candidates of each verdict."""
    page = signed_in(CONTROLLER)
    page.emulate_media(color_scheme=request.param)
    page.goto(f"/requests/{house.request_in('submitted')}")
    page.locator("#gap").fill("9")
    expect(page.locator("#plot .ghost")).to_have_count(1)
    return page


def middle(page: Page, mark: str) -> list[int]:
    """The place of a mark's inside in a picture of the chart."""
    frame, box = (page.locator(where).bounding_box() for where in ("#plot", f"#plot {mark}"))
    assert frame is not None
    assert box is not None
    x, y = box["x"] - frame["x"] + box["width"] / 2, box["y"] - frame["y"] + box["height"] / 2
    return [round(x) - 2, round(y) - 2, 4, 4]


@pytest.mark.depth("themes")
def test_the_request_is_filled_and_the_preview_is_not(page: Page) -> None:
    places = [middle(page, mark) for mark in (".req", ".ghost")]
    eyes, desk = page.context.new_cdp_session(page), page.context.new_page()  # to take pictures apart on
    for vision in VISIONS:
        eyes.send("Emulation.setEmulatedVisionDeficiency", {"type": vision})
        picture = b64encode(page.locator("#plot").screenshot(animations="disabled")).decode()
        filled, hollow = map(light, desk.evaluate(_PIXELS, [picture, places]))
        assert contrast(filled, hollow) >= APART, vision
    for label in ("Requested 0.2", "Preview 0.5", "limit 55%"):
        expect(page.locator("#plot text", has_text=label)).to_be_visible()
    dashes = page.locator("#plot .limit").evaluate("one => getComputedStyle(one).strokeDasharray")
    assert dashes != "none"


@pytest.mark.depth("themes")
def test_each_verdict_has_its_mark_in_the_table(page: Page) -> None:
    verdicts = page.locator("#rows td.verdict").all_inner_texts()
    assert {tuple(one.split(" ", 1)) for one in verdicts} == {
        ("✓", "within the limit"),
        ("✕", "over the limit"),
        ("✕", "above epsilon_max"),
    }
