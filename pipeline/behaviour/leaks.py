"""Private labels said aloud: which message told whom which label (section 4, Appendix C).

A label leaks when its sender could know it and the message says what discloses it (pipeline/behaviour/terms.py). Typed
messages are no English and leak nothing. A leak is induced when it is sent to a probing agent, or after a probing agent
has written to its sender in the same round; a probing agent's own leaks are not. A meeting's label told to one of the
meeting's participants is a leak as in the paper's count, and marked as told to somebody entitled to it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

import polars as pl

from pipeline.behaviour.phrases import split, stems
from pipeline.behaviour.terms import Reading, find_label, read_label

Row = tuple[Any, ...]

# A word starts with its stem, but for case, the y that "ies" became, and letters that are not ASCII.
OTHER = re.compile("[^a-z0-9]")
# Letters that lower case makes ASCII of.
BECOME_ASCII = "[\u0130\u212a]"


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
    cues = cues_of(labels_known)
    heard = messages.join(nosy_agents(agents), on=("game_id", "from_agent"), how="left", maintain_order="left")
    heard = heard.filter(may_hint(pl.col("content"), cues) | pl.col("nosy"))
    said = [(*message, cues & stems(message[-1])) for message in english(heard)]
    if not said:
        return []
    labels, invited = known_by_agent(labels_known, _hints(said)), invitations(rounds)
    nosy = set(nosy_agents(agents).select("game_id", "from_agent").iter_rows())
    probed: set[tuple[str, int, int]] = set()
    rows: list[Row] = []
    for game, event, number, sender, recipients, content, hints in said:
        if (game, sender) in nosy:
            probed.update((game, number, recipient) for recipient in recipients)
        for label, start, end in _labels_with(hints, content, event, labels.get((game, sender), ())):
            for to in dict.fromkeys(recipients):
                induced = (game, sender) not in nosy and ((game, to) in nosy or (game, number, sender) in probed)
                entitled = label.kind == "meeting" and to in invited.get((game, label.item_id), ())
                told = (game, event, number, sender, to, label.label, label.tier, content[start:end], start, end)
                rows.append((*told, induced, entitled, label.kind, label.item_id))
    return rows


def _hints(said: Iterable[Row]) -> Mapping[tuple[str, int], Set[str]]:
    """(game, sender) → the stems of labels that it used."""
    hints: dict[tuple[str, int], Set[str]] = {}
    for game, _, _, sender, _, _, found in said:
        if found:
            hints[game, sender] = hints.get((game, sender), frozenset()) | found
    return hints


def nosy_agents(agents: pl.DataFrame) -> pl.DataFrame:
    """One row per probing agent, by the messages that it sends."""
    return agents.filter("nosy").select("game_id", "nosy", from_agent="agent")


def cues_of(labels_known: pl.DataFrame) -> frozenset[str]:
    """The stems of which a message has one at least, if it discloses any of the labels."""
    distinct = labels_known.select("label", "terms").unique()
    return frozenset().union(*(read_label(label, tuple(terms)).cues for label, terms in distinct.iter_rows()))


def may_hint(content: pl.Expr, cues: Iterable[str]) -> pl.Expr:
    """Whether a text can have a word of one of these stems, as few have: it has what all words of a stem start with."""
    starts = {OTHER.split(cue, 1)[0].removesuffix("y") for cue in cues}
    if not starts or "" in starts:
        return pl.lit(bool(starts))
    return content.str.contains_any(sorted(starts), ascii_case_insensitive=True) | content.str.contains(BECOME_ASCII)


def english(messages: pl.DataFrame) -> Iterator[tuple[str, int, int, int, list[int], str]]:
    """(game, event, round, sender, recipients, content) of the messages that are no protocol's, in order."""
    said = messages.filter(pl.col("typed").is_null()).sort("game_id", "event_index")
    names = ("game_id", "event_index", "round", "from_agent", "to_agents", "content")
    return zip(*(said[name].to_list() for name in names), strict=True)


def known_by_agent(
    labels_known: pl.DataFrame, hints: Mapping[tuple[str, int], Set[str]]
) -> Mapping[tuple[str, int], Sequence[Known]]:
    """(game, agent) → the labels that it could know, of those that have one of its hints among their cues."""
    names = ("game_id", "agent", "kind", "item_id", "label", "tier", "terms", "known_from")
    known: dict[tuple[str, int], list[Known]] = {}
    for game, agent, kind, item, label, tier, terms, since in zip(
        *(labels_known[n].to_list() for n in names), strict=True
    ):
        if said := hints.get((game, agent)):
            reading = read_label(label, tuple(terms))
            if not reading.cues.isdisjoint(said):
                known.setdefault((game, agent), []).append(Known(kind, item, label, tier, since, reading))
    return known


def invitations(rounds: pl.DataFrame) -> Mapping[tuple[str, int], Sequence[int]]:
    """(game, meeting) → its participants."""
    names = ("game_id", "meeting_id", "participants")
    return {(game, meeting): who for game, meeting, who in zip(*(rounds[n].to_list() for n in names), strict=True)}
