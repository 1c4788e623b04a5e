"""An interval for every mean of every result table: the table's own query game by game, and tasks drawn anew."""

from pathlib import Path

import polars as pl

from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.by_game import ALL, AMOUNTS, MEANS, TEAM, Means, by_game, level_name, with_tasks
from pipeline.statistics.resampling import Resampling
from pipeline.tables.queries import attach, query

GAME_KEYS = (*TEAM, "difficulty")  # keys that are attributes of games
ROW = ("table", *TEAM, "part", "measure")
TOLERANCE = 1e-9  # relative: a table's figure and the ratio over its games differ by no more


def table_intervals(tables: Path, resampling: Resampling) -> pl.DataFrame:
    """One row a mean of a result table that has a value (key ROW): the table's figure, its interval, games and tasks.

    Raises ValueError where the figure is not what its games add up to.
    """
    with attach(tables) as connection:
        games = with_tasks(connection.sql("FROM games").pl())
        amounts = {name: connection.sql(f"FROM ({text}) ORDER BY ALL").pl() for name, text in AMOUNTS.items()}
    figures, lines = [], []
    for name, means in MEANS.items():
        table = query(name, tables).filter(**means.only)
        figures.append(_figures(name, table, means))
        lines.append(_lines(name, _values(table, by_game(name, tables), _members(games, means), means), amounts, means))
    intervals = ratio_intervals(pl.concat(lines), ROW, resampling)
    joined = pl.concat(figures).join(intervals, on=ROW, how="left", nulls_equal=True)
    _check_agreement(joined)
    ends = (_end("low", pl.min_horizontal("low", "figure")), _end("high", pl.max_horizontal("high", "figure")))
    return joined.with_columns(*ends, mean="figure").drop("figure").sort(ROW)


def _end(name: str, around: pl.Expr) -> pl.Expr:
    """An end of the interval. Where tasks are equal, draws miss the figure by rounding alone: there it ends at it."""
    return pl.when(_apart(name)).then(name).otherwise(around).alias(name)


def _figures(name: str, table: pl.DataFrame, means: Means) -> pl.DataFrame:
    """One row a mean of the table: its row, and `figure`, what the table says."""
    index = [*ROW[:-1], "simulated"]
    named = _with_row_key(name, table, means)
    long = named.unpivot(means.measures, index=index, variable_name="measure", value_name="figure")
    return long.select(*ROW, "simulated", pl.col("figure").cast(pl.Float64)).drop_nulls("figure")


def _with_row_key(name: str, table: pl.DataFrame, means: Means) -> pl.DataFrame:
    """The table with the columns of ROW; `part` holds what is left of its key."""
    rest = [pl.col(key).cast(pl.String) for key in means.key if key not in TEAM]
    part = pl.concat_str(rest, separator=" / ", ignore_nulls=True) if rest else pl.lit("")
    missing = [pl.lit(None, pl.String).alias(key) for key in TEAM if key not in means.key]
    return table.with_columns(pl.lit(name).alias("table"), part.alias("part"), *missing)


def _members(games: pl.DataFrame, means: Means) -> pl.DataFrame:
    """One row per game and group that it is in: game_id, task_id, and those keys of the table that are GAME_KEYS."""
    if means.pooled:
        games = pl.concat([games.with_columns(level_name()), games.with_columns(difficulty=pl.lit(ALL))])
    return games.select("game_id", "task_id", *(key for key in GAME_KEYS if key in means.key))


def _values(table: pl.DataFrame, by_game: pl.DataFrame, members: pl.DataFrame, means: Means) -> pl.DataFrame:
    """One row a row of the table and game of its group: the game's own values, null where it has none."""
    shared = [key for key in GAME_KEYS if key in means.key]
    groups = table.select(means.key).join(members, on=shared, nulls_equal=True)
    own = by_game.select(*means.key, "game_id", *means.measures)
    return groups.join(own, on=[*means.key, "game_id"], how="left", nulls_equal=True)


def _lines(name: str, values: pl.DataFrame, amounts: dict[str, pl.DataFrame], means: Means) -> pl.DataFrame:
    """One row a mean of the table and game: what the game adds above and below the line."""
    named = _with_row_key(name, values, means).with_columns(pl.col(means.measures).cast(pl.Float64))
    return pl.concat(_measure_lines(named, measure, amounts, means) for measure in means.measures)


def _measure_lines(named: pl.DataFrame, measure: str, amounts: dict[str, pl.DataFrame], means: Means) -> pl.DataFrame:
    """The lines of one mean. Where there is no amount that it is per, each game with a value counts once."""
    own = pl.col(measure)
    known = named.with_columns(once=own.is_not_null().cast(pl.Float64))
    below, above = pl.col("once"), own
    if measure in means.ratios:
        known = _with_amount(known, amounts[means.ratios[measure]], "per")
        below = pl.coalesce("per", "once")
        above = own * below
    if measure in means.above:
        known, above = _with_amount(known, amounts[means.above[measure]], "top"), pl.col("top")
    line = known.with_columns(measure=pl.lit(measure), numerator=above.fill_null(0.0), denominator=below)
    return line.select(*ROW, "task_id", "numerator", "denominator")


def _with_amount(known: pl.DataFrame, amount: pl.DataFrame, name: str) -> pl.DataFrame:
    keys = [column for column in amount.columns if column != "amount"]
    return known.join(amount.rename({"amount": name}), on=keys, how="left")


def _apart(name: str) -> pl.Expr:
    """Whether the column has no value, or one that differs from the figure by more than rounding."""
    apart = (pl.col(name) - pl.col("figure")).abs() > TOLERANCE * pl.max_horizontal(1.0, pl.col("figure").abs())
    return apart.fill_null(True)


def _check_agreement(both: pl.DataFrame) -> None:
    """Raise ValueError where a table's figure is not the ratio over its games."""
    wrong = both.filter(_apart("mean"))
    if wrong.height:
        row = wrong.row(0, named=True)
        where = ", ".join(f"{name} {row[name]}" for name in ROW if row[name])
        raise ValueError(f"{where}: the table says {row['figure']}, its games {row['mean']}; see by_game.MEANS")
