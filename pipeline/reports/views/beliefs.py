"""Beliefs within a round: after each message for all pairs, and update by update for one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

Pair = tuple[int, int]

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


def prior_of(pairs: Iterable[Mapping[str, Any]]) -> float | None:
    """What beliefs start from, by rows of pair_round_vps; None where nobody learnt anything.

    All tables of a folder are derived with one prior, so any row tells it.
    """
    return next((pair["prior"] for pair in pairs), None)


def beliefs_over_time(
    messages: Sequence[Mapping[str, Any]], slots: int, prior: float | None
) -> dict[Pair, list[list[float]]]:
    """(observer, target) → beliefs: a row before the first message and one after each, an entry a slot.

    messages: those of one round of a view; prior: the view's. Pairs of which none learnt anything are left out.
    """
    updates = [u for m in messages for u in m["updates"] if u["belief_after"] is not None]
    if prior is None or not updates:
        return {}
    pairs = sorted({(u["observer_agent"], u["target_agent"]) for u in updates})
    histories = {pair: [[prior] * slots] for pair in pairs}
    for message in messages:
        for history in histories.values():
            history.append(list(history[-1]))
        for update in sorted(message["updates"], key=lambda u: u["update_index"]):
            slot, after = update["slot"], update["belief_after"]
            if after is not None and 0 <= slot < slots:
                histories[update["observer_agent"], update["target_agent"]][-1][slot] = after
    return histories


def pair_steps(messages: Sequence[Mapping[str, Any]], observer: int, target: int) -> pl.DataFrame:
    """One row per belief update: the message's number in the round, from 1, its slot, rule, evidence and strength.

    messages: those of one round of a view; words: the part of an English message that it rests on. Claims
    about slots that no calendar has are left out: they move nothing. Columns: STEP's.
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
            values = (update["evidence"], update["strength"], update["belief_before"], update["belief_after"])
            rows.append((number, update["slot"], update["source"], words, *values))
    return pl.DataFrame(rows, schema=STEP, orient="row")
