"""Whoever is sent to sign in comes back to where they were, and to nowhere else."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest

from tests.api import Api
from tests.served import Caller

HOUSE = "https://escrow.test"


def comes_back_to(api: Api, address: str) -> str:
    answer = Caller(api.app, None)("GET", address)
    assert answer.status_code == 200
    found = re.search(r'id="facts">(.*?)</script>', answer.text, re.S)
    assert found
    return str(json.loads(found[1])["next"])


@pytest.mark.parametrize("length", [10, 3_000, 30_000])
def test_however_long_the_query_in_the_address_is(api: Api, length: int) -> None:
    path = f"/datasets/stays/risk?sql={'a' * length}"
    sent = Caller(api.app, None)("GET", f"{HOUSE}{path}")
    assert sent.status_code == 303
    assert comes_back_to(api, f"{HOUSE}{sent.headers['Location']}") == path


@pytest.mark.parametrize("other", ["//evil.test", "/\\evil.test", "/\t/evil.test", "https://evil.test", "javascript:x"])
def test_another_host_is_no_place_to_come_back_to(api: Api, other: str) -> None:
    assert comes_back_to(api, f"{HOUSE}/sign-in?next={quote(other, safe='')}") == "/"


def test_whoever_changed_the_password_is_told_to_sign_in_with_it(api: Api) -> None:
    said = "Your password was changed. Sign in with the new one."
    assert said in Caller(api.app, None)("GET", f"{HOUSE}/sign-in?changed=password").text
    assert said not in Caller(api.app, None)("GET", f"{HOUSE}/sign-in").text
