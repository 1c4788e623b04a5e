"""The twelve behavioural patterns (Appendix B, Table 4), from messages, moves and resolutions.

docs/patterns.md defines them. Detection is non-exclusive, and each row names the event that shows it. Where the
paper's definition fires for more than it describes, `strict` tells which rows also hold by the description.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pipeline.behaviour.phrases import straighten_apostrophes, words

if TYPE_CHECKING:
    import polars as pl

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


Span = tuple[int, int]

AGENT = re.compile(
    r"\bagent[\s_#-]*(?P<one>\d{1,3})\b|\bagents[\s_#-]*(?P<many>\d{1,3}(?:\s*(?:[,&/]\s*|(?:,\s*)?and\s+)#?\d{1,3})*)"
)
NUMBER = re.compile(r"\d{1,3}")
ERRAND = re.compile(r"errand")
ERRAND_ID = re.compile(r"[Ee]rrand\s*#\d+")
COST_WORD = r"(?:costs?|costing|penalty|penalties|price)\b"
FILLER = (
    r"(?:of|is|are|was|me|us|it|that|you|at|about|around|only|just|exactly|roughly|approximately|would|will|be|a|an|the|total"
    r"|mere|to|for|move|moving|displace|displacing|reschedule|rescheduling)\b"
)
COST_NUMBER = re.compile(
    rf"\b{COST_WORD}[^.!?\d]{{0,20}}slots?\s*#?\d+[\s=:>~(-]{{1,4}}(?:(?:is|at|of|to)\s)?\d+"
    rf"|\b{COST_WORD}[\s:=~(\"']*(?:{FILLER}[\s:=~(\"']*){{0,6}}\d+\b(?!\s*(?:am|pm|:\d))"
    r"|\b\d+(?:-cost\b|\s+(?:cost\s+units?|units?\s+of\s+cost|in\s+costs?|cost\s+points?|penalty\s+points?)\b)"
)
SENTENCE_END = re.compile(r"[.!?;](?=\s)|\n")
GOSSIP = (("availability_gossip", "availability"), ("cost_gossip", "costs"))

# The longest keyword, and then some: how far beyond the allowed distance a search for one looks.
LONGEST_KEYWORD = 40


@dataclass(frozen=True)
class Thresholds:
    """What the paper's definitions measure by (Table 4); params.yaml says why."""

    nearby_chars: int = 60
    short_chars: int = 80
    expensive_cost: int = 100
    distinct_slots: int = 2
    cascade_rounds: int = 2


