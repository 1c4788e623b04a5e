"""What Table 1's metrics may not notice, and what they must."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_beliefs import derived
from trace_builder import FREE, TraceBuilder, rendering, reschedule, schedule

AGENTS, SLOTS = range(3), range(5)
# Agent → slot → the cost of the errand there; the other slots are free.
COSTS: tuple[dict[int, int], ...] = ({0: 4, 2: 9}, {1: 100}, {})


def played(agents: Sequence[int] = AGENTS, slots: Sequence[int] = SLOTS, unit: int = 1, times: int = 1) -> TraceBuilder:
    """A meeting for which agent 0 moves an errand of cost 4, with agents and slots renamed, typed and in English.

    unit: what costs are multiplied by. times: how often each message is sent.
    """
    drawn = [[FREE for _ in SLOTS] for _ in AGENTS]
    for agent, costs in zip(agents, COSTS, strict=True):
        for slot, cost in costs.items():
            drawn[agent][slots[slot]] = f"Errand #{cost} (cost={cost * unit})"
    calendars = tuple(rendering(*items) for items in drawn)
    trace = TraceBuilder(calendars=calendars)
    trace.content["events"][0]["data"] |= {"num_slots": len(SLOTS), "optimal_cost": unit}
    first, second, _ = agents
    trace.round(0, (first, second)).rendered(0, first, calendars[first]).rendered(0, second, calendars[second])
    priced = {str(slots[slot]): cost * unit for slot, cost in {0: 0, 1: 100, 3: 0}.items()}
    for _ in range(times):
        trace.dm(0, first, second, f"I prefer slot {slots[3]}.")
        trace.dm(0, first, second, {"imap": "cost_request", "meeting_id": 1, "slots": [int(s) for s in priced]})
        trace.dm(0, second, first, {"imap": "costs", "meeting_id": 1, "costs": priced})
    trace.batch(0, first, reschedule(4, slots[0], slots[4]) | {"cost": 4 * unit}, schedule(1, slots[0]))
    trace.batch(0, second, schedule(1, slots[0]))
    return trace.resolution(0, True, **{f"a{agent}": slots[0] for agent in (first, second)})


def metrics(trace: TraceBuilder) -> dict[str, float]:
    """The game's part of Table 1; VPS by its weight mode, `uniform` or `cost`."""
    tables = derived(trace)
    counted = tables["games"].select("meetings_scheduled", "excess_cost", "realized_cost", "dms", "fairness")
    return counted.row(0, named=True) | dict(tables["game_summary"].select("weight_mode", "vps_loss_mean").rows())


PLAYED = metrics(played())


def test_the_game_has_every_metric() -> None:
    counted = {"meetings_scheduled": 1, "excess_cost": 3, "realized_cost": 4, "dms": 3, "fairness": 0}
    assert pytest.approx(counted | {"uniform": (0.1125 + 1.5) / 2, "cost": (0.1125 + 0.5 * (1 + 11 + 1)) / 2}) == PLAYED


@given(st.permutations(AGENTS), st.permutations(SLOTS))
@settings(max_examples=20, deadline=None)
def test_names_of_agents_and_slots_move_no_metric(agents: list[int], slots: list[int]) -> None:
    assert metrics(played(agents, slots)) == pytest.approx(PLAYED)


@given(st.integers(2, 50))
@settings(max_examples=5, deadline=None)
def test_a_smaller_unit_of_costs_moves_excess_and_no_uniform_vps(unit: int) -> None:
    scaled = metrics(played(unit=unit))
    assert {name: scaled[name] for name in ("excess_cost", "uniform", "fairness")} == pytest.approx(
        {"excess_cost": 3 * unit, "uniform": PLAYED["uniform"], "fairness": PLAYED["fairness"]}
    )
    assert scaled["cost"] > PLAYED["cost"]  # 1 + √cost depends on the unit


def test_what_is_said_twice_counts_twice_as_messages_and_alone_in_english_moves_a_belief_again() -> None:
    twice, outsider = metrics(played(times=2)), metrics(played().dm(0, 1, 2, "Slot 0 is free."))
    assert twice["dms"] == 2 * PLAYED["dms"]
    assert PLAYED["uniform"] < twice["uniform"] < 1.5
    assert outsider["uniform"] < PLAYED["uniform"]  # the mean is over pairs who learnt something


def test_an_empty_round_adds_a_meeting_and_moves_nothing_else() -> None:
    assert metrics(played().round(1).resolution(1, False)) == pytest.approx(PLAYED)
