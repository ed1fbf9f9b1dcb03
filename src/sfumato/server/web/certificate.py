"""The certificate of each release of a request, to print or to file. The answer is not on it."""

from __future__ import annotations

import json

from fastapi import APIRouter
from starlette.responses import Response

from sfumato.escrow.identity.person import Person
from sfumato.escrow.service import Escrow
from sfumato.model.release import Certificate
from sfumato.presentation import certificate as view
from sfumato.server.dependencies import Here, NameInPath, Reader
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)


@screens.get("/requests/{id}/certificate")
def certificate(page: RendererDep, actor: Reader, id: NameInPath, escrow: Here) -> Response:
    request, certificates = escrow.requests.one(actor, id), list(map(view.sheet, _certificates(actor, id, escrow)))
    recipient = escrow.people.one(request.get("analyst", actor.name))
    return page("certificate.html", request=request, recipient=recipient, certificates=certificates)


@screens.get("/requests/{id}/certificate.json")
def as_json(actor: Reader, id: NameInPath, escrow: Here) -> Response:
    certificates = [view.worded(each).as_dict() for each in _certificates(actor, id, escrow)]
    named = {"Content-Disposition": 'attachment; filename="certificate.json"'}
    return Response(json.dumps(certificates, indent=2), headers=named, media_type="application/json")


def _certificates(actor: Person, id: str, escrow: Escrow) -> list[Certificate]:
    """In the order of the queries, for whoever asked and those who hold the data."""
    return [Certificate.from_dict(answer["certificate"]) for answer in escrow.requests.result(actor, id)["answers"]]
