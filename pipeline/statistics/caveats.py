"""What has to be said of teams whose figures don't compare as they stand: on other tasks, by other rules of the
game, broken off, without a meeting, in a language that nobody reads."""

from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl

from machine.terminal import counted
from pipeline.statistics.by_game import TEAM, ended, with_tasks, with_whole
from pipeline.tables.io import read_table

SEPARATOR = "\x1f"  # stands in no kind, model or parameter
# An object, or a list of them, as the whole message or in a code fence.
JSON = r"(?s)^\s*(?:\[\s*)?\{.*\}\s*\]?\s*$|```\w*\s*(?:\[\s*)?\{"


def caveats(games: pl.DataFrame, tables: Path) -> list[str]:
    """All that has to be said of these games' teams in this way: a line each. games: rows of that table, broken off or
    not, of what is shown; tables: the folder that they are of."""
    whole = ended(games)
    return [
        *_by_condition(tasks_apart, games),
        *_by_condition(idle, whole),
        *mixed_teams(whole, tables),
        *uneven_tasks(whole),
        *broken_off(games),
        *without_optimum(games),
        *unread_json(whole, tables),
    ]


def _by_condition(caveat: Callable[[pl.DataFrame], str], games: pl.DataFrame) -> list[str]:
    """What a caveat says of the games of each condition."""
    parts = games.sort("condition").group_by("condition", maintain_order=True)
    said = ((condition, caveat(part)) for (condition,), part in parts)
    return [f"{condition}: {line}" for condition, line in said if line]


def tasks_apart(games: pl.DataFrame) -> str:
    """What to say of teams on other tasks than the rest of the games' teams: a sentence, or no text."""
    caveat = (
        "Rows compare where they are on the same tasks; not on all of the others', and so in no frontier, and in no "
        "verdict that sets means beside each other"
    )
    return _named(with_whole(games.select(TEAM).unique(), ended(games)).filter(~pl.col("whole")), caveat)


def idle(games: pl.DataFrame) -> str:
    """What to say of teams that scheduled no meeting in games that ended: a sentence, or no text."""
    caveat = "No meeting was scheduled, so that a low excess, and its rank or place on a frontier, is no merit"
    scheduled = games.group_by(TEAM).agg(pl.col("meetings_scheduled").sum())
    return _named(scheduled.filter(pl.col("meetings_scheduled") == 0), caveat)


def _named(rows: pl.DataFrame, caveat: str) -> str:
    """A caveat with the teams that it is about; no text without any."""
    named = pl.format("{}{}", "team", pl.format(" ({})", "setting").fill_null(""))
    teams = rows.select(named).to_series().unique().sort()
    return f"{caveat}: {', '.join(teams)}." if len(teams) else ""


def uneven_tasks(games: pl.DataFrame) -> list[str]:
    """A line for each team, condition and setting in which it played some of its tasks oftener than others. games: rows
    of that table."""
    place = ["team", "condition", "setting"]
    a_task = with_tasks(games.drop_nulls("task_id")).group_by(*place, "task_id").len()
    often = a_task.group_by(place).agg(pl.col("len").sum(), least=pl.col("len").min(), most=pl.col("len").max())
    named = pl.concat_str(place, separator=", ", ignore_nulls=True)
    uneven = often.filter(pl.col("least") < pl.col("most")).select(named, "len", "least", "most").sort("team")
    return [
        f"{where}: {number} games, {least} to {most} of a task; each game counts, so some tasks count for more."
        for where, number, least, most in uneven.iter_rows()
    ]


