"""docs/a-messages-way.md: every function that it names runs, and every number on it is so."""

import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tests.imports import ROOT

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "a-messages-way.md").read_text(encoding="utf-8")
STEP = re.compile(r"^\| \[[^\]]*\]\(\.\./([\w/.]+\.py)\) \| ([^|]*) \|", re.MULTILINE)
QUOTED = re.compile(r"```\w+\n(.*?)\n```", re.DOTALL)
# team → the part of the page, the quoted message's sender, what the page says of its evidence, and of the pair's loss
IMAP = ("imap", "An IMAP message", 2, {("imap_costs", 1.0): 16}, 8.0)
CANDID = ("candid", "An English message", 3, {("language_positive", 0.95): 6, ("language_cost", 0.6575): 1}, 2.8575)
# The most files of ours that one message may pass through.
FILES = {"imap": 57, "candid": 74}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, set[tuple[str, str]]]]:
    """team → its tables, and the (file, function) that ran."""
    teams = {}
    for team in FILES:
        folder = tmp_path_factory.mktemp(team)
        command = [sys.executable, "-m", "tests.follow", team, str(folder)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True)
        lines = [line.split() for line in done.stdout.splitlines() if line.startswith("ran ")]
        teams[team] = folder / "tables", {(path, function) for _, path, function in lines}
    return teams


def part(title: str) -> str:
    """The page from one title to the next."""
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_the_page_names_functions_that_run(played: dict[str, tuple[Path, set[tuple[str, str]]]]) -> None:
    for team, title, *_ in (IMAP, CANDID):
        named = {(path, name) for path, names in STEP.findall(part(title)) for name in re.findall(r"`(\w+)`", names)}
        assert len(named) > 12
        assert named - played[team][1] == set()


@pytest.mark.parametrize(("team", "title", "sender", "evidence", "loss"), [IMAP, CANDID])
def test_the_quoted_message_leaves_what_the_page_says(
    played: dict[str, tuple[Path, set[tuple[str, str]]]],
    team: str,
    title: str,
    sender: int,
    evidence: dict[tuple[str, float], int],
    loss: float,
) -> None:
    tables = played[team][0]
    (text,) = QUOTED.findall(part(title))
    messages = pl.read_parquet(tables / "messages.parquet").filter(content=text, from_agent=sender)
    assert messages["to_agents"].to_list() == [[0]]
    learnt = pl.read_parquet(tables / "belief_evidence.parquet").filter(
        event_index=messages["event_index"].item(), target_agent=sender, observer_agent=0
    )
    counts = learnt.group_by("source", pl.col("belief_after").round(4)).len()
    assert {(source, belief): rows for source, belief, rows in counts.iter_rows()} == evidence
    pair = pl.read_parquet(tables / "pair_round_vps.parquet").filter(
        round=0, target_agent=sender, observer_agent=0, weight_mode="uniform"
    )
    assert pair["vps_loss"].item() == pytest.approx(loss)
    assert f"{loss:g}" in part(title)


def test_the_page_quotes_the_mean_of_the_game_and_of_the_table() -> None:
    table1 = pl.read_csv(ROOT / "data/results/table1.csv")
    mean = table1.filter(team="imap", setting="uniform", condition="standard")["vps_uniform_mean"].item()
    assert f"(8 + 8 + 0.5 + 0.5) / 4 = {mean:g}" in PAGE


@pytest.mark.parametrize("team", FILES)
def test_a_message_passes_through_few_files(played: dict[str, tuple[Path, set[tuple[str, str]]]], team: str) -> None:
    files = {path for path, _ in played[team][1]}
    assert len(files) <= FILES[team], sorted(files)
