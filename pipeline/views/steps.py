"""How one observer's beliefs about one target moved in a round: a step an update, in order."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

STEP = {
    "message": pl.Int64,
    "slot": pl.Int64,
    "source": pl.String,
    "words": pl.String,
    "e": pl.Float64,
    "s": pl.Float64,
    "before": pl.Float64,
    "after": pl.Float64,
}


def pair_steps(messages: Sequence[Mapping[str, Any]], observer: int, target: int) -> pl.DataFrame:
    """One row per belief update: the message's number in the round, from 1, its slot, rule, evidence and strength.

    messages: those of one round of a view; words: those of an English message that the update rests on. Claims about
    slots that no calendar has are left out: they move nothing.
    """
    rows = []
    for number, message in enumerate(messages, start=1):
        for update in sorted(message["updates"], key=lambda u: u["update_index"]):
            if (update["observer_agent"], update["target_agent"]) != (observer, target) or update[
                "belief_after"
            ] is None:
                continue
            start, end = update["span_start"], update["span_end"]
            words = None if start is None else message["content"][start:end]
            told = (update["evidence"], update["strength"], update["belief_before"], update["belief_after"])
            rows.append((number, update["slot"], update["source"], words, *told))
    return pl.DataFrame(rows, schema=STEP, orient="row")
