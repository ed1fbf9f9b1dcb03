"""Houses and a browser for as long as tests of this folder run; visitors for one test."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.memory import in_memory
from tests.web import browser as chromium
from tests.web import house as houses
from tests.web.browser import Contexts, Visitors
from tests.web.house import House, Plan

SignedIn = Callable[[str], Page]
HouseOf = Callable[[Plan], House]


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
def empty_plan(ground: Path) -> Plan:
    (folder := ground / "unfurnished").mkdir()
    return houses.unfurnished(folder)


@pytest.fixture(scope="package")
def empty_house(empty_plan: Plan, ground: Path) -> Iterator[House]:
    """For everybody, on its first morning: people, and nothing else."""
    (folder := ground / "empty").mkdir()
    with houses.served(empty_plan, folder) as made:
        yield made


@pytest.fixture(scope="package")
def own_port() -> Iterator[int]:
    """Each house of one test is at the same address, for which the browser has what it needs in its cache."""
    with houses.reserved_port() as port:
        yield port


@pytest.fixture
def house_of(ground: Path, own_port: int, visitors: Visitors) -> Iterator[HouseOf]:
    """Builds a house for one test, to be changed. Its visitors leave before it closes."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=ground)))
        yield lambda plan: stack.enter_context(houses.served(plan, folder, own_port))
        visitors.close()


@pytest.fixture
def own_house(plan: Plan, house_of: HouseOf) -> House:
    """Like `house`, for one test, to be changed."""
    return house_of(plan)


@pytest.fixture(scope="package")
def contexts(browser: Browser) -> Contexts:
    """Browser contexts that tests use one after the other."""
    return {}


@pytest.fixture
def visitors(browser: Browser, contexts: Contexts) -> Iterator[Visitors]:
    """Whatever goes wrong in their pages fails the test."""
    made = Visitors(browser, contexts)
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
