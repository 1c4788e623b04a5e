"""The engine plays as a second game by hand does, whatever its agents answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.agents import Reply, Request
from sim.calendar import Calendar, Errand
from sim.tasks.suite import prior_meetings
from tests.sim.brute_force import BruteForce, Meeting, Result, Rules, after_batch
from tests.sim.brute_force import Calendar as Plain
from tests.sim.reckless import Reckless, reckless_game
from tests.sim.worlds import calendar, reschedule, schedule


def plain(board: Calendar) -> Plain:
    """The engine's calendar as the game by hand has it."""
    return [
        None
        if item is None
        else ("errand", item.errand_id, item.cost, item.blocked)
        if isinstance(item, Errand)
        else ("meeting", item.meeting_id, item.cost, False)
        for item in board.slots
    ]


class Recorded(Reckless):
    """A reckless agent whose answers are kept."""

    def act(self, request: Request) -> Reply:
        reply = super().act(request)
        step = request.turn if request.phase == "CHEAP_TALK" else request.attempt
        self.replies[request.phase, request.round, step] = reply.actions
        return reply


@settings(max_examples=150)
@given(st.integers(0, 10**6))
def test_the_engine_plays_as_the_paper_tells(seed: int) -> None:
    game, agents = reckless_game(seed, Recorded)
    limits = game.limits
    rules = Rules(limits.max_turns_per_round, limits.decision_retries, limits.dm_cap, limits.channels)
    prior = [Meeting(m.id, m.cost, m.participants) for m in prior_meetings(game.initial)]
    hand = BruteForce(
        [plain(board) for board in game.initial],
        prior,
        rules,
        lambda agent, phase, number, step: agents[agent].replies[phase, number, step],
    )
    hand.play([Meeting(m.id, m.cost, m.speaker_order) for m in game.meetings])
    told = [(event.type, event.data) for event in game.events]
    assert [plain(board) for board in game.calendars] == hand.calendars
    assert game.paid == hand.paid
    assert [read(d) for kind, d in told if kind == "turn_start"] == hand.read
    assert [sent(d) for kind, d in told if kind.endswith("_sent")] == hand.sent
    kinds = ("batch_applied", "batch_rejected", "batch_rolled_back", "decision_failed")
    assert [(kind, d["round"], d["agent_id"]) for kind, d in told if kind in kinds] == hand.batches
    assert [result(d) for kind, d in told if kind == "resolution"] == hand.results
    assert [m.id for m in (*game.prior, *game.coordinated)] == [m.id for m in hand.kept]


def read(data: dict[str, Any]) -> Any:
    inbox = [(m["from"], m["channel"], m["content"]) for m in data["inbox_drained"]]
    return data["round"], data["turn"], data["agent_id"], inbox


def sent(data: dict[str, Any]) -> Any:
    readers = data["to_agents"] if "to_agents" in data else [data["to_agent"]]
    return data["round"], data["from_agent"], data["channel"], readers, data["content"]


def result(data: dict[str, Any]) -> Result:
    slots = {int(agent): slot for agent, slot in data["per_agent_slot"].items()}
    broken = data["consistency_violated_meeting_ids"]
    return Result(slots, data["coordinated"], broken, data["blocked_slot_violations"])


BOARD, NOW = plain(calendar("5 . x3 2")), Meeting(7, 1, (0, 1))
BOOK = schedule(7, 1)
BATCHES: tuple[tuple[str, Any, int | None], ...] = (
    ("the meeting into a free slot", [BOOK], 0),
    ("an errand makes room", [reschedule(0, 0, 1), schedule(7, 0)], 5),
    ("two errands change places", [reschedule(0, 0, 3), reschedule(3, 3, 0), BOOK], 7),
    ("beyond the last slot", [reschedule(0, 0, 4), BOOK], None),
    ("true for a slot", [reschedule(0, True, 1), schedule(7, 3)], None),
    ("an item that is not there", [reschedule(9, 0, 1), schedule(7, 0)], None),
    ("a blocked errand", [reschedule(2, 2, 1), schedule(7, 2)], None),
    ("two into one slot", [reschedule(0, 0, 1), reschedule(3, 3, 1), schedule(7, 0)], None),
    ("into a full slot", [reschedule(0, 0, 3), BOOK], None),
    ("into its own slot", [reschedule(0, 0, 0), BOOK], None),
    ("one errand twice", [reschedule(0, 0, 1), reschedule(0, 0, 3)], None),
    ("nothing scheduled", [], None),
    ("scheduled twice", [BOOK, BOOK], None),
    ("another meeting", [schedule(8, 1)], None),
    ("into an errand's slot", [schedule(7, 0)], None),
    ("a message among the moves", [{"type": "dm"}, BOOK], None),
    ("no list", "schedule", None),
)


@pytest.mark.parametrize(("actions", "cost"), [b[1:] for b in BATCHES], ids=[b[0] for b in BATCHES])
def test_a_batch_by_hand_is_judged_by_the_seven_rules(actions: Any, cost: int | None) -> None:
    done = after_batch(BOARD, actions, NOW)
    assert (done and done[1]) == cost
