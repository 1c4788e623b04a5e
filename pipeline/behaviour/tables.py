"""Messages to the tables of behaviour: stance, volume, leaks and patterns."""

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

import polars as pl

from pipeline.behaviour.lexicons import words
from pipeline.behaviour.phrases import APOSTROPHES, Thresholds
from pipeline.tables.schemas.base import TABLES
from pipeline.tables.schemas.speech import SPEECH_TABLES

if TYPE_CHECKING:
    import polars as pl


def stance(messages: pl.DataFrame, agents: pl.DataFrame) -> pl.DataFrame:
    """One row per agent of a game: its English messages, and those with a phrase of either set, or of both."""
    key = ["game_id", "agent"]
    said = messages.filter(pl.col("typed").is_null()).select(
        "game_id", agent="from_agent", text=plain(pl.col("content"))
    )
    said = said.with_columns(acquiescing=says("acquiescence"), pushing_back=says("pushback"))
    counts = said.group_by(key).agg(
        english_messages=pl.len(),
        acquiescing=pl.col("acquiescing").sum(),
        pushing_back=pl.col("pushing_back").sum(),
        both=(pl.col("acquiescing") & pl.col("pushing_back")).sum(),
    )
    every = agents.select(key).join(counts, on=key, how="left")
    return every.with_columns(pl.exclude(key).fill_null(0)).sort(key)


def plain(text: pl.Expr) -> pl.Expr:
    """The text with plain apostrophes."""
    typed = [chr(letter) for letter in APOSTROPHES]
    return text.str.replace_many(typed, ["'"] * len(typed))


def says(phrases: str) -> pl.Expr:
    """Whether `text` has one of the phrases of stance.yaml, in any case (Appendix A.1)."""
    return pl.col("text").str.contains_any(words("stance")[phrases], ascii_case_insensitive=True)


ROUND = ["game_id", "round"]
SAID = {
    "messages": pl.len().cast(pl.Int64),
    "dms": (pl.col("channel") == "dm").sum().cast(pl.Int64),
    "said_chars": pl.col("said_chars").sum(),
}


def round_volume(
    rounds: pl.DataFrame, messages: pl.DataFrame, moves: pl.DataFrame, calendars: pl.DataFrame
) -> pl.DataFrame:
    """One row per round: messages, earlier meetings moved, the first feasible slot, and costs up to its end."""
    said = messages.group_by(ROUND).agg(**SAID)
    moved = moves.filter(item_kind="meeting").group_by(ROUND).agg(prior_meetings_moved=pl.col("item_id").n_unique())
    every = rounds.sort(ROUND).select(*ROUND, "coordinated", "slot", "cost", "optimal_cost")
    every = every.join(said, on=ROUND, how="left").join(moved, on=ROUND, how="left")
    every = every.join(first_feasible_slots(rounds, calendars), on=ROUND, how="left").sort(ROUND)
    return every.with_columns(
        pl.col(*SAID, "prior_meetings_moved").fill_null(0),
        meeting_index=pl.int_range(1, pl.len() + 1).over("game_id"),
        took_first_feasible=pl.when("coordinated").then(pl.col("slot") == pl.col("first_feasible_slot")),
        cumulative_cost=pl.col("cost").cum_sum().over("game_id"),
        cumulative_optimal_cost=pl.col("optimal_cost").cum_sum().over("game_id"),
    ).with_columns(cumulative_excess=pl.col("cumulative_cost") - pl.col("cumulative_optimal_cost"))


def first_feasible_slots(rounds: pl.DataFrame, calendars: pl.DataFrame) -> pl.DataFrame:
    """One row per round all of whose participants' calendars were rendered in it: its first feasible slot, if any."""
    place = dict(zip(calendars.select(*ROUND, "agent").iter_rows(), count(), strict=False))
    costs, blocked, meetings = (calendars[name].to_list() for name in ("costs", "blocked", "meeting_slots"))
    rows = []
    for game, number, participants in rounds.select(*ROUND, "participants").iter_rows():
        shown = [i for agent in participants if (i := place.get((game, number, agent))) is not None]
        if shown and len(shown) == len(participants):
            common = set.intersection(*(feasible_slots(costs[i], {*blocked[i], *meetings[i]}) for i in shown))
            rows.append((game, number, min(common, default=None)))
    return pl.DataFrame(rows, {"game_id": pl.String, "round": pl.Int64, "first_feasible_slot": pl.Int64}, orient="row")


def feasible_slots(costs: Sequence[int], fixed: set[int]) -> set[int]:
    """The slots where a calendar can take a meeting: free ones, and those of errands while another slot is free.

    `fixed` are the slots that hold a blocked item or a meeting: as in SD-MAP, an earlier meeting is not moved.
    """
    a_free_one = any(cost == 0 and slot not in fixed for slot, cost in enumerate(costs))
    return set(range(len(costs))) - fixed if a_free_one else set()


def speaker_volume(rounds: pl.DataFrame, messages: pl.DataFrame) -> pl.DataFrame:
    """One row per round and agent: each participant with its position among the speakers, and who else wrote."""
    key = [*ROUND, "agent"]
    order = rounds.select(*ROUND, agent="speaker_order").explode("agent").drop_nulls("agent")
    order = order.with_columns(position=pl.int_range(1, pl.len() + 1).over(ROUND))
    takes_part = rounds.select(*ROUND, agent="participants").explode("agent").drop_nulls("agent")
    said = messages.rename({"from_agent": "agent"}).group_by(key).agg(**SAID)
    every = pl.concat([takes_part, said.select(key)]).unique(key)
    every = every.join(order, on=key, how="left").join(said, on=key, how="left")
    return every.with_columns(pl.col(*SAID).fill_null(0)).sort(key)


SPEECH = tuple(table.name for table in SPEECH_TABLES)

# The tables that speech is found in.
READ = (
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

Frames = dict[str, "pl.DataFrame"]


def speech_frames(frames: Frames, limits: Thresholds) -> Frames:
    """The tables of schemas_speech from those of what happened and from belief_evidence."""
    from pipeline.behaviour.detector_counts import truth
    from pipeline.behaviour.leaks import find_leaks
    from pipeline.behaviour.patterns import find_patterns
    from pipeline.tables import io

    messages, rounds = frames["messages"], frames["rounds"]
    leaks = find_leaks(messages, frames["labels_known"], rounds, frames["agents"])
    found = {
        "leaks": io.to_frame(TABLES["leaks"], leaks),
        "patterns": io.to_frame(TABLES["patterns"], find_patterns(frames, leaks, limits)),
    }
    return found | {
        "stance": stance(messages, frames["agents"]),
        "round_volume": round_volume(rounds, messages, frames["moves"], frames["calendars"]),
        "speaker_volume": speaker_volume(rounds, messages),
        "truth": truth(frames | found),
    }
