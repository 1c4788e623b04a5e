"""What must hold of every game, whatever its agents answered."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from pipeline.derive.rows import ingested_frames
from pipeline.traces.audit.auditor import audit
from pipeline.traces.audit.divergences import ERROR
from pipeline.traces.audit.trace import parse_calendar
from pipeline.traces.ingest import ingest
from pipeline.traces.trace import decode_trace
from sim.calendar import Calendar, Errand, Item, item_id
from sim.game.trace import Trace, encoded

SHOWN = ("calendar_render", "calendar_snapshot_render", "calendar_render_after")
COUNTED = ("meetings_scheduled", "meetings_kept", "coordination_rate", "realized_cost", "excess_cost", "fairness")


def check(trace: Trace) -> None:
    """Raise AssertionError where a rule of the game, the record or the tables is broken."""
    text = encoded(trace)
    assert [d for d in audit(text, "t.json") if d.severity == ERROR] == []
    check_calendars(msgspec.json.decode(text))
    check_tables(trace, text)


def check_calendars(raw: dict[str, Any]) -> None:
    """Items stay; only an applied batch moves them, and costs what the moved items cost."""
    calendars: dict[int, Calendar] = {}
    paid: Counter[int] = Counter()
    for event in raw["events"]:
        data, agent = event["data"], event["data"].get("agent_id")
        shown: Any = next((found for name in SHOWN if (found := seen(data.get(name)))), None)
        if event["type"] == "agent_registered":
            calendars[agent] = shown
        elif event["type"] == "batch_applied":
            assert data["cost"] == price(calendars[agent], shown, booked(raw, data))
            paid[agent] += data["cost"]
            calendars[agent] = shown
        elif shown:
            assert shown == calendars[agent], f"a calendar changed before {event}"
    assert [paid[a] for a in sorted(calendars)] == raw["final_state"]["per_agent_cost"]


def seen(text: str | None) -> Calendar | None:
    """The calendar that the text shows, its labels left out."""
    return parse_calendar(text) if text else None


def booked(raw: dict[str, Any], data: dict[str, Any]) -> tuple[str, int] | None:
    """The name of the item that the batch adds, if it may add one."""
    meetings = raw["config"]["scenario"]["meetings"]
    return ("meeting", meetings[data["round"]]["id"]) if data["phase"] == "DECISION" else None


def price(before: Calendar, after: Calendar, added: tuple[str, int] | None) -> int:
    """What carrying the items from one calendar to the other costs. They must be the same but for the added one."""
    places = [{name(item): slot for slot, item in enumerate(c.slots) if item} for c in (before, after)]
    items = [Counter(item for item in c.slots if item) for c in (before, after)]
    assert all(times == 1 for times in (items[0] | items[1]).values())
    assert items[0] <= items[1]
    assert [name(item) for item in (items[1] - items[0])] == ([added] if added else [])
    moved: list[Item] = [item for item in items[0] if places[0][name(item)] != places[1][name(item)]]
    assert not any(isinstance(item, Errand) and item.blocked for item in moved)
    return sum(item.cost for item in moved)


def name(item: Item) -> tuple[str, int]:
    """What tells the item from others."""
    return "errand" if isinstance(item, Errand) else "meeting", item_id(item)


def check_tables(trace: Trace, text: bytes) -> None:
    """The tables count from the events what the game counted while it was played."""
    frames = ingested_frames(ingest(decode_trace(text), "t.json"))
    (game,) = frames["games"].iter_rows(named=True)
    assert {name: game[name] for name in COUNTED} == {name: trace.metrics[name] for name in COUNTED}
    assert game["dms"] == trace.metrics["total_dms_sent"]
    assert frames["moves"]["cost"].sum() == trace.metrics["realized_cost"]
