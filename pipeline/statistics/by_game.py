"""Result tables game by game: which games count, a table's query with every game as a group of its own, and over what
each column of a result table is a mean, so that no formula stands twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from pipeline.tables.queries import ALL_GAMES, attach, query_text

PLACE = ["setting", "condition"]


def with_tasks(games: pl.DataFrame) -> pl.DataFrame:
    """The games with a `task_id` each: one whose trace does not name its task is a task of its own, and so are those of
    one name and several seeds, or several calendars."""
    seed = _told_apart("seed", by=["task_id"])
    calendars = _told_apart("calendars_digest", by=["task_id", "seed"])
    return games.with_columns(task_id=pl.coalesce(pl.concat_str("task_id", seed, calendars), "game_id"))


def _told_apart(column: str, by: Sequence[str]) -> pl.Expr:
    """What to add to a name where rows equal in `by` differ in the column."""
    several = pl.col(column).n_unique().over(by) > 1
    return pl.when(several).then(pl.format(f", {column.partition('_')[0]} {{}}", column)).fill_null("")


def ended(games: pl.DataFrame) -> pl.DataFrame:
    """The games that were not broken off, with a task each."""
    return with_tasks(games.filter(~pl.col("stopped").fill_null(False)))


def with_whole(rows: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """The rows with `whole`: whether the team played each task that any team of its setting and condition did, so that
    its means compare with those of others that did; null where none played any. rows: with keys TEAM; games: rows of
    that table that ended."""
    games, tasks = with_tasks(games), pl.col("task_id").n_unique()
    for name, key in (("own", ["team", *PLACE]), ("every", PLACE)):
        counts = games.group_by(key).agg(tasks.alias(name))
        rows = rows.join(counts, on=key, how="left", nulls_equal=True, maintain_order="left")
    return rows.with_columns(whole=pl.col("own").fill_null(0) == pl.col("every")).drop("own", "every")


def team_groups(games: pl.DataFrame, named: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Every team of the games (team, simulated) in one group: those named, then the rest, `simulated` and `others`.

    A group holds the teams that are there, and is left out where none is.
    """
    simulated = dict(games.group_by("team").agg(pl.col("simulated").any()).sort("team").iter_rows())
    groups = {name: [team for team in teams if team in simulated] for name, teams in named.items()}
    rest = set(simulated).difference(*groups.values())
    groups["simulated"] = [team for team in simulated if team in rest and simulated[team]]
    groups["others"] = [team for team in simulated if team in rest and not simulated[team]]
    return {name: teams for name, teams in groups.items() if teams}


def by_game(name: str, tables: Path) -> pl.DataFrame:
    """The result table `name` with a row for each of its rows and games: its columns, and `game_id`."""
    one_game_teams = f"SELECT * REPLACE (game_id AS team) FROM {ALL_GAMES}.named"
    asked = query_text(name)
    with attach(tables, asked=asked) as connection:
        connection.execute(f"ALTER VIEW {ALL_GAMES}.games RENAME TO named")
        connection.execute(f"CREATE VIEW {ALL_GAMES}.games AS {one_game_teams}")
        rows: pl.DataFrame = connection.sql(asked).pl()
        teams: pl.DataFrame = connection.sql(f"SELECT game_id, team FROM {ALL_GAMES}.named").pl()
    of_teams = rows.rename({"team": "game_id"}).join(teams, on="game_id")
    return of_teams.select(*rows.columns, "game_id").sort("team", "game_id", maintain_order=True)


TEAM = ("team", "setting", "condition")
ALL, UNKNOWN = "all", "unknown"


def level_name() -> pl.Expr:
    """The difficulty as results that pool it name it: a list's own level called as the pool, or as what is not known,
    is told from it, as in `sql/volume.sql`."""
    level = pl.col("difficulty").fill_null(UNKNOWN)
    taken = pl.col("difficulty").is_in([ALL, UNKNOWN])
    return pl.when(taken).then(level + " (level)").otherwise(level).alias("difficulty")