def mixed_teams(games: pl.DataFrame, tables: Path) -> list[str]:
    """A line for each team whose games in one condition differ in the rules of the game, or in the kinds, models and
    parameters of their agents, or have other rules than the paper's.

    How many agents are of a kind, and who sits where, is the task's. Where the tables do not say the rules, nothing is
    said of them. games: rows of that table; tables: the folder that they are of.
    """
    if "game_rules" not in games.columns:
        games = games.with_columns(game_rules=pl.lit(None, pl.String))
    of_game = {"game_rules": games}
    if (tables / "agents.parquet").is_file():
        agents = read_table(tables, "agents")
        who = pl.concat_str(pl.col(*LINE_UP).fill_null(""), separator=SEPARATOR)
        line_ups = agents.group_by("game_id").agg(who=who.unique().sort())
        of_game["who"] = games.join(line_ups, on="game_id")
    return [
        f"{team}, {condition}: games {MIXED[what].format(number)}."
        for what, frame in of_game.items()
        for team, condition, number in _different(frame, what)
    ] + [
        f"{team}, {condition}: games by other rules than the paper's: {rules}."
        for team, condition, rules in _unusual(games)
    ]


MIXED = {
    "game_rules": "by {} different rules of the game (turns, retries, channels, cap)",
    "who": "of {} different line-ups of agents, models or their parameters",
}
# The rules of the paper's games, as `games` has them: Appendix D.4, and F for its adversarial condition.
PAPER_RULES = "15 turns, 3 retries, dm"
ADVERSARIAL_RULES = "6 turns, 3 retries, dm, 100 messages at most"
LINE_UP = ("agent_type", "model", "parameters")


def _different(frame: pl.DataFrame, what: str) -> Iterator[tuple[str, str, int]]:
    """The teams and conditions whose games differ in a column, and in how many ways."""
    numbers = frame.drop_nulls(what).group_by("team", "condition").agg(pl.col(what).n_unique())
    yield from numbers.filter(pl.col(what) > 1).sort("team", "condition").iter_rows()


def _unusual(games: pl.DataFrame) -> Iterator[tuple[str, str, str]]:
    """The teams and conditions whose games, where tables say it, have other rules than the paper's, and which."""
    usual = pl.when(condition="adversarial").then(pl.lit(ADVERSARIAL_RULES)).otherwise(pl.lit(PAPER_RULES))
    others = games.filter(pl.col("game_rules") != usual).select("team", "condition", "game_rules")
    yield from others.unique().sort(pl.all()).iter_rows()


def broken_off(games: pl.DataFrame) -> list[str]:
    """A line for each team and condition with games that were broken off. games: rows of that table."""
    stopped = games.filter("stopped").group_by("team", "condition").len().sort("team", "condition")
    return [
        f"{team}, {condition}: {counted(number, 'game')} broken off, in no mean."
        for team, condition, number in stopped.iter_rows()
    ]


def without_optimum(games: pl.DataFrame) -> list[str]:
    """A line for each team and condition with games whose traces do not say what their tasks cost at least, or not that
    it is proven. games: rows of that table."""
    unknown = games.filter(pl.col("optimal_cost").is_null() & ~pl.col("stopped").fill_null(False))
    numbers = unknown.group_by("team", "condition").len().sort("team", "condition")
    return [
        f"{team}, {condition}: {counted(number, 'game')} without a proven optimum, whose excess cost is in no mean."
        for team, condition, number in numbers.iter_rows()
    ]


def unread_json(games: pl.DataFrame, tables: Path) -> list[str]:
    """A line for each team and condition that sent JSON of no known protocol, which is read as English. games: rows of
    that table; tables: the folder that they are of."""
    if not (tables / "messages.parquet").is_file():
        return []
    unread = pl.col("typed").is_null() & pl.col("content").str.contains(JSON)
    messages = pl.scan_parquet(tables / "messages.parquet", glob=False).select("game_id", unread=unread)
    of_team = messages.join(games.lazy().select("game_id", "team", "condition"), on="game_id")
    counts = of_team.group_by("team", "condition").agg(pl.len(), pl.col("unread").sum())
    return [
        f"{team}, {condition}: {unread} of {sent} messages hold JSON of no known protocol, read as English: "
        "what they give away may be counted wrongly in its VPS."
        for team, condition, sent, unread in counts.filter(pl.col("unread") > 0).sort(pl.all()).collect().iter_rows()
    ]
