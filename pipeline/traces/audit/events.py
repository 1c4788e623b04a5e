"""The trace's events against the replay's: the first of a round that is not the replay's, and fields that differ."""

from collections.abc import Iterable, Sequence, Set
from itertools import zip_longest
from typing import Any, TypeVar

from pipeline.traces.audit.calendar import LABEL, classify_difference, differences, parse_calendar, render_with_labels
from pipeline.traces.audit.decisions import without_costs
from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.game import ExpectedEvent, Game
from pipeline.traces.audit.metrics import OWN_METRICS
from pipeline.traces.audit.prompts import PromptChecker
from pipeline.traces.audit.trace import KINDS, Event, Trace
from pipeline.traces.audit.trace import SENT as CHANNEL_OF

Kind = TypeVar("Kind")
# Events after which the replay is compared again, whatever came before.
BEGINNINGS = ("game_start", "round_start", "game_end", "game_stopped")
CALENDAR_FIELDS = ("calendar_snapshot_render", "calendar_render", "calendar_render_after")
CODES_OF_FIELDS = {
    "num_agents": "wrong_setup",
    "num_slots": "wrong_setup",
    "meeting": "meeting_differs",
    "speaker_order": "meeting_differs",
    "inbox_drained": "inbox_differs",
    "to_agent": "wrong_recipients",
    "to_agents": "wrong_recipients",
    "from_agent": "message_differs",
    "content": "message_differs",
    "content_chars": "message_differs",
    "channel": "message_differs",
    "tool_call": "refusal_differs",
    "attempt": "wrong_attempt",
    "attempts": "wrong_attempt",
    "actions": "batch_differs",
    "cost": "wrong_cost",
    "per_agent_slot": "wrong_slots",
    "slot_conflicts": "slot_conflicts",
    "consistency_violated_meeting_ids": "wrong_violations",
    "violated_meeting_ids": "wrong_violations",
    "blocked_slot_violations": "wrong_blocked",
    "cause": "stop_claim",
}
CODES_OF_EVENTS = {"resolution": "wrong_slots", "consistency_violation": "wrong_violations"}


# The fields of each kind of event in traces of ours (docs/trace.schema.json), beside those of its place.
PLACE = frozenset(["round", "turn", "phase", "agent_id"])
SENT = "from_agent meeting_id content content_chars channel"
ANSWER = "tool_calls text thinking usage latency_ms intent parse"
FIELDS = {
    "game_start": "scenario_seed num_agents num_slots optimal_cost greedy_cost nosy_agent_ids",
    "agent_registered": "is_nosy_agent system_prompt calendar_render",
    "round_start": "meeting speaker_order",
    "turn_start": "inbox_drained calendar_render prompt_sent",
    "turn_end": ANSWER,
    "dm_sent": f"{SENT} to_agent",
    "participant_groupchat_sent": f"{SENT} to_agents",
    "all_groupchat_sent": f"{SENT} to_agents",
    "invalid_tool_call": "tool_call reason",
    "decide_start": "attempt calendar_snapshot_render prompt_sent",
    "decide_end": f"attempt {ANSWER}",
    "batch_rejected": "attempt conflict_description actions",
    "batch_applied": "actions cost calendar_render_after",
    "batch_rolled_back": "actions",
    "decision_failed": "attempts",
    "resolution": "meeting_id per_agent_slot coordinated slot_conflicts consistency_violated_meeting_ids "
    "blocked_slot_violations",
    "consistency_violation": "meeting_id violated_meeting_ids",
    "game_end": " ".join(OWN_METRICS),
    "game_stopped": "cause",
}
# Who a message went to: one agent, or several.
READERS = ("to_agent", "to_agents")
FIELDS_OF = {kind: PLACE.union(fields.split()) for kind, fields in FIELDS.items()}


