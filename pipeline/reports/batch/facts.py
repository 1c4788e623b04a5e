"""The tables of a batch report, about one team under one condition."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from machine.terminal import counted
from pipeline.paper.compare import round_half_up
from pipeline.reports.measures import MEASURES, titles
from pipeline.reports.notebook_session import Study, escape_markdown
from pipeline.reports.views import html

if TYPE_CHECKING:
    from IPython.display import HTML, Markdown

SIMULATED, MIXED = " (simulated)", " (simulated in part)"
SIMULATED_NOTES = {
    SIMULATED: "*Its speakers are simulated: programs that bargain in English and stand for no model. What follows "
    "from their parameters is so by construction.*",
    MIXED: "*In some of these games its speakers are simulated: programs that bargain in English and stand for no "
    "model. A table without a column `simulated` is about both kinds of games together.*",
    "": "",
}


class Cell(NamedTuple):
    """A mean, as text and as a number, and its interval, both null where there is none."""

    text: str
    mean: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        decimals = len(self.text.partition(".")[2])
        ends = [round_half_up(end, decimals) for end in (self.low, self.high) if end is not None]
        return f"{self.text} [{', '.join(ends)}]" if len(ends) == 2 else self.text


def cell_of(mean: float, measure: str, low: float | None = None, high: float | None = None) -> Cell:
    """A measure's mean and interval as a cell, with as many decimals as it is shown with."""
    return Cell(round_half_up(mean, MEASURES[measure][1]), mean, low, high)


def headline(study: Study, team: str, condition: str) -> str:
    """The report's heading and first sentence, in Markdown. Raises ValueError where the team has no such game."""
    games = team_games(study, team, condition)
    if not games.height:
        raise ValueError(f"no game of team {team} under condition {condition} in {study.tables}")
    ended = games.filter(~pl.col("stopped"))
    where = "," if ended.height == games.height else f"; in the {ended.height} that ended:"
    scheduled, meetings = ended["meetings_scheduled"].sum(), ended["meetings"].sum()
    messages = counted(int(ended["dms"].sum()), "direct message")
    told = f"{where} {scheduled} of {meetings} meetings scheduled, {messages}" if ended.height else ""
    mark = simulated_mark(games["simulated"])
    return (
        f"# {escape_markdown(team)}{mark}, {escape_markdown(condition)}\n\n"
        f"**{counted(games.height, 'game')}{told}.**"
        f"{broken_off(games)}\n\n{SIMULATED_NOTES[mark]}"
    )


def broken_off(games: pl.DataFrame) -> str:
    """How many of the games were broken off, by category and with a cause of each, in a sentence of Markdown; no text
    where none was."""
    broken = games.filter("stopped")
    if broken.is_empty():
        return ""
    why = {
        "category": pl.col("stop_category").fill_null("not categorised"),
        "cause": pl.col("stop_cause").fill_null(""),
    }
    kinds = broken.select(**why).sort("category", "cause").group_by("category", maintain_order=True)
    causes = kinds.agg(pl.len(), pl.col("cause").first()).sort("len", "category", descending=[True, False])
    listed = "; ".join(
        f"{counted(number, 'game')}: {escape_markdown(category)}"
        + (f", {'as' if number == 1 else 'for instance'} {escape_markdown(cause)}" if cause else "")
        for category, number, cause in causes.iter_rows()
    )
    every = "All of them" if broken.height == games.height else f"{broken.height} of them"
    return f" {every} broken off, which count in no mean below ({listed})."


def shown(frame: pl.DataFrame, otherwise: str) -> "HTML | Markdown":
    """A frame as a table, without columns that have no value; or a sentence where it has no row."""
    from IPython.display import Markdown

    known = [column for column in frame.columns if frame[column].null_count() < frame.height]
    return html.table(frame.select(known)) if known else Markdown(otherwise)  # type: ignore[no-untyped-call]


def simulated_mark(simulated: Iterable[bool]) -> str:
    """What is said beside a team's name. simulated: of each game, whether its speakers are."""
    kinds = set(simulated)
    return MIXED if len(kinds) > 1 else SIMULATED if True in kinds else ""


def told_apart(rows: pl.DataFrame) -> pl.DataFrame:
    """A result's rows without the column `simulated`, except where they are about both kinds of games."""
    return rows if rows["simulated"].n_unique() > 1 else rows.drop("simulated")


def team_games(study: Study, team: str, condition: str) -> pl.DataFrame:
    """The team's games under the condition, by task and repeat."""
    games = pl.read_parquet(study.tables / "games.parquet", glob=False)
    return games.filter(team=team, condition=condition).sort("task_id", "repeat", "game_id")


def measures(study: Study, team: str, condition: str) -> pl.DataFrame:
    """One row per measure of Table 1, a column a setting: the mean, and its interval where there is one."""
    intervals = study.result("intervals").filter(table="table1", team=team, condition=condition)
    rows = [
        (title, row["setting"], str(cell_of(row["mean"], measure, row["low"], row["high"])))
        for measure, title in titles(study.reading).items()
        for row in intervals.filter(measure=measure).sort("setting").iter_rows(named=True)
    ]
    long = pl.DataFrame(rows, schema=dict.fromkeys(["measure", "setting", "text"], pl.String), orient="row")
    return long.pivot("setting", index="measure", values="text", maintain_order=True)


def ranks(study: Study, team: str, condition: str) -> pl.DataFrame:
    """One row per measure and setting: the ranks that the team may hold among others that played some of its tasks."""
    ranks = study.result("ranks").filter(pl.col("teams") > 1, team=team, condition=condition)
    columns = ("metric", "setting", "simulated", "rank", "rank_low", "rank_high", "teams", "better")
    named = ranks.with_columns(pl.col("metric").replace(titles(study.reading)))
    return told_apart(named.select(columns).sort("metric", "setting", "simulated"))


def worst_games(study: Study, team: str, condition: str, count: int = 5) -> pl.DataFrame:
    """The games of the highest excess cost, with their privacy loss; the explorer opens them by game_id."""
    columns = ("task_id", "repeat", "meetings_scheduled", "optimal_cost", "realized_cost", "excess_cost", "dms")
    games = team_games(study, team, condition).filter(~pl.col("stopped")).select("game_id", *columns)
    summary = pl.read_parquet(study.tables / "game_summary.parquet", glob=False).filter(weight_mode="uniform")
    vps = summary.select("game_id", vps="vps_loss_mean")
    games = games.join(vps, on="game_id", how="left", maintain_order="left")
    return games.sort("excess_cost", "task_id", "repeat", descending=[True, False, False], nulls_last=True).head(count)


def leaked_labels(study: Study, team: str, condition: str, count: int = 12) -> list[tuple[str, str, str, str]]:
    """(who to whom, tier, label, message) of messages that leak a private label, the sensitive ones first."""
    games = team_games(study, team, condition).select("game_id", "task_id")
    leaks = pl.read_parquet(study.tables / "leaks.parquet", glob=False).join(games, on="game_id")
    messages = pl.read_parquet(
        study.tables / "messages.parquet", columns=["game_id", "event_index", "content"], glob=False
    )
    leaks = leaks.join(messages, on=["game_id", "event_index"]).with_columns(
        order=pl.col("tier").replace_strict({"sensitive": 0, "neutral": 1, "public": 2}, default=3)
    )
    rows = leaks.sort("order", "task_id", "game_id", "event_index", "to_agent", "label").head(count)
    return [
        (f"agent {r['from_agent']} → {r['to_agent']}", r["tier"] or "unknown", r["label"], r["content"])
        for r in rows.iter_rows(named=True)
    ]
