"""What every page has around it: who is signed in, where they can go, how it looks, and what it may load."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from sfumato.errors import SfumatoError
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.service import Escrow
from sfumato.presentation.figures.palette import PALETTE
from sfumato.server.middleware.authentication import Caller
from sfumato.server.web.assets import Assets
from sfumato.server.web.filters import FILTERS
from sfumato.version import __version__

TEMPLATES = Path(__file__).parent.parent / "templates"
THEME = "theme"
THEMES = ("light", "dark")
# Scripts, styles and pictures are this server's own files: nothing that is written into a page is ever run.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class Place:
    """An entry of the menu: shown to those who have one of these roles."""

    path: str
    name: str
    roles: tuple[Role, ...]


MENU = (
    Place("/inbox", "Inbox", (Role.CONTROLLER,)),
    Place("/datasets", "Datasets", (Role.CONTROLLER, Role.AUDITOR)),
    Place("/catalogue", "Catalogue", (Role.ANALYST,)),
    Place("/requests", "My requests", (Role.ANALYST,)),
    Place("/people", "People", (Role.ADMIN,)),
    Place("/audit", "Audit", (Role.ADMIN, Role.AUDITOR, Role.CONTROLLER)),
    Place("/account", "Account", tuple(Role)),
)


def home_of(person: Person) -> str:
    """Where somebody begins: at the first thing that waits for them."""
    return next(place.path for place in MENU if person.has(*place.roles))


def own_address(stated: str, otherwise: str = "/") -> str:
    """An address of this server, whatever was written there.

    Two slashes begin another host's address; browsers leave out tabs and line ends before they look for them.
    """
    own = stated.startswith("/") and not stated.startswith(("//", "/\\")) and stated.isprintable()
    return stated if own else otherwise


def environment(assets: Assets) -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"asset": assets.url, "palette": PALETTE, "release": __version__}
    made.filters |= FILTERS
    return made


class Shell:
    """Called with a template and what it shows; `facts` go along as JSON, for the page's script."""

    def __init__(self, request: Request, caller: Caller | None) -> None:
        self._request, self._caller = request, caller

    def __call__(
        self, template: str, *, facts: Mapping[str, Any] | None = None, status: int = 200, **shown: Any
    ) -> HTMLResponse:
        made: Environment = self._request.app.state.templates
        person = None if self._caller is None else self._caller.person
        theme = self._request.cookies.get(THEME, "")
        around = {
            "person": person,
            "csrf": None if self._caller is None else self._caller.csrf,
            "menu": [] if person is None else [place for place in MENU if person.has(*place.roles)],
            "waiting": 0 if person is None or status >= 500 else self._waiting(person),  # what broke is not asked again
            "here": self._request.scope["path"],
            "theme": theme if theme in THEMES else "",
            "facts": {} if facts is None else facts,
        }
        text = made.get_template(template).render(around | shown)
        return HTMLResponse(text, status, {"Content-Security-Policy": POLICY})

    def _waiting(self, person: Person) -> int:
        """How much waits for their decision: the menu says so on every page."""
        if not person.has(Role.CONTROLLER):
            return 0
        escrow: Escrow = self._request.app.state.escrow
        with suppress(SfumatoError):  # a page that says what went wrong is a page too
            return len(escrow.requests.approval.waiting(person)) + len(escrow.signals.approval.waiting(person))
        return 0


def shell_for(request: Request) -> Shell:
    """Whoever is not signed in has a shell too: of the public pages, and of what went wrong."""
    return Shell(request, getattr(request.state, "caller", None))


Shown: TypeAlias = Annotated[Shell, Depends(shell_for)]
