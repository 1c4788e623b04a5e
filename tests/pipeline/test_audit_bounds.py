"""What a trace says of its size costs the auditor no more than the bounds allow."""

import json
import tracemalloc
from typing import Any

import pytest
from audit_bases import Raw, raw_of, sealed, text_of

from pipeline.traces.audit import game, metrics
from pipeline.traces.audit.auditor import audit
from pipeline.traces.audit.batch_rules import Meeting
from pipeline.traces.audit.calendar import Item
from pipeline.traces.audit.metrics import UnknownOptimum, optimum, schedule_in_order
from sim.game.game import Limits
from sim.game.trace import encoded
from sim.runs.play import Play, play_game
from sim.runs.teams import protocol_teams
from tests.sim.worlds import Scripted, tiny_task


def event(kind: str, ref: tuple[int, int, str, int | None], **data: Any) -> Raw:
    names = ("round", "turn", "phase", "agent_id")
    return {"type": kind, "data": dict(zip(names, ref, strict=True)) | data}


def vast(agents: int, slots: int, meetings: int) -> bytes:
    """A small file about a vast game: nobody says anything, and it has an end."""
    text = "\n".join(f"Slot {s}: [FREE]" for s in range(slots))
    shown = [event("agent_registered", (-1, -1, "GAME_START", a), calendar_render=text) for a in range(agents)]
    everybody = list(range(agents))
    listed = [{"id": n, "participants": everybody, "speaker_order": everybody} for n in range(meetings)]
    end = event("game_end", (meetings, 0, "GAME_END", None))
    return json.dumps({"game_id": "g", "config": {"scenario": {"meetings": listed}}, "events": [*shown, end]}).encode()


@pytest.mark.slow
@pytest.mark.parametrize(("agents", "slots", "meetings"), [(200, 4, 500), (2, 10_000, 1_000), (500, 4, 2)])
def test_a_vast_game_takes_no_vast_memory(
    agents: int, slots: int, meetings: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game, "MOST_STEPS", 3_000_000)
    text = vast(agents, slots, meetings)
    tracemalloc.start()
    try:
        found = audit(text, "t.json")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found
    assert peak < 150_000_000


def test_calendars_of_too_many_slots_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.traces.limits.CELLS", 23)
    assert [(d.code, d.found) for d in audit(text_of("scripted"), "t.json")] == [
        ("unreadable", "more than 23 slots of calendars")
    ]


@pytest.mark.parametrize("name", ["MOST_STEPS", "MOST_DELIVERIES", "MOST_RENDERED"])
def test_every_budget_is_kept(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game, name, 5)
    (found,) = audit(text_of("scripted"), "t.json")
    assert found.code == "unreadable"
    assert found.found.startswith("too large to replay: more than 5 ")


def test_events_that_nobody_recorded_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game, "MOST_MISSING", 0)
    assert audit(text_of("scripted"), "t.json") == []
    raw = raw_of("scripted")
    raw["events"] = [e for e in raw["events"] if e["type"] in ("game_start", "agent_registered", "game_end")]
    assert "events that it should have" in audit(json.dumps(raw).encode(), "t.json")[0].found


def test_a_schedule_of_too_many_slots_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    calendars = (tuple(None for _ in range(10_000)),) * 2
    meetings = tuple(Meeting(n, (0, 1), 1, (0, 1)) for n in range(1_000))
    for look in (optimum, schedule_in_order):
        with pytest.raises(UnknownOptimum):
            look(calendars, meetings)
    monkeypatch.setattr(metrics, "MOST_LOOKS", 10)
    optimum.cache_clear()
    assert [d.code for d in audit(text_of("scripted"), "t.json")] == ["unchecked_optimum"]


def test_the_solver_is_given_no_large_model() -> None:
    calendars = (tuple(Item("errand", n, 1) if n % 2 else None for n in range(300)),) * 10
    meetings = tuple(Meeting(n, tuple(range(10)), 1, tuple(range(10))) for n in range(100))
    with pytest.raises(UnknownOptimum, match="solver"):
        optimum(calendars, meetings)


def test_a_trace_that_takes_too_long_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    def spin(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr("pipeline.traces.limits.CPU_SECONDS", 0.05)
    monkeypatch.setattr("pipeline.traces.audit.auditor.check_identity", spin)
    (found,) = audit(text_of("protocol"), "t.json")
    assert (found.code, found.found) == ("unreadable", "takes more than 0.05 CPU seconds")


@pytest.mark.slow
def test_a_game_of_a_thousand_retries_is_replayed_and_beyond_a_bound_none() -> None:
    task = tiny_task(1, num_agents=2, num_participants=2, num_meetings=1)
    played = Play(task, protocol_teams()["imap"], Limits(decision_retries=1_100))
    raw = json.loads(encoded(play_game(played, [Scripted(), Scripted()])))
    assert audit(sealed(raw), "t.json") == []
    raw["config"]["decision_retries"] = 100_001
    (told,) = audit(sealed(raw), "t.json")
    assert (told.code, told.detail) == ("unreadable", ".config.decision_retries")
