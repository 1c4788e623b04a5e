"""No text of a game acts on the page that shows it."""

from pathlib import Path

import polars as pl
from playwright.sync_api import Page, expect
from site_games import LONG, NAME

from pipeline.reports.site.leaderboard import listed_games, listing_parts
from pipeline.reports.site.pages import script, write_text
from tests.site_pages import page_of


def test_hostile_messages_stay_text(page: Page, odd_site: Path) -> None:
    page.goto(page_of(odd_site, team=NAME).as_uri())
    title = page.title()
    assert NAME in title
    for _ in range(9):
        expect(page.locator(".full")).to_be_visible()
        assert page.locator("main :is(script, img, svg, style, a[href^='javascript'])").count() == 0
        page.keyboard.press("ArrowRight")
    expect(page.locator(".stepper strong")).to_have_text("Decision")
    assert page.title() == title
    expect(page.locator(".conversation")).to_contain_text("<script>document.title='script'</script>")
    expect(page.locator(".conversation")).to_contain_text("**bold** `code`")
    expect(page.locator("h1")).to_contain_text(NAME)


def test_invisible_characters_are_shown_and_steer_nothing(page: Page, odd_site: Path) -> None:
    page.goto(page_of(odd_site, team=NAME).as_uri())
    third = page.locator(".message").nth(2)
    expect(third).to_contain_text("[U+202E]slot 3 works for me[U+202C]")
    assert not set("\u202e\u202c\u2066\u2069\0") & set(page.inner_text("main"))


def test_a_megabyte_of_text_is_read_piece_by_piece(page: Page, odd_site: Path) -> None:
    page.goto(page_of(odd_site, team=NAME).as_uri())
    page.locator(".message .pick").nth(5).click()
    expect(page.locator(".full .message-text")).to_contain_text("more characters")
    assert len(page.inner_text(".full")) < 6_000
    page.get_by_role("button", name="Show all 100,000 characters").click()
    assert len(page.inner_text(".full .message-text")) > 99_000
    expect(page.locator(".step .warn")).to_contain_text(f"{len(LONG) - 100_000:,} more characters are in the trace")


def test_hostile_names_stay_text_in_every_list(page: Page, odd_site: Path) -> None:
    for name in ("index.html", "games.html"):
        page.goto((odd_site / name).as_uri())
        expect(page.locator("tbody tr").first).to_be_visible()
        assert page.locator("main :is(script, img, svg, b[onmouseover])").count() == 0
    expect(page.locator("#list")).to_contain_text(NAME)
    page.locator("#list tbody tr", has_text=NAME).hover()
    assert page.title() == "Games · CalBench Lab"


def test_twenty_thousand_games_are_listed_part_by_part(page: Page, odd_site: Path, tmp_path: Path) -> None:
    one = listed_games(odd_site.parent / "tables")
    many = pl.concat([one] * 2_000).head(20_000)
    many = many.with_columns(game_id=pl.format("00000000-0000-0000-0000-{}", pl.int_range(20_000) + 10**11))
    for part in listing_parts(many):
        write_text(tmp_path / "data" / f"games-{part['part']}.js", script("games", part))
    (tmp_path / "static").symlink_to(odd_site / "static")
    write_text(tmp_path / "games.html", (odd_site / "games.html").read_text(encoding="utf-8"))
    page.goto((tmp_path / "games.html").as_uri())
    expect(page.locator("#shown")).to_have_text("20,000 games. ")
    expect(page.locator("#list tbody tr")).to_have_count(100)
    page.get_by_role("button", name="Next page").click()
    expect(page.locator("#pager")).to_contain_text("Page 2 of 200")
