"""The trace's events against the replay's: which are missing, extra, out of order, or differ in a field."""

from collections import defaultdict
from collections.abc import Sequence, Set
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any

from pipeline.traces.audit.calendar import LABEL, classify_difference, differences, parse_calendar, render_with_labels
from pipeline.traces.audit.decisions import without_costs
from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.game import ExpectedEvent, Game
from pipeline.traces.audit.metrics import OWN_METRICS
from pipeline.traces.audit.prompts import PromptChecker
from pipeline.traces.audit.trace import KINDS, Event, Trace
from pipeline.traces.audit.trace import SENT as CHANNEL_OF

# Of lists longer than this that differ, only the first difference is reported.
MOST_TO_ALIGN = 4_000

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
        replayed = [e[:5] for e in self.game.expected]
        refs = self.game.index.refs
        recorded = [(self.events[n].type, *refs[n]) for n in known]
        if replayed == recorded:
            for expected, number in zip(self.game.expected, known, strict=True):
                self.compare(expected, number)
        elif max(len(replayed), len(recorded)) > MOST_TO_ALIGN:
            self.first_difference(replayed, recorded, known)
        else:
            self.align(replayed, recorded, known)

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

    def first_difference(self, replayed: Sequence[Any], recorded: Sequence[Any], known: Sequence[int]) -> None:
        """Report the first event in which two long lists differ."""
        pairs = enumerate(zip(replayed, recorded, strict=False))
        at = next((n for n, (a, b) in pairs if a != b), min(len(replayed), len(recorded)))
        first_replayed, first_recorded = list(replayed[at : at + 1]), list(recorded[at : at + 1])
        code = "missing_event" if first_replayed else "unexpected_event"
        event = known[at] if at < len(known) else None
        self.findings.add(code, first_replayed, first_recorded, "from here on", event=event)

    def align(self, replayed: Sequence[Any], recorded: Sequence[Any], known: Sequence[int]) -> None:
        """Pair equal events in order, then those out of order, then those with another place; report the rest."""
        missing: list[int] = []
        extra: list[int] = []
        blocks = []
        for tag, a, b, c, d in SequenceMatcher(None, replayed, recorded, autojunk=False).get_opcodes():
            if tag == "equal":
                for i, j in zip(range(a, b), range(c, d), strict=True):
                    self.compare(self.game.expected[i], known[j])
                continue
            missing += range(a, b)
            extra += range(c, d)
            blocks.append((range(a, b), range(c, d)))
        self.pair_moved(replayed, recorded, known, missing, extra)
        for only_replayed, only_recorded in blocks:
            left = [i for i in only_replayed if i in missing], [j for j in only_recorded if j in extra]
            self.pair_misplaced(replayed, recorded, known, *left)
        self.report_missing(sorted(self.unpaired(missing, "replayed")))
        self.report_extra([known[j] for j in sorted(self.unpaired(extra, "recorded"))])

    def unpaired(self, numbers: Sequence[int], side: str) -> list[int]:
        """The numbers of events of one side that are in no pair."""
        return [n for n in numbers if (side, n) not in self.reported]

    def pair_moved(
        self, replayed: Any, recorded: Any, known: Sequence[int], missing: list[int], extra: list[int]
    ) -> None:
        """Events that are there, but elsewhere."""
        waiting = defaultdict(list)
        for j in extra:
            waiting[recorded[j]].append(j)
        for i in list(missing):
            if waiting[replayed[i]]:
                j = waiting[replayed[i]].pop(0)
                self.mark_paired(i, j, missing, extra)
                self.report("reordered_event", self.game.expected[i], known[j])
                self.compare(self.game.expected[i], known[j])

    def pair_misplaced(
        self, replayed: Any, recorded: Any, known: Sequence[int], missing: list[int], extra: list[int]
    ) -> None:
        """Events of the expected kind, where they should be, that name another place."""
        for i in list(missing):
            j = next((j for j in extra if recorded[j][0] == replayed[i][0]), None)
            if j is not None:
                self.mark_paired(i, j, missing, extra)
                expected = self.game.expected[i]
                where = {"event": known[j], "round": expected.round, "agent": expected.agent}
                self.findings.add("wrong_place", list(replayed[i][1:]), list(recorded[j][1:]), replayed[i][0], **where)
                self.compare(expected, known[j])

    def mark_paired(self, i: int, j: int, missing: list[int], extra: list[int]) -> None:
        """Take both events of a pair off the lists."""
        missing.remove(i)
        extra.remove(j)
        self.reported |= {("replayed", i), ("recorded", j)}

    def report_missing(self, numbers: Sequence[int]) -> None:
        """One divergence for each run of missing events."""
        for run in runs(numbers):
            first = self.game.expected[run[0]]
            kinds = [self.game.expected[i].type for i in run]
            where = {"round": first.round, "agent": first.agent}
            self.findings.add("missing_event", kinds[:8], "", f"{len(run)} events in {first.phase}", **where)

    def report_extra(self, numbers: Sequence[int]) -> None:
        """One divergence for each run of events too many."""
        for run in runs(numbers):
            first, kinds = self.game.index.refs[run[0]], [self.events[j].type for j in run]
            where = {"event": run[0], "round": first[0], "agent": first[3]}
            self.findings.add("unexpected_event", "", kinds[:8], f"{len(run)} events", **where)

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
        if name == "attempt" and kind in ("decide_start", "decide_end"):
            return recorded is None or equal(replayed, recorded)
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


def runs(numbers: Sequence[int]) -> list[list[int]]:
    """The numbers, ascending, in runs without a gap."""
    grouped = groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    return [[n for _, n in run] for _, run in grouped]
