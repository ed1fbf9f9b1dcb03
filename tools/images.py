"""Write the pictures of README.md and docs/plots.md, docs/images/*.svg, from the demo data."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import sfumato as sf
from sfumato import demo
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.sharing import sharing_surface

FOLDER = Path(__file__).parents[1] / "docs" / "images"
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)


def _risk_view() -> Figure:
    public = "workclass IN ('Federal-gov', 'Local-gov', 'State-gov')"
    query = demo.open().query(f"SELECT AVG(hours_per_week) FROM adult WHERE {public}")
    return query.rehearse(sf.gap(1.2)).plot().figure


def _frontier() -> Figure:
    query = demo.open().query("SELECT SUM(hours_per_week) FROM adult WHERE sex = 'Female'")
    return query.rehearse(sf.gap(1.2)).plot("frontier").figure


def _roc() -> Figure:
    return demo.open().query("SELECT SUM(capital_gain) FROM adult").worst_case().roc(1.0, exposure=0.25).figure


def _sharing() -> Figure:
    risks = [[round(0.5 * sensitivity * (1 - trust), 3) for trust in LEVELS] for sensitivity in LEVELS]
    return sharing_surface(LEVELS, LEVELS, risks, limit=0.2)


IMAGES: dict[str, Callable[[], Figure]] = {
    "risk-view.svg": _risk_view,
    "frontier.svg": _frontier,
    "roc.svg": _roc,
    "sharing.svg": _sharing,
}


def main() -> None:
    for name, figure in IMAGES.items():
        path, text = FOLDER / name, svg(figure())
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(text, encoding="utf-8")
        print(f"{name}: {'as it was' if text == before else 'written anew'}", file=sys.stderr)


if __name__ == "__main__":
    main()
