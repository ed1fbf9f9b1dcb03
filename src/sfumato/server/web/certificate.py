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
from sfumato.server.web.shell import Shown

screens = APIRouter(include_in_schema=False)


@screens.get("/requests/{id}/certificate")
def certificate(page: Shown, actor: Reader, id: NameInPath, escrow: Here) -> Response:
    request, certificates = escrow.requests.one(actor, id), _of(actor, id, escrow)
    several = len(certificates) > 1
    documents = [view.document(one, f", release {i}" if several else "") for i, one in enumerate(certificates, 1)]
    recipient = escrow.people.one(request.get("analyst", actor.name))
    return page("certificate.html", request=request, recipient=recipient, certificates=documents)


@screens.get("/requests/{id}/certificate.json")
def as_json(actor: Reader, id: NameInPath, escrow: Here) -> Response:
    told = [view.worded(one).as_dict() for one in _of(actor, id, escrow)]
    named = {"Content-Disposition": 'attachment; filename="certificate.json"'}
    return Response(json.dumps(told, indent=2), headers=named, media_type="application/json")


def _of(actor: Person, id: str, escrow: Escrow) -> list[Certificate]:
    """In the order of the queries, for whoever asked and those who hold the data."""
    return [Certificate.from_dict(one["certificate"]) for one in escrow.requests.result(actor, id)["answers"]]
