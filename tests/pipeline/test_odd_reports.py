"""Reports of odd sets of traces, read as a reader would: nothing on a page is empty, silly or about other games."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path

import nbformat
import pytest
import without_kernel
from typer.testing import CliRunner

from pipeline.__main__ import app
from sim.game.trace import write
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from sim.tasks.suite import write_tasks
from tests.sim.stub import stub
from tests.sim.worlds import tiny_task

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
SETTINGS = ("uniform", "varied")
PRICES = {"input": 0.75, "output": 4.5, "date": "2026-01-02"}


def played(folder: Path, *games: tuple[str, str, int]) -> None:
    """Traces of (team, setting, seed)."""
    for number, (team, setting, seed) in enumerate(games):
        write(play_game(Play(tiny_task(seed, setting), named_teams()[team])), folder / f"{number}.json")


def only_english(folder: Path) -> None:
    played(folder, *((team, SETTINGS[seed], seed) for team in ("candid", "plain", "vague") for seed in range(2)))


def only_stopped(folder: Path) -> None:
    """Games of a model that costs 0.75 US dollars a million tokens, broken off as their conversations grew too long."""
    write_tasks([tiny_task(seed, SETTINGS[seed % 2]) for seed in range(4)], folder / "tasks.jsonl")
    with stub("context:0.3", stubborn=True) as server:
        agent = {"type": "llm", "parameters": {"model": "openai/mine", "api_base": server.address, "prices": PRICES}}
        (folder / "mine.yaml").write_text(json.dumps({"team": "mine", "agents": [agent]}), encoding="utf-8")
        command = ["run", "tasks.jsonl", "--team", "mine.yaml", "--out", "stopped"]
        done = subprocess.run([sys.executable, "-m", "sim", *command], cwd=folder, capture_output=True, timeout=300)
    assert done.returncode == 4, done.stderr
    for name in ("tasks.jsonl", "mine.yaml"):
        (folder / name).unlink()


ODD_SETS = (only_english, only_stopped)

# What no page may say, whatever the traces.
NEVER = {
    "a missing value of Python or Polars": r"(?m)^\s*null\s*$|\bNone\b(?! of| is\b)|\bNaN\b|\bnan\b",
    "Python's way to write a list or a text": r"\{'|\['|\[\]|(?<!\w)\(\)",
    "a span without a width": r"(?<![\d.,])([\d.,]*\d)(?: %)? to \1(?![\d.,]*\d)",
    "findings that are not there": r"findings above",
    "a rank among nobody": r"\b1 \[1, 1\]|rank 1 of 1\b",
    "a plural of one": r"(?<![\d.,])1 (?:games|teams|calls|pages|tasks|meetings|direct messages)\b",
}


# What a handful of games tells: of each by itself, or counted. All else of the paper's claims about teams is left open,
# but what follows by construction.
TOLD = (
    "IMAP sends one cost request",
    "A meeting that fails is marked",
    "Scripted protocols leak no label",
    "Availability gossip is the most frequent",
    "on varied tasks IMAP's mean is the least",
)


def text_of(page: Path) -> str:
    """What a page says, a line a paragraph, cell or heading."""
    html = re.sub(r"<(style|script|svg)\b.*?</\1\s*>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"</(?:p|td|th|tr|h\d|li|pre|div|title)>|<br>", "\n", html)))


def findings() -> list[str]:
    """What the notebooks say of the study's own games alone: the first words of each finding."""
    said = []
    for path in NOTEBOOKS:
        cells = nbformat.read(path, as_version=4).cells  # type: ignore[no-untyped-call]
        code, prose = ("\n".join(c.source for c in cells if c.cell_type == kind) for kind in ("code", "markdown"))
        said += [words for words in re.findall(r'study\.finding\("+\**([^*"\n]{20,60})', code) if words not in prose]
    return said


def told(text: str) -> list[str]:
    """The claims about teams that a page says to hold, or not to, and that do not follow by construction."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    rows = zip(lines, lines[2:], lines[3:], lines[4:], strict=False)
    return [
        claim
        for claim, about, holds, by_construction in rows
        if re.fullmatch(r"protocols|.*\bteams|.*speakers.*", about)
        and (holds in ("yes", "no"), by_construction) == (True, "no")
    ]


def problems(text: str) -> list[str]:
    """What a reader stumbles over, each with its words."""
    found = []
    for name, pattern in NEVER.items():
        for match in re.finditer(pattern, text):
            around = text[max(0, match.start() - 60) : match.end() + 30].replace("\n", " ⏎ ")
            found.append(f"{name}: …{around}…")
    quoted = [line for line in text.splitlines() if re.fullmatch(r'\s*"[^"]*"\s*', line)]
    return [*found, *(f"in quotes: {line}" for line in quoted)]


@pytest.mark.slow
@pytest.mark.parametrize("make", ODD_SETS)
def test_no_page_says_what_is_not_so(
    make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "traces").mkdir()
    make(tmp_path / "traces")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr("pipeline.reports.notebook.execute_raw", without_kernel.execute_raw)
    done = CliRunner().invoke(app, ["report", "../traces", "--out", "out", "--workers", "1"])
    assert done.exit_code == 0, done.output
    pages = {path.name: text_of(path) for path in Path("out").glob("*.html")}
    assert len(pages) > len(NOTEBOOKS)
    assert {name: problems(text) for name, text in pages.items() if problems(text)} == {}
    assert [claim for text in pages.values() for claim in told(text) if not claim.startswith(TOLD)] == []
    study = findings()
    assert len(study) > 5
    assert [(name, words) for name, text in pages.items() for words in study if words in text] == []
    check_costs(pages["70_costs.html"], is_paid=make is only_stopped)
    assert list((tmp_path / "elsewhere").iterdir()) == [Path("out").absolute()]


def check_costs(text: str, is_paid: bool) -> None:
    """Where calls were paid for, what traces record of them is said, and nowhere else that anything was."""
    assert ("recorded in the traces (team, 2026-01-02)" in text) == is_paid
    assert ("nothing to bill" in text) == (not is_paid)
    assert "price not known" not in text and "Nobody was asked" not in text


def test_a_reader_stumbles_over_each_of_these() -> None:
    for text in ("null", "mean excess from 0.0 to 0.0", "1 [1, 1]", "1 games", '"imap"'):
        assert problems(f"{text}\n"), text
    assert told("Somebody pays less\nsection 4\nsimulated teams\nyes\nno\n") == ["Somebody pays less"]
    assert problems("None of the twelve occurs; 1.0 to 10.0; 21 games; by setting: all\n") == []
