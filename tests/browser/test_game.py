"""A game in a browser: found, opened, stepped through, linked to, set beside another."""

from pathlib import Path

from playwright.sync_api import Page, expect
from site_games import REASONING

from tests.site_pages import page_data, page_of


def test_a_game_is_found_and_opened(page: Page, site: Path) -> None:
    page.goto((site / "games.html").as_uri())
    expect(page.locator("#shown")).to_contain_text("10 games")
    page.get_by_label("Team").select_option("imap")
    expect(page.locator("#list tbody tr")).to_have_count(2)
    page.get_by_label("Task contains").fill("nowhere")
    expect(page.locator("#list tbody tr")).to_have_count(0)
    page.get_by_label("Task contains").fill("")
    page.get_by_role("button", name="Cost", exact=True).click()
    page.locator("#list tbody a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("imap")
    expect(page.locator(".message-text.typed").first).to_contain_text("Asks what slots 0–15 would cost")


def test_keys_step_through_messages_and_tell_of_each(page: Page, site: Path) -> None:
    game = page_of(site, team="candid", setting="varied", condition="standard")
    messages = page_data(game.with_suffix(".js"))["rounds"][0]["messages"]
    page.goto(game.as_uri())
    page.keyboard.press("ArrowRight")
    expect(page.locator(".stepper strong")).to_have_text(f"Message 2 of {len(messages)}")
    expect(page).to_have_url(f"{game.as_uri()}#m{messages[1][0]}")
    expect(page.locator("#announcement")).to_contain_text(f"message 2 of {len(messages)}, agent {messages[1][3]} to")
    expect(page.locator(".message.current")).to_have_count(1)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".stepper strong")).to_have_text(f"Message 1 of {len(messages)}")
    page.keyboard.press("]")
    expect(page.locator(".rounds [aria-current]")).to_contain_text("Round 1")
    page.get_by_label("Keys").uncheck()
    page.locator("h1").click()
    page.keyboard.press("[")
    expect(page.locator(".rounds [aria-current]")).to_contain_text("Round 1")
    page.get_by_role("button", name="Next message").press("Enter")
    expect(page.get_by_role("button", name="Next message")).to_be_focused()


def test_a_link_opens_one_message_with_its_evidence(page: Page, site: Path) -> None:
    game = page_of(site, team="candid", setting="varied", condition="standard")
    rounds = page_data(game.with_suffix(".js"))["rounds"]
    message = next(m for m in rounds[1]["messages"] if m[8] and m[8][0][4] is not None)
    source, target, evidence, _, start, end, beliefs = message[8][0]
    page.goto(f"{game.as_uri()}#m{message[0]}")
    expect(page.locator(".rounds [aria-current]")).to_contain_text("Round 1")
    expect(page.locator(".full")).to_contain_text(message[6])
    mark = page.locator(".full mark.evidence").first
    assert message[6][start:end].startswith(mark.inner_text()[:5])
    mark.hover()
    feasible = "feasible" if evidence > 0.5 else "not feasible"
    expect(page.get_by_role("tooltip")).to_contain_text(f"Evidence about agent {target}")
    expect(page.get_by_role("tooltip")).to_contain_text(feasible)
    observer, slot, after = beliefs[0]
    cell = page.locator(f'.beliefs td[data-tip^="Agent {observer} about agent {target}, slot {slot}:"]')
    expect(cell).to_have_class("free changed" if after > 0.5 else "taken changed")
    expect(cell).to_contain_text(f"{round(100 * after)}")
    expect(page.locator("details.evidence")).to_contain_text(f"Agent {observer} about agent {target}")
    assert source.startswith("language_")


def test_beliefs_at_a_round_s_end_give_its_privacy_loss_a_pair(page: Page, site: Path) -> None:
    for team in ("candid", "imap", "sd", "dsm-welfare"):
        game = page_of(site, team=team, setting="varied", condition="standard")
        for number, one in enumerate(page_data(game.with_suffix(".js"))["rounds"]):
            page.goto(f"{game.as_uri()}#r{number}")
            loss = sum(pair[2] for pair in one["vps"]) / max(1, len(one["vps"]))
            heading = page.locator(".step h3").first
            expect(heading).to_contain_text("privacy loss in this round")
            assert abs(float(heading.inner_text().split("in this round")[1].split()[0]) - loss) < 0.0051


def test_calendars_show_what_moved_and_where_the_oracle_is(page: Page, site: Path) -> None:
    game = page_of(site, team="sd", setting="varied", condition="standard")
    number, one = next((i, r) for i, r in enumerate(page_data(game.with_suffix(".js"))["rounds"]) if r["moves"])
    _, _, agent, _, _, source, target, _ = one["moves"][0]
    page.goto(f"{game.as_uri()}#r{number}")
    row = page.locator(".calendars tbody tr").nth(agent)
    expect(row.locator("td").nth(target)).to_contain_text(f"←{source}")
    expect(page.locator(".moves")).to_contain_text(f"from slot {source} to slot {target}")
    page.get_by_role("button", name="before the round").click()
    expect(row.locator("td").nth(source)).to_contain_text(f"→{target}")
    heads = page.locator(".calendars thead th")
    expect(heads.nth(one["slot"] + 1)).to_contain_text("●")
    expect(heads.nth(one["oracle_slot"] + 1)).to_contain_text("◇")


def test_a_failed_round_says_why(page: Page, odd_site: Path) -> None:
    page.goto(f"{page_of(odd_site, team='alpha').as_uri()}#r1")
    expect(page.locator(".rounds .failed .result")).to_have_text("✗ different slots")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    for place in (".step .warn", ".message.current", "#announcement"):
        expect(page.locator(place)).to_contain_text("M2 failed: different slots (agent 1: 3, agent 2: 2).")


def test_private_reasoning_is_hidden_until_asked_for(page: Page, odd_site: Path) -> None:
    page.goto(page_of(odd_site, team="thinker").as_uri())
    expect(page.locator(".stepper")).to_be_visible()
    assert REASONING not in page.inner_text("body")
    page.get_by_label("Show private reasoning").check()
    expect(page.locator(".thought").first).to_contain_text(REASONING)
    expect(page.locator(".thought")).to_have_count(2)


def test_two_games_stand_side_by_side(page: Page, site: Path) -> None:
    page.goto(f"{(site / 'games.html').as_uri()}#condition=standard&setting=varied")
    for team in ("candid", "imap"):
        page.get_by_role("checkbox", name=f"Compare {team} on").check()
    page.get_by_role("link", name="Compare the two marked games").click()
    expect(page.locator("#shown")).to_contain_text("Both play task")
    expect(page.locator(".aligned")).to_have_count(5)
    expect(page.locator(".pair.heads")).to_contain_text("simulated")
    expect(page.locator(".aligned").first.locator("h3")).to_have_text(["candid (simulated)", "imap"])
    page.get_by_label("Right").select_option(label="sd, standard")
    expect(page.locator(".aligned").first.locator("h3")).to_have_text(["candid (simulated)", "sd"])
    page.locator(".aligned").first.get_by_text("Conversation").first.click()
    page.locator(".aligned").first.locator(".message a").first.click()
    expect(page.locator(".message.current")).to_have_count(1)


def test_a_link_to_another_folder_s_game_asks_for_nothing(page: Page, site: Path) -> None:
    page.goto(f"{(site / 'compare.html').as_uri()}?a=../../evil&b=javascript:alert(1)")
    expect(page.locator("#shown")).to_contain_text("not in this folder")
