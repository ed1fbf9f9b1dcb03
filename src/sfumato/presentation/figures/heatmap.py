"""A surface as a map: the stronger the colour, the higher it is, with a sign where it is over the limit."""

from __future__ import annotations

from sfumato.presentation.figures.describe import heights
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import GLYPHS, Surface
from sfumato.presentation.figures.svg_canvas import (
    BODY,
    LEADING,
    MARGIN,
    SMALL,
    PlotFrame,
    Sheet,
    apart,
    long,
    wrap,
)


def heatmap(sheet: Sheet, figure: Figure, surface: Surface, height: float) -> None:
    """Draw a cell per place, the first row at the bottom, with its height where there is room."""
    across, up, deep = figure.across, figure.up, figure.deep
    sheet.write(f"{heights(figure, surface)}; the stronger the colour, the higher", colour="ink")
    sheet.down += 6
    sheet.write(figure.y.name, SMALL)
    left = MARGIN + 8 + max(long(up.say(y)) for y in surface.ys)
    right, top = sheet.width - MARGIN - 8.0, sheet.down + 12
    under = wrap(figure.x.name, BODY, right - left)
    below = 28 + (BODY + LEADING) * len(under + sheet.fit(figure.note, SMALL)) + MARGIN
    frame = PlotFrame(left, top, right, top + max(120, height - top - below))
    wide, tall = (right - left) / len(surface.xs), (frame.bottom - top) / len(surface.ys)
    columns = [left + (index + 0.5) * wide for index in range(len(surface.xs))]
    rows = [frame.bottom - (index + 0.5) * tall for index in range(len(surface.ys))]
    labels = [f"{GLYPHS['over'] if surface.over(z) else ''}{deep.say(z)}" for z in surface.flat]
    numbered = max(map(long, labels)) + 6 <= wide and tall >= SMALL + LEADING
    for index, (z, words) in enumerate(zip(surface.flat, labels, strict=True)):
        row, column = divmod(index, len(surface.xs))
        x, y = columns[column], rows[row]
        hint = f"{across.say(surface.xs[column])}, {up.say(surface.ys[row])}: {words}"
        size = {"x": x - wide / 2, "y": y - tall / 2, "width": wide - 1, "height": tall - 1}
        sheet.draw("rect", "chosen", "", hint, fill_opacity=0.08 + 0.5 * deep.at(z), **size)
        if numbered or (surface.over(z) and min(wide, tall) >= SMALL):
            sheet.say(words if numbered else words[0], x, y + 4)
    for index in apart(rows, SMALL + LEADING):
        sheet.say(up.say(surface.ys[index]), left - 8, rows[index] + 4, colour="soft", anchor="end")
    for index in apart(columns, 8 + max(long(across.say(x)) for x in surface.xs)):
        sheet.say(across.say(surface.xs[index]), columns[index], frame.bottom + 17, colour="soft")
    sheet.name_axis(under, frame.x(0.5), frame.bottom)
