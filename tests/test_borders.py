"""Who may use whose code: traces are the border between the benchmark and the pipeline (CONTRIBUTING.md)."""

from tests.imports import ROOT, imported

# The oracle and what it is asked with: any part of the pipeline may use it.
ORACLE = {"sim/tasks/oracle.py", "sim/calendar.py", "sim/tasks/scenario.py"}
# The second reader calls models as agents do.
CALLS = "pipeline/judge/model.py"
PACKAGES = {"sim/__init__.py", "sim/tasks/__init__.py", "pipeline/__init__.py"}
SIDES = ("sim", "pipeline", "machine")
FILES = {side: sorted(str(p.relative_to(ROOT)) for p in (ROOT / side).rglob("*.py")) for side in SIDES}


def across(path: str, side: str) -> set[str]:
    """The files of a side that the file imports, its bare package left out."""
    found = {str(p.relative_to(ROOT)) for p in imported(ROOT / path)} - PACKAGES
    return {p for p in found if p.startswith(f"{side}/")}


def test_the_pipeline_uses_the_oracle_and_nothing_else_of_the_benchmark_but_where_the_second_reader_calls() -> None:
    assert {path for path in FILES["pipeline"] if across(path, "sim") - ORACLE} == {CALLS}


def test_the_second_reader_calls_and_does_not_play() -> None:
    games = {"sim/game/game.py", "sim/runs/play.py", "sim/runs/runner.py", "sim/tasks/suite.py", "sim/tasks/oracle.py"}
    assert across(CALLS, "sim") & games == set()


def test_the_benchmark_knows_nothing_of_the_pipeline() -> None:
    assert {path for path in FILES["sim"] if across(path, "pipeline")} == set()


def test_what_both_ask_of_their_machines_knows_of_neither() -> None:
    assert {path for path in FILES["machine"] for side in ("sim", "pipeline") if across(path, side)} == set()
