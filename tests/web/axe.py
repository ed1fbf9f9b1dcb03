"""What axe finds wrong with a page as it stands: all the rules that it applies by itself."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_AXE = Axe()


def violations(page: Page, tag: str | None = None) -> list[str]:
    """One line each: the rule, and the first place that breaks it. With a tag, of its rules only."""
    only = {} if tag is None else {"runOnly": {"type": "tag", "values": [tag]}}
    found = _AXE.run(page, options={"resultTypes": ["violations"]} | only).response["violations"]
    return [f"{one['id']} ({one['help']}): {one['nodes'][0]['html']}" for one in found]
