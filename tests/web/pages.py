"""Every page there is, found by itself; what stands for the names in addresses, and who sees what of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from html.parser import HTMLParser
from itertools import product

from fastapi.routing import APIRoute

from sfumato.server.web import routes
from tests.web.house import BARE, PEOPLE, House

ALL = [route.path for screen in routes.ALL for route in screen.routes if isinstance(route, APIRoute)]
_MAIN = re.compile(r"<main.*</main>", re.DOTALL)
_NAMED = re.compile(r"\{(\w+)(?::\w+)?\}")
_TELLING = ("class", "role", "type")
WITHOUT_NAMES = [path for path in ALL if not _NAMED.search(path)]


@dataclass(frozen=True)
class View:
    """A page as somebody sees it; a stranger has no name."""

    who: str | None
    path: str
    html: str
    policy: str

    def __str__(self) -> str:
        return f"{self.path} of {self.who}"

    @cached_property
    def main(self) -> str:
        """What the frame around every page is around."""
        return str(_MAIN.findall(self.html)[0])

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Kinds of elements in it: a tag, with its attributes but for texts and addresses."""
        parser = _Kinds()
        parser.feed(self.main)
        return frozenset(parser.found)


class _Kinds(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        valued = [f"{name}={value}" if name in _TELLING else name for name, value in attrs]
        self.found.add(" ".join([tag, *sorted(valued)]))


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
    """One of each: pages that differ in nothing but the frame around them are the same. The richest comes first."""
    return sorted({view.main: view for view in found}.values(), key=lambda view: -len(view.kinds))


def adding(found: Iterable[View], known: Iterable[View] = ()) -> list[View]:
    """Those with kinds of elements that none before them has, nor any of the known ones."""
    kinds = {kind for view in known for kind in view.kinds}
    added = []
    for view in found:
        if not view.kinds <= kinds:
            added.append(view)
        kinds |= view.kinds
    return added


def _known(house: House) -> Mapping[str, list[str]]:
    return {
        "name": ["adult", BARE],
        "number": ["1"],
        "sid": [house.signal_in(state) for state in ("submitted", "released")],
        "id": [house.request_in(state) for state in ("submitted", "returned", "released")],
    }


def _filled_in(path: str, values: Mapping[str, str]) -> str:
    return _NAMED.sub(lambda found: values[found[1]], path)
