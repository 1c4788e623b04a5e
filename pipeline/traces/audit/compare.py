"""The trace's events set beside the replay's: what is missing, extra, out of order, or says something else."""

from collections import defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any

from pipeline.traces.audit.calendar import LABEL, diagnose, differences, labelled, read
from pipeline.traces.audit.codes import Findings
from pipeline.traces.audit.decide import bare
from pipeline.traces.audit.prompts import Reader
from pipeline.traces.audit.record import KINDS, Event
from pipeline.traces.audit.state import Expected, Game

# Beyond this many events out of step, only the first difference is told.
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
CODES_OF_KINDS = {"resolution": "wrong_slots", "consistency_violation": "wrong_violations"}


class Comparison:
    """One trace's events beside those of its replay."""

    def __init__(self, game: Game, events: Sequence[Event], findings: Findings) -> None:
        self.game, self.events, self.findings = game, events, findings
        self.told: set[Any] = set()
        self.reader = Reader(game, findings)

    def run(self) -> None:
        """Compare all events."""
        known = [n for n, e in enumerate(self.events) if e.type in KINDS]
        for kind in sorted({e.type for e in self.events} - KINDS):
            times = sum(e.type == kind for e in self.events)
            self.findings.add("unknown_event", "", kind, f"{times} times")
        mine = [e[:5] for e in self.game.expected]
        places = self.game.index.places
        theirs = [(self.events[n].type, *places[n]) for n in known]
        if mine == theirs:
            for expected, number in zip(self.game.expected, known, strict=True):
                self.compare(expected, number)
        elif max(len(mine), len(theirs)) > MOST_TO_ALIGN:
            self.first_difference(mine, theirs, known)
        else:
            self.align(mine, theirs, known)

    def first_difference(self, mine: Sequence[Any], theirs: Sequence[Any], known: Sequence[int]) -> None:
        """Where two long lists part ways."""
        pairs = enumerate(zip(mine, theirs, strict=False))
        at = next((n for n, (a, b) in pairs if a != b), min(len(mine), len(theirs)))
        expected, found = list(mine[at : at + 1]), list(theirs[at : at + 1])
        code = "missing_event" if expected else "unexpected_event"
        self.findings.add(code, expected, found, "from here on", event=known[at] if at < len(known) else None)

    def align(self, mine: Sequence[Any], theirs: Sequence[Any], known: Sequence[int]) -> None:
        """Pair equal events in order; then those that moved; then those that name another place; tell the rest."""
        missing: list[int] = []
        extra: list[int] = []
        blocks = []
        for tag, a, b, c, d in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
            if tag == "equal":
                for i, j in zip(range(a, b), range(c, d), strict=True):
                    self.compare(self.game.expected[i], known[j])
                continue
            missing += range(a, b)
            extra += range(c, d)
            blocks.append((range(a, b), range(c, d)))
        self.pair_moved(mine, theirs, known, missing, extra)
        for ours, found in blocks:
            left = [i for i in ours if i in missing], [j for j in found if j in extra]
            self.pair_misplaced(mine, theirs, known, *left)
        self.tell_missing(sorted(self.unpaired(missing, "mine")))
        self.tell_extra([known[j] for j in sorted(self.unpaired(extra, "theirs"))])

    def unpaired(self, numbers: Sequence[int], side: str) -> list[int]:
        """Those that no pair has used up."""
        return [n for n in numbers if (side, n) not in self.told]

    def pair_moved(self, mine: Any, theirs: Any, known: Sequence[int], missing: list[int], extra: list[int]) -> None:
        """Events that are there, but elsewhere."""
        waiting = defaultdict(list)
        for j in extra:
            waiting[theirs[j]].append(j)
        for i in list(missing):
            if waiting[mine[i]]:
                j = waiting[mine[i]].pop(0)
                self.use(i, j, missing, extra)
                self.blame("reordered_event", self.game.expected[i], known[j])
                self.compare(self.game.expected[i], known[j])

    def pair_misplaced(
        self, mine: Any, theirs: Any, known: Sequence[int], missing: list[int], extra: list[int]
    ) -> None:
        """Events of the expected kind, where they should be, that name another place."""
        for i in list(missing):
            j = next((j for j in extra if theirs[j][0] == mine[i][0]), None)
            if j is not None:
                self.use(i, j, missing, extra)
                expected = self.game.expected[i]
                where = {"event": known[j], "round": expected.round, "agent": expected.agent}
                self.findings.add("wrong_place", list(mine[i][1:]), list(theirs[j][1:]), mine[i][0], **where)
                self.compare(expected, known[j])

    def use(self, i: int, j: int, missing: list[int], extra: list[int]) -> None:
        """Both sides of a pair are accounted for."""
        missing.remove(i)
        extra.remove(j)
        self.told |= {("mine", i), ("theirs", j)}

    def tell_missing(self, numbers: Sequence[int]) -> None:
        """One divergence for each run of missing events."""
        for run in runs(numbers):
            first = self.game.expected[run[0]]
            kinds = [self.game.expected[i].type for i in run]
            where = {"round": first.round, "agent": first.agent}
            self.findings.add("missing_event", kinds[:8], "", f"{len(run)} events in {first.phase}", **where)

    def tell_extra(self, numbers: Sequence[int]) -> None:
        """One divergence for each run of events too many."""
        for run in runs(numbers):
            first, kinds = self.game.index.places[run[0]], [self.events[j].type for j in run]
            where = {"event": run[0], "round": first[0], "agent": first[3]}
            self.findings.add("unexpected_event", "", kinds[:8], f"{len(run)} events", **where)

    def compare(self, expected: Expected, number: int) -> None:
        """The fields of one event."""
        data = self.events[number].data
        for name, want in expected.want.items():
            if name in CALENDAR_FIELDS:
                self.compare_after(expected, number, data.get(name), want)
            elif not self.agree(expected.type, name, want, data.get(name)):
                self.blame(code_of(expected, name), expected, number, want, data.get(name), name)
        if expected.shown:
            self.compare_shown(expected, number, data)

    def agree(self, kind: str, name: str, want: Any, found: Any) -> bool:
        """Whether a field says what the replay gives; the public harness's fields may say more."""
        if name == "meeting" and isinstance(found, dict):
            return all(equal(value, found.get(key, value if self.game.public else None)) for key, value in want.items())
        if not self.game.public:
            return equal(want, found)
        if name == "actions":
            return equal(bare(want), bare(found))
        if name == "meeting_id" and kind != "resolution":
            return True
        if name == "inbox_drained" and isinstance(found, list) and all(isinstance(m, dict) for m in found):
            return equal([(m["from"], m["content"]) for m in want], [(m.get("from"), m.get("content")) for m in found])
        return equal(want, found)

    def blame(
        self, code: str, expected: Expected, number: int, want: Any = "", found: Any = "", field: str = ""
    ) -> None:
        """A divergence at this event."""
        where = {"event": number, "round": expected.round, "agent": expected.agent}
        self.findings.add(code, want, found, f"{expected.type}.{field}" if field else expected.type, **where)

    def compare_shown(self, expected: Expected, number: int, data: dict[str, Any]) -> None:
        """The calendar that an agent was shown, and its prompt."""
        shown = expected.shown
        assert shown is not None
        found = next((data[f] for f in CALENDAR_FIELDS if data.get(f) is not None), None)
        if found != shown.text:
            self.compare_text(expected, number, found, shown.bare, shown.calendar)
        prompt = data.get("prompt_sent")
        if prompt:
            self.reader.read(expected, number, prompt)

    def compare_after(self, expected: Expected, number: int, found: Any, want: str) -> None:
        """The calendar after a batch, which is shown without labels."""
        if found != want:
            self.compare_text(expected, number, found, want, read(want) or ())

    def compare_text(self, expected: Expected, number: int, found: Any, want: str, held: Any) -> None:
        """A rendering that is not the replay's word for word: say what is wrong with it, once for each agent."""
        labels = self.game.setup.labels
        calendar = read(found)
        if calendar is None or len(calendar) != len(held):
            self.blame("wrong_calendar", expected, number, want, found, "calendar")
            return
        gap = differences(calendar, held)
        if gap:
            code, item = diagnose(calendar, held)
            if (expected.agent, gap) not in self.told:
                self.told.add((expected.agent, gap))
                ours, theirs = [[s, b] for s, _, b in gap], [[s, a] for s, a, _ in gap]
                self.blame(code, expected, number, ours[:4], theirs[:4], item or "calendar")
        elif LABEL.sub("", found) != want:
            self.blame("wrong_calendar", expected, number, want, found, "layout")
        elif labels and found not in (want, labelled(held, labels)):
            self.blame("wrong_label", expected, number, labelled(held, labels), found, "calendar")
        elif labels and expected.shown:
            self.blame("wrong_label", expected, number, "with" if found == want else "without", found[:80], "labels")


def code_of(expected: Expected, name: str) -> str:
    """The code of a field that says something else."""
    if name == "coordinated":
        return "denied_coordination" if expected.want[name] else "false_coordination"
    if name == "meeting_id":
        return CODES_OF_KINDS.get(expected.type, "message_differs")
    return CODES_OF_FIELDS[name]


def equal(want: Any, found: Any) -> bool:
    """Equality that tells true from 1."""
    return bool(want == found) and isinstance(want, bool) == isinstance(found, bool)


def runs(numbers: Sequence[int]) -> list[list[int]]:
    """The numbers, ascending, in runs without a gap."""
    grouped = groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    return [[n for _, n in run] for _, run in grouped]
