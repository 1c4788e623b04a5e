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

from pipeline.behaviour.phrases import split_words, stems
from pipeline.behaviour.terms import PreparedLabel, find_label, prepare_label

Row = tuple[Any, ...]

# A word starts with its stem up to the first such character, but for case and the y that stands for "ies".
NOT_ASCII_WORD = re.compile("[^a-z0-9]")
# Letters that become ASCII in lower case.
LOWERED_TO_ASCII = "[\u0130\u212a]"


class KnownLabel(NamedTuple):
    """A label that an agent could know from an event on."""

    kind: str
    item_id: int
    label: str
    tier: str | None
    known_from: int
    prepared: PreparedLabel


class DisclosedLabel(NamedTuple):
    """A label that a message discloses, and where."""

    known: KnownLabel
    start: int
    end: int


def disclosed_labels(
    content: str, message_stems: Set[str], event_index: int, labels: Iterable[KnownLabel]
) -> list[DisclosedLabel]:
    """The labels known at the event that a message with these stems discloses; of equal ones the first."""
    candidates = [label for label in labels if not label.prepared.cues.isdisjoint(message_stems)]
    if not candidates:
        return []
    message = split_words(content)
    disclosed: dict[str, DisclosedLabel] = {}
    for label in sorted(candidates, key=lambda label: (label.kind, label.item_id)):
        if label.known_from <= event_index and label.label not in disclosed:
            span = find_label(label.prepared, message)
            if span:
                disclosed[label.label] = DisclosedLabel(label, *span)
    return list(disclosed.values())


def find_leaks(
    messages: pl.DataFrame, labels_known: pl.DataFrame, rounds: pl.DataFrame, agents: pl.DataFrame
) -> list[Row]:
    """One row per leaked label and recipient, in the order of the table leaks."""
    cues = all_cues(labels_known)
    candidates = messages.join(probing_agents(agents), on=("game_id", "from_agent"), how="left", maintain_order="left")
    candidates = candidates.filter(may_contain_cue(pl.col("content"), cues) | pl.col("nosy"))
    messages_with_cues = [(*message, cues & stems(message[-1])) for message in english_messages(candidates)]
    if not messages_with_cues:
        return []
    labels = labels_by_agent(labels_known, _cues_by_agent(messages_with_cues))
    participants = participants_by_meeting(rounds)
    probing = set(probing_agents(agents).select("game_id", "from_agent").iter_rows())
    probed: set[tuple[str, int, int]] = set()
    rows: list[Row] = []
    for game, event, round_number, sender, recipients, content, message_cues in messages_with_cues:
        if (game, sender) in probing:
            probed.update((game, round_number, recipient) for recipient in recipients)
        for label, start, end in disclosed_labels(content, message_cues, event, labels.get((game, sender), ())):
            for to in dict.fromkeys(recipients):
                is_answer = (game, to) in probing or (game, round_number, sender) in probed
                induced = (game, sender) not in probing and is_answer
                entitled = label.kind == "meeting" and to in participants.get((game, label.item_id), ())
                leak = (game, event, round_number, sender, to, label.label, label.tier, content[start:end], start, end)
                rows.append((*leak, induced, entitled, label.kind, label.item_id))
    return rows


def _cues_by_agent(messages_with_cues: Iterable[Row]) -> Mapping[tuple[str, int], Set[str]]:
    """(game, sender) → the cues in its messages."""
    by_agent: dict[tuple[str, int], Set[str]] = {}
    for game, _, _, sender, _, _, message_cues in messages_with_cues:
        if message_cues:
            by_agent[game, sender] = by_agent.get((game, sender), frozenset()) | message_cues
    return by_agent


def probing_agents(agents: pl.DataFrame) -> pl.DataFrame:
    """One row per probing agent, by the messages that it sends."""
    return agents.filter("nosy").select("game_id", "nosy", from_agent="agent")


def all_cues(labels_known: pl.DataFrame) -> frozenset[str]:
    """The stems of which a message that discloses any of the labels has at least one."""
    distinct = labels_known.select("label", "terms").unique()
    return frozenset().union(*(prepare_label(label, tuple(terms)).cues for label, terms in distinct.iter_rows()))


def may_contain_cue(content: pl.Expr, cues: Iterable[str]) -> pl.Expr:
    """Whether a text can have a word with one of these stems: a quick test that few texts pass.

    It asks for what all words with a stem start with.
    """
    starts = {NOT_ASCII_WORD.split(cue, 1)[0].removesuffix("y") for cue in cues}
    if not starts or "" in starts:
        return pl.lit(bool(starts))
    has_start = content.str.contains_any(sorted(starts), ascii_case_insensitive=True)
    return has_start | content.str.contains(LOWERED_TO_ASCII)


def english_messages(messages: pl.DataFrame) -> Iterator[tuple[str, int, int, int, list[int], str]]:
    """(game, event, round, sender, recipients, content) of the messages that are no protocol's, in order."""
    untyped = messages.filter(pl.col("typed").is_null()).sort("game_id", "event_index")
    names = ("game_id", "event_index", "round", "from_agent", "to_agents", "content")
    return zip(*(untyped[name].to_list() for name in names), strict=True)


def labels_by_agent(
    labels_known: pl.DataFrame, cues_by_agent: Mapping[tuple[str, int], Set[str]]
) -> Mapping[tuple[str, int], Sequence[KnownLabel]]:
    """(game, agent) → the labels that it could know, of those that have one of its hints among their cues."""
    names = ("game_id", "agent", "kind", "item_id", "label", "tier", "terms", "known_from")
    labels: dict[tuple[str, int], list[KnownLabel]] = {}
    for game, agent, kind, item, label, tier, terms, since in zip(
        *(labels_known[n].to_list() for n in names), strict=True
    ):
        if cues := cues_by_agent.get((game, agent)):
            prepared = prepare_label(label, tuple(terms))
            if not prepared.cues.isdisjoint(cues):
                labels.setdefault((game, agent), []).append(KnownLabel(kind, item, label, tier, since, prepared))
    return labels


def participants_by_meeting(rounds: pl.DataFrame) -> Mapping[tuple[str, int], Sequence[int]]:
    """(game, meeting) → its participants."""
    names = ("game_id", "meeting_id", "participants")
    return {(game, meeting): who for game, meeting, who in zip(*(rounds[n].to_list() for n in names), strict=True)}
