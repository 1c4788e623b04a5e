"""The paper's own rows, as it reports them: shown on request, never among ours unmarked."""

from pathlib import Path
from typing import Any

from pipeline.paper.compare import read_numbers

SOURCES = ("Table 1", "section 4, Baselines", "section 4, Blocked calendars")
BLOCKED = "blocked "


def reported_rows(numbers: Path) -> list[dict[str, Any]]:
    """One entry a method, setting and condition of the paper: its figures by metric, as printed, and where they stand.

    Where the paper gives a figure twice, that of its table counts.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    listed = read_numbers(numbers).to_dicts()
    for source in SOURCES:
        for figure in (row for row in listed if row["source"] == source):
            row = rows.setdefault((figure["method"], figure["setting"]), _printed_row(figure))
            row["values"].setdefault(figure["metric"], figure["value"])
            row["sources"] = sorted({*row["sources"], source})
    return [rows[key] for key in sorted(rows)]


def _printed_row(figure: dict[str, str]) -> dict[str, Any]:
    setting = figure["setting"]
    return {
        "team": figure["method"],
        "setting": setting.removeprefix(BLOCKED),
        "condition": "blocked" if setting.startswith(BLOCKED) else "standard",
        "values": {},
        "sources": [],
    }
