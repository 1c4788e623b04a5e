"""Messages to the tables of behaviour: stance, volume, leaks and patterns."""

from collections.abc import Sequence
from itertools import count

import polars as pl

from pipeline.behaviour.detector_counts import detector_counts
from pipeline.behaviour.leaks import find_leaks
from pipeline.behaviour.lexicons import words
from pipeline.behaviour.patterns import find_patterns
from pipeline.behaviour.phrases import APOSTROPHES, Thresholds
from pipeline.tables import io
from pipeline.tables.schemas.base import TABLES
from pipeline.tables.schemas.speech import SPEECH_TABLES

ROUND = ["game_id", "round"]
MESSAGE_SUMS = {
    "messages": pl.len().cast(pl.Int64),
    "dms": (pl.col("channel") == "dm").sum().cast(pl.Int64),
    "said_chars": pl.col("said_chars").sum(),
}

BEHAVIOUR_TABLES = tuple(table.name for table in SPEECH_TABLES)

# The tables from which they are made.
BEHAVIOUR_INPUTS = (
    "games",
    "rounds",
    "agents",
    "messages",
    "moves",
    "calendars",
    "labels_known",
    "decisions",
    "intents",
    "intended_statements",
    "intended_labels",
    "belief_evidence",
)

Frames = dict[str, pl.DataFrame]


def stance(messages: pl.DataFrame, agents: pl.DataFrame) -> pl.DataFrame:
    """One row per agent of a game: its English messages, and those with a phrase of either set, or of both."""
    key = ["game_id", "agent"]
    english = messages.filter(pl.col("typed").is_null()).select(
        "game_id", agent="from_agent", text=straight_apostrophes(pl.col("content"))
    )
    english = english.with_columns(acquiescing=has_phrase("acquiescence"), pushing_back=has_phrase("pushback"))
    counts = english.group_by(key).agg(
        english_messages=pl.len(),
        acquiescing=pl.col("acquiescing").sum(),
        pushing_back=pl.col("pushing_back").sum(),
        both=(pl.col("acquiescing") & pl.col("pushing_back")).sum(),
    )
    all_agents = agents.select(key).join(counts, on=key, how="left")
    return all_agents.with_columns(pl.exclude(key).fill_null(0)).sort(key)


def straight_apostrophes(text: pl.Expr) -> pl.Expr:
    """The text with plain apostrophes."""
    typed = [chr(letter) for letter in APOSTROPHES]
    return text.str.replace_many(typed, ["'"] * len(typed))


def has_phrase(phrases: str) -> pl.Expr:
    """Whether `text` has one of the phrases of stance.yaml, in any case (Appendix A.1)."""
    return pl.col("text").str.contains_any(words("stance")[phrases], ascii_case_insensitive=True)


def round_volume(
    rounds: pl.DataFrame, messages: pl.DataFrame, moves: pl.DataFrame, calendars: pl.DataFrame
) -> pl.DataFrame:
    """One row per round: messages, earlier meetings moved, the first feasible slot, and costs up to its end."""
    message_sums = messages.group_by(ROUND).agg(**MESSAGE_SUMS)
    moved = moves.filter(item_kind="meeting").group_by(ROUND).agg(prior_meetings_moved=pl.col("item_id").n_unique())
    all_rounds = rounds.sort(ROUND).select(*ROUND, "coordinated", "slot", "cost", "optimal_cost")
    all_rounds = all_rounds.join(message_sums, on=ROUND, how="left").join(moved, on=ROUND, how="left")
    all_rounds = all_rounds.join(first_feasible_slots(rounds, calendars), on=ROUND, how="left").sort(ROUND)
    return all_rounds.with_columns(
        pl.col(*MESSAGE_SUMS, "prior_meetings_moved").fill_null(0),
        meeting_index=pl.int_range(1, pl.len() + 1).over("game_id"),
        took_first_feasible=pl.when("coordinated").then(pl.col("slot") == pl.col("first_feasible_slot")),
        cumulative_cost=pl.col("cost").cum_sum().over("game_id"),
        cumulative_optimal_cost=pl.col("optimal_cost").cum_sum().over("game_id"),
    ).with_columns(cumulative_excess=pl.col("cumulative_cost") - pl.col("cumulative_optimal_cost"))


def first_feasible_slots(rounds: pl.DataFrame, calendars: pl.DataFrame) -> pl.DataFrame:
    """One row per round all of whose participants' calendars were rendered in it: its first feasible slot, if any."""
    row_of = dict(zip(calendars.select(*ROUND, "agent").iter_rows(), count(), strict=False))
    costs, blocked, meetings = (calendars[name].to_list() for name in ("costs", "blocked", "meeting_slots"))
    rows = []
    for game, number, participants in rounds.select(*ROUND, "participants").iter_rows():
        known = [i for agent in participants if (i := row_of.get((game, number, agent))) is not None]
        if known and len(known) == len(participants):
            common = set.intersection(*(feasible_slots(costs[i], {*blocked[i], *meetings[i]}) for i in known))
            rows.append((game, number, min(common, default=None)))
    return pl.DataFrame(rows, {"game_id": pl.String, "round": pl.Int64, "first_feasible_slot": pl.Int64}, orient="row")


def feasible_slots(costs: Sequence[int], fixed: set[int]) -> set[int]:
    """The slots where a calendar can take a meeting: free ones, and those of errands while another slot is free.

    `fixed` are the slots that hold a blocked item or a meeting: as in SD-MAP, an earlier meeting is not moved.
    """
    has_free_slot = any(cost == 0 and slot not in fixed for slot, cost in enumerate(costs))
    return set(range(len(costs))) - fixed if has_free_slot else set()


def speaker_volume(rounds: pl.DataFrame, messages: pl.DataFrame) -> pl.DataFrame:
    """One row per round and agent: each participant with its position among the speakers, and who else wrote."""
    key = [*ROUND, "agent"]
    order = rounds.select(*ROUND, agent="speaker_order").explode("agent").drop_nulls("agent")
    order = order.with_columns(position=pl.int_range(1, pl.len() + 1).over(ROUND))
    takes_part = rounds.select(*ROUND, agent="participants").explode("agent").drop_nulls("agent")
    message_sums = messages.rename({"from_agent": "agent"}).group_by(key).agg(**MESSAGE_SUMS)
    speakers = pl.concat([takes_part, message_sums.select(key)]).unique(key)
    speakers = speakers.join(order, on=key, how="left").join(message_sums, on=key, how="left")
    return speakers.with_columns(pl.col(*MESSAGE_SUMS).fill_null(0)).sort(key)


def behaviour_frames(frames: Frames, limits: Thresholds) -> Frames:
    """BEHAVIOUR_TABLES from BEHAVIOUR_INPUTS: frames by the names of their tables."""
    messages, rounds = frames["messages"], frames["rounds"]
    leaks = find_leaks(messages, frames["labels_known"], rounds, frames["agents"])
    detected = {
        "leaks": io.to_frame(TABLES["leaks"], leaks),
        "patterns": io.to_frame(TABLES["patterns"], find_patterns(frames, leaks, limits)),
    }
    return detected | {
        "stance": stance(messages, frames["agents"]),
        "round_volume": round_volume(rounds, messages, frames["moves"], frames["calendars"]),
        "speaker_volume": speaker_volume(rounds, messages),
        "truth": detector_counts(frames | detected),
    }
