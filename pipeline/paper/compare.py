"""The paper's baseline figures beside ours, equal when ours rounds to what was printed."""

from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from pipeline.tables.io import polars_schema
from pipeline.tables.paths import PAPER_PROTOCOLS, PAPER_SUITE, ROOT
from pipeline.tables.schemas.results import COMPARE

if TYPE_CHECKING:
    from rich.table import Table

BLOCKED_ID = r"_blocked\d+$"  # what a task's name ends in where some of its errands are blocked
TEAMS = {name: team for team, name in PAPER_PROTOCOLS.items()}
ROUNDING = "half up, of the exact decimal value"

# A mean of decimals is off by some 1e-15 in binary: below this many decimals a digit is noise, not a figure.
EXACT_DECIMALS = 10

# What the study finds, in a few figures of standard games: who is cheap leaks, who is discreet pays.
HEADLINE = (
    ("uniform", "imap", "vps_uniform_mean"),
    ("uniform", "dsm-private", "vps_uniform_mean"),
    ("varied", "imap", "excess_cost"),
    ("varied", "dsm-private", "excess_cost"),
    ("varied", "dsm-private", "coordination_rate_pct"),
)

ANSWERS = {True: "yes", False: "[red]no[/red]", None: "–"}


def read_numbers(path: Path) -> pl.DataFrame:
    """The rows of data/paper/numbers.csv, all columns as text, so that 4.20 stays 4.20."""
    return pl.read_csv(path, infer_schema=False, glob=False)


def round_half_up(value: float, decimals: int) -> str:
    """The value as text with a number of decimals, as the paper rounds: half up. 0.125 → 0.13, 90.555… → 90.56."""
    exact = Decimal(repr(value)).quantize(Decimal(1).scaleb(-EXACT_DECIMALS), ROUND_HALF_UP)
    return str(exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def printed(value: float, decimals: int) -> str:
    """The same with thousands set apart: 2495.305… → 2,495.31."""
    return f"{Decimal(round_half_up(value, decimals)):,}"


def suite_tasks(setting: str | None = None) -> frozenset[str]:
    """The names of the paper's 72 tasks, or of those of a setting."""
    suite = pl.read_csv(ROOT / PAPER_SUITE, columns=["setting", "task_id"], glob=False)
    return frozenset((suite.filter(setting=setting) if setting else suite)["task_id"])


def is_of_suite() -> pl.Expr:
    """Whether a game's task is one of the paper's, blocked errands or not, by name and, where it is known, seed."""
    suite = pl.read_csv(ROOT / PAPER_SUITE, columns=["task_id", "seed"], glob=False)
    name = pl.col("task_id").str.replace(BLOCKED_ID, "")
    listed = name.replace_strict(suite["task_id"], suite["seed"], default=None, return_dtype=pl.Int64)
    return listed.is_not_null() & (pl.col("seed").fill_null(listed) == listed)


def of_suite(rows: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """Those rows (team, condition, setting …) whose games are of all of the setting's tasks of the paper and no others,
    each played equally often.

    games: that table.
    """
    key = ["team", "condition", "setting"]
    a_task = games.filter(~pl.col("stopped")).group_by(*key, "task_id").agg(pl.len(), known=is_of_suite().all())
    even = pl.col("known").all() & (pl.col("len").n_unique() == 1)
    sizes = {setting: len(suite_tasks(setting)) for setting in ("uniform", "varied")}
    tasks = pl.col("setting").replace_strict(sizes, default=None, return_dtype=pl.UInt32)
    whole = a_task.group_by(key).agg(even=even, played=pl.len()).filter("even", pl.col("played") == tasks)
    return rows.join(whole, on=key, how="semi", maintain_order="left")


def compare(table1: pl.DataFrame, numbers: pl.DataFrame) -> pl.DataFrame:
    """The result `compare`: one row per baseline figure of the paper. table1: that result. numbers: of `read_numbers`.

    Of a protocol that played fewer games than a setting of the suite has tasks there is nothing of ours.
    """
    whole = table1.filter(pl.col("games") >= tasks_a_setting(numbers), condition="standard")
    ours = {(row["team"], row["setting"]): row for row in whole.iter_rows(named=True)}
    rows = []
    for figure in numbers.filter(kind="baseline").iter_rows(named=True):
        team = TEAMS.get(figure["method"])
        exact = ours.get((team, figure["setting"]), {}).get(figure["metric"])
        rounded = None if exact is None else round_half_up(exact, int(figure["decimals"]))
        published = figure["value"]
        equal = None if rounded is None else Decimal(rounded) == Decimal(published)
        key = (figure["source"], figure["setting"], figure["method"], team, figure["metric"])
        rows.append((*key, published, rounded, exact, equal))
    return pl.DataFrame(rows, schema=polars_schema(COMPARE), orient="row").sort("method", "setting", "metric")


def tasks_a_setting(numbers: pl.DataFrame) -> int:
    """How many tasks the paper's suite has with uniform costs, and as many with varied ones; 0 where no figure says."""
    tasks = numbers.filter(source="section 3.3", metric="tasks")["value"]
    return int(tasks[0]) // 2 if len(tasks) else 0


def verdict(comparison: pl.DataFrame) -> str:
    """How many of the figures whose games were played are equal, in a sentence."""
    known = comparison["equal"].count()
    if not known:
        return f"None of the {comparison.height} baseline figures is compared: no protocol played a whole setting"
    missing = f"; of the other {comparison.height - known}, not all games are here" if known < comparison.height else ""
    return f"{comparison['equal'].sum()} of {known} figures equal as printed (rounded {ROUNDING}){missing}"


def headline(table1: pl.DataFrame, comparison: pl.DataFrame) -> dict[str, object]:
    """The figures that `dvc metrics diff` follows: {setting: {team: {metric: value}}} of HEADLINE, and the verdict.

    A value is None where no such games were played.
    """
    metrics: dict[str, Any] = {"baseline_figures": comparison.height, "equal_figures": int(comparison["equal"].sum())}
    standard = {(row["setting"], row["team"]): row for row in table1.filter(condition="standard").iter_rows(named=True)}
    for setting, team, metric in HEADLINE:
        value = standard.get((setting, team), {}).get(metric)
        metrics.setdefault(setting, {}).setdefault(team, {})[metric] = value
    return metrics


def as_rich_table(comparison: pl.DataFrame) -> "Table":
    """The comparison for a terminal."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=verdict(comparison))
    for column in ("method", "setting", "metric", "published", "ours", "equal"):
        table.add_column(column, justify="right" if column in ("published", "ours") else "left")
    for row in comparison.iter_rows(named=True):
        cells = (row["method"], row["setting"], row["metric"], row["published"], row["ours"] or "–")
        table.add_row(*map(escape, cells), ANSWERS[row["equal"]])
    return table
