"""Houses and a browser for as long as tests of this folder run; visitors for one test."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.memory import in_memory
from tests.web import browser as chromium
from tests.web import house as houses
from tests.web.browser import Visitors
from tests.web.house import House, Plan

SignedIn = Callable[[str], Page]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium.started() as started:
        yield started


@pytest.fixture(scope="package")
def ground() -> Iterator[Path]:
    """A folder that lies in memory where there is one."""
    with tempfile.TemporaryDirectory(prefix="sfumato-", dir=in_memory()) as folder:
        yield Path(folder)


@pytest.fixture(scope="package", autouse=True)
def quick_passwords() -> Iterator[None]:
    with houses.quick_passwords():
        yield


@pytest.fixture(scope="package")
def plan(ground: Path) -> Plan:
    (folder := ground / "furnished").mkdir()
    return houses.furnished(folder)


@pytest.fixture(scope="package")
def house(plan: Plan, ground: Path) -> Iterator[House]:
    """For everybody: whoever changes more than their own sessions and tokens takes `own_house`."""
    with houses.served(plan, ground) as made:
        yield made


@pytest.fixture(scope="package")
def empty_house(ground: Path) -> Iterator[House]:
    """For everybody, on its first morning: people, and nothing else."""
    for name in ("unfurnished", "empty"):
        (ground / name).mkdir()
    with houses.served(houses.unfurnished(ground / "unfurnished"), ground / "empty") as made:
        yield made


@pytest.fixture
def own_house(plan: Plan, ground: Path) -> Iterator[House]:
    """For one test, to be changed."""
    with tempfile.TemporaryDirectory(dir=ground) as folder, houses.served(plan, Path(folder)) as made:
        yield made


@pytest.fixture
def visitors(browser: Browser) -> Iterator[Visitors]:
    """Whatever goes wrong in their pages fails the test."""
    made = Visitors(browser)
    yield made
    assert made.leave() == []


@pytest.fixture
def page(visitors: Visitors, house: House) -> Page:
    """Of a stranger."""
    return visitors.enter(house)


@pytest.fixture
def signed_in(visitors: Visitors, house: House) -> SignedIn:
    """A page of somebody of the house."""
    return lambda name: visitors.enter(house, name)
