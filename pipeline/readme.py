"""The README's figures, built from the results: each stands between two marks, and nothing else of the file changes."""

import re
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from pipeline.compare import printed, verdict
from pipeline.ledger.book import read_ledger
from pipeline.ledger.show import markdown as ledger_markdown
from pipeline.places import markdown as places_markdown
from pipeline.places import read_places

NAMES = {"imap": "IMAP", "sd": "SD-MAP", "dsm-welfare": "DSM-Welfare", "dsm-private": "DSM-Private"}
FIGURES = (
    ("coordination_rate_pct", "coordination %", 2),
    ("excess_cost", "excess cost", 2),
    ("dms_per_meeting", "DMs a meeting", 2),
    ("fairness", "fairness", 3),
    ("vps_uniform_mean", "VPS", 2),
)


def filled(text: str, pieces: Mapping[str, str]) -> str:
    """The text with every built piece replaced. Raises KeyError for a mark that nothing is built for."""
    return re.sub(
        r"(<!-- built: (\w+) -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}{pieces[found[2]]}\n{found[3]}",
        text,
        flags=re.DOTALL,
    )


def pieces(results: Path) -> dict[str, str]:
    """What stands between the README's marks, from a folder of results."""
    table1 = pl.read_csv(results / "table1.csv")
    comparison = pl.read_csv(results / "compare.csv", schema_overrides={"published": pl.String, "ours": pl.String})
    return {
        "table1": table1_markdown(table1),
        "verdict": verdict(comparison) + ".",
        "ledger": ledger_markdown(read_ledger(results / "ledger.csv")),
        "places": places_markdown(read_places()),
    }


def table1_markdown(table1: pl.DataFrame) -> str:
    """Table 1's rows of the four protocols, as Markdown."""
    head = ["setting", "protocol", *(title for _, title, _ in FIGURES)]
    lines = [f"| {' | '.join(head)} |", f"| --- | --- | {' | '.join('---:' for _ in FIGURES)} |"]
    ours = {(r["setting"], r["team"]): r for r in table1.filter(condition="standard").iter_rows(named=True)}
    for setting in ("uniform", "varied"):
        for team, name in NAMES.items():
            figures = [printed(ours[setting, team][column], decimals) for column, _, decimals in FIGURES]
            lines.append(f"| {setting} | {name} | {' | '.join(figures)} |")
    return "\n".join(lines)
