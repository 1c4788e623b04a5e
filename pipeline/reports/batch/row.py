"""Teams' rows of Table 1, beside those of the protocols and the paper's models: text, Markdown, LaTeX, JSON, HTML.

The protocols' rows are the study's own results. The paper's are as it prints them, without intervals; its VPS stands
beside that of the public script, never beside that of a reading of ours.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from rich.cells import cell_len, set_cell_size

from machine.terminal import counted
from pipeline.paper.compare import BLOCKED_ID, is_of_suite, suite_tasks
from pipeline.reports.batch.facts import Cell, cell_of, simulated_mark
from pipeline.reports.documents import markdown
from pipeline.reports.latex import booktabs, two_lines
from pipeline.reports.measures import OWN, TABLE1, Reading, reading_of, scale_note, titles
from pipeline.reports.site.leaderboard import SETTINGS, group_order, reported_rows
from pipeline.reports.views.html import escape_text
from pipeline.statistics.caveats import caveats
from pipeline.statistics.resampling import Resampling, fewest_clusters
from pipeline.tables.io import read_result
from pipeline.tables.paths import NUMBERS, PAPER_PROTOCOLS, RESULTS, ROOT, params
from pipeline.tables.queries import query
from pipeline.traces.limits import printable

RESULTS_READ = ("table1", "intervals")
UNKNOWN = "unknown"  # a setting that no trace names
THESE, PROTOCOL, REPORTED = "these traces", "the study", "the paper"
LEFT = ' style="text-align: left; white-space: nowrap"'
MISSING = "–"


class Row(NamedTuple):
    """A team's or model's row: who, whose games, on how many tasks, and the cells that it has, by column."""

    name: str
    kind: str
    tasks: str
    cells: dict[str, Cell]


class Table(NamedTuple):
    """The rows of one condition and setting, those of these traces first, and what has to be said of them."""

    condition: str
    setting: str
    reading: Reading  # of these traces
    rows: list[Row]
    notes: list[str]

    def of(self, games: pl.DataFrame) -> pl.DataFrame:
        """Those of some games that the rows are of."""
        return games.filter(pl.col("setting").fill_null(UNKNOWN) == self.setting, condition=self.condition)

    @property
    def title(self) -> str:
        place = "Table 1" if self.condition == "standard" else f"Table 1's measures, {self.condition}"
        return f"{place}, {self.setting} costs"

    @property
    def head(self) -> list[str]:
        """The titles of the columns."""
        named = titles(self.reading)
        return ["", "by", "tasks", *(named[column] for column in TABLE1)]

    def texts(self) -> list[list[str]]:
        """The cells as text, in the columns of `head`."""
        return [[r.name, r.kind, r.tasks, *(str(r.cells.get(c, MISSING)) for c in TABLE1)] for r in self.rows]


def read_rows(
    tables: Path,
    results: Path,
    teams: Collection[str] = (),
    conditions: Collection[str] = (),
    english: str = "",
    own: bool = False,
) -> list[Table]:
    """The tables of rows of a folder of tables and of their results, of the teams and conditions named, or of all.

    english: how English was read, where the tables do not record it.
    """
    games = pl.read_parquet(tables / "games.parquet", glob=False)
    frames = (games, *(read_result(results / f"{name}.csv") for name in RESULTS_READ))
    chosen = {"team": teams, "condition": conditions}
    wanted = [pl.col(column).is_in(list(values)) for column, values in chosen.items() if values]
    games, table1, intervals = (frame.filter(*wanted) for frame in frames)
    rows = row_tables(games, table1, intervals.filter(table="table1"), reading_of(tables, english), own)
    return with_caveats(rows, games, tables)


def compute_rows(tables: Path, english: str = "", own: bool = False) -> list[Table]:
    """The same of a folder of tables alone: their results are computed."""
    from pipeline.statistics.table_intervals import table_intervals

    intervals = table_intervals(tables, Resampling(**params("intervals", ROOT)))
    games = pl.read_parquet(tables / "games.parquet", glob=False)
    table1, intervals = query("table1", tables), intervals.filter(table="table1")
    rows = row_tables(games, table1, intervals, reading_of(tables, english), own)
    return with_caveats(rows, games, tables)


def with_caveats(rows: list[Table], games: pl.DataFrame, tables: Path) -> list[Table]:
    """The tables of rows with what has to be said of the games that each is of. tables: the folder of all."""
    return [table._replace(notes=[*table.notes, *caveats(table.of(games), tables)]) for table in rows]


def row_tables(
    games: pl.DataFrame, table1: pl.DataFrame, intervals: pl.DataFrame, reading: Reading, own: bool = False
) -> list[Table]:
    """A table for each condition and setting that was played.

    games: that table; table1, intervals: those results of it. own: the games are the study's, so that its protocols are
    among them.
    """
    task = pl.when(is_of_suite()).then("task_id").otherwise(pl.format("{}, seed {}", "task_id", "seed"))
    named = pl.col("setting").fill_null(UNKNOWN)
    games, table1, intervals = (f.with_columns(named) for f in (games.with_columns(task_id=task), table1, intervals))
    tables = []
    for condition, setting in sorted(set(games.select("condition", "setting").iter_rows()), key=group_order):
        of = {"condition": condition, "setting": setting}
        tasks = suite_tasks(setting)
        here = games.filter(**of)
        ended = here.filter(~pl.col("stopped"))
        coverage = {team: covered(ended.filter(team=team)["task_id"], tasks) for team in here["team"].unique()}
        rows = played_rows(table1.filter(**of), intervals.filter(**of), THESE, coverage)
        others = [] if own else protocol_rows(condition, setting, reading)
        printed = reported(condition, setting, len(tasks))
        notes = coverage_notes(coverage, tasks, bool(printed)) + setting_notes(games.filter(condition=condition))
        notes += prompt_notes(here)
        tables.append(Table(condition, setting, reading, [*rows, *others, *printed], notes))
    return tables


def played_rows(table1: pl.DataFrame, intervals: pl.DataFrame, kind: str, tasks: Mapping[str, str]) -> list[Row]:
    """A row for each team of one condition and setting. tasks: team → on how many tasks, in words."""
    ends = {(r["team"], r["measure"]): (r["low"], r["high"]) for r in intervals.iter_rows(named=True)}
    rows = []
    for row in table1.sort("team").iter_rows(named=True):
        team = row["team"]
        cells = {
            column: cell_of(row[column], column, *ends.get((team, column), ()))
            for column in TABLE1
            if row[column] is not None
        }
        name = PAPER_PROTOCOLS[team] if kind == PROTOCOL else f"{team}{simulated_mark([row['simulated']])}"
        rows.append(Row(name, kind, tasks[team], cells))
    return rows


def protocol_rows(condition: str, setting: str, reading: Reading) -> list[Row]:
    """The rows of the paper's protocols, as the study played them; none where its results are not at hand.

    Their VPS by the study's rules of typed messages stands only where `reading` is by the same.
    """
    paths = (ROOT / RESULTS / "table1.csv", ROOT / RESULTS / "intervals.csv")
    if not all(path.is_file() for path in paths):
        return []
    played = pl.col("team").is_in(PAPER_PROTOCOLS), pl.col("condition") == condition, pl.col("setting") == setting
    table1, intervals = (read_result(path).filter(played) for path in paths)
    if reading.rules != params("vps", ROOT)["rules"]:
        table1 = table1.with_columns(pl.lit(None).alias(OWN))
    games = {team: str(number) for team, number in table1.select("team", "games").iter_rows()}
    return played_rows(table1, intervals.filter(table="table1"), PROTOCOL, games)


def reported(condition: str, setting: str, tasks: int) -> list[Row]:
    """The rows of the paper's models, those of least excess first."""
    rows = []
    for entry in reported_rows(ROOT / NUMBERS):
        if (entry["condition"], entry["setting"]) == (condition, setting) and entry["team"] not in PROTOCOL_NAMES:
            cells = {c: Cell(entry["values"][c], float(entry["values"][c])) for c in TABLE1 if c in entry["values"]}
            rows.append(Row(entry["team"], REPORTED, str(tasks), cells))
    excess = {row.name: row.cells["excess_cost"].mean for row in rows if "excess_cost" in row.cells}
    return sorted(rows, key=lambda row: (excess.get(row.name, float("inf")), row.name))


