import pytest
from msgspec.structs import replace

from sim.agents import CHEAP_TALK, DECISION, VOLUNTARY
from sim.calendar import ScheduledMeeting
from sim.game.rounds import RESOLUTION, fairness, metrics, resolution
from tests.sim.worlds import (
    CHAIN,
    Scripted,
    errand_id,
    events,
    new_game,
    play,
    reschedule,
    say,
    schedule,
    slots_of,
    tiny_task,
    written,
)


def batch(*actions, round=0, attempt=0, phase=DECISION):
    """A line of a script: the batch that an agent submits."""
    return {(phase, round, attempt): list(actions)}


def agree(meeting, slot):
    """A script that schedules the meeting of its round into the slot."""
    return batch(schedule(meeting, slot), round=meeting - 1)


def resolutions(game):
    return [
        (e["meeting_id"], e["coordinated"], e["consistency_violated_meeting_ids"]) for e in events(game, "resolution")
    ]


def test_a_meeting_in_one_slot_of_all_its_participants_is_coordinated():
    game = play(new_game((["3 .", ". ."], [(0, 1)])), [
        Scripted(batch(reschedule(0, 0, 1), schedule(1, 0))), Scripted(agree(1, 0)),
    ])  # fmt: skip
    assert resolutions(game) == [(1, True, [])]
    assert [written(c) for c in game.calendars] == ["M1(0,1) 3", "M1(0,1) ."]
    assert game.paid == [3, 0]
    (event,) = events(game, "resolution")
    assert (event["per_agent_slot"], event["slot_conflicts"]) == ({"0": 0, "1": 0}, {})


def test_a_meeting_in_different_slots_fails_and_stays_where_it_was_written():
    game = play(new_game(CHAIN), [Scripted(agree(1, 0)), Scripted(agree(1, 2)), Scripted()])
    assert resolutions(game)[0] == (1, False, [])
    assert events(game, "resolution")[0]["slot_conflicts"] == {"0": [0], "2": [1]}
    assert slots_of(game, 1) == [0, 2, None]
    assert "Slot 0: Meeting M1 (cost=1) participants=[0, 1]" in game.calendars[0].render


def test_the_movers_of_a_failed_meeting_have_paid_and_its_slot_stays_full():
    a0 = batch(reschedule(0, 0, 2), schedule(1, 0)) | batch(schedule(2, 0), round=1)
    game = play(new_game((["5 . .", ". . ."], [(0, 1), (0, 1)]), decision_retries=0), [
        Scripted(a0), Scripted(agree(1, 1) | agree(2, 0)),
    ])  # fmt: skip
    assert game.paid == [5, 0]
    assert [e["conflict_description"] for e in events(game, "batch_rejected")] == [
        "Schedule slot 0 is not free after the batch."
    ]
    assert [m.id for m in game.failed] == [1, 2]


@pytest.mark.parametrize("retries", [0, 3])
def test_a_batch_may_be_retried_and_the_last_attempt_counts(retries):
    agents = [Scripted(batch(schedule(1, 0), attempt=retries)), Scripted(agree(1, 0))]
    game = play(new_game(([". .", ". ."], [(0, 1)]), decision_retries=retries), agents)
    assert resolutions(game) == [(1, True, [])]
    assert [e["attempt"] for e in events(game, "batch_rejected")] == list(range(retries))
    asked = agents[0].asked(DECISION)
    assert [r.attempt for r in asked] == list(range(retries + 1))
    conflict = "Expected exactly 1 schedule action, got 0."
    assert [r.conflict for r in asked] == [None] + [conflict] * retries


@pytest.mark.parametrize("retries", [0, 3])
def test_where_one_participant_fails_for_good_nobody_s_batch_is_applied(retries):
    move = batch(reschedule(0, 0, 1), schedule(1, 0))
    game = play(new_game((["3 .", ". .", ". ."], [(0, 1, 2)]), decision_retries=retries), [
        Scripted(move), Scripted(batch(schedule(1, 0), attempt=retries + 1)), Scripted(agree(1, 0)),
    ])  # fmt: skip
    (failed,) = events(game, "decision_failed")
    assert (failed["agent_id"], failed["attempts"]) == (1, retries + 1)
    assert len(events(game, "batch_rejected")) == retries + 1
    assert [e["agent_id"] for e in events(game, "batch_rolled_back")] == [0, 2]
    assert events(game, "batch_rolled_back")[0]["actions"] == move[DECISION, 0, 0]
    assert events(game, "batch_applied") == []
    assert game.calendars == list(game.initial)
    assert game.paid == [0, 0, 0]
    assert resolutions(game) == [(1, False, [])]


