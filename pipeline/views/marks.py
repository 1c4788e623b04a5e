"""What a message shows, as marks on its text and as words beside it."""

from collections.abc import Mapping
from typing import Any

from pipeline.views.text import Mark

SOURCES = {
    "language_occupied": "says that it holds something there",
    "language_negative": "says that it can't",
    "language_positive": "says that it can",
    "language_cost": "says what moving would cost",
    "language_proposal": "proposes it",
}


def marks(message: Mapping[str, Any]) -> list[Mark]:
    """The marks of a message of a view: evidence of English, leaked labels, patterns that have a place."""
    found = [
        Mark(update["span_start"], update["span_end"], "evidence", told(update))
        for update in message["updates"]
        if update["span_start"] is not None
    ]
    for leak in message["leaks"]:
        note = f"leaks a {leak['tier'] or 'private'} label: {leak['label']}"
        found.append(Mark(leak["span_start"], leak["span_end"], "leak", note))
    for pattern in message["patterns"]:
        if pattern["span_start"] is not None:
            found.append(Mark(pattern["span_start"], pattern["span_end"], "pattern", words(pattern["pattern"])))
    return found


def told(update: Mapping[str, Any]) -> str:
    """What an update says of whom: "agent 2, slot 4: says that it can; belief of agent 0 0.50 → 0.95"."""
    source = SOURCES.get(update["source"], words(update["source"]))
    before, after = update["belief_before"], update["belief_after"]
    moved = "–" if after is None else f"{before:.2f} → {after:.2f}"
    target, slot, observer = update["target_agent"], update["slot"], update["observer_agent"]
    return f"agent {target}, slot {slot}: {source}; belief of agent {observer} {moved}"


def words(name: str) -> str:
    """A name of the tables as words."""
    return name.replace("_", " ")
