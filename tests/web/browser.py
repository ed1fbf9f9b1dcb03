"""A real browser: whoever visits a house comes with a memory of their own, and everything that goes wrong is noted."""

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

from sfumato.cli.open_house import PASSWORD
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
_PATIENCE = 20_000  # milliseconds after which something is taken to hang


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


@dataclass
class Visitors:
    """Opens pages. `troubles` are errors in a page or its console, what the policy forbade, and calls elsewhere."""

    browser: Browser
    troubles: list[str] = field(default_factory=list)
    _contexts: list[BrowserContext] = field(default_factory=list)
    _forgiven: list[str] = field(default_factory=list)
    _caught: list[tuple[str, Callable[[Route], None]]] = field(default_factory=list)

    def enter(self, house: House, name: str | None = None, **how: Any) -> Page:
        """A page of somebody who comes for the first time; signed in if they have a name."""
        context = self.browser.new_context(base_url=house.url, **how)
        self._contexts.append(context)
        context.set_default_timeout(_PATIENCE)
        context.on("console", self._heard)
        context.on("weberror", self._failed)
        context.on("dialog", self._asked)
        context.on("request", lambda request: self._called(house, request))
        for pattern, answer_instead in self._caught:
            context.route(pattern, answer_instead)
        if name is not None:
            answer = context.request.post(f"{API}/session", data={"name": name, "password": PASSWORD})
            assert answer.status == 201, answer.text()
        return context.new_page()

    def forgive(self, *texts: str) -> None:
        """Troubles with one of these in them belong to the test: a browser notes each answer of 400 and above."""
        self._forgiven += texts

    def on_the_way(self, pattern: str, answer: Callable[[Route], None]) -> None:
        """What whoever enters from now on is answered instead, at such addresses."""
        self._caught.append((pattern, answer))

    def leave(self) -> list[str]:
        """What went wrong, once everybody has gone."""
        for context in self._contexts:
            context.close()
        return [trouble for trouble in self.troubles if not any(text in trouble for text in self._forgiven)]

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


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


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
