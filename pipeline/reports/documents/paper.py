"""What README.md and docs/paper.md quote of the reproduction: Table 1, the verdicts, where each exhibit is."""

from collections.abc import Mapping, Sequence
from os.path import relpath
from pathlib import Path
from typing import NamedTuple

import polars as pl

from pipeline.paper import compare
from pipeline.paper.ledger.build import read_ledger
from pipeline.paper.ledger.outcomes import described
from pipeline.paper.ledger.printed import markdown, statement_counts
from pipeline.paper.statements.checks import (
    ADDITION,
    BY_CONSTRUCTION,
    DENIED,
    EXACT,
    NEEDS_TRACES,
    PRINTED,
    read_statement_rows,
)
from pipeline.reports.documents.markdown import figure, link, table
from pipeline.reports.measures import MEASURES, OWN, SCRIPT, TABLE1, Reading, titles
from pipeline.tables.paths import PAPER_PROTOCOLS, RESULTS, params

EXHIBITS = Path("data/paper/exhibits.csv")


class Exhibit(NamedTuple):
    """A numbered part of the paper, what it shows, and what shows it here, as data/paper/exhibits.csv names it.

    figure: file names joined by `;`. also: paths from the project's folder, joined so, too.
    """

    name: str
    shows: str
    notebook: str
    figure: str
    result: str
    also: str

    def paths(self) -> dict[str, Path]:
        """What there is to open: its label in a list, and its path from the project's folder."""
        paths = {}
        if self.notebook:
            paths["notebook"] = Path("notebooks", f"{self.notebook}.ipynb")
            paths["executed"] = Path("figures", f"{self.notebook}.ipynb")
        for file in self.figure.split(";") if self.figure else ():
            paths[file] = Path("figures", self.notebook, file)
        if self.result:
            paths[self.result] = Path("data/results", self.result)
        for also in self.also.split(";") if self.also else ():
            paths[Path(also).name] = Path(also)
        return paths


def read_exhibits(path: Path = EXHIBITS) -> list[Exhibit]:
    """The numbered parts of the paper, in its order."""
    rows = pl.read_csv(path, infer_schema=False, glob=False).with_columns(pl.all().fill_null(""))
    return [Exhibit(*row) for row in rows.select(Exhibit._fields).iter_rows()]


PAGE = Path("docs/paper.md")


def table1(results: Path = RESULTS) -> str:
    """Table 1's rows of the four protocols."""
    return _rows(results, PAPER_PROTOCOLS, TABLE1)


def scales(results: Path = RESULTS) -> str:
    """Privacy loss on both scales: a protocol that has one value, one that has two, and a simulated style."""
    return _rows(results, {"imap": "IMAP", "sd": "SD-MAP", "candid": "*candid* (simulated)"}, (SCRIPT, OWN), 3)


def _rows(results: Path, teams: Mapping[str, str], columns: Sequence[str], decimals: int | None = None) -> str:
    """A row a setting and team of the standard condition. decimals: instead of those of each measure."""
    standard = pl.read_csv(results / "table1.csv", glob=False).filter(condition="standard")
    ours = {(row["setting"], row["team"]): row for row in standard.iter_rows(named=True)}
    heads = [titles(_study_reading())[column] for column in columns]
    rows = [
        [setting, name, *(figure(ours[setting, team][c], decimals or MEASURES[c][1]) for c in columns)]
        for setting in ("uniform", "varied")
        for team, name in teams.items()
    ]
    return table(["setting", "team", *heads], rows, right=heads)


def _study_reading() -> Reading:
    return Reading(*(params("vps")[name] for name in Reading._fields))


def verdict(results: Path = RESULTS) -> str:
    """How many of the paper's baseline figures we reproduce, as printed."""
    text = {"published": pl.String, "ours": pl.String}
    return compare.verdict(pl.read_csv(results / "compare.csv", schema_overrides=text, glob=False)) + "."


def ledger(results: Path = RESULTS) -> str:
    """How many of the paper's figures have which verdict, and how many tests the stand-ins rest on."""
    rows = read_ledger(results / "ledger.csv")
    stood_in = rows.filter(pl.col("verdict").str.starts_with("stand-in"))
    tests = stood_in.select("computed_by", "ours").n_unique()
    note = f"The {stood_in.height} rows of stand-ins rest on {tests} tests: figures of one comparison share its test."
    return f"{markdown(rows)}\n\n{note}"


def statements(results: Path = RESULTS) -> str:
    """How many of the paper's statements have which verdict, and how many rest on a test of chance."""
    ledger = read_statement_rows(results / "statements.csv")
    rows = [[verdict, str(count), meaning] for verdict, count, meaning in statement_counts(ledger)]
    counted = table(["verdict", "statements", "which means"], rows, right=["statements"])
    by_chance, of = (part.filter(pl.col("p_value").is_not_null()).height for part in _apart(ledger))
    note = (
        f"{by_chance} statements and {of} additions have a test of chance with its p; all others compare without one."
    )
    return f"{counted}\n\n{note}"


def _apart(ledger: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The paper's statements, and what is tested beside them."""
    return ledger.filter(pl.col("verdict") != ADDITION), ledger.filter(verdict=ADDITION)


def denied(results: Path = RESULTS) -> str:
    """Each statement that exact games or the paper's own figures contradict, with what was found and the test."""
    rows = read_statement_rows(results / "statements.csv").filter(pl.col("verdict").is_in(list(DENIED.values())))
    cells = (
        [row["where"], row["says"], _finding(row), described(row, row["unit"]), row["evidence"]]
        for row in rows.iter_rows(named=True)
    )
    return table(["where", "it says", "found", "test", "by"], cells)


def _finding(row: dict[str, str]) -> str:
    finding = f"{row['found']} ({row['reading']})" if row["reading"] else row["found"]
    return finding.replace("<", "&lt;").replace("|", "\\|")


def refuted(results: Path = RESULTS) -> str:
    """How many of the statements that were tested are contradicted, and by what, without those by construction."""
    rows, _ = _apart(read_statement_rows(results / "statements.csv"))
    tested = rows.filter(pl.col("verdict") != NEEDS_TRACES)
    built = tested.filter(evidence=BY_CONSTRUCTION).height
    by_games, by_print = (rows.filter(verdict=DENIED[evidence]).height for evidence in (EXACT, PRINTED))
    found = f"exact games contradict {by_games}, the paper's own figures {by_print}."
    return f"Of {tested.height - built} tested statements, not counting {built} that hold by construction, {found}"


def exhibits() -> str:
    """Each table, figure and appendix of the paper, with links to what shows it here."""
    return "\n".join(map(exhibit_line, read_exhibits()))


def exhibit_line(exhibit: Exhibit) -> str:
    links = [link(label, relpath(path, PAGE.parent)) for label, path in exhibit.paths().items()]
    return f"- **{exhibit.name}**, {exhibit.shows}{': ' if links else ''}{', '.join(links)}"
