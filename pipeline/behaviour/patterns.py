"""The twelve behavioural patterns (Appendix B, Table 4), from messages, moves and resolutions.

docs/patterns.md defines them. Detection is non-exclusive, and each row names the event that shows it. Where the
paper's definition fires for more than it describes, `strict` tells which rows also hold by the description.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl

from pipeline.behaviour.leaks import english
from pipeline.behaviour.phrases import Thresholds, message_patterns

Row = tuple[Any, ...]

MESSAGE_PATTERNS = (
    "availability_gossip",
    "confirmation_tax",
    "errand_mention",
    "cost_gossip",
    "cost_number_disclosure",
    "errand_id_leakage",
    "semantic_label_leakage",
)
GAME_PATTERNS = (
    "qualitative_flattening",
    "unilateral_displacement",
    "ambiguous_consensus",
    "cascading_failure",
    "output_truncation",
)


def find_patterns(frames: dict[str, pl.DataFrame], leaks: Sequence[Row], limits: Thresholds) -> list[Row]:
    """One row per occurrence, in the order of the table patterns; leaks are rows of the table leaks."""
    said = list(in_messages(frames["messages"], limits))
    spoke = speakers(frames["messages"])
    shown = [
        *label_leakage(leaks),
        *flattening(frames["moves"], frames["games"], spoke, said, limits),
        *in_rounds(frames["rounds"], frames["moves"], frames["decisions"], limits),
        *cascades(frames["rounds"], limits),
    ]
    return said + list(dict.fromkeys(shown))


def in_messages(messages: pl.DataFrame, limits: Thresholds) -> Iterator[Row]:
    """What English messages show by their words."""
    for game, event, number, sender, recipients, content in english(messages):
        for pattern, start, end, strict in message_patterns(content, sender, recipients, limits):
            yield game, number, event, pattern, sender, start, end, None, strict


def label_leakage(leaks: Iterable[Row]) -> Iterator[Row]:
    """Messages that disclose a private label, each once, by the first words that do."""
    first: dict[tuple[Any, ...], tuple[int, int]] = {}
    for game, event, number, sender, _, _, _, _, start, end, *_ in leaks:
        key = (game, number, event, "semantic_label_leakage", sender)
        first[key] = min(first.get(key, (start, end)), (start, end))
    return ((*key, *span, None, True) for key, span in first.items())


def speakers(messages: pl.DataFrame) -> set[Row]:
    """(game, round, agent) of who wrote English."""
    wrote = messages.filter(pl.col("typed").is_null()).select("game_id", "round", "from_agent")
    return set(wrote.unique().iter_rows())


def flattening(
    moves: pl.DataFrame, games: pl.DataFrame, spoke: set[Row], said: Iterable[Row], limits: Thresholds
) -> Iterator[Row]:
    """Expensive errands moved in varied games; strict where the mover talked in the round and named no cost."""
    varied = games.filter(setting="varied").select("game_id")
    costly = (pl.col("item_kind") == "errand") & (pl.col("cost") >= limits.expensive_cost)
    found = moves.filter(costly).join(varied, on="game_id", how="semi").sort("game_id", "event_index", "action_index")
    named = {
        (game, number, agent) for game, number, _, pattern, agent, *_ in said if pattern == "cost_number_disclosure"
    }
    for game, event, number, agent, item in found.select(
        "game_id", "event_index", "round", "agent", "item_id"
    ).iter_rows():
        who = (game, number, agent)
        yield game, number, event, "qualitative_flattening", agent, None, None, item, who in spoke and who not in named


def in_rounds(rounds: pl.DataFrame, moves: pl.DataFrame, decisions: pl.DataFrame, limits: Thresholds) -> Iterator[Row]:
    """What resolutions show."""
    movers, cut = meeting_movers(moves), cut_answers(decisions)
    for told in rounds.sort("game_id", "round").iter_rows(named=True):
        where = (told["game_id"], told["round"])
        event, slots = told["resolution_event"], told["participant_slots"]
        if told["violated_meetings"]:
            who = {agent for meeting in told["violated_meetings"] for agent in movers[(*where, meeting)]}
            agent = who.pop() if len(who) == 1 else None
            moved = agent is not None or bool(who)
            yield *where, event, "unilateral_displacement", agent, None, None, None, moved
        if told["coordinated"] is False:
            if len({slot for slot in slots if slot is not None}) >= limits.distinct_slots:
                yield *where, event, "ambiguous_consensus", None, None, None, None, True
            for agent, slot in zip(told["participants"], slots, strict=True):
                if slot is None:
                    answer = cut.get((*where, agent))
                    shown = event if answer is None else answer
                    yield *where, shown, "output_truncation", agent, None, None, None, answer is not None


def meeting_movers(moves: pl.DataFrame) -> dict[tuple[Any, ...], set[int]]:
    """(game, round, meeting) → who moved the meeting in the round."""
    found: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for *where, agent in moves.filter(item_kind="meeting").select("game_id", "round", "item_id", "agent").iter_rows():
        found[tuple(where)].add(agent)
    return found


def cut_answers(decisions: pl.DataFrame) -> dict[tuple[Any, ...], int]:
    """(game, round, agent) → the last event of DECISION in which the agent's answer was cut off."""
    cut = decisions.filter((pl.col("phase") == "DECISION") & pl.col("cut_off")).sort("game_id", "event_index")
    return {tuple(where): event for *where, event in cut.select("game_id", "round", "agent", "event_index").iter_rows()}


def cascades(rounds: pl.DataFrame, limits: Thresholds) -> Iterator[Row]:
    """Meetings violated in several rounds of a game, each once, in the round where it becomes so many."""
    violated: dict[tuple[str, int], int] = defaultdict(int)
    names = ("game_id", "round", "resolution_event", "violated_meetings")
    for game, number, event, meetings in rounds.sort("game_id", "round").select(names).iter_rows():
        for meeting in dict.fromkeys(meetings):
            violated[game, meeting] += 1
            if violated[game, meeting] == limits.cascade_rounds:
                yield game, number, event, "cascading_failure", None, None, None, meeting, True