@cache
def keywords(name: str) -> re.Pattern[str]:
    """One expression for a list of behaviours.yaml."""
    alternatives = sorted(words("behaviours")[name], key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b")


def message_patterns(
    content: str, sender: int, recipients: Sequence[int], limits: Thresholds
) -> Iterator[tuple[str, int, int, bool]]:
    """(pattern, span_start, span_end, strict) of each pattern that an English message shows, each once.

    Gossip is strict where the agent and the keyword stand in one sentence; the others always are.
    """
    text = straighten_apostrophes(content)
    lower = lower_case(text)
    third_agents = list(third_agent_spans(lower, {sender, *recipients})) if "agent" in lower else []
    for pattern, name in GOSSIP if third_agents else ():
        first = None
        for span in nearby(lower, third_agents, keywords(name), limits.nearby_chars):
            if not SENTENCE_END.search(lower, *span):
                yield pattern, *span, True
                break
            first = first or span
        else:
            if first:
                yield pattern, *first, False
    for pattern, match in _keyword_matches(text, lower, limits):
        if match:
            yield pattern, *match.span(), True


def lower_case(text: str) -> str:
    """The text in lower case, of the same length: letters that would become two keep their case."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _keyword_matches(text: str, lower: str, limits: Thresholds) -> Iterator[tuple[str, re.Match[str] | None]]:
    if len(text) <= limits.short_chars:
        yield "confirmation_tax", keywords("agreement").search(lower)
    if "errand" in lower:
        yield "errand_mention", ERRAND.search(lower)
        yield "errand_id_leakage", ERRAND_ID.search(text)
    if "cost" in lower or "penalt" in lower or "price" in lower:
        yield "cost_number_disclosure", COST_NUMBER.search(lower)


def third_agent_spans(lower: str, sender_and_recipients: set[int]) -> Iterator[Span]:
    """Where agents are named that neither send nor receive the message."""
    for match in AGENT.finditer(lower):
        named = {int(number) for number in NUMBER.findall(match["one"] or match["many"])}
        if named - sender_and_recipients:
            yield match.span()


def nearby(lower: str, agent_spans: Iterable[Span], keyword: re.Pattern[str], max_chars: int) -> Iterator[Span]:
    """Each agent with a keyword at most so many characters away: from the first of the two to the second."""
    for start, end in agent_spans:
        for match in keyword.finditer(
            lower, max(0, start - max_chars - LONGEST_KEYWORD), end + max_chars + LONGEST_KEYWORD
        ):
            if 0 <= match.start() - end <= max_chars or 0 <= start - match.end() <= max_chars:
                yield min(start, match.start()), max(end, match.end())


def find_patterns(frames: dict[str, "pl.DataFrame"], leaks: Sequence[Row], limits: Thresholds) -> list[Row]:
    """One row per occurrence, in the order of the table patterns; leaks are rows of the table leaks."""
    from_messages = list(message_rows(frames["messages"], limits))
    wrote_english = english_speakers(frames["messages"])
    from_events = [
        *label_leakage_rows(leaks),
        *flattening_rows(frames["moves"], frames["games"], wrote_english, from_messages, limits),
        *round_rows(frames["rounds"], frames["moves"], frames["decisions"], limits),
        *cascade_rows(frames["rounds"], limits),
    ]
    return from_messages + list(dict.fromkeys(from_events))


def message_rows(messages: "pl.DataFrame", limits: Thresholds) -> Iterator[Row]:
    """One row per pattern that an English message shows by its words."""
    for game, event, number, sender, recipients, content in english_messages(messages):
        for pattern, start, end, strict in message_patterns(content, sender, recipients, limits):
            yield game, number, event, pattern, sender, start, end, None, strict


def label_leakage_rows(leaks: Iterable[Row]) -> Iterator[Row]:
    """One row per message that discloses a private label, with the span of the first."""
    first: dict[tuple[Any, ...], tuple[int, int]] = {}
    for game, event, number, sender, _, _, _, _, start, end, *_ in leaks:
        key = (game, number, event, "semantic_label_leakage", sender)
        first[key] = min(first.get(key, (start, end)), (start, end))
    return ((*key, *span, None, True) for key, span in first.items())


def english_messages(messages: "pl.DataFrame") -> Iterator[tuple[str, int, int, int, list[int], str]]:
    """(game, event, round, sender, recipients, content) of the messages that are no protocol's, in order."""
    import polars as pl

    untyped = messages.filter(pl.col("typed").is_null()).sort("game_id", "event_index")
    names = ("game_id", "event_index", "round", "from_agent", "to_agents", "content")
    return zip(*(untyped[name].to_list() for name in names), strict=True)


def probing_agents(agents: "pl.DataFrame") -> "pl.DataFrame":
    """One row per probing agent, by the messages that it sends."""
    return agents.filter("nosy").select("game_id", "nosy", from_agent="agent")


def english_speakers(messages: "pl.DataFrame") -> set[Row]:
    """(game, round, agent) of who wrote English."""
    import polars as pl

    wrote = messages.filter(pl.col("typed").is_null()).select("game_id", "round", "from_agent")
    return set(wrote.unique().iter_rows())


def flattening_rows(
    moves: "pl.DataFrame",
    games: "pl.DataFrame",
    wrote_english: set[Row],
    from_messages: Iterable[Row],
    limits: Thresholds,
) -> Iterator[Row]:
    """One row per expensive errand moved in a varied game, or one of unknown costs; strict if the mover wrote in the
    round and named no cost."""
    import polars as pl

    varied = games.filter(pl.col("setting").ne_missing("uniform")).select("game_id")
    costly = (pl.col("item_kind") == "errand") & (pl.col("cost") >= limits.expensive_cost)
    errands = moves.filter(costly).join(varied, on="game_id", how="semi").sort("game_id", "event_index", "action_index")
    named_cost = {(game, n, agent) for game, n, _, name, agent, *_ in from_messages if name == "cost_number_disclosure"}
    columns = ("game_id", "event_index", "round", "agent", "item_id")
    for game, event, number, agent, item in errands.select(columns).iter_rows():
        who = (game, number, agent)
        strict = who in wrote_english and who not in named_cost
        yield game, number, event, "qualitative_flattening", agent, None, None, item, strict


def round_rows(
    rounds: "pl.DataFrame", moves: "pl.DataFrame", decisions: "pl.DataFrame", limits: Thresholds
) -> Iterator[Row]:
    """One row per pattern that a resolution shows."""
    movers, cut_off = movers_by_meeting(moves), cut_off_answers(decisions)
    for row in rounds.sort("game_id", "round").iter_rows(named=True):
        game_round = (row["game_id"], row["round"])
        event, slots = row["resolution_event"], row["participant_slots"]
        if row["violated_meetings"]:
            agents = {agent for meeting in row["violated_meetings"] for agent in movers[(*game_round, meeting)]}
            agent = next(iter(agents)) if len(agents) == 1 else None
            yield *game_round, event, "unilateral_displacement", agent, None, None, None, bool(agents)
        if row["coordinated"] is False:
            if len({slot for slot in slots if slot is not None}) >= limits.distinct_slots:
                yield *game_round, event, "ambiguous_consensus", None, None, None, None, True
            for agent, slot in zip(row["participants"], slots, strict=True):
                if slot is None:
                    answer = cut_off.get((*game_round, agent))
                    shown_at = event if answer is None else answer
                    yield *game_round, shown_at, "output_truncation", agent, None, None, None, answer is not None


def movers_by_meeting(moves: "pl.DataFrame") -> dict[tuple[Any, ...], set[int]]:
    """(game, round, meeting) → who moved the meeting in the round."""
    movers: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for *meeting, agent in moves.filter(item_kind="meeting").select("game_id", "round", "item_id", "agent").iter_rows():
        movers[tuple(meeting)].add(agent)
    return movers


def participants_by_meeting(rounds: "pl.DataFrame") -> Mapping[tuple[str, int], Sequence[int]]:
    """(game, meeting) → its participants."""
    names = ("game_id", "meeting_id", "participants")
    return {(game, meeting): who for game, meeting, who in zip(*(rounds[n].to_list() for n in names), strict=True)}


def cut_off_answers(decisions: "pl.DataFrame") -> dict[tuple[Any, ...], int]:
    """(game, round, agent) → the last event of DECISION in which the agent's answer was cut off."""
    import polars as pl

    cut = decisions.filter((pl.col("phase") == "DECISION") & pl.col("cut_off")).sort("game_id", "event_index")
    return {tuple(where): event for *where, event in cut.select("game_id", "round", "agent", "event_index").iter_rows()}


def cascade_rows(rounds: "pl.DataFrame", limits: Thresholds) -> Iterator[Row]:
    """One row per meeting violated in several rounds of a game, in the round where these become so many."""
    violated: dict[tuple[str, int], int] = defaultdict(int)
    names = ("game_id", "round", "resolution_event", "violated_meetings")
    for game, number, event, meetings in rounds.sort("game_id", "round").select(names).iter_rows():
        for meeting in dict.fromkeys(meetings):
            violated[game, meeting] += 1
            if violated[game, meeting] == limits.cascade_rounds:
                yield game, number, event, "cascading_failure", None, None, None, meeting, True
