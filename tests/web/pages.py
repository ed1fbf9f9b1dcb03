"""Every page there is, found by itself; what stands for the names in addresses, and who sees what of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

from fastapi.routing import APIRoute

from sfumato.server.web import routes
from tests.web.house import BARE, PEOPLE, House

ALL = [route.path for screen in routes.ALL for route in screen.routes if isinstance(route, APIRoute)]
_MAIN = re.compile(r"<main.*</main>", re.DOTALL)
_NAMED = re.compile(r"\{(\w+)(?::\w+)?\}")
WITHOUT_NAMES = [path for path in ALL if not _NAMED.search(path)]


@dataclass(frozen=True)
class View:
    """A page as somebody sees it; a stranger has no name."""

    who: str | None
    path: str
    html: str
    policy: str


def addresses(path: str, house: House) -> list[str]:
    """Of a page: each name in its path stands for every value that we know for it."""
    names = _NAMED.findall(path)
    known = _known(house) if names else {}
    assert set(names) <= set(known), f"say in tests/web/pages.py what {path} is called with"
    return [_filled_in(path, dict(zip(names, values, strict=True))) for values in product(*(known[n] for n in names))]


@cache
def views(path: str, house: House) -> list[View]:
    """Everybody's, of a page, in a house that does not change. Somebody sees it, or it sends them on."""
    found, seen = [], False
    for who, address in product((*PEOPLE, None), addresses(path, house)):
        answer = house.get(address, who)
        assert answer.status_code < 500, f"{who} at {address}: {answer.text}"
        seen |= answer.status_code < 400 and who is not None
        if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html"):
            found.append(View(who, address, answer.text, answer.headers["Content-Security-Policy"]))
    assert seen, f"nobody sees {path}"
    return found


def different(found: Iterable[View]) -> list[View]:
    """One of each: pages that differ in nothing but the frame around them are the same."""
    return list({_MAIN.findall(view.html)[0]: view for view in found}.values())


def _known(house: House) -> Mapping[str, list[str]]:
    return {
        "name": ["adult", BARE],
        "number": ["1"],
        "sid": [house.signal_in(state) for state in ("submitted", "released")],
        "id": [house.request_in(state) for state in ("submitted", "returned", "released")],
    }


def _filled_in(path: str, values: Mapping[str, str]) -> str:
    return _NAMED.sub(lambda found: values[found[1]], path)