class EventComparison:
    """One trace's events beside those of its replay."""

    def __init__(self, game: Game, trace: Trace, findings: Findings) -> None:
        self.game, self.events, self.findings = game, trace.events, findings
        self.reported: set[Any] = set()
        self.prompts = PromptChecker(game, findings, trace.config.get("prompts"))

    def run(self) -> None:
        """Compare all events."""
        known = [n for n, e in enumerate(self.events) if e.type in KINDS]
        for kind in sorted({e.type for e in self.events} - KINDS):
            times = sum(e.type == kind for e in self.events)
            self.findings.add("unknown_event", "", kind, f"{times} times")
        self.check_fields(known)
        replayed = by_round((e.type, e[:5], e) for e in self.game.expected)
        refs = self.game.index.refs
        recorded = by_round((self.events[n].type, (self.events[n].type, *refs[n]), n) for n in known)
        for name in dict.fromkeys([*replayed, *recorded]):
            self.compare_round(replayed.get(name, []), recorded.get(name, []))
        common = [name for name in recorded if name in replayed]
        if common != [name for name in replayed if name in recorded]:
            self.findings.add("unexpected_event", list(replayed), list(recorded), "rounds in another order")

    def check_fields(self, known: Sequence[int]) -> None:
        """Fields that no event of its kind has: readers may take them for others."""
        for number in known:
            event = self.events[number]
            if more := sorted(self.unknown_fields(event)):
                where = {"round": event.data.get("round"), "agent": event.data.get("agent_id")}
                self.findings.add("unknown_field", "", more, event.type, event=number, **where)

    def unknown_fields(self, event: Event) -> Set[str]:
        """The fields that no event of its kind has. Of a public trace, which has fields of its own, those that name a
        message's readers otherwise than its channel does."""
        if self.game.public:
            given = {name for name in READERS if event.data.get(name) is not None}
            return given - FIELDS_OF[event.type] if event.type in CHANNEL_OF else set()
        return event.data.keys() - FIELDS_OF[event.type]

    def compare_round(self, replayed: Sequence[tuple[Any, ExpectedEvent]], recorded: Sequence[tuple[Any, int]]) -> None:
        """Compare the events of a round, up to the first that the replay does not have there."""
        for place, (wanted, found) in enumerate(zip_longest(replayed, recorded)):
            if wanted is None or found is None or wanted[0] != found[0]:
                missing = wanted is not None and wanted[0] not in [name for name, _ in recorded[place:]]
                first: Any = wanted or found
                _, number, _, _, agent = first[0]
                self.findings.add(
                    "missing_event" if missing else "unexpected_event",
                    list(wanted[0]) if wanted else "",
                    list(found[0]) if found else "",
                    "the round is compared no further",
                    event=found[1] if found else None,
                    round=number,
                    agent=agent,
                )
                return
            self.compare(wanted[1], found[1])

    def compare(self, expected: ExpectedEvent, number: int) -> None:
        """The fields of one event."""
        data = self.events[number].data
        for name, replayed in expected.fields.items():
            if name in CALENDAR_FIELDS:
                self.compare_after(expected, number, data.get(name), replayed)
            elif not self.agrees(expected.type, name, replayed, data.get(name)):
                self.report(code_of(expected, name), expected, number, replayed, data.get(name), name)
        if expected.shown:
            self.compare_shown(expected, number, data)

    def agrees(self, kind: str, name: str, replayed: Any, recorded: Any) -> bool:
        """Whether a field says what the replay gives; the public harness's fields may say more."""
        if name == "meeting" and isinstance(recorded, dict):
            return all(
                equal(value, recorded.get(key, value if self.game.public else None)) for key, value in replayed.items()
            )
        if not self.game.public:
            return equal(replayed, recorded)
        if name in ("attempt", "attempts", "slot_conflicts"):
            return True
        if name == "actions":
            return equal(without_costs(replayed), without_costs(recorded))
        if name == "meeting_id" and kind != "resolution":
            return kind not in CHANNEL_OF or equal(replayed, recorded)
        if name == "inbox_drained" and isinstance(recorded, list) and all(isinstance(m, dict) for m in recorded):
            return equal(
                [(m["from"], m["content"]) for m in replayed], [(m.get("from"), m.get("content")) for m in recorded]
            )
        return equal(replayed, recorded)

    def report(
        self, code: str, expected: ExpectedEvent, number: int, replayed: Any = "", recorded: Any = "", field: str = ""
    ) -> None:
        """Add a divergence at this event."""
        where = {"event": number, "round": expected.round, "agent": expected.agent}
        self.findings.add(code, replayed, recorded, f"{expected.type}.{field}" if field else expected.type, **where)

    def compare_shown(self, expected: ExpectedEvent, number: int, data: dict[str, Any]) -> None:
        """The calendar that an agent was shown, in every field that has one, and its prompt."""
        shown = expected.shown
        assert shown is not None
        for recorded in [data[f] for f in CALENDAR_FIELDS if data.get(f) is not None] or [None]:
            if recorded != shown.rendering:
                self.compare_text(expected, number, recorded, shown.unlabelled, shown.calendar)
        prompt = data.get("prompt_sent")
        if prompt:
            self.prompts.check(expected, number, prompt)

    def compare_after(self, expected: ExpectedEvent, number: int, recorded: Any, replayed: str) -> None:
        """The calendar after a batch, which is shown without labels."""
        if recorded != replayed:
            self.compare_text(expected, number, recorded, replayed, parse_calendar(replayed) or ())

    def compare_text(self, expected: ExpectedEvent, number: int, recorded: Any, replayed: str, held: Any) -> None:
        """Report what is wrong with a rendering that is not the replay's, each difference once for each agent."""
        labels = self.game.setup.labels
        calendar = parse_calendar(recorded)
        if calendar is None or len(calendar) != len(held):
            self.report("wrong_calendar", expected, number, replayed, recorded, "calendar")
            return
        gap = differences(calendar, held)
        if gap:
            code, item = classify_difference(calendar, held)
            if (expected.agent, gap) not in self.reported:
                self.reported.add((expected.agent, gap))
                ours, recorded = [[s, b] for s, _, b in gap], [[s, a] for s, a, _ in gap]
                self.report(code, expected, number, ours[:4], recorded[:4], item or "calendar")
        elif LABEL.sub("", recorded) != replayed:
            self.report("wrong_calendar", expected, number, replayed, recorded, "layout")
        elif labels and recorded not in (replayed, render_with_labels(held, labels)):
            self.report("wrong_label", expected, number, render_with_labels(held, labels), recorded, "calendar")
        elif labels and expected.shown:
            self.report(
                "wrong_label", expected, number, "with" if recorded == replayed else "without", recorded[:80], "labels"
            )


def code_of(expected: ExpectedEvent, name: str) -> str:
    """The code of a field that says something else."""
    if name == "coordinated":
        return "denied_coordination" if expected.fields[name] else "false_coordination"
    if name == "meeting_id":
        return CODES_OF_EVENTS.get(expected.type, "message_differs")
    return CODES_OF_FIELDS[name]


def equal(replayed: Any, recorded: Any) -> bool:
    """Equality that tells true from 1."""
    return bool(replayed == recorded) and isinstance(replayed, bool) == isinstance(recorded, bool)


def by_round(events: Iterable[tuple[str, Any, Kind]]) -> dict[Any, list[tuple[Any, Kind]]]:
    """The events, (type, type and place, itself) each, by the event that begins their round, the game or its end."""
    rounds: dict[Any, list[tuple[Any, Kind]]] = {}
    name: Any = None
    for kind, ref, event in events:
        name = ref if kind in BEGINNINGS or name is None else name
        rounds.setdefault(name, []).append((ref, event))
    return rounds