def test_a_voluntary_batch_is_applied_at_once_and_paid_by_its_agent():
    addressed = {(CHEAP_TALK, 0, 0): [say(2)]}
    volunteer = batch(reschedule(errand_id(2, 0), 0, 1), phase=VOLUNTARY)
    game = play(new_game(([". .", ". .", "6 ."], [(0, 1)])), [
        Scripted(addressed), Scripted(), Scripted(volunteer),
    ])  # fmt: skip
    assert written(game.calendars[2]) == ". 6"
    assert game.paid == [0, 0, 6]  # although the meeting itself came to nothing
    assert [e["phase"] for e in events(game, "batch_applied")] == [VOLUNTARY]


def test_a_rejected_voluntary_batch_changes_nothing_and_is_not_retried():
    addressed = {(CHEAP_TALK, 0, 0): [say(2)]}
    agents = [Scripted(addressed), Scripted(), Scripted(batch(schedule(1, 0), phase=VOLUNTARY))]
    game = play(new_game(([". ."] * 3, [(0, 1)])), agents)
    rejected = [e for e in events(game, "batch_rejected") if e["agent_id"] == 2]
    assert [(e["conflict_description"], e["attempt"], e["phase"]) for e in rejected] == [
        ("Expected exactly 0 schedule actions, got 1.", 0, VOLUNTARY)
    ]
    assert len(agents[2].asked(VOLUNTARY)) == 1
    assert slots_of(game, 1)[2] is None


# CHAIN: meeting 1 stands in slot 0, then one participant alone moves it away while meeting 2 is scheduled.
def broken_chain(*later):
    a0 = agree(1, 0) | batch(reschedule(1, 0, 3), schedule(2, 1), round=1) | agree(3, 2)
    for more in later:
        a0 |= more
    return [Scripted(a0), Scripted(agree(1, 0) | agree(3, 2)), Scripted(agree(2, 1) | agree(3, 2))]


def test_an_earlier_meeting_moved_by_one_participant_only_is_a_violation():
    game = play(new_game(CHAIN), broken_chain())
    assert resolutions(game)[:2] == [(1, True, []), (2, False, [1])]
    first = events(game, "consistency_violation")[0]
    assert (first["meeting_id"], first["violated_meeting_ids"], first["round"]) == (2, [1], 1)
    assert slots_of(game, 2) == [1, None, 1]
    assert game.paid == [1, 0, 0]  # the meeting's cost


def test_later_rounds_fail_while_the_violation_lasts():
    game = play(new_game(CHAIN), broken_chain())
    assert resolutions(game)[2] == (3, False, [1])
    assert game.violations == [1, 1]
    assert [m.id for m in game.coordinated] == [1]  # broken later, and still counted as coordinated
    assert not game.consistent(game.meetings[0])


def test_a_meeting_broken_later_stays_scheduled_but_is_not_kept():
    found = metrics(play(new_game(CHAIN), broken_chain()), tiny_task())
    assert (found["meetings_scheduled"], found["meetings_kept"]) == (1, 0)
    assert found["coordination_rate"] == 1 / 3


def test_an_earlier_meeting_moved_by_all_its_participants_is_no_violation():
    agents = broken_chain()
    agents[1].script |= batch(reschedule(1, 0, 3), phase=VOLUNTARY, round=1)
    agents[0].script |= {(CHEAP_TALK, 1, 0): [say(1)]}
    game = play(new_game(CHAIN), agents)
    assert [coordinated for _, coordinated, _ in resolutions(game)] == [True, True, True]
    assert game.paid == [1, 1, 0]


@pytest.mark.parametrize(("costs", "ratio"), [((0, 0), 1.0), ((0, 3), 0.0), ((2, 4, 3), 0.5), ((7,), 1.0)])
def test_fairness_is_the_least_cost_over_the_largest(costs, ratio):
    assert fairness(costs) == ratio


