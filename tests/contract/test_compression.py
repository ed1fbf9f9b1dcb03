"""Pages are compressed for their own visitors, and never for what another site asks for."""

from __future__ import annotations

import pytest

from tests.api import Api


@pytest.mark.parametrize(
    ("site", "packed"), [("same-origin", True), ("none", True), ("cross-site", False), ("", False)]
)
def test_a_page_is_compressed_for_its_own_visitors_only(api: Api, site: str, packed: bool) -> None:
    headers = {"Accept-Encoding": "gzip"} | ({"Sec-Fetch-Site": site} if site else {})
    answer = api("alice", "GET", "https://escrow.test/requests/1", headers=headers)
    assert answer.status_code == 200
    assert ("Content-Encoding" in answer.headers) == (site in ("same-origin", "none"))
    assert 'id="explorer"' in answer.text
