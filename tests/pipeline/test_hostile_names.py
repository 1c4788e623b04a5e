"""Whatever a trace calls its team, setting, condition, task, level, agents, models and labels is text where it is
printed: it steers no terminal, and is no markup."""

import json
import re
from pathlib import Path

import pytest
from trace_builder import toy_game, write_trace
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.reports.batch.row import as_html, as_json, as_latex, as_markdown, as_text, compute_rows

HURT = "\x1b[31m\x9b2J\x1b]0;x\x07\u202e <img src=//e.example/a onerror=alert(1)> [a](javascript:b) $\\def$ %"
NAMES = ("team", "setting", "condition", "task_id", "difficulty")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A trace whose every name is hostile, in a folder, and its tables in another."""
    folder = tmp_path_factory.mktemp("names")
    game = toy_game(f"g {HURT}", **{name: f"{name} {HURT}" for name in NAMES})
    label = {"label": f"label {HURT}", "tier": f"tier {HURT}"}
    game.content["config"]["scenario"] = {"labels": {"errands": {"1": label}, "meetings": {"1": label}}}
    for event in game.content["events"]:
        if event["type"] == "agent_registered":
            event["data"] |= {name: f"{name} {HURT}" for name in ("agent_type", "model")}
    game.dm(1, 1, 2, f"It is my label {HURT}")
    write_trace(folder / "in/0.json", game.text())
    done = CliRunner().invoke(app, ["derive", str(folder / "in"), "--out", str(folder / "tables"), "--workers", "1"])
    assert done.exit_code == 0, done.output
    return {name: str(folder / name) for name in ("in", "tables")}


PRINTED = (
    "audit in --workers 1",
    "show g tables",
    "sql FROM\xa0games tables",
    "sql FROM\xa0agents tables",
    "sql FROM\xa0labels_known tables",
    "ledger --tables tables",
    "verify tables",
)


@pytest.mark.parametrize("words", PRINTED)
def test_a_name_does_not_steer_the_terminal(words: str, places: dict[str, str]) -> None:
    arguments = [places.get(word, word.replace("\xa0", " ")) for word in words.split(" ")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == (1 if "audit" in words else 0), done.output
    assert [line for line in done.output.split("\n") if not line.isprintable()] == []


def test_a_name_is_text_in_each_format_of_a_row(places: dict[str, str]) -> None:
    tables = compute_rows(Path(places["tables"]))
    assert all(line.isprintable() for form in (as_text, as_markdown, as_latex) for line in form(tables).split("\n"))
    assert not re.search(r"<img|(?<!\\)\]\(|(?<!\\)\[a", as_markdown(tables))
    assert not re.search(r"(?<!\\)[$%]|\\def", re.sub(r"(?m)^% ", "", as_latex(tables)))
    assert "<img" not in as_html(tables) and "\u202e" not in as_html(tables)
    assert json.loads(as_json(tables))[0]["condition"] == f"condition {HURT}"
