"""A real browser: each visitor has a browser context, and everything that goes wrong in it is noted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Locator,
    Page,
    Request,
    Route,
    WebError,
    expect,
    sync_playwright,
)

from sfumato.cli.local.demo_server import PASSWORD
from sfumato.presentation.wording import exploration_sentences as of_explorer
from sfumato.server.app import API
from tests.web.house import House

NOT_HERE = "Chromium is not here, or Playwright does not start: install them with 'apt install chromium libatomic1'."
_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",  # a container has 64 MiB there, and a page that needs more crashes
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # there is no other host
]
# Calls beside the pages share their connections, whatever the context: one left open to a house that closed would be
# reset by the first call on it to the next house at that address.
_ONCE = {"Connection": "close"}
_PATIENCE = 120_000  # milliseconds after which something is taken to hang, on a machine that is busy otherwise


@contextmanager
def started() -> Iterator[Browser]:
    program = shutil.which("chromium")
    driver = [sys.executable, "-m", "playwright", "--version"]
    if program is None or subprocess.run(driver, capture_output=True, check=False).returncode != 0:
        pytest.skip(NOT_HERE)
    expect.set_options(timeout=_PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_OPTIONS)
        yield browser
        browser.close()


Contexts = dict[tuple[str, str | None], BrowserContext]


@dataclass
class Visitors:
    """Opens pages. `troubles` are errors in a page or its console, what the policy forbade, and calls elsewhere.

    A context in `kept`, by the address of a house and a name, outlives these visitors: static files stay in its cache
    and the scripts in them stay compiled. It is left without cookies, local storage and open pages.
    """

    browser: Browser
    kept: Contexts | None = None
    troubles: list[str] = field(default_factory=list)
    _listeners: dict[BrowserContext, dict[str, Callable[[Any], None]]] = field(default_factory=dict)
    _forgiven: list[str] = field(default_factory=list)
    _caught: list[tuple[str, Callable[[Route], None]]] = field(default_factory=list)

    def enter(self, house: House, name: str | None = None, **how: Any) -> Page:
        """A page of somebody who comes for the first time; signed in if they have a name."""
        if how or self._caught or self.kept is None:
            context = self._context(house, **how)
            for pattern, answer_instead in self._caught:  # with a route a context has no cache
                context.route(pattern, answer_instead)
        elif (house.url, name) not in self.kept:
            context = self.kept[house.url, name] = self._context(house)
            context.new_page()  # it stays: closing the last page would close the window
        else:
            context = self.kept[house.url, name]
        if context not in self._listeners:
            self._listen(context, house)
            if name is not None:
                answer = context.request.post(
                    f"{API}/session", data={"name": name, "password": PASSWORD}, headers=_ONCE
                )
                assert answer.status == 201, answer.text()
        return context.new_page()

    def _context(self, house: House, **how: Any) -> BrowserContext:
        context = self.browser.new_context(base_url=house.url, **how)
        context.set_default_timeout(_PATIENCE)
        return context

    def _listen(self, context: BrowserContext, house: House) -> None:
        self._listeners[context] = {
            "console": self._heard,
            "weberror": self._failed,
            "dialog": self._asked,
            "request": lambda request: self._called(house, request),
        }
        for event, heard in self._listeners[context].items():
            context.on(event, heard)  # type: ignore[call-overload]

    def forgive(self, *texts: str) -> None:
        """Troubles with one of these in them belong to the test: a browser notes each answer of 400 and above."""
        self._forgiven += texts

    def on_the_way(self, pattern: str, answer: Callable[[Route], None]) -> None:
        """What whoever enters from now on is answered instead, at such addresses."""
        self._caught.append((pattern, answer))

    def leave(self) -> list[str]:
        """What went wrong, once all pages are closed."""
        self.close()
        return [trouble for trouble in self.troubles if not any(text in trouble for text in self._forgiven)]

    def close(self) -> None:
        """Close all pages. A server that goes before them would be an error in those that wait for it."""
        while self._listeners:
            context, listeners = self._listeners.popitem()
            if self.kept is None or context not in self.kept.values():
                context.close()
                continue
            first, *others = context.pages
            for page in others:
                page.close()
            for event, heard in listeners.items():
                context.remove_listener(event, heard)
            context.set_offline(False)  # a test that failed may have left it so
            context.clear_cookies()
            (origin,) = (url for (url, _), one in self.kept.items() if one is context)
            cleared = {"origin": origin, "storageTypes": "local_storage"}
            context.new_cdp_session(first).send("Storage.clearDataForOrigin", cleared)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(f"{message.type}: {message.text} ({message.location['url']})")

    def _failed(self, error: WebError) -> None:
        self.troubles.append(f"uncaught: {error.error}")

    def _asked(self, dialog: Dialog) -> None:
        self.troubles.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def _called(self, house: House, request: Request) -> None:
        asked = urlsplit(request.url)
        if asked.scheme not in ("data", "blob") and f"{asked.scheme}://{asked.netloc}" != house.url:
            self.troubles.append(f"a call elsewhere: {request.url}")


def fetch(page: Page, address: str) -> None:
    """Call for a file beside the page, as whoever is signed in there."""
    page.request.get(address, headers=_ONCE)


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def sign_out(page: Page) -> None:
    page.locator("#account summary").click()
    page.get_by_role("button", name="Sign out").click()


def look(page: Page, milliseconds: float | None = None) -> None:
    """View individual risks on a page of the explorer, and wait until they are there."""
    page.get_by_role("button", name="View individual risks (logged)").click()
    expect(page.locator("#look-dialog")).to_contain_text(of_explorer.BEFORE_LOOK)
    page.get_by_role("button", name="View and log").click()
    expect(page.get_by_role("radio", name="Individual risks")).to_be_checked(timeout=milliseconds)


def follow(page: Page, name: str) -> None:
    """A link, until the page that it leads to is ready."""
    with page.expect_navigation(wait_until="load"):
        page.get_by_role("link", name=name).click()


def tab_to(page: Page, wanted: Locator, key: str = "Tab") -> None:
    """With the keyboard alone, as far as it takes."""
    for _ in range(200):
        page.keyboard.press(key)
        if wanted.evaluate("one => one === document.activeElement"):
            return
    raise AssertionError(f"The keyboard does not come to {wanted}")
