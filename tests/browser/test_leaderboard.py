"""The leaderboard in a browser: sorted, filtered, explained, opened from a disk or a server."""

from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Page, expect


def column(page: Page, name: str) -> list[float]:
    """The figures of a column, top to bottom."""
    names = [text.strip() for text in page.locator("#board thead .sort").all_inner_texts()]
    place = next(i for i, text in enumerate(names) if text.split("\u00a0")[0] == name)
    cells = page.locator(f"#board tbody tr > :nth-child({place + 1}) strong").all_inner_texts()
    return [float(text.replace(",", "").replace("−", "-")) for text in cells]


def test_a_column_sorts_both_ways(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    header = page.locator("#board th", has=page.get_by_role("button", name="Messages per meeting", exact=True))
    header.locator(".sort").click()
    expect(header).to_have_attribute("aria-sort", "ascending")
    assert column(page, "Messages per meeting") == sorted(column(page, "Messages per meeting"))
    header.locator(".sort").press("Enter")
    expect(header).to_have_attribute("aria-sort", "descending")
    assert column(page, "Messages per meeting") == sorted(column(page, "Messages per meeting"), reverse=True)
    expect(header.locator(".sort")).to_be_focused()


def test_filters_and_conditions_show_other_figures(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    expect(page.locator("#board tbody tr")).to_have_count(4)
    page.get_by_role("button", name="Adversarial").click()
    expect(page.locator("#board tbody tr")).to_have_count(1)
    expect(page.locator("#board .badge.simulated")).to_have_count(1)
    page.get_by_label("Errand costs").select_option("varied")
    expect(page.locator("#shown")).to_contain_text("varied costs")
    page.get_by_role("button", name="Varied", exact=True).click()
    page.get_by_label("Density").select_option("1.0")
    expect(page.locator("#shown")).to_contain_text("density 1.0")
    expect(page.locator("#board tbody tr")).to_have_count(4)
    page.get_by_label("Difficulty").select_option("easy")
    expect(page.locator("#board tbody tr")).to_have_count(0)
    again = page.evaluate("location.href")
    page.goto("about:blank")
    page.goto(again)
    expect(page.locator("#shown")).to_contain_text("difficulty easy, density 1.0")


def test_the_paper_s_rows_come_on_request_and_say_that_they_are_reported(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    assert "Claude" not in page.inner_text("#board")
    page.get_by_label("The paper's rows, as reported").check()
    rows = page.locator("#board tbody tr.reported")
    expect(rows).to_have_count(11)
    assert rows.count() == rows.locator(".badge.reported").count()
    expect(page.locator("#board tr", has_text="Claude Sonnet 4.6")).to_contain_text("1.14")


def test_the_downloads_hold_what_is_shown(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    with page.expect_download() as download:
        page.get_by_role("link", name="leaderboard.csv").click()
    csv = pl.read_csv(download.value.path())
    parquet = pl.read_parquet(site / "data/leaderboard.parquet")
    assert csv.height == parquet.height > 100
    shown = csv.filter(setting="uniform", condition="standard", difficulty="all", density="all", metric="excess_cost")
    assert column(page, "Excess over optimum") == sorted(round(value, 2) for value in shown["mean"])


@pytest.mark.parametrize("name", ["index.html", "games.html", "compare.html"])
def test_a_server_serves_the_folder_as_it_is(served_page: Page, server: str, name: str) -> None:
    served_page.goto(server + name)
    expect(served_page.get_by_role("heading", level=1)).to_be_visible()
    served_page.goto(f"{server}games.html")
    served_page.locator("#list tbody a").first.click()
    expect(served_page.locator(".rounds button")).to_have_count(5)