PROTOCOL_NAMES = frozenset(PAPER_PROTOCOLS.values())


def covered(task_ids: Iterable[str | None], tasks: Collection[str]) -> str:
    """How many of the suite's tasks were played: "36", "3 of 36", "3 of 36, 2 others", "1 other", "none"."""
    played = {re.sub(BLOCKED_ID, "", task or "") for task in task_ids}
    if not played:
        return "none"
    here, others = len(played & set(tasks)), len(played - set(tasks))
    known = str(here) if here == len(tasks) else f"{here} of {len(tasks)}"
    beside = counted(others, "other")
    return beside if not here else f"{known}, {beside}" if others else known


def coverage_notes(coverage: Mapping[str, str], tasks: Collection[str], beside: bool) -> list[str]:
    """A caution where a team did not end the suite's games. coverage: team → `covered`. beside: whether rows of the
    paper's models stand beside theirs."""
    whole = all(text == str(len(tasks)) for text in coverage.values())
    caution = "Rows compare where they are on the same tasks" + (
        f"; the paper's have its {len(tasks)}." if beside else "."
    )
    return [] if whole or not tasks else [caution]


def setting_notes(games: pl.DataFrame) -> list[str]:
    """Which of the paper's settings the games of one condition lack."""
    return [f"No game with {setting} costs was played." for setting in SETTINGS if setting not in games["setting"]]