class Timed(Scripted):
    """An agent whose answers say what they were asked, what they reasoned, and when."""

    def act(self, request):
        return replace(super().act(request), prompt="p", text="t", thinking="h", started_at="8:00", ended_at="8:01")


def recorded(game, *kinds):
    """(type, data, timestamp) of every event of these kinds, in order."""
    return [(e.type, e.data, e.timestamp) for e in game.events if e.type in kinds]


def test_every_attempt_is_recorded_with_what_was_shown_answered_and_rejected():
    first, second = [schedule(1, 0)], [reschedule(0, 0, 1), schedule(1, 0)]
    game = play(new_game((["3 .", ". ."], [(0, 1)])), [
        Timed({(DECISION, 0, 0): first, (DECISION, 0, 1): second}), Timed(agree(1, 0)),
    ])  # fmt: skip
    kinds = ("decide_start", "decide_end", "batch_rejected", "batch_applied")
    agent0 = [event for event in recorded(game, *kinds) if event[1]["agent_id"] == 0]
    at = {"round": 0, "turn": events(game, "resolution")[0]["turn"], "phase": DECISION, "agent_id": 0}
    shown = {"calendar_snapshot_render": game.initial[0].render, "prompt_sent": "p"}
    answer = {"text": "t", "thinking": "h", "usage": None, "latency_ms": None}
    conflict = "Schedule slot 0 is not free after the batch."
    assert agent0 == [
        ("decide_start", at | {"attempt": 0} | shown, "8:00"),
        ("decide_end", at | {"attempt": 0, "tool_calls": first} | answer, "8:01"),
        ("batch_rejected", at | {"attempt": 0, "conflict_description": conflict, "actions": first}, None),
        ("decide_start", at | {"attempt": 1} | shown, "8:00"),
        ("decide_end", at | {"attempt": 1, "tool_calls": second} | answer, "8:01"),
        ("batch_applied", at | {"actions": second, "cost": 3, "calendar_render_after": game.calendars[0].render}, None),
    ]


def test_the_phases_after_talk_are_placed_behind_its_last_sweep():
    agents = [Scripted({(CHEAP_TALK, 0, 0): [say(2)]} | agree(1, 0)), Scripted(agree(1, 0)), Scripted(agree(1, 0))]
    agents[2].script = batch(reschedule(errand_id(2, 0), 0, 1), phase=VOLUNTARY)
    game = play(new_game((["3 .", ". .", "6 ."], [(0, 1)])), agents)
    turn = max(e["turn"] for e in events(game, "turn_start")) + 1
    later = ("decide_start", "decide_end", "batch_applied", "decision_failed", "batch_rolled_back", "resolution")
    assert {(e.data["round"], e.data["phase"]) for e in game.events if e.type in later} == {
        (0, VOLUNTARY), (0, DECISION), (0, RESOLUTION),
    }  # fmt: skip
    assert {e.data["turn"] for e in game.events if e.type in later} == {turn}
    (volunteered,) = [e for e in events(game, "batch_applied") if e["phase"] == VOLUNTARY]
    assert volunteered["actions"] == [reschedule(errand_id(2, 0), 0, 1)]
    assert {(r.meeting.id, r.turn) for r in agents[2].asked(VOLUNTARY)} == {(1, turn)}


def test_a_meeting_written_into_a_blocked_slot_is_not_coordinated():
    game = new_game((["x5 .", ". ."], [(0, 1)]))
    for agent, board in enumerate(game.calendars):
        game.calendars[agent] = type(board)([ScheduledMeeting(1, 1, (0, 1)), *board.slots[1:]])
    resolution(game, 0, 3, game.meetings[0])
    (event,) = events(game, "resolution")
    assert event == {
        "round": 0, "turn": 3, "phase": RESOLUTION, "agent_id": None, "meeting_id": 1, "coordinated": False,
        "per_agent_slot": {"0": 0, "1": 0}, "slot_conflicts": {}, "consistency_violated_meeting_ids": [],
        "blocked_slot_violations": [0],
    }  # fmt: skip
