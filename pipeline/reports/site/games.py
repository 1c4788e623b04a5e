"""A game's view as its page reads it: lists instead of records, spans as browsers count characters.

`static/read.js` turns the lists back into records.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

View = Mapping[str, Any]
Rows = Sequence[Mapping[str, Any]]

# Longest texts that a page shows, tried in turn until the page is within PAGE_BYTES; it says what is cut.
CUTS = (100_000, 10_000, 2_000, 500)
WORDS = 1_000  # most characters of a typed message in words
PAGE_BYTES = 1_900_000
CELLS = 20_000  # most slots of a round's calendars that a page draws
LAST_PLAIN = "\uffff"  # characters above it count twice in a browser

GAME = (
    "game_id", "team", "simulated", "setting", "condition", "task_id", "difficulty", "density", "repeat", "stopped",
    "stop_cause", "meetings", "meetings_scheduled", "meetings_kept", "optimal_cost", "greedy_cost", "realized_cost",
    "excess_cost", "excess_over_greedy", "dms", "group_messages", "fairness", "num_agents", "num_slots",
)  # fmt: skip
ROUND = (
    "round", "meeting_id", "participants", "speaker_order", "coordinated", "slot", "oracle_slot", "cost",
    "optimal_cost", "cost_so_far", "failure_reason", "outcome",
)  # fmt: skip
MOVE = ("event_index", "phase", "agent", "item_kind", "item_id", "from_slot", "to_slot", "cost")
LEAK = ("to_agent", "label", "tier", "induced", "recipient_entitled", "span_start", "span_end")
PATTERN = ("pattern", "agent", "strict", "span_start", "span_end")
THOUGHT = ("event_index", "phase", "agent")


def compact_view(view: View, cut: int = CUTS[0]) -> dict[str, Any]:
    """The view as lists, ready for JSON. cut: characters at which texts end; each says how many are left out."""
    return {
        "game": {name: view["game"][name] for name in GAME} | {"trace": trace_name(view["game"]["trace_path"])},
        "prior": view["prior"],
        "agents": [[a["agent"], a["agent_type"], a["model"], a["nosy"], a["cost"], a["oracle_cost"]]
                   for a in view["agents"]],
        "labels": {kind: {str(i): [game_round["label"], game_round["tier"]] for i, game_round in sorted(labels.items())}
                   for kind, labels in view["labels"].items()},
        "rounds": [_round(game_round, cut) for game_round in view["rounds"]],
    }  # fmt: skip


def trace_name(path: str) -> str:
    """The trace's file name, without the folders of the machine that derived it."""
    return path.replace("\\", "/").rpartition("/")[2]


def _round(game_round: View, cut: int) -> dict[str, Any]:
    items: dict[tuple[Any, ...], int] = {}
    drawn = sum(map(len, game_round["before"])) <= CELLS
    grids = {name: [[_item(held, items) for held in calendar] for calendar in game_round[name] if drawn]
             for name in ("before", "after")}  # fmt: skip
    return {name: game_round[name] for name in ROUND} | {
        "items": [list(item) for item in items],
        **grids,
        "moves": [_values(move, MOVE) for move in game_round["moves"]],
        "messages": [_message(message, cut) for message in game_round["messages"]],
        "patterns": [[row["event_index"], *_values(row, PATTERN[:3])] for row in game_round["patterns"]],
        "vps": [[pair["target_agent"], pair["observer_agent"], pair["vps_loss"]] for pair in game_round["vps"]],
        "thoughts": [[*_values(row, THOUGHT), *_cut_text(row["content"], cut)] for row in game_round["thoughts"]],
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
    offsets = BrowserOffsets(row["content"])
    return [
        *_values(row, ("event_index", "turn", "channel", "from_agent", "to_agents", "typed")),
        *_cut_text(row["content"], cut),
        _updates(row["updates"], offsets),
        [offsets.converted(_values(leak, LEAK)) for leak in row["leaks"]],
        [offsets.converted(_values(pattern, PATTERN)) for pattern in row["patterns"]],
        _cut_text(row["in_words"], WORDS)[0] if row["in_words"] else None,
    ]


def _values(row: View, names: Iterable[str]) -> list[Any]:
    return [row[name] for name in names]


def _cut_text(text: str, cut: int) -> tuple[str, int]:
    """The text's beginning, and how many characters are left out."""
    return (text, 0) if len(text) <= cut else (text[:cut], len(text) - cut)


def _updates(updates: Rows, offsets: "BrowserOffsets") -> list[list[Any]]:
    """A message's belief updates: source, target, evidence, strength, span, and a list of [observer, slot, belief].

    In the order of the updates: of two about one slot the later counts.
    """
    names = ("source", "target_agent", "evidence", "strength", "span_start", "span_end")
    runs = groupby(updates, key=lambda update: _values(update, names))
    return [[*offsets.converted(list(same)), [_believed(update) for update in run]] for same, run in runs]


def _believed(update: Mapping[str, Any]) -> list[Any]:
    after = update["belief_after"]
    return [update["observer_agent"], update["slot"], None if after is None else round(after, 6)]


class BrowserOffsets:
    """Offsets into a text as a browser counts them: characters above U+FFFF count twice there."""

    def __init__(self, text: str) -> None:
        self.wide = [i for i, character in enumerate(text) if character > LAST_PLAIN] if _has_wide(text) else []

    def converted(self, row: list[Any]) -> list[Any]:
        """The row with its last two values, a span in characters or None, as the browser's offsets."""
        return [*row[:-2], *(None if place is None else self._offset(place) for place in row[-2:])]

    def _offset(self, place: int) -> int:
        return place + bisect_left(self.wide, place)


def _has_wide(text: str) -> bool:
    return not text.isascii() and max(text) > LAST_PLAIN
