"""The page about speed says what was measured, against which target, and what was not."""

from typing import Any

import pytest

from pipeline.reports.documents.benchmarks import (
    ROWS,
    Row,
    figure_table,
    format_number,
    game_table,
    growth_table,
    trace_counts,
)
from pipeline.reports.plots.lines import growth as drawn


def measured(**figures: float) -> dict[str, Any]:
    return {"figures": figures, "multiples": {name: 2 * value for name, value in figures.items()}}


def line(work: dict[str, Any], row: Row) -> str:
    return next(line for line in figure_table(work).splitlines() if line.startswith(f"| {row.what} |"))


@pytest.mark.parametrize("row", [row for row in ROWS if row.met], ids=lambda row: row.figure)
def test_a_target_is_met_or_missed(row: Row) -> None:
    met = {line({row.work: measured(**{row.figure: value})}, row).split(" | ")[-1] for value in (0.0, 1e9)}
    assert met == {"yes |", "**no** |"}


def test_what_was_not_measured_is_said() -> None:
    assert all(f"| {row.target} | not measured |" in line({}, row) for row in ROWS)


def test_a_figure_stands_beside_what_it_cannot_be_below() -> None:
    work = {"derive": measured(seconds=4.0, cpu=6.0, bound_cpu=1.5), "select": measured(seconds=4.0)}
    lines = figure_table(work).splitlines()
    assert "| 4 s | 8.0 | decoding: 1.5 s | 4.0 |" in next(line for line in lines if line.startswith("| all 26 tables"))
    assert "| 4 s | 8.0 |  |  |" in next(line for line in lines if line.startswith("| make, solve"))


GROWN = measured(
    seconds_1200=4.0, cpu_1200=6.0, memory_mb_1200=350, seconds_360=2.0, cpu_360=1.8, memory_mb_360=200,
    parquet_bytes_a_game=2_000, trace_bytes_a_game=8_000,
)  # fmt: skip


def test_growth_is_told_from_the_smallest_study_to_the_largest() -> None:
    assert trace_counts(GROWN) == [360, 1200]
    assert growth_table(GROWN).splitlines()[2:] == ["| 360 | 2 | 1.8 | 5 | 200 |", "| 1,200 | 4 | 6 | 5 | 350 |"]
    time, memory = drawn(GROWN).axes
    assert list(time.lines[-1].get_xdata()) == [360, 1200] and list(memory.lines[0].get_ydata()) == [200, 350]


def test_ten_million_games_are_worked_out_from_one() -> None:
    work = {"growth": GROWN, "play": measured(cpu=1.8, games=288)}
    assert "| trace, packed with zstd | 8 MB | 80 GB |" in game_table(work).splitlines()
    assert "| playing, one core | 6.25 core seconds | 17.4 core hours |" in game_table(work).splitlines()


@pytest.mark.parametrize(("value", "text"), [(0.1234, "0.123"), (12.34, "12.3"), (1234.5, "1,234"), (0, "0")])
def test_figures_are_shown_to_three_places(value: float, text: str) -> None:
    assert format_number(value) == text
