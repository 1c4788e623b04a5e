"""A game's view as its page has it: short lists instead of records, spans as browsers count characters.

`static/read.js` is the other side: it gives the lists their names again.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

View = Mapping[str, Any]
Rows = Sequence[Mapping[str, Any]]

# Longest texts that a page shows, tried in turn until the page is light; what is cut is told.
CUTS = (100_000, 10_000, 2_000, 500)
WORDS = 1_000  # characters of a sentence that a protocol's JSON comes to
PAGE_BYTES = 1_900_000
CELLS = 20_000  # slots of all calendars that a page draws
LARGEST_PLAIN = "\uffff"  # characters above it count twice in a browser

GAME = (
    "game_id", "team", "simulated", "setting", "condition", "task_id", "difficulty", "density", "repeat", "stopped",
    "stop_cause", "meetings", "meetings_scheduled", "meetings_kept", "optimal_cost", "greedy_cost", "realized_cost",
    "excess_cost", "excess_over_greedy", "dms", "group_messages", "fairness", "num_agents", "num_slots",
)  # fmt: skip
ROUND = (
    "round", "meeting_id", "participants", "speaker_order", "coordinated", "slot", "oracle_slot", "cost",
    "optimal_cost", "cost_so_far", "participant_slots", "violated_meetings", "rolled_back", "batches_rejected",
    "resolution_event",
)  # fmt: skip
MOVE = ("event_index", "phase", "agent", "item_kind", "item_id", "from_slot", "to_slot", "cost")
LEAK = ("to_agent", "label", "tier", "induced", "recipient_entitled", "span_start", "span_end")
PATTERN = ("pattern", "agent", "strict", "span_start", "span_end")
THOUGHT = ("event_index", "phase", "agent")
PRIOR = 0.5  # of a game in which nobody learnt anything


def compact(view: View, cut: int = CUTS[0]) -> dict[str, Any]:
    """The view as plain lists, ready for JSON; texts are cut to so many characters, and say how many are left out."""
    priors = [pair["prior"] for told in view["rounds"] for pair in told["vps"]]
    return {
        "game": {name: view["game"][name] for name in GAME} | {"trace": trace_name(view["game"]["trace_path"])},
        "prior": priors[0] if priors else PRIOR,
        "agents": [[a["agent"], a["agent_type"], a["model"], a["nosy"], a["cost"], a["oracle_cost"]]
                   for a in view["agents"]],
        "labels": {kind: {str(i): [told["label"], told["tier"]] for i, told in sorted(labels.items())}
                   for kind, labels in view["labels"].items()},
        "rounds": [_round(told, cut) for told in view["rounds"]],
    }  # fmt: skip


def trace_name(path: str) -> str:
    """The trace's file without its folders, which are those of the machine that derived it."""
    return path.replace("\\", "/").rpartition("/")[2]


def _round(told: View, cut: int) -> dict[str, Any]:
    items: dict[tuple[Any, ...], int] = {}
    drawn = sum(map(len, told["before"])) <= CELLS
    grids = {name: [[_item(held, items) for held in calendar] for calendar in told[name] if drawn]
             for name in ("before", "after")}  # fmt: skip
    return {name: told[name] for name in ROUND} | {
        "items": [list(item) for item in items],
        **grids,
        "moves": [_picked(move, MOVE) for move in told["moves"]],
        "messages": [_message(message, cut) for message in told["messages"]],
        "patterns": [[row["event_index"], *_picked(row, PATTERN[:3])] for row in told["patterns"]],
        "vps": [[pair["target_agent"], pair["observer_agent"], pair["vps_loss"]] for pair in told["vps"]],
        "thoughts": [[*_picked(row, THOUGHT), *_cut(row["content"], cut)] for row in told["thoughts"]],
    }


def _item(held: Mapping[str, Any] | None, items: dict[tuple[Any, ...], int]) -> int:
    """The number of what a slot holds among the round's items, from 1; 0 for a free slot."""
    if held is None:
        return 0
    item = (held["kind"], held["id"], held["cost"], held["blocked"])
    return items.setdefault(item, len(items) + 1)


def _message(row: View, cut: int) -> list[Any]:
    """A message: event, sweep, channel, sender, recipients, protocol, text, characters left out, what it shows, and a
    protocol's JSON in words."""
    places = Places(row["content"])
    return [
        *_picked(row, ("event_index", "turn", "channel", "from_agent", "to_agents", "typed")),
        *_cut(row["content"], cut),
        _updates(row["updates"], places),
        [places.shifted(_picked(leak, LEAK)) for leak in row["leaks"]],
        [places.shifted(_picked(pattern, PATTERN)) for pattern in row["patterns"]],
        _cut(row["in_words"], WORDS)[0] if row["in_words"] else None,
    ]


def _picked(row: View, names: Iterable[str]) -> list[Any]:
    return [row[name] for name in names]


def _cut(text: str, cut: int) -> tuple[str, int]:
    """The text's beginning, and how many characters are left out."""
    return (text, 0) if len(text) <= cut else (text[:cut], len(text) - cut)


def _updates(updates: Rows, places: "Places") -> list[list[Any]]:
    """What a message lets be believed: source, target, evidence, strength, span, and each [observer, slot, belief].

    In the order of the updates: of two about one slot the later one is believed.
    """
    names = ("source", "target_agent", "evidence", "strength", "span_start", "span_end")
    runs = groupby(updates, key=lambda update: _picked(update, names))
    return [[*places.shifted(list(same)), [_believed(update) for update in run]] for same, run in runs]


def _believed(update: Mapping[str, Any]) -> list[Any]:
    after = update["belief_after"]
    return [update["observer_agent"], update["slot"], None if after is None else round(after, 6)]


class Places:
    """Where a text's characters stand when a browser counts them: those beyond U+FFFF count twice there."""

    def __init__(self, text: str) -> None:
        self.wide = [i for i, character in enumerate(text) if character > LARGEST_PLAIN] if _has_wide(text) else []

    def shifted(self, row: list[Any]) -> list[Any]:
        """The row, whose last two values are a span in characters (or nothing), with the span as browsers count."""
        return [*row[:-2], *(None if place is None else self._shifted(place) for place in row[-2:])]

    def _shifted(self, place: int) -> int:
        return place + bisect_left(self.wide, place)


def _has_wide(text: str) -> bool:
    return not text.isascii() and max(text) > LARGEST_PLAIN
