"""Registration of a table in steps; nothing is sent before the last one."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sfumato.escrow.identity.person import Role
from sfumato.model.schema import MOST_LISTED, Format, Relation, Type
from sfumato.presentation.wording import schema_sentences as of_schema
from sfumato.server.dependencies import EscrowDep, ReadingUser, SettingsDep
from sfumato.server.settings import GIB, ServerSettings
from sfumato.server.web.policy.form import form_content
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
STEPS = ("File", "Privacy unit", "Columns", "Policy", "Review")


@screens.get("/register")
def register(page: RendererDep, actor: ReadingUser, escrow: EscrowDep, settings: SettingsDep) -> Response:
    actor.require(Role.CONTROLLER, to="register data")
    formats = [{"format": one.value, "types": [kind.value for kind in Type if one.fits(kind)]} for one in Format]
    return page(
        "register.html",
        steps=list(enumerate(STEPS, 1)),
        relations={relation.value: sentence for relation, sentence in of_schema.RELATIONS.items()},
        words=of_schema,
        form=form_content(escrow, 1),
        largest=_largest(settings),
        facts={
            "person": actor.name,
            "types": [str(kind) for kind in Type],
            "replace": Relation.REPLACE.value,
            "formats": formats,
            "uses": of_schema.USES,
            "states": of_schema.COLUMN_STATES,
            "most_listed": MOST_LISTED,
            "data_bytes": settings.data_bytes,
        },
    )


@screens.get("/register/tables")
def register_tables(page: RendererDep, actor: ReadingUser, settings: SettingsDep) -> Response:
    """Several tables by their schema file, with a ZIP file of their data."""
    actor.require(Role.CONTROLLER, to="register data")
    return page("register_tables.html", largest=_largest(settings))


@screens.get("/register/connection")
def register_connection(page: RendererDep, actor: ReadingUser) -> Response:
    """A table that stays in a database or on a cluster, by its schema file and its URL."""
    actor.require(Role.CONTROLLER, to="register data")
    return page("register_connection.html")


def _largest(settings: ServerSettings) -> str:
    return f"{settings.data_bytes / GIB:,.4g} GiB"
