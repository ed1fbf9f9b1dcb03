"""What a person waits for on the page of a request: its weight, its first paint, and a slider's way to the screen.

A house is served to real Chromium, with people who lie in their file by reference. The slider is moved after a look at
them: what is drawn was computed once, so how many there are must not matter.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser

from bench.target import MOVE_MS, PAGE_KB, PAGE_REQUESTS, PAINT_MS, WARM_KB, Target
from sfumato import demo
from sfumato.cli.local.demo_server import CONTROLLER, POLICY, WAITING
from sfumato.composition.settings import FILE
from tests.web import browser as chromium
from tests.web import house as houses
from tests.web.browser import Visitors, look
from tests.web.house import House, Plan

_LOOK = 180_000  # milliseconds that a look at all of them may take
_PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
_MOVED = """async (times) => {
  const [slider, plot] = ["gap", "plot"].map((id) => document.getElementById(id));
  const stops = Number(slider.max);
  const took = [];
  for (let i = 0; i < times; i += 1) {
    slider.value = (7 * i) % (stops + 1);
    const drawn = new Promise((done) => {
      plot.addEventListener("drawn", () => requestAnimationFrame(done), { once: true });
    });
    const began = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await drawn;
    took.push(performance.now() - began);
  }
  return took;
}"""


@dataclass(frozen=True)
class Web:
    """Of the request's page: bytes as they were sent, requests, and milliseconds as medians."""

    people: int
    bytes: int
    again: int  # bytes of a second visit
    requests: int
    elsewhere: int
    paint: float
    move: float
    moves: int

    @property
    def targets(self) -> Iterator[Target]:
        yield Target("risk explorer, sent", self.bytes / 1000, most=PAGE_KB, unit=" kB")
        yield Target("risk explorer, sent again", self.again / 1000, most=WARM_KB, unit=" kB")
        yield Target("risk explorer, requests", self.requests, most=PAGE_REQUESTS)
        yield Target("risk explorer, requests to another host", self.elsewhere, most=0)
        yield Target("risk explorer, first paint", self.paint, most=PAINT_MS, unit=" ms")
        yield Target("risk explorer, slider to repaint", self.move, most=MOVE_MS, unit=" ms")

    @property
    def figures(self) -> dict[str, float]:
        return {
            "people": self.people,
            "sent_kb": round(self.bytes / 1000, 1),
            "sent_again_kb": round(self.again / 1000, 1),
            "requests": self.requests,
            "first_paint_ms": round(self.paint, 1),
            "slider_ms": round(self.move, 1),
        }

    def lines(self) -> Iterator[str]:
        yield f"The risk explorer in a browser, {self.people:,} people by reference:"
        yield ""
        yield f"sent at a first visit   {self.bytes / 1000:>8.1f} kB in {self.requests} requests"
        yield f"sent at a second visit  {self.again / 1000:>8.1f} kB"
        yield f"first paint             {self.paint:>8.1f} ms"
        yield f"slider to repaint       {self.move:>8.1f} ms, median of {self.moves} moves after a look"


def web(file: Path, people: int, visits: int = 5, moves: int = 30) -> Web:
    """Everything is measured in one house; each visit is somebody's first, and the house's own first is forgotten."""
    with (
        houses.quick_passwords(),
        TemporaryDirectory() as made,
        chromium.started() as browser,
        houses.served(_plan(Path(made), file), Path(made)) as house,
    ):
        address = f"/requests/{_asked(house, file)}"
        weights = [_weighed(browser, house, address) for _ in range(visits + 1)][1:]
        sent, again, requests, elsewhere, paint = (statistics.median(each) for each in zip(*weights, strict=True))
        page = Visitors(browser).enter(house, CONTROLLER)
        page.goto(address)
        look(page, _LOOK)
        took = page.evaluate(_MOVED, moves)
    return Web(
        people, round(sent), round(again), round(requests), round(elsewhere), paint, statistics.median(took), moves
    )


def _plan(folder: Path, file: Path) -> Plan:
    (place := folder / "plan").mkdir()
    plan = houses.unfurnished(place)
    with (plan.folder / FILE).open("a", encoding="utf-8") as settings:
        settings.write(f'references = ["{file.parent.resolve()}"]\n')
    return plan


def _asked(house: House, file: Path) -> str:
    """A request that waits, on people who stay where they lie."""
    escrow = house.escrow
    clara, arthur = (escrow.accounts.one(name) for name in houses.PEOPLE[:2])
    escrow.datasets.register(clara, demo.schema_text(), reference=str(file.resolve()))
    escrow.policies.set(clara, "adult", POLICY)
    sql, purpose = WAITING
    return escrow.requests.submit(arthur, "adult", purpose, [{"sql": sql}], None).id


def _weighed(browser: Browser, house: House, address: str) -> tuple[int, int, int, int, float]:
    """Bytes of a visit with nothing in memory and of another, requests, those to another host, the first paint."""
    visitors = Visitors(browser)
    page = visitors.enter(house, CONTROLLER)
    wire = page.context.new_cdp_session(page)
    sent: list[float] = []
    wire.on("Network.loadingFinished", lambda told: sent.append(told["encodedDataLength"]))
    wire.send("Network.enable")
    page.goto(address, wait_until="networkidle")
    paint, first = page.evaluate(_PAINTED), [*sent]
    sent.clear()
    page.goto(address, wait_until="networkidle")
    elsewhere = len(visitors.leave())
    return round(sum(first)), round(sum(sent)), len(first), elsewhere, paint
