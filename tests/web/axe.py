"""What axe finds wrong with a page as it stands: all the rules that it applies by itself."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_AXE = Axe().axe_script
_FOUND = """async (options) => {
  const { violations } = await axe.run(document, options);
  return violations.map((one) => `${one.id} (${one.help}): ${one.nodes[0].html}`);
}"""


def violations(page: Page, tag: str | None = None) -> list[str]:
    """One line each: the rule, and the first place that breaks it. With a tag, of its rules only."""
    only = {} if tag is None else {"runOnly": {"type": "tag", "values": [tag]}}
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(_AXE)
    found: list[str] = page.evaluate(_FOUND, {"resultTypes": ["violations"]} | only)
    return found
