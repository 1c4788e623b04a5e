"""What the results at hand say in the paper's terms: by its methods, settings and metrics."""

from pathlib import Path
from typing import NamedTuple

import duckdb
import polars as pl

from pipeline.tables.names import PAPER_PROTOCOLS
from pipeline.tables.queries import attach, query_text

SQL = Path(__file__).with_name("measures.sql")

# The results that the ledger needs.
READ = ("models", "table1", "table1_by_difficulty", "table2", "patterns", "leaks", "stance")

PLAYER = {"method": pl.String, "is_model": pl.Boolean, "condition": pl.String, "team": pl.String, "tasks": pl.Int64}

Place = tuple[str, str, str, str]  # method, condition, setting, metric


class Measures(NamedTuple):
    """Ours, by place; the result that it is or would be from; and why a method's games of a condition are left out."""

    values: dict[Place, float]
    results: dict[tuple[str, str, str], str]
    reasons: dict[tuple[str, str], str]


def from_results(results: Path) -> duckdb.DuckDBPyConnection:
    """A connection in memory with a view for each of READ, over the CSV files of a folder of results."""
    return _views({name: read_result(results / f"{name}.csv") for name in READ})


def from_tables(tables: Path) -> duckdb.DuckDBPyConnection:
    """The same from a folder of tables. Raises FileNotFoundError when it has none."""
    with attach(tables) as source:
        return _views({name: source.sql(query_text(name)).pl() for name in READ})


def read_result(path: Path) -> pl.DataFrame:
    """A result from its CSV. A column without any value is taken for one of numbers, so that queries can add it up."""
    found = pl.read_csv(path, infer_schema_length=None)
    return found.with_columns(pl.col(name).cast(pl.Float64) for name in found.columns if found[name].is_null().all())


def _views(frames: dict[str, pl.DataFrame]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": 1})
    for name, frame in frames.items():
        connection.register(name, frame)
    return connection


def measured(connection: duckdb.DuckDBPyConnection, models: pl.DataFrame, tasks: int) -> Measures:
    """What the results hold of every method of the paper whose team has played its suite.

    connection: a view for each result. models: data/paper/models.csv. tasks: of the suite.
    """
    found = players(connection.sql("FROM models").pl(), models)
    reasons = not_compared(found, tasks)
    used = found.filter([key not in reasons for key in found.select("method", "condition").iter_rows()])
    connection.register("plays", used)
    connection.register("evaluated", evaluated(models))
    said = connection.sql(SQL.read_text(encoding="utf-8")).fetchall()
    values = {(method, *place): value for method, _, *place, value in said if method is not None and value is not None}
    results = {(condition, setting, metric): result for _, result, condition, setting, metric, _ in said}
    return Measures(values, results, reasons)


def players(spoken: pl.DataFrame, models: pl.DataFrame) -> pl.DataFrame:
    """Whose games are those of a method of the paper: one row per method, condition and team that plays it.

    A protocol is known by its team, a model by its name in the traces, which all of the team's agents must share.
    spoken: rows of models.sql. models: data/paper/models.csv.
    """
    listed = models.select("models", "method").iter_rows()
    named = {name: method for names, method in listed for name in names.split(";")}
    rows = []
    real = spoken.filter(~pl.col("simulated"))
    for (team, condition), said in real.group_by("team", "condition", maintain_order=True):
        methods = {named.get(short_name(model)) for model in said["model"]}
        model = methods.pop() if len(methods) == 1 else None
        if method := model or PAPER_PROTOCOLS.get(str(team)):
            rows.append((method, model is not None, condition, team, said["tasks"].max()))
    return pl.DataFrame(rows, schema=PLAYER, orient="row")


def short_name(model: str | None) -> str:
    """A model's name without its provider: vertex_ai/gemini-3.1-pro-preview → gemini-3.1-pro-preview."""
    return (model or "").rpartition("/")[2].lower()


def not_compared(found: pl.DataFrame, tasks: int) -> dict[tuple[str, str], str]:
    """Why a method's games in a condition are not the paper's: several teams play it, or one plays fewer tasks."""
    reasons = {}
    for (method, condition), rows in found.group_by("method", "condition", maintain_order=True):
        if rows.height > 1:
            reasons[str(method), str(condition)] = f"several teams play it: {', '.join(rows['team'])}"
        elif (played := rows["tasks"][0]) < tasks:
            reasons[str(method), str(condition)] = f"team {rows['team'][0]} played {played} of {tasks} tasks"
    return reasons


def evaluated(models: pl.DataFrame) -> pl.DataFrame:
    """The models that the paper runs in each condition: one row per condition and method."""
    return models.select("method", pl.col("conditions").str.split(";").alias("condition")).explode("condition")


def spellings(models: pl.DataFrame) -> dict[str, str]:
    """The paper's other spellings of a model's name → the one of Table 1."""
    return {also: method for method, also in models.select("method", "spelt_also").iter_rows() if also}
