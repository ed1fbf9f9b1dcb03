"""The frame of every page: user, menu, theme, and what the page may load."""

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
from sfumato.escrow.submissions.store import SubmissionFilter
from sfumato.presentation.figures.palette import PALETTE
from sfumato.server.middleware.authentication import Caller
from sfumato.server.web.assets import Assets
from sfumato.server.web.filters import FILTERS, meaning, term
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
class MenuItem:
    """An entry of the menu: shown to those who have one of these roles."""

    path: str
    name: str
    roles: tuple[Role, ...]


MENU = (
    MenuItem("/inbox", "Inbox", (Role.CONTROLLER,)),
    MenuItem("/datasets", "Datasets", (Role.CONTROLLER, Role.AUDITOR)),
    MenuItem("/catalogue", "Catalogue", (Role.ANALYST,)),
    MenuItem("/requests", "My requests", (Role.ANALYST,)),
    MenuItem("/people", "Users", (Role.ADMIN,)),
    MenuItem("/audit", "Audit", (Role.ADMIN, Role.AUDITOR, Role.CONTROLLER)),
    MenuItem("/account", "Account", tuple(Role)),
)


def home_of(person: Person) -> str:
    """The start page of a user: the first item of their menu."""
    return next(item.path for item in MENU if person.has(*item.roles))


def own_address(address: str, otherwise: str = "/") -> str:
    """`address` if it is one of this server, else `otherwise`.

    Two slashes begin another host's address; browsers leave out tabs and line ends before they look for them.
    """
    own = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if own else otherwise


def environment(assets: Assets) -> Environment:
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals |= {
        "asset": assets.url,
        "palette": PALETTE,
        "release": __version__,
        "term": term,
        "meaning": meaning,
    }
    templates.filters |= FILTERS
    return templates


class PageRenderer:
    """Renders a template; `facts` are JSON for the script of the page."""

    def __init__(self, request: Request, caller: Caller | None) -> None:
        self._request, self._caller = request, caller

    @property
    def by_session(self) -> bool:
        """Whether a person who signed in looks at the page."""
        return self._caller is not None and self._caller.csrf is not None

    def __call__(
        self, template: str, *, facts: Mapping[str, Any] | None = None, status: int = 200, **content: Any
    ) -> HTMLResponse:
        templates: Environment = self._request.app.state.templates
        person = None if self._caller is None else self._caller.person
        theme = self._request.cookies.get(THEME, "")
        around = {
            "person": person,
            "csrf": None if self._caller is None else self._caller.csrf,
            "menu": [] if person is None else [item for item in MENU if person.has(*item.roles)],
            "waiting": 0 if person is None or status >= 500 else self._waiting(person),  # not after a failure
            "unread": 0 if person is None or status >= 500 else self._unread(person),
            "here": self._request.scope["path"],
            "theme": theme if theme in THEMES else "",
            "facts": {} if facts is None else facts,
        }
        text = templates.get_template(template).render(around | content)
        return HTMLResponse(text, status, {"Content-Security-Policy": POLICY})

    def _waiting(self, person: Person) -> int:
        """Number of submissions that wait for this user; the menu shows it."""
        if not person.has(Role.CONTROLLER):
            return 0
        escrow: Escrow = self._request.app.state.escrow
        with suppress(SfumatoError):  # the page of an error is rendered too
            every = SubmissionFilter(apart=tuple(escrow.datasets.separated_from(person)))
            kinds = (escrow.requests.approval, escrow.signals.approval)
            return sum(kind.count_waiting(person, every) for kind in kinds)
        return 0

    def _unread(self, person: Person) -> int:
        """Number of unread notifications of an analyst; the menu shows it."""
        if not person.has(Role.ANALYST):
            return 0
        escrow: Escrow = self._request.app.state.escrow
        with suppress(SfumatoError):
            return escrow.notifications.count(person, unread=True)
        return 0


def renderer_for(request: Request) -> PageRenderer:
    """The renderer of a request, also where no user is signed in."""
    return PageRenderer(request, getattr(request.state, "caller", None))


RendererDep: TypeAlias = Annotated[PageRenderer, Depends(renderer_for)]