@dataclass(frozen=True)
class Means:
    """A result table: its key, its columns that are means over the games that have a value, and its ratios of sums.

    A ratio is listed with the amount that it is per. What stands above the line is that amount times the game's own
    ratio, or the amount in `above` where a game may have none.
    """

    key: tuple[str, ...]
    over_games: tuple[str, ...] = ()
    ratios: Mapping[str, str] = field(default_factory=dict)
    above: Mapping[str, str] = field(default_factory=dict)
    pooled: bool = False  # whether its difficulty `all` pools the tasks
    only: Mapping[str, str] = field(default_factory=dict)  # its rows that hold means, where not all do

    @property
    def measures(self) -> tuple[str, ...]:
        """Every column that is a mean or a ratio."""
        return (*self.over_games, *self.ratios)


TABLE1 = (
    "meetings_scheduled",
    "coordination_rate_pct",
    "excess_cost",
    "dms_per_meeting",
    "fairness",
    "vps_uniform_mean",
    "vps_cost_mean",
    "vps_uniform_all_pairs_mean",
    "vps_cost_all_pairs_mean",
    "excess_over_greedy",
    "meetings_kept",
    "realized_cost",
    "vps_release_mean",
)
BY_MEETING = (
    "dms",
    "messages",
    "said_chars",
    "prior_meetings_moved",
    "cumulative_cost",
    "cumulative_optimal_cost",
    "cumulative_excess",
)

MEANS = {
    "table1": Means(TEAM, TABLE1),
    "table1_by_difficulty": Means((*TEAM, "difficulty"), TABLE1),
    "table2": Means(("team", "condition", "pattern"), ratios={"share_of_messages": "messages"}),
    "leaks": Means((*TEAM, "tier"), ratios={"leaked_share": "messages", "induced_share": "messages"}),
    "patterns": Means((*TEAM, "pattern"), ("per_game",), {"per_message": "messages"}),
    "stance": Means(
        ("team", "condition"),
        ("expensive_moves_per_varied_game",),
        {
            "acquiescence_pct": "english_messages",
            "pushback_pct": "english_messages",
            "both_pct": "english_messages",
            "ratio": "pushing_back",
        },
        {"ratio": "acquiescing"},
    ),
    "volume": Means(
        (*TEAM, "difficulty"),
        ("dms_per_scheduled", "prior_meetings_moved_per_game", "fairness"),
        {
            "dms_per_meeting": "meetings_held",
            "said_chars_per_message": "messages",
            "said_chars_per_meeting": "meetings_held",
            "first_feasible_share": "first_choices",
        },
        pooled=True,
    ),
    "volume_by_meeting": Means((*TEAM, "meeting_index"), BY_MEETING),
    "volume_by_speaker": Means(
        (*TEAM, "position"),
        ratios={"dms_per_meeting": "meetings_held", "said_chars_per_meeting": "meetings_held", "share_of_dms": "dms"},
    ),
    "vps_by_source": Means((*TEAM, "weight_mode", "source"), ratios={"share": "vps_loss"}),
    "styles": Means((*TEAM, "kind", "name"), ratios={"value": "style_messages"}, only={"kind": "outcome"}),
}

# One row a game, and where that matters part of the key, with its `amount`. Where a ratio's amount is not there, the
# ratio is a mean over games.
AMOUNTS = {
    "messages": "SELECT game_id, dms + group_messages AS amount FROM games",
    "dms": "SELECT game_id, sum(dms) AS amount FROM round_volume GROUP BY game_id",
    "meetings_held": "SELECT game_id, count(*) AS amount FROM round_volume GROUP BY game_id",
    "first_choices": "SELECT game_id, count(took_first_feasible) AS amount FROM round_volume GROUP BY game_id",
    "english_messages": "SELECT game_id, sum(english_messages) AS amount FROM stance GROUP BY game_id",
    "acquiescing": "SELECT game_id, sum(acquiescing) AS amount FROM stance GROUP BY game_id",
    "pushing_back": "SELECT game_id, sum(pushing_back) AS amount FROM stance GROUP BY game_id",
    "vps_loss": "SELECT game_id, weight_mode, vps_loss_total AS amount FROM game_summary",
    "style_messages": (
        "SELECT game_id, pattern AS name, dms + group_messages AS amount FROM games "
        "CROSS JOIN (SELECT DISTINCT pattern FROM patterns WHERE span_start IS NOT NULL)"
    ),
}
