"""What calls to models cost: recorded tokens at dated prices, and nothing where something is not known."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.derive.parallel import derive
from pipeline.paper.costs import (
    LISTED,
    MEASURED,
    NO_CALL,
    NO_PRICE,
    NO_TOKENS,
    RECORDED,
    UNCOUNTED,
    billed,
    costs,
    litellm_prices,
    read_own_prices,
    read_prices,
    team_models,
)
from pipeline.tables.io import read_table, to_frame
from pipeline.tables.schemas.base import CALLS
from sim.tasks.lists import read_list
from sim.tasks.suite import make_task, write_tasks
from tests.sim.stub import stub

ROOT = Path(__file__).parents[2]
PRICES = pl.DataFrame(
    [
        ("some/model", 2.0, 0.5, 10.0, "day 1"),
        ("some/uncached", 2.0, None, 10.0, "day 1"),
        ("some/free", None, None, None, "day 1"),
    ],
    schema=["model", "input", "cached_input", "output", "dated"],
    orient="row",
)
GAMES = pl.DataFrame(
    {
        "game_id": ["u", "v"],
        "team": ["ours"] * 2,
        "simulated": [False] * 2,
        "condition": ["standard"] * 2,
        "setting": ["uniform", "varied"],
        "stopped": [False] * 2,
    }
)


def called(game: str, model: str | None, *tokens: int | None, usd: float | None = None) -> dict[str, Any]:
    counts = dict(zip(("input_tokens", "output_tokens", "cached_input_tokens"), (*tokens, None), strict=False))
    return {
        "game_id": game,
        "model": model,
        "cost_usd": usd,
        "failed_attempts": 0,
        "cached_input_tokens": None,
        **counts,
    }


def table(*calls: dict[str, Any]) -> pl.DataFrame:
    rows = [tuple({"event_index": i, **call}.get(c.name) for c in CALLS.columns) for i, call in enumerate(calls)]
    return to_frame(CALLS, rows)


# Calls → what they cost in uniform games, in varied ones, in all, and the verdict.
EXAMPLES = [
    ([], (None, None, None, NO_CALL)),
    ([called("u", "some/model", 1_000_000, 100_000)], (3.0, None, 3.0, MEASURED)),
    ([called("u", "model", 1_000_000, 0)], (2.0, None, 2.0, MEASURED)),
    ([called("u", "other/model", 1_000_000, 0)], (None, None, None, NO_PRICE)),
    ([called("u", "some/model", 1_000_000, 0, 400_000)], (1.4, None, 1.4, MEASURED)),
    ([called("u", "some/uncached", 1_000_000, 0, 400_000)], (2.0, None, 2.0, MEASURED)),
    ([called("u", "some/model", 1_000_000, 0, 2_000_000)], (0.5, None, 0.5, MEASURED)),
    ([called("u", "some/model", 500_000, 0), called("v", "some/model", 0, 500_000)], (1.0, 5.0, 6.0, MEASURED)),
    ([called("u", "some/model", 500_000, 0), called("v", "some/model", None, None)], (1.0, None, None, NO_TOKENS)),
    ([called("u", "some/free", 500_000, 0)], (None, None, None, NO_PRICE)),
    ([called("u", None, 500_000, 0)], (None, None, None, NO_PRICE)),
]


@pytest.mark.parametrize(("calls", "expected"), EXAMPLES)
def test_calls_cost_their_tokens_at_the_prices_given(calls: list[dict[str, Any]], expected: tuple[Any, ...]) -> None:
    row = costs(GAMES, table(*calls), PRICES).row(0, named=True)
    assert (row["games"], row["calls"]) == (2, len(calls))
    assert tuple(row[c] for c in ("usd_uniform", "usd_varied", "usd_total", "verdict")) == pytest.approx(expected)


def test_what_traces_record_counts_first_then_a_teams_own_prices_then_the_table() -> None:
    recorded = called("u", "some/model", 1_000_000, 0, usd=0.25) | {"priced_by": "team, day 0"}
    asked = called("u", "some/model", 1_000_000, 0)
    own = PRICES.filter(model="some/model").with_columns(input=1.0, dated=pl.lit("mine.yaml"))
    for calls, prices, usd, priced_by in (
        ((recorded, recorded), own, 0.5, "recorded in the traces (team, day 0)"),
        ((asked,), own, 1.0, "the team's own prices (mine.yaml)"),
        ((asked,), None, 2.0, "the price table (day 1)"),
        (
            (recorded, asked, asked),
            None,
            4.25,
            f"{LISTED} (day 1): 2; {RECORDED} (team, day 0): 1",
        ),
    ):
        row = costs(GAMES, table(*calls), PRICES, prices).row(0, named=True)
        assert (row["usd_total"], row["priced_by"], row["verdict"]) == (usd, priced_by, MEASURED)


def test_attempts_that_nobody_counted_are_part_of_the_verdict() -> None:
    paid, missed = called("u", "x", 1, 1, usd=1.5), called("v", "x", 1, 1, usd=1.0) | {"uncounted_attempts": 3}
    spent = costs(GAMES, table(paid, missed), PRICES)
    assert (spent["usd_total"].item(), spent["verdict"].item()) == (2.5, f"{MEASURED}{UNCOUNTED}: 3")
    assert billed(spent).endswith("2.50 US dollars. Of 3 failed attempts nobody noted the cost: they may add to it.")


def test_answers_from_the_cache_are_told_apart_from_what_calls_cost() -> None:
    paid, kept = called("u", "x", 1, 1, usd=1.5), called("v", "x", 1, 1, usd=0.5) | {"from_cache": True}
    told = "1 call to models cost 1.50 US dollars. 1 answer from the cache had cost 0.5000 US dollars when first given."
    spent = costs(GAMES, table(paid, kept), PRICES)
    assert billed(spent).startswith(told) and spent["usd_total"].item() == 2
    assert billed(costs(GAMES, table(kept), PRICES)).startswith("0 calls to models cost 0.0000 US dollars. 1 answer ")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- 1", "no team's file"),
        ("agents: [{type: llm, parameters: {model: a}}]", "states no prices"),
        (
            "agents: [{parameters: {model: a, prices: {input: 1}}}, {parameters: {model: a, prices: {input: 2}}}]",
            "states prices for a that differ; write the same",
        ),
    ],
)
def test_a_file_without_prices_is_told_in_a_line(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=problem):
        read_own_prices(tmp_path / "team.yaml")


def test_a_teams_file_states_its_own_prices(tmp_path: Path) -> None:
    agent = "{type: llm, parameters: {model: a/b, prices: {input: 1, output: 2, date: 2026-01-02}}}"
    text = f"agents: [{agent}, {agent}]"
    (tmp_path / "team.yaml").write_text(text, encoding="utf-8")
    assert read_own_prices(tmp_path / "team.yaml").rows() == [("a/b", 1.0, None, 2.0, "team.yaml, 2026-01-02")]


@pytest.mark.slow
def test_the_price_file_is_that_of_the_installed_table() -> None:
    told = read_prices(ROOT / "data/prices/litellm.yaml")
    made = litellm_prices(team_models(ROOT / "data/teams"))
    assert told["model"].to_list() == list(made["prices"])
    assert set(told["dated"]) == {made["dated"]}
    for row in told.iter_rows(named=True):
        listed = made["prices"][row["model"]] or {}
        assert [row[kind] for kind in ("input", "cached_input", "output")] == [
            listed.get(kind) for kind in ("input", "cached_input", "output")
        ]


@pytest.mark.slow
def test_a_run_over_http_shows_up_with_the_tokens_that_were_counted(tmp_path: Path) -> None:
    write_tasks([make_task(read_list(ROOT / "data/suites/paper72.csv")[0])], tmp_path / "tasks.jsonl")
    with stub() as server:
        parameters = {"model": "openai/stub", "api_base": server.address}
        (tmp_path / "toy.yaml").write_text(
            json.dumps({"team": "toy", "agents": [{"type": "llm", "parameters": parameters}]})
        )
        command = [sys.executable, "-m", "sim", "run", "tasks.jsonl", "--team", "toy.yaml", "--out", "traces"]
        told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert told.returncode == 0, told.stderr
    derive([tmp_path / "traces"], tmp_path / "tables", workers=1)
    row = costs(*(read_table(tmp_path / "tables", name) for name in ("games", "calls")), PRICES).row(0, named=True)
    assert row["calls"] == server.requests > 0
    assert f"{row['input_tokens']} tokens in, {row['output_tokens']} out" in told.stdout + told.stderr
    assert row["verdict"] == NO_PRICE