def prompt_notes(games: pl.DataFrame) -> list[str]:
    """Whose prompts each team with a model was asked with, where the tables say so."""
    if "prompts" not in games.columns:
        return []
    asked = games.filter(pl.col("prompts").is_not_null()).select("team", "prompts").unique().sort("team", "prompts")
    return [f"{team}, prompts: {prompts}." for team, prompts in asked.iter_rows()]


def intervals_note() -> str:
    """What stands in brackets."""
    level = params("intervals", ROOT)["level"]
    return (
        f"In brackets: {100 * level:g} % intervals, tasks drawn anew; none of fewer than {fewest_clusters(level)} "
        "tasks, as none would hold so much, and of few tasks they hold less than they say (docs/statistics.md)."
    )


def closing_notes(tables: Sequence[Table]) -> list[str]:
    """What has to be said below all tables."""
    return [*dict.fromkeys(scale_note(table.reading) for table in tables), intervals_note()]


def as_text(tables: Sequence[Table]) -> str:
    """The tables for a terminal."""
    return "\n\n".join([*(_aligned(table) for table in tables), *closing_notes(tables)])


def _aligned(table: Table) -> str:
    rows = [table.head, *([printable(cell) for cell in row] for row in table.texts())]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(set_cell_size(*cell) for cell in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join([printable(table.title), "", *lines, *map(printable, table.notes)])


def as_markdown(tables: Sequence[Table]) -> str:
    """The tables as Markdown."""
    parts = []
    for table in tables:
        rows = [[markdown_text(row[0]), *row[1:]] for row in table.texts()]
        parts += [
            f"**{markdown_text(table.title)}**",
            markdown.table(table.head, rows, right=table.head[3:]),
            *map(markdown_text, table.notes),
        ]
    return "\n\n".join([*parts, *closing_notes(tables)])


def markdown_text(text: str) -> str:
    """Text as Markdown shows it literally, in one line, still legible where it is not rendered."""
    return re.sub(r"[\\`*_\[\]|~#!]", r"\\\g<0>", escape(printable(text), quote=False))


def as_latex(tables: Sequence[Table]) -> str:
    """The tables as LaTeX, for the package booktabs: a group of rows for each of whose games they are."""
    return "\n".join(_latex_table(table, " ".join([*table.notes, *closing_notes([table])])) for table in tables)


def _latex_table(table: Table, notes: str) -> str:
    head, groups = ["name", *table.head[2:]], dict[str, list[list[str]]]()
    for name, kind, *cells in table.texts():
        groups.setdefault(kind, []).append([name, *cells])
    frames = {kind: two_lines(pl.DataFrame(rows, head, orient="row")) for kind, rows in groups.items()}
    label = re.sub(r"[^\w-]+", "-", f"row-{table.condition}-{table.setting}")
    return booktabs(frames, f"{table.title}. {notes}", label)


def as_json(tables: Sequence[Table]) -> str:
    """The tables as JSON: a list of them; what is not known is left out."""

    def cell(value: Cell) -> dict[str, float]:
        numbers = {"mean": value.mean, "low": value.low, "high": value.high}
        return {name: number for name, number in numbers.items() if number is not None}

    listed: list[dict[str, Any]] = [
        {
            "condition": table.condition,
            "setting": table.setting,
            "rules": table.reading.rules,
            "english": table.reading.english,
            "notes": table.notes,
            "rows": [
                {"name": r.name, "kind": r.kind, "tasks": r.tasks} | {c: cell(v) for c, v in r.cells.items()}
                for r in table.rows
            ],
        }
        for table in tables
    ]
    return json.dumps(listed, indent=1, ensure_ascii=False)


def as_html(tables: Sequence[Table]) -> str:
    """The tables as HTML, these traces' rows in bold."""
    parts = []
    for table in tables:
        head = "".join(f"<th{LEFT if i < 3 else ''}>{escape(title)}</th>" for i, title in enumerate(table.head))
        rows = zip(table.texts(), table.rows, strict=True)
        body = "".join(_html_row(cells, row.kind == THESE) for cells, row in rows)
        notes = "".join(f"<p>{escape_text(note)}</p>" for note in table.notes)
        parts.append(
            f'<h2>{escape_text(table.title)}</h2>\n<table class="dataframe row"><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table>\n{notes}\n"
        )
    return "".join([*parts, *(f"<p>{escape(note)}</p>\n" for note in closing_notes(tables))])


def _html_row(cells: Sequence[str], ours: bool) -> str:
    """A row: its first three cells are text, and an interval stands below its mean."""
    tag = "th" if ours else "td"
    text = "".join(f"<{tag}{LEFT}>{escape_text(cell)}</{tag}>" for cell in cells[:3])
    means = (escape_text(cell).replace(" [", "<br><small>[").replace("]", "]</small>") for cell in cells[3:])
    return f"<tr>{text}{''.join(f'<{tag}>{mean}</{tag}>' for mean in means)}</tr>"
