"""What a server answers when it does not work, and what it writes down."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from sfumato import errors
from sfumato.escrow.questions.risk_facts import CandidateRisk, RiskFacts
from sfumato.server.app import API, OPEN_TO_ALL
from tests.examples import example, made_up
from tests.served import Caller, Nouns, app_on, operations

NOUNS = Nouns()
APP = app_on(NOUNS, calls_a_minute=1_000_000)
CALL = Caller(APP)
SECRET = "Marta Kowalska, 48,000"


def told(error: Exception) -> Any:
    NOUNS.signals.approval.answers["inspect"] = error
    return CALL("GET", "/signals/s1/page")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.NotSignedIn("x"), 401),
        (errors.Forbidden("x"), 403),
        (errors.NotFound("x"), 404),
        (errors.Conflict("x"), 409),
        (errors.BudgetExceeded("x"), 409),
        (errors.NoGuarantee("x"), 409),
        (errors.Refused("x"), 409),
        (errors.Gone("x"), 410),
        (errors.BadInput("x"), 422),
        (errors.QueryError("x"), 422),
        (errors.TooMany("x"), 429),
        (errors.SandboxMissing("x"), 501),
        (errors.EngineFailure(), 503),
        (errors.DatabaseFailure("x"), 503),
        (errors.AwaitingApproval("x"), 202),
    ],
)
def test_an_error_is_a_status(error: errors.SfumatoError, status: int) -> None:
    answer = told(error)
    assert answer.status_code == answer.json()["status"] == status
    assert answer.json()["code"] == error.code


def test_every_kind_of_error_has_a_status_but_our_own_failure() -> None:
    kinds = [errors.SfumatoError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    silent = {kind for kind in kinds if told(_made(kind)).status_code == 500}
    assert silent == {errors.SfumatoError}


def _made(kind: type[errors.SfumatoError]) -> errors.SfumatoError:
    error = kind.__new__(kind)
    errors.SfumatoError.__init__(error, "x")
    return vars(error).setdefault("seconds", 1) and error


def test_where_things_lie_on_the_server_is_not_told() -> None:
    answer = told(errors.VaultUnwritable("/srv/escrow/vault cannot be written to", where="/srv/escrow"))
    assert (answer.status_code, answer.json()["code"]) == (503, errors.VaultUnwritable.code)
    assert "/srv" not in answer.text


def test_a_problem_has_a_sentence_a_hint_and_a_place() -> None:
    answer = told(
        errors.QueryError("Window functions are not supported", hint="leave them out.", where="line 1, column 8")
    )
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "about:blank",
        "title": "Unprocessable Entity",
        "status": 422,
        "code": "query",
        "detail": "Window functions are not supported",
        "hint": "leave them out.",
        "where": "line 1, column 8",
        "at": {"query": 1, "line": 1, "column": 8},
        "reason": "",
        "values": {},
    }


def test_an_error_with_a_reason_is_worded_for_pages_and_told_with_its_values() -> None:
    answer = told(errors.PreferenceError.because("delta-of-total", stated="2")).json()
    assert (answer["detail"], answer["hint"]) == ("delta must be at least 0 and below 1, not 2", "try delta 1e-6.")
    assert (answer["reason"], answer["values"]) == ("delta-of-total", {"stated": "2"})


def test_the_values_of_what_lies_on_the_server_are_not_told() -> None:
    answer = told(errors.LedgerUnwritable.because("ledger-file-busy", path="/srv/escrow/ledger"))
    assert "/srv" not in answer.text
    assert (answer.json()["reason"], answer.json()["values"]) == ("", {})


@pytest.mark.parametrize("error", [ValueError(SECRET), KeyError(SECRET), errors.SfumatoError(SECRET), RuntimeError()])
def test_our_own_failure_is_one_constant_answer(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    answer = told(error)
    assert answer.status_code == 500
    assert answer.text == told(ZeroDivisionError()).text
    assert SECRET not in answer.text + caplog.text
    assert all(record.exc_info is None for record in caplog.records)


def test_the_log_has_the_kind_and_the_place_of_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    told(ValueError(SECRET))
    (said,) = [record.getMessage() for record in caplog.records if record.name == "sfumato.faults"]
    assert said.startswith("ValueError at served.py:")


def test_the_access_log_has_no_names_no_queries_and_no_bodies(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    sql = "SELECT AVG(pay) FROM staff WHERE name = 'Marta'"
    NOUNS.questions.answers["worst_case"] = made_up(RiskFacts)
    CALL("POST", "/datasets/hospital-ward-7/worst-case?note=Marta", json={"sql": sql})
    CALL("PATCH", "/people/marta.kowalska?Marta", json={"password": "Marta Marta Marta"})
    Caller(APP, None)("GET", "/people/marta.kowalska")
    Caller(APP, "Marta-read")("GET", "/Marta")
    lines = [record.getMessage() for record in caplog.records if record.name == "sfumato.access"]
    assert [line.rsplit(" ", 2)[0] for line in lines] == [
        "192.0.2.1 POST /datasets/{name}/worst-case 200",
        "192.0.2.1 PATCH /people/{name} 500",
        "192.0.2.1 GET - 401",
        "192.0.2.1 GET - 404",
    ]
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("sfumato")]
    assert not any(word in line for line in ours for word in ("arta", "SELECT", "hospital"))


def test_what_does_not_fit_is_told_by_its_place_and_not_repeated() -> None:
    body = {"queries": [{"sql": "SELECT 1"}, {"sql": 5, "weight": SECRET}], SECRET: 1}
    answer = CALL("POST", "/datasets/adult/estimate", json=body)
    assert answer.status_code == 422
    assert answer.json()["where"] == "body.queries.1.sql"
    assert answer.json()["detail"] == "Input should be a valid string"
    assert answer.json()["hint"] == "2 more do not fit."
    assert SECRET not in answer.text


def test_a_method_that_is_not_taken() -> None:
    answer = CALL("PUT", "/health")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET")
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_number_without_an_end_is_null() -> None:
    endless = example(CandidateRisk, noise_90=[float("inf")], rdr_max=float("nan"))
    NOUNS.questions.answers["worst_case"] = made_up(RiskFacts, candidates=[endless])
    answer = CALL("POST", "/datasets/adult/worst-case", json={"sql": "SELECT 1"})
    assert answer.json()["candidates"] == [endless | {"noise_90": [None], "rdr_max": None, "answers": []}]


def test_every_closed_operation_says_that_it_may_be_refused() -> None:
    for method, path in operations(APP):
        said = set(APP.openapi()["paths"][path][method.lower()]["responses"])
        closed = set() if OPEN_TO_ALL.holds(method, path) or path == f"{API}/session" else {"401", "403", "409", "422"}
        assert said >= {"429", "500"} | closed
