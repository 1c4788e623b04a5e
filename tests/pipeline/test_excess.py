"""Excess cost by three definitions, on calendars small enough to work out by hand."""

from itertools import product

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_builder import TraceBuilder, toy_game

from pipeline.derive.rows import ingested_frames
from pipeline.statistics.resampling import Resampling
from pipeline.statistics.robustness.excess import excess_table, least_costs, measures, oracle_cost
from pipeline.traces.ingest import ingest
from pipeline.traces.trace import decode_trace

FREE, BLOCKED = (0, False), (1, True)


def derived(trace: TraceBuilder) -> dict[str, pl.DataFrame]:
    return ingested_frames(ingest(decode_trace(trace.text()), "a.json"))


def optimum(trace: TraceBuilder) -> int | None:
    tables = derived(trace)
    found = least_costs(tables["games"], tables["rounds"], tables["calendars"])
    return found["scheduled_optimum"].item()


def test_only_the_meetings_that_were_coordinated_are_paid_for() -> None:
    # Agent 0 has one free slot, where agent 1 would pay 100; slot 0 costs agent 0 its errand of 4, slot 3 one of 7.
    first = shown(0, TraceBuilder()).resolution(0, True)
    assert optimum(first) == 4
    assert optimum(shown(1, first).resolution(1, False)) == 4
    both = shown(1, shown(0, TraceBuilder()).resolution(0, True)).resolution(1, True)
    assert optimum(both) == 4 + 7


CROWDED = (
    "Slot 0: Errand #1 (cost=4)\nSlot 1: [FREE]\nSlot 2: Blocked Errand #2 (cost=1)\nSlot 3: Errand #3 (cost=7)",
    "Slot 0: [FREE]\nSlot 1: Errand #5 (cost=100)\nSlot 2: [FREE]\nSlot 3: [FREE]",
)
LATER = "Slot 0: Meeting M1 (cost=1)\nSlot 1: [FREE]\nSlot 2: [FREE]\nSlot 3: [FREE]"


def shown(number: int, trace: TraceBuilder) -> TraceBuilder:
    """A round of agents 0 and 1 that shows their calendars: the initial ones, and later ones that do not count."""
    trace.round(number)
    for agent, initial in enumerate(CROWDED):
        trace.rendered(number, agent, LATER if number else initial)
    return trace


def test_a_calendar_that_the_trace_does_not_show_leaves_the_optimum_open() -> None:
    assert optimum(toy_game()) is None
    assert optimum(shown(1, TraceBuilder()).resolution(1, True)) is None


SLOT = st.sampled_from([FREE, FREE, (1, False), (10, False), BLOCKED])


@settings(max_examples=30)
@given(st.lists(st.lists(SLOT, min_size=4, max_size=4), min_size=3, max_size=3), st.integers(1, 3))
def test_the_oracle_is_the_least_of_all_schedules(calendars: list[list[tuple[int, bool]]], count: int) -> None:
    meetings = ((0, 1), (1, 2), (0, 2))[:count]
    costs = []
    for slots in product(range(4), repeat=count):
        clash = any(
            slots[a] == slots[b] and set(meetings[a]) & set(meetings[b]) for a in range(count) for b in range(a)
        )
        held = [calendars[agent][slot] for slot, agents in zip(slots, meetings, strict=True) for agent in agents]
        owners = [calendars[agent] for agents in meetings for agent in agents]
        possible = all(item == FREE or (not item[1] and FREE in own) for item, own in zip(held, owners, strict=True))
        if possible and not clash:
            costs.append(sum(cost for cost, _ in held))
    boards = tuple(enumerate(map(tuple, calendars)))
    assert oracle_cost(boards, meetings) == min(costs, default=None)


def test_the_table_has_every_definition_and_a_rank() -> None:
    games = pl.DataFrame(
        {
            "game_id": list("abcd"),
            "task_id": ["t", "u", "t", "u"],
            "team": ["x", "x", "y", "y"],
            "simulated": False,
            "setting": "uniform",
            "condition": "standard",
            "meetings": 5,
            "meetings_scheduled": [5, 3, 5, 5],
            "realized_cost": [4, 0, 6, 4],
            "excess_cost": [1, -4, 3, 0],
            "scheduled_optimum": [3, 0, 3, 4],
        }
    )
    table = excess_table(measures(games, [1, 10]), Resampling(100, 0.9, "excess"))
    found = {(r["measure"], r["penalty"], r["team"]): (r["mean"], r["rank"]) for r in table.iter_rows(named=True)}
    assert found == {
        ("excess", None, "x"): (-1.5, 1),
        ("excess", None, "y"): (1.5, 2),
        ("excess_scheduled", None, "x"): (0.5, 1),
        ("excess_scheduled", None, "y"): (1.5, 2),
        ("failed_meetings", None, "x"): (1.0, 2),
        ("failed_meetings", None, "y"): (0.0, 1),
        ("excess_penalised", 1.0, "x"): (-0.5, 1),
        ("excess_penalised", 1.0, "y"): (1.5, 2),
        ("excess_penalised", 10.0, "x"): (8.5, 2),
        ("excess_penalised", 10.0, "y"): (1.5, 1),
    }
    apart = games.with_columns(task_id=pl.col("game_id"))
    assert set(excess_table(measures(apart, [1]), Resampling(100, 0.9, "excess"))["rank"]) == {1}
    of_x = table.filter(measure="excess", team="x")
    assert of_x.select("low", "high", "games", "tasks").row(0) == (None, None, 2, 2)
