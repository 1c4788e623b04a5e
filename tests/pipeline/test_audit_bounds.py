"""What a trace says of its size costs the auditor no more than the bounds allow."""

import json
import tracemalloc
from typing import Any

import pytest
from audit_bases import Raw, text_of

from pipeline.traces.audit import replay, yardsticks
from pipeline.traces.audit.auditor import audit
from pipeline.traces.audit.yardsticks import UnknownOptimum, optimum, scheduled
from sim.calendar import Calendar, Errand
from sim.tasks.scenario import Meeting
from tests.sim.worlds import meetings_of


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
def test_a_vast_game_takes_no_vast_memory(agents: int, slots: int, meetings: int) -> None:
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


def test_messages_that_are_too_many_to_deliver_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "MOST_DELIVERIES", 5)
    (found,) = audit(text_of("scripted"), "t.json")
    assert (found.code, found.found) == ("unreadable", "too large to replay: more than 5 messages in inboxes")


def test_a_schedule_of_too_many_slots_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    calendars, meetings = (Calendar([None] * 10_000),) * 2, meetings_of(1_000)
    for look in (optimum, scheduled):
        with pytest.raises(UnknownOptimum):
            look(calendars, tuple(meetings))
    monkeypatch.setattr(yardsticks, "MOST_LOOKS", 10)
    optimum.cache_clear()
    scheduled.cache_clear()
    assert [d.code for d in audit(text_of("scripted"), "t.json")] == ["unchecked_optimum"]


def test_the_solver_is_given_no_large_model() -> None:
    calendars = (Calendar([Errand(n, 1) if n % 2 else None for n in range(300)]),) * 10
    with pytest.raises(UnknownOptimum, match="solver"):
        optimum(calendars, tuple(Meeting(n, tuple(range(10))) for n in range(100)))


def test_a_trace_that_takes_too_long_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    def spin(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr("pipeline.traces.limits.CPU_SECONDS", 0.05)
    monkeypatch.setattr("pipeline.traces.audit.auditor.check_identity", spin)
    (found,) = audit(text_of("protocol"), "t.json")
    assert (found.code, found.found) == ("unreadable", "takes more than 0.05 CPU seconds")
