"""The results at hand in the paper's terms: by its methods, conditions, settings and metrics.

A connection of this module has a table for each result, in the schema `results`, and a view for each table, which is
`played.NAME` where a result has its name.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb
import polars as pl

from pipeline.paper.compare import is_of_suite
from pipeline.tables.io import read_result, read_table
from pipeline.tables.paths import PAPER_PROTOCOLS
from pipeline.tables.queries import attach, query_text, quoted

SQL = Path(__file__).with_name("measures.sql")

# The results that the ledger reads.
RESULTS_READ = ("models", "table1", "table1_by_difficulty", "table2", "patterns", "leaks", "stance")

# Parameters of a model's agent that change what it is told, or in which form it may answer.
ASKED = ("prompt_variant", "answer_format", "tell_problems")

TEAMS_SCHEMA = {
    "method": pl.String,
    "is_model": pl.Boolean,
    "condition": pl.String,
    "team": pl.String,
    "tasks": pl.Int64,
}

# A comparison of tasks over simulated teams would compare teams, where some play more of them than others.
# `even_games` are those of simulated teams that play every task of a condition which any of them does.
EVEN_GAMES = """
CREATE VIEW main.even_games AS
SELECT *
FROM (SELECT *, (coalesce(task_id, game_id), seed, calendars_digest) AS one FROM main.games WHERE simulated)
QUALIFY count(DISTINCT one) OVER (PARTITION BY team, condition) = count(DISTINCT one) OVER (PARTITION BY condition)
"""

MeasureKey = tuple[str, str, str, str]  # method, condition, setting, metric


class Measures(NamedTuple):
    """What was measured, what it was computed from, and what was left out."""

    values: dict[MeasureKey, float]
    results: dict[tuple[str, str, str], str]  # condition, setting, metric → the result that has it
    reasons: dict[tuple[str, str], str]  # method, condition → why its games are left out


def open_results(results: Path, tables: Path, names: Sequence[str] = RESULTS_READ) -> duckdb.DuckDBPyConnection:
    """A connection to the results of a folder, from its CSV files, and to the tables that they are of.

    Raises FileNotFoundError where there are no tables.
    """
    return _with_results(attach(tables), {name: read_result(results / f"{name}.csv") for name in names})


def open_tables(tables: Path, without: Collection[str] = ()) -> duckdb.DuckDBPyConnection:
    """The same from a folder of tables alone, without some games: RESULTS_READ are computed. Raises FileNotFoundError
    when it has none."""
    connection = attach(tables, without)
    return _with_results(connection, {name: connection.sql(query_text(name)).pl() for name in RESULTS_READ})


def other_games(tables: Path) -> list[str]:
    """The games of a folder of tables whose tasks are none of the paper's."""
    return read_table(tables, "games").filter(~is_of_suite())["game_id"].to_list()


def prompted_games(tables: Path) -> list[str]:
    """The games of a folder of tables in which a model that probes nobody was asked otherwise than the paper's are:
    with words of somebody's own in its prompt, held to a form of answers, or told what was wrong with them."""
    asked = (pl.col("parameters").str.json_path_match(f"$.{name}").fill_null("false") != "false" for name in ASKED)
    agents = read_table(tables, "agents").filter(pl.col("model").is_not_null() & ~pl.col("nosy"))
    return agents.filter(pl.any_horizontal(asked))["game_id"].unique().sort().to_list()


def _with_results(connection: duckdb.DuckDBPyConnection, frames: dict[str, pl.DataFrame]) -> duckdb.DuckDBPyConnection:
    """The connection of `attach`, with a schema `results` that is looked up first, and `played` for tables."""
    connection.execute("CREATE SCHEMA results; CREATE SCHEMA played")
    for (name,) in connection.execute(
        "SELECT view_name FROM duckdb_views() WHERE schema_name = 'main' AND NOT internal"
    ).fetchall():
        connection.execute(f"CREATE VIEW played.{quoted(name)} AS FROM main.{quoted(name)}")
    for name, frame in frames.items():
        connection.register("frame", frame)
        connection.execute(f"CREATE TABLE results.{quoted(name)} AS FROM frame")
        connection.unregister("frame")
    connection.execute(EVEN_GAMES)
    connection.execute("SET search_path = 'results,main'")
    return connection


def paper_measures(connection: duckdb.DuckDBPyConnection, models: pl.DataFrame, tasks: int) -> Measures:
    """The measures of every method of the paper whose team has played its suite.

    connection: a view for each result. models: data/paper/models.csv. tasks: how many the suite has.
    """
    teams = method_teams(connection.sql("FROM models").pl(), models)
    reasons = left_out(teams, tasks)
    used = teams.filter([key not in reasons for key in teams.select("method", "condition").iter_rows()])
    connection.register("plays", used)
    connection.register("evaluated", models_by_condition(models))
    rows = connection.sql(SQL.read_text(encoding="utf-8")).fetchall()
    values = {(method, *key): value for method, _, *key, value in rows if method is not None and value is not None}
    results = {(condition, setting, metric): result for _, result, condition, setting, metric, _ in rows}
    return Measures(values, results, reasons)


def method_teams(named: pl.DataFrame, models: pl.DataFrame) -> pl.DataFrame:
    """The teams that play a method of the paper: one row per method, condition and team (its key); TEAMS_SCHEMA.

    A protocol is known by its team, a model by its name in the traces, which all of the team's agents must share.
    named: rows of models.sql. models: data/paper/models.csv.
    """
    declared = models.select("models", "method").iter_rows()
    method_of = {name: method for names, method in declared for name in names.split(";")}
    rows = []
    real = named.filter(~pl.col("simulated"))
    for (team, condition), part in real.group_by("team", "condition", maintain_order=True):
        methods = {method_of.get(short_name(model)) for model in part["model"]}
        model = methods.pop() if len(methods) == 1 else None
        if method := model or PAPER_PROTOCOLS.get(str(team)):
            rows.append((method, model is not None, condition, team, part["tasks"].max()))
    return pl.DataFrame(rows, schema=TEAMS_SCHEMA, orient="row")


def short_name(model: str | None) -> str:
    """A model's name without its provider: vertex_ai/gemini-3.1-pro-preview → gemini-3.1-pro-preview."""
    return (model or "").rpartition("/")[2].lower()


def left_out(teams: pl.DataFrame, tasks: int) -> dict[tuple[str, str], str]:
    """Method and condition → why its games are not compared: several teams play it, or one plays fewer tasks."""
    reasons = {}
    for (method, condition), rows in teams.group_by("method", "condition", maintain_order=True):
        if rows.height > 1:
            reasons[str(method), str(condition)] = f"several teams play it: {', '.join(rows['team'])}"
        elif (played := rows["tasks"][0]) < tasks:
            reasons[str(method), str(condition)] = f"team {rows['team'][0]} played {played} of {tasks} tasks"
    return reasons


def models_by_condition(models: pl.DataFrame) -> pl.DataFrame:
    """The models that the paper runs in each condition: one row per method and condition."""
    return models.select("method", pl.col("conditions").str.split(";").alias("condition")).explode("condition")
