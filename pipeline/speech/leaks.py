"""Private labels said aloud: which message told whom which label (section 4, Appendix C).

A label leaks when its sender could know it and the message says what discloses it (pipeline/speech/terms.py). Typed
messages are no English and leak nothing. A leak is induced when it is sent to a probing agent, or after a probing agent
has written to its sender in the same round; a probing agent's own leaks are not. A meeting's label told to one of the
meeting's participants is a leak as in the paper's count, and marked as told to somebody entitled to it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from pipeline.reading.tokens import split, stems
from pipeline.speech.terms import Reading, find_label, read_label

Row = tuple[Any, ...]


class Known(NamedTuple):
    """A label that an agent could know from an event on."""

    kind: str
    item_id: int
    label: str
    tier: str | None
    known_from: int
    reading: Reading


class Found(NamedTuple):
    """A label that a message discloses, and where."""

    known: Known
    start: int
    end: int


def labels_said(content: str, event_index: int, known: Iterable[Known]) -> list[Found]:
    """The labels known at the event that the message discloses: each text once, by its kind and item."""
    return _labels_with(stems(content), content, event_index, known)


def _labels_with(said: frozenset[str], content: str, event_index: int, known: Iterable[Known]) -> list[Found]:
    """The same of a message whose words have these stems."""
    hinted = [label for label in known if not label.reading.cues.isdisjoint(said)]
    if not hinted:
        return []
    message = split(content)
    found: dict[str, Found] = {}
    for label in sorted(hinted, key=lambda label: (label.kind, label.item_id)):
        if label.known_from <= event_index and label.label not in found:
            span = find_label(label.reading, message)
            if span:
                found[label.label] = Found(label, *span)
    return list(found.values())


def find_leaks(
    messages: pl.DataFrame, labels_known: pl.DataFrame, rounds: pl.DataFrame, agents: pl.DataFrame
) -> list[Row]:
    """One row per leaked label and recipient, in the order of the table leaks."""
    said = list(english(messages))
    if not said:
        return []
    labels, invited = known_by_agent(labels_known), invitations(rounds)
    telling = frozenset().union(*(label.reading.cues for known in labels.values() for label in known))
    nosy = set(agents.filter("nosy").select("game_id", "agent").iter_rows())
    probed: set[tuple[str, int, int]] = set()
    rows: list[Row] = []
    for game, event, number, sender, recipients, content in said:
        if (game, sender) in nosy:
            probed.update((game, number, recipient) for recipient in recipients)
        # Most messages have no word that any label has.
        if not (hinting := telling & stems(content)):
            continue
        for label, start, end in _labels_with(hinting, content, event, labels.get((game, sender), ())):
            for to in dict.fromkeys(recipients):
                induced = (game, sender) not in nosy and ((game, to) in nosy or (game, number, sender) in probed)
                entitled = label.kind == "meeting" and to in invited.get((game, label.item_id), ())
                told = (game, event, number, sender, to, label.label, label.tier, content[start:end], start, end)
                rows.append((*told, induced, entitled, label.kind, label.item_id))
    return rows


def english(messages: pl.DataFrame) -> Iterator[tuple[str, int, int, int, list[int], str]]:
    """(game, event, round, sender, recipients, content) of the messages that are no protocol's, in order."""
    said = messages.filter(pl.col("typed").is_null()).sort("game_id", "event_index")
    names = ("game_id", "event_index", "round", "from_agent", "to_agents", "content")
    return zip(*(said[name].to_list() for name in names), strict=True)


def known_by_agent(labels_known: pl.DataFrame) -> Mapping[tuple[str, int], Sequence[Known]]:
    """(game, agent) → the labels that it could know."""
    names = ("game_id", "agent", "kind", "item_id", "label", "tier", "terms", "known_from")
    known: dict[tuple[str, int], list[Known]] = {}
    for game, agent, kind, item, label, tier, terms, since in zip(
        *(labels_known[n].to_list() for n in names), strict=True
    ):
        reading = read_label(label, tuple(terms))
        known.setdefault((game, agent), []).append(Known(kind, item, label, tier, since, reading))
    return known


def invitations(rounds: pl.DataFrame) -> Mapping[tuple[str, int], Sequence[int]]:
    """(game, meeting) → its participants."""
    names = ("game_id", "meeting_id", "participants")
    return {(game, meeting): who for game, meeting, who in zip(*(rounds[n].to_list() for n in names), strict=True)}
