"""The certificate of each release of a request, to print or to download; it does not contain the answer."""

from __future__ import annotations

import json

from fastapi import APIRouter
from markupsafe import Markup
from starlette.responses import Response

from sfumato.escrow.identity.person import Person
from sfumato.escrow.service import Escrow
from sfumato.model.release import ReleaseCertificate
from sfumato.presentation import certificate as view
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)


@screens.get("/requests/{id}/certificate")
def certificate(page: RendererDep, actor: ReadingUser, id: NameInPath, escrow: EscrowDep) -> Response:
    request, certificates = escrow.requests.one(actor, id).submission, _certificates(actor, id, escrow)
    several = len(certificates) > 1
    documents = [view.document(each, f", release {i}" if several else "") for i, each in enumerate(certificates, 1)]
    rendered = [Markup(document.html(level=3)) for document in documents]  # a document escapes every text in it
    recipient = escrow.accounts.one(request.analyst or actor.name)
    return page("certificate.html", request=request, recipient=recipient, certificates=rendered)


@screens.get("/requests/{id}/certificate.json")
def as_json(actor: ReadingUser, id: NameInPath, escrow: EscrowDep) -> Response:
    certificates = [view.worded(each).as_dict() for each in _certificates(actor, id, escrow)]
    named = {"Content-Disposition": 'attachment; filename="certificate.json"'}
    return Response(json.dumps(certificates, indent=2), headers=named, media_type="application/json")


def _certificates(actor: Person, id: str, escrow: Escrow) -> list[ReleaseCertificate]:
    """In the order of the queries, for the analyst and for controllers."""
    return [released.certificate for released in escrow.requests.result(actor, id).answers]
