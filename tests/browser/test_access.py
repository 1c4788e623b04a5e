"""The pages by keyboard, by screen reader and on a phone: no serious fault, nothing wider than the screen."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.site_pages import page_of

PAGES = ("leaderboard", "reported", "games", "game", "decision", "compare")
SERIOUS = ("serious", "critical")


def address(site: Path, name: str) -> str:
    varied = {"setting": "varied", "condition": "standard"}
    candid, imap = (page_of(site, team=team, **varied) for team in ("candid", "imap"))
    return {
        "leaderboard": (site / "index.html").as_uri(),
        "reported": f"{(site / 'index.html').as_uri()}#condition=varied&reported=yes&columns=all",
        "games": (site / "games.html").as_uri(),
        "game": candid.as_uri(),
        "decision": f"{imap.as_uri()}#r2",
        "compare": f"{(site / 'compare.html').as_uri()}?a={candid.stem}&b={imap.stem}",
    }[name]


def ready(page: Page) -> None:
    expect(page.locator("#board tbody tr, #list tbody tr, .step, .aligned").first).to_be_visible()


def faults(page: Page) -> list[tuple[str, str, str]]:
    """The serious faults that the checker finds: its rule, the first element that breaks it, and how."""
    # Preloading fetches the page's styles anew, which its policy forbids.
    found = Axe().run(page, options={"preload": False}).response["violations"]
    serious = [(fault["id"], fault["nodes"][0]) for fault in found if fault["impact"] in SERIOUS]
    return [(rule, node["html"], node["failureSummary"]) for rule, node in serious]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_has_a_serious_fault(page: Page, site: Path, name: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(address(site, name))
    ready(page)
    assert faults(page) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_shows_every_page_within_its_width(page: Page, site: Path, name: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(address(site, name))
    ready(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert faults(page) == []


def test_a_keyboard_reaches_the_content_at_once(page: Page, site: Path) -> None:
    page.goto(address(site, "game"))
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{address(site, 'game')}#main")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")
