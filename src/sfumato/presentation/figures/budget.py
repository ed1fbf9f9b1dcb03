"""The budget over time as an SVG for a page: its colours are classes of the page's style sheet, so it has no style."""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from xml.etree.ElementTree import Element, SubElement, tostring

from sfumato.ledger.spending import Spending
from sfumato.presentation.figures.scale import Axis, scale
from sfumato.presentation.figures.svg_canvas import PlotFrame, apart, long
from sfumato.presentation.wording.ledger_sentences import month, spent_over_time
from sfumato.presentation.wording.numbers import number

_SIZE, _TOP, _BELOW = 12, 28, 30
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240)
_DAYS = (1, 2, 7, 14)
_FAR = 3  # a projection is drawn for at most this many times the past
_MANY = 60  # charges from which on points are small

Room = tuple[float, float, float, float]


class BudgetChart:
    """One drawing: places are claimed as labels are written, so no two labels touch."""

    def __init__(self, past: Spending, width: int, height: int) -> None:
        self.past = past
        self.root = Element("svg", {"class": "chart", "viewBox": f"0 0 {width} {height}", "role": "img"})
        self.root.set("aria-label", spent_over_time(past))
        first = past.points[0].at
        span = max(past.now - first, timedelta(days=2))
        self.start, self.end = min(first, past.now - span) - span / 40, past.now + span / 8
        if (until := past.used_up) is not None:
            self.end = min(max(until + (until - first) / 12, self.end), past.now + _FAR * span)
        self.up = scale(Axis("epsilon", start=0), [past.spent, past.budget or 0])
        left = 14 + max(long(self.up.say(tick), _SIZE) for tick in self.up.ticks)
        self.frame = PlotFrame(left, _TOP, width - 16, height - _BELOW)
        self.taken: list[Room] = []
        # Charges on the same pixel are one point: a picture of thousands stays small.
        last = {(round(self.x(point.at)), round(self.y(point.spent))): point for point in past.points}
        counts = Counter((round(self.x(point.at)), round(self.y(point.spent))) for point in past.points)
        self.places = [(point, counts[place]) for place, point in last.items()]

    def x(self, at: datetime) -> float:
        return self.frame.x((at - self.start) / (self.end - self.start))

    def y(self, epsilon: float) -> float:
        return self.frame.y(self.up.at(epsilon))

    def draw(self, tag: str, look: str, **places: float | str) -> Element:
        shape = SubElement(self.root, tag, {"class": look} if look else {})
        for name, value in places.items():
            shape.set(name.replace("_", "-"), value if isinstance(value, str) else f"{value:.1f}")
        return shape

    def rule(self, look: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.draw("line", look, x1=start[0], y1=start[1], x2=end[0], y2=end[1])

    def write(self, words: str, look: str, x: float, y: float, anchor: str) -> None:
        self.draw("text", look, x=x, y=y, text_anchor=anchor).text = words

    def label(self, words: str, look: str, places: Sequence[tuple[float, float, str]]) -> None:
        """Write the words at the first of these places that is free and inside the picture; else nowhere."""
        far = long(words, _SIZE)
        for x, y, anchor in places:
            left = x - far if anchor == "end" else x
            room = (left - 3, y - _SIZE, left + far + 3, y + 4)
            fits = room[0] >= self.frame.left - 6 and room[2] <= self.frame.right + 12
            if (
                fits
                and room[1] >= 0
                and room[3] <= self.frame.bottom
                and not any(_touch(room, other) for other in self.taken)
            ):
                self.taken.append(room)
                return self.write(words, look, x, y, anchor)
        return None

    def axes(self) -> None:
        frame, limit = self.frame, self.past.budget
        for tick in self.up.ticks:
            if limit is None or abs(tick - limit) > self.up.step / 1e6:
                self.rule("gridl" if tick else "axisl", (frame.left, self.y(tick)), (frame.right, self.y(tick)))
        heights = [self.y(tick) for tick in self.up.ticks]
        for index in apart(heights, _SIZE + 6):
            self.write(self.up.say(self.up.ticks[index]), "", frame.left - 8, heights[index] + 4, "end")
        ticks, words = _ticks(self.start, self.end, frame.right - frame.left)
        for day in ticks:
            text, x = words(day), self.x(day)
            if x + long(text, _SIZE) / 2 <= frame.right + 14:
                self.write(text, "", max(x, frame.left + long(text, _SIZE) / 2), frame.bottom + 20, "middle")

    def line(self) -> None:
        past, frame = self.past, self.frame
        spots, before = [(self.x(past.points[0].at), frame.bottom)], frame.bottom
        for point, _ in self.places:
            spots += [(self.x(point.at), before), (self.x(point.at), before := self.y(point.spent))]
        spots.append((self.x(past.now), before))
        path = " L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
        self.draw("path", "spent", d=f"M{path} L{spots[-1][0]:.1f} {frame.bottom:.1f} Z")
        self.draw("path", "spent-l", d=f"M{path}")

    def projection(self) -> None:
        past, until = self.past, self.past.used_up
        if until is None or past.budget is None:
            return
        end = min(until, self.end)
        height = past.spent + (past.budget - past.spent) * ((end - past.now) / (until - past.now))
        (x1, y1), (x2, y2) = (self.x(past.now), self.y(past.spent)), (self.x(end), self.y(height))
        self.draw("path", "proj", d=f"M{x1:.1f} {y1:.1f} L{x2:.1f} {y2:.1f}")
        if end == until:
            self.draw("circle", "ghost", cx=x2, cy=y2, r=6)
            self.taken.append((x2 - 8, y2 - 8, x2 + 8, y2 + 8))
        words = f"used up in {month(until)}"
        self.label(
            words, "strong halo", [(x2 - 12, y2 - 8, "end"), (x2 - 10, y2 + 26, "end"), (x2 + 10, y2 - 8, "start")]
        )
        for part in range(2, 30):  # other labels keep clear of the line
            x, y = x1 + (x2 - x1) * part / 30, y1 + (y2 - y1) * part / 30
            self.taken.append((x - 2, y - 2, x + 2, y + 2))

    def draw_all(self) -> str:
        past, frame = self.past, self.frame
        self.axes()
        self.line()
        now, top = self.x(past.now), self.y(past.spent)
        self.rule("gridl", (now, frame.top), (now, frame.bottom))
        if past.budget is not None:
            limit = self.y(past.budget)
            self.rule("limit", (frame.left, limit), (frame.right, limit))
            self.taken.append((frame.left, limit - 2, frame.right, limit + 2))
            self.label(f"Budget {number(past.budget)}", "t-over", [(frame.left + 6, limit - 8, "start")])
        small = 2 if len(past.points) > _MANY or frame.right < 400 else 3
        for point, charges in self.places:
            mark = self.draw("circle", "cand", cx=self.x(point.at), cy=self.y(point.spent), r=small)
            when = f"{point.at.day} {point.at:%B %Y}"
            of = f"entry {point.number}" if charges == 1 else f"{charges} entries up to {point.number}"
            SubElement(mark, "title").text = f"{when}: epsilon {number(point.spent)} charged in total ({of})"
        self.draw("circle", "req", cx=now, cy=top, r=6)
        self.taken.append((now - 8, top - 8, now + 8, top + 8))
        self.projection()
        beside = [(now - 10, top - 14, "end"), (now + 12, top + 16, "start"), (now + 10, top - 14, "start")]
        self.label(f"{number(past.spent)} charged", "t-acc halo", beside)
        self.label("today", "t-faint", [(now + 6, frame.bottom - 8, "start"), (now + 6, frame.top + 12, "start")])
        return tostring(self.root, encoding="unicode")


def budget_chart(past: Spending, width: int, height: int) -> str:
    """Charged epsilon over time, with each charge as a point, the budget and the projection; empty without a charge."""
    return BudgetChart(past, width, height).draw_all() if past.points else ""


def _ticks(start: datetime, end: datetime, width: float) -> tuple[list[datetime], Callable[[datetime], str]]:
    """Days or months with room for their names, and how they are named."""
    most = max(2, int(width / 76))
    days = (end - start) / timedelta(days=1)
    if days / _DAYS[-1] <= most and days < 60:
        step = next(each for each in _DAYS if days / each <= most)
        first = start.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        return [first + timedelta(days=step * i) for i in range(int(days / step) + 1)], lambda at: f"{at.day} {at:%b}"
    step = next((each for each in _MONTHS if days / 30 / each <= most), _MONTHS[-1])
    return [at for at in _months(start, end) if (12 * at.year + at.month - 1) % step == 0], month


def _months(start: datetime, end: datetime) -> Iterator[datetime]:
    """The first day of each month in between."""
    at = start.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    while (at := at + timedelta(days=monthrange(at.year, at.month)[1])) <= end:
        yield at


def _touch(one: Room, other: Room) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
