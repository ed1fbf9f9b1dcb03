"""What sharing risks, as in the study of the Data Privacy Profiler: low trust, high sensitivity, a low limit."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import CONTROLLER
from tests.web.browser import Visitors, follow
from tests.web.conftest import SignedIn

COUNT = "SELECT COUNT(*) FROM adult"
LOW, HIGH = 0.3, 0.7  # the middles of these words
SNOOP = re.compile(r"An attacker guesses right at most ([\d.]+)% of the time \(25% by a blind guess\)\.")


def opened(page: Page) -> None:
    """One count is shared; an attacker guesses one of four values."""
    page.goto("/datasets/adult")
    follow(page, "Sharing risk")
    page.get_by_label("Query", exact=True).fill(COUNT)
    page.get_by_label("Number of values").fill("4")
    page.get_by_role("button", name="Update").click()
    expect(page.locator("#summary p")).not_to_have_count(0)


def move(page: Page, label: str, share: float) -> None:
    slider = page.get_by_label(label)
    most = float(slider.get_attribute("max") or 1)
    slider.fill(f"{share * most:g}")


def snoop(page: Page) -> float:
    found = SNOOP.search(page.locator("#summary").inner_text())
    assert found is not None
    return float(found[1])


def test_low_trust_high_sensitivity_and_a_low_limit_need_noise_and_it_is_said_why(signed_in: SignedIn) -> None:
    page = signed_in(CONTROLLER)
    opened(page)
    summary = page.locator("#summary")
    move(page, "1 Trust in the recipient", LOW)
    move(page, "2 Sensitivity of the data", HIGH)
    move(page, "3 Highest tolerable risk", LOW)
    move(page, "4 Noise", 0)
    expect(summary).to_contain_text(
        "A recipient with trust 0.3 (low) gets figures from data with sensitivity 0.7 (high)."
    )
    expect(page.locator("#verdict")).to_contain_text("✕")
    expect(summary).to_contain_text("over your limit of 0.3. Add noise, or accept more risk.")
    without = snoop(page)
    page.get_by_role("button", name="Use the least noise that meets my limit").click()
    expect(page.locator("#verdict")).to_contain_text("✓")
    expect(summary).to_contain_text("The sharing risk is 0.3 (low) on a scale from 0 to 1: within your limit of 0.3.")
    expect(summary).to_contain_text(re.compile(r"a count of 100 becomes \d+ to \d+"))
    assert 25 < snoop(page) < without
    noise = page.locator("#point-said").inner_text()
    expect(page.locator("#least")).to_contain_text(f"least noise that meets your limit: {noise} (epsilon")
    expect(page.locator("#curve .t-ok")).to_have_text(f"✓ from {noise} on")
    page.get_by_text("Table of noise and sharing risk").click()
    expect(page.get_by_role("row", name="least noise")).to_contain_text(noise)


def test_a_partner_who_is_trusted_gets_less_noise(signed_in: SignedIn) -> None:
    page = signed_in(CONTROLLER)
    opened(page)
    move(page, "2 Sensitivity of the data", HIGH)
    move(page, "3 Highest tolerable risk", LOW)
    taken: list[float] = []
    for trust in (0.1, 0.3, 0.5):
        move(page, "1 Trust in the recipient", trust)
        page.get_by_role("button", name="Use the least noise that meets my limit").click()
        expect(page.locator("#course .current")).to_contain_text("✓ least noise")  # the server has answered
        expect(page.locator("#verdict")).to_contain_text("✓")
        taken.append(float(page.locator("#point-said").inner_text().removeprefix("±")))
    assert taken == sorted(taken, reverse=True)
    assert taken[0] > taken[-1]
    page.get_by_text("Rate trust by three questions").click()
    for question, answer in (("keep the figures", "high"), ("mean well", "low"), ("keep their word", "high")):
        page.get_by_label(question).select_option(answer)
    expect(page.locator("#trust-said")).to_have_text("0.3 (low)")
    expect(page.locator("#least")).to_contain_text(f"least noise that meets your limit: ±{taken[1]:g}")


def test_the_label_never_stands_without_its_sentence(signed_in: SignedIn) -> None:
    """A risk that is called low can still be 80 right guesses of 100."""
    page = signed_in(CONTROLLER)
    opened(page)
    for share in (0, 0.3, 0.6, 1):
        move(page, "4 Noise", share)
        expect(page.locator("#summary")).to_contain_text(SNOOP)


def test_lines_of_trust_differ_in_more_than_colour_and_the_surface_opens(
    signed_in: SignedIn, visitors: Visitors
) -> None:
    visitors.forgive("willReadFrequently", "GPU stall")  # hints on speed, of Plotly's own canvas
    page = signed_in(CONTROLLER)
    opened(page)
    page.get_by_text("Sharing risk by level of trust").click()
    lines = page.locator("#trusts .series")
    expect(lines).to_have_count(5)
    dashes = lines.evaluate_all("all => all.map((one) => getComputedStyle(one).strokeDasharray)")
    assert len(set(dashes)) == 5
    expect(page.get_by_role("region", name="Sharing risk by level of trust")).not_to_contain_text("…")
    page.get_by_text("in three dimensions").click()
    expect(page.locator("#space canvas").first).to_be_visible()
    expect(page.get_by_role("region", name="Sharing risk by trust and sensitivity")).to_be_visible()
