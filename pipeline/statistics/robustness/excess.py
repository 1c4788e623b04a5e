"""Excess cost by three definitions: the paper's, against the meetings that were in fact scheduled, and with a penalty.

The paper subtracts the oracle's cost of all meetings from what was paid, so a team that fails to schedule a meeting
saves its cost. The two others take that advantage away.
"""

from collections.abc import Sequence
from functools import cache

import polars as pl

from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.paired_tests import common_ranks
from pipeline.statistics.resampling import Resampling

InitialCalendar = tuple[tuple[int, bool], ...]  # of each slot: its cost, 0 for a free one, and whether it is blocked
Meetings = tuple[tuple[int, ...], ...]  # the participants of each

MEASURE = ("measure", "penalty")
TEAM = ("team", "simulated", "setting", "condition")


def least_costs(games: pl.DataFrame, rounds: pl.DataFrame, calendars: pl.DataFrame) -> pl.DataFrame:
    """One row a game: `scheduled_optimum`, the oracle's cost of the meetings coordinated in their round, on the initial
    calendars; null where no schedule holds them, or the trace does not show a participant's calendar.

    An agent's first calendar of a game is its initial one.
    """
    initial = _initial_calendars(calendars)
    held = rounds.filter(pl.col("coordinated").fill_null(False)).sort("game_id", "round")
    meetings: dict[str, list[tuple[int, ...]]] = {game: [] for game in games["game_id"]}
    for game, participants in held.select("game_id", "participants").iter_rows():
        if game in meetings:
            meetings[game].append(tuple(participants))
    costs = [(game, _scheduled_optimum(initial.get(game, {}), tuple(listed))) for game, listed in meetings.items()]
    return pl.DataFrame(costs, schema={"game_id": pl.String, "scheduled_optimum": pl.Int64}, orient="row")


def _initial_calendars(calendars: pl.DataFrame) -> dict[str, dict[int, InitialCalendar]]:
    """Game → agent → its initial calendar. One that holds meetings already is not initial, and left out."""
    first = calendars.sort("game_id", "agent", "round").unique(["game_id", "agent"], keep="first", maintain_order=True)
    first = first.filter(pl.col("meeting_slots").list.len() == 0)
    by_game: dict[str, dict[int, InitialCalendar]] = {}
    for game, agent, costs, blocked in first.select("game_id", "agent", "costs", "blocked").iter_rows():
        calendar = tuple((cost, slot in blocked) for slot, cost in enumerate(costs))
        by_game.setdefault(game, {})[agent] = calendar
    return by_game


def _scheduled_optimum(calendars: dict[int, InitialCalendar], meetings: Meetings) -> int | None:
    """The oracle's cost of the meetings, None where a participant's calendar is unknown or no schedule exists."""
    if not all(agent in calendars for participants in meetings for agent in participants):
        return None
    return oracle_cost(tuple(sorted(calendars.items())), meetings)


@cache
def oracle_cost(calendars: tuple[tuple[int, InitialCalendar], ...], meetings: Meetings) -> int | None:
    """The cost of the cheapest schedule of the meetings, None where there is none.

    calendars: agent and calendar, by agent; an agent that is not listed has a free one.
    """
    from sim.calendar import Calendar, Errand
    from sim.tasks.oracle import NoSchedule, solve
    from sim.tasks.scenario import Meeting

    if not meetings:
        return 0
    slots = len(calendars[0][1])
    by_agent = dict(calendars)
    listed = [
        [
            Errand(slot, cost, blocked) if cost or blocked else None
            for slot, (cost, blocked) in enumerate(by_agent[agent])
        ]
        if agent in by_agent
        else [None] * slots
        for agent in range(max(by_agent) + 1)
    ]
    named = [Meeting(number, participants) for number, participants in enumerate(meetings, 1)]
    try:
        return solve([Calendar(slots) for slots in listed], named).cost
    except NoSchedule:
        return None


def measures(games: pl.DataFrame, penalties: Sequence[float]) -> pl.DataFrame:
    """One row a game and measure, with `value`: games with `scheduled_optimum`.

    - excess: realized_cost − optimal_cost, the paper's.
    - excess_scheduled: realized_cost − scheduled_optimum.
    - failed_meetings: meetings − meetings_scheduled.
    - excess_penalised, a row a penalty λ: excess + λ · failed_meetings.
    """
    failed = pl.col("meetings") - pl.col("meetings_scheduled")
    values: dict[tuple[str, float | None], pl.Expr] = {
        ("excess", None): pl.col("excess_cost"),
        ("excess_scheduled", None): pl.col("realized_cost") - pl.col("scheduled_optimum"),
        ("failed_meetings", None): failed,
        **{("excess_penalised", float(p)): pl.col("excess_cost") + float(p) * failed for p in penalties},
    }
    rows = [
        games.select(
            *TEAM,
            "game_id",
            "task_id",
            measure=pl.lit(name),
            penalty=pl.lit(penalty, pl.Float64),
            value=value.cast(pl.Float64),
        )
        for (name, penalty), value in values.items()
    ]
    return pl.concat(rows)


def excess_table(measured: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """One row a team, setting, condition and measure: its mean over games with its interval, and its rank, 1 the least
    (`common_ranks`)."""
    lines = measured.with_columns(
        numerator=pl.col("value").fill_null(0.0), denominator=pl.col("value").is_not_null().cast(pl.Float64)
    )
    means = ratio_intervals(lines, (*TEAM, *MEASURE), resampling)
    group = ("setting", "condition", *MEASURE)
    ranks = common_ranks(measured, group, "value")
    ranked = means.join(ranks, on=[*group, "team"], how="left", nulls_equal=True)
    return ranked.sort(*group, "team", nulls_last=False)
