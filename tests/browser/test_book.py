"""The book opens without a network, on a phone as on a desk, in the light and in the dark, and can be searched."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

BOOK = Path(__file__).parents[2] / "book/html"
PAGES = (
    "index.html", "docs/study.html", "docs/beyond/frontier.html", "data/README.html", "figures/10_table1.html",
    "figures/beyond/20_leakage.html", "docs/api/pipeline/pipeline.reports.html",
)  # fmt: skip
LOST = "Array.from(document.images).filter(image => !image.complete || !image.naturalWidth).map(image => image.src)"
WIDER = "document.documentElement.scrollWidth - window.innerWidth"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_its_screen_and_has_its_figures(page: Page, name: str) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in (390, 1440):
            page.set_viewport_size({"width": width, "height": 1000})
            page.goto((BOOK / name).as_uri(), wait_until="load")
            expect(page.locator("html")).to_have_attribute("data-theme", scheme)
            assert page.evaluate(WIDER) <= 0
    page.evaluate("for (const image of document.images) image.loading = 'eager'")
    page.wait_for_function(f"!({LOST}).length")


def test_a_word_is_found_in_documents_notebooks_and_docstrings(page: Page) -> None:
    page.goto((BOOK / "search.html").as_uri() + "?q=excess")
    found = page.locator("#search-results a")
    expect(page.locator(".search-summary")).to_contain_text("Search finished")
    pages = {
        link.split("?")[0].split("#")[0] for link in found.evaluate_all("all => all.map(a => a.getAttribute('href'))")
    }
    assert {"README.html", "docs/statistics.html", "figures/10_table1.html"} <= pages
    assert any(link.startswith("docs/api/") for link in pages)
