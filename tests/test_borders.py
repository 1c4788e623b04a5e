"""Who may use whose code: traces are the border between the benchmark and the pipeline (CONTRIBUTING.md)."""

from graphlib import TopologicalSorter

import pytest

from tests.imports import ROOT, imported, module_file, named

# The oracle and what it is asked with: any part of the pipeline may use it.
ORACLE = {"sim/tasks/oracle.py", "sim/calendar.py", "sim/tasks/scenario.py"}
# What the auditor asks the benchmark beside it: the engine, and what tasks are made with.
AUDITOR, ITS_OWN = "pipeline/traces/audit", ("sim/game/", "sim/agents/__init__.py", "sim/tasks/")
# The second reader calls models as agents do.
CALLS = "pipeline/beyond/judge/model.py"
PACKAGES = {"sim/__init__.py", "sim/tasks/__init__.py", "pipeline/__init__.py"}
SIDES = ("sim", "pipeline", "machine")
FILES = {side: sorted(str(p.relative_to(ROOT)) for p in (ROOT / side).rglob("*.py")) for side in SIDES}

# The rooms of each side, files and folders: each imports only from those before it.
ROOMS = {
    "sim": ("text_files", "calendar", "tasks", "agents", "game", "models", "runs", "__main__"),
    "pipeline": (
        *("tables", "traces", "privacy", "behaviour", "derive", "statistics", "mixed_effects", "paper", "reports"),
        *("beyond", "__main__"),
    ),
}


def room(path: str) -> str:
    """The room of its side that a file lies in."""
    return path.split("/")[1].removesuffix(".py")


def across(path: str, side: str) -> set[str]:
    """The files of a side that the file imports, its bare package left out."""
    found = {str(p.relative_to(ROOT)) for p in imported(ROOT / path)} - PACKAGES
    return {p for p in found if p.startswith(f"{side}/")}


@pytest.mark.slow
def test_the_pipeline_uses_the_oracle_and_nothing_else_of_the_benchmark_but_where_the_second_reader_calls() -> None:
    others = {path: across(path, "sim") - ORACLE for path in FILES["pipeline"]}
    audited = {path for path, found in others.items() if AUDITOR in path and all(p.startswith(ITS_OWN) for p in found)}
    assert {path for path, found in others.items() if found} - audited == {CALLS}


def test_the_benchmark_knows_nothing_of_the_pipeline() -> None:
    assert {path for path in FILES["sim"] if across(path, "pipeline")} == set()


def test_what_both_ask_of_their_machines_knows_of_neither() -> None:
    assert {path for path in FILES["machine"] for side in ("sim", "pipeline") if across(path, side)} == set()


@pytest.mark.parametrize("side", ROOMS)
def test_every_room_has_its_place_in_the_order_and_they_are_few(side: str) -> None:
    assert {room(path) for path in FILES[side]} - {"__init__"} == set(ROOMS[side])
    assert len(ROOMS[side]) <= 11


@pytest.mark.parametrize("side", ROOMS)
def test_a_room_imports_only_from_those_before_it(side: str) -> None:
    place = ROOMS[side].index
    pairs = {(path, needed) for path in FILES[side] for needed in across(path, side)}
    assert {(path, needed) for path, needed in pairs if place(room(needed)) > place(room(path))} == set()


@pytest.mark.parametrize("side", ROOMS)
def test_no_files_import_each_other_in_a_circle(side: str) -> None:
    needs = {ROOT / path: {module_file(name) for name in named(ROOT / path)} for path in FILES[side]}
    assert set(TopologicalSorter(needs).static_order()) >= set(needs)  # raises CycleError
