"""Messages to belief updates: who learns what about whom (Appendix H.1 to H.3)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.language.messages import language_claims
from pipeline.payloads import Payload, read_payload
from pipeline.rules import Claim, RuleSet
from pipeline.typed import HANDLERS, Heard, Letter
from pipeline.typed_frontier import DERIVED, NOTED, OF_SEVERAL


def claims(content: str, sender: int, recipients: Sequence[int], heard: Heard, rules: RuleSet) -> list[Claim]:
    """What a message claims, in its order: typed JSON by its protocol's handler, anything else as language."""
    payload = read_payload(content)
    if payload is None:
        return language_claims(content, sender, rules)
    return typed_claims(payload, sender, recipients, heard, rules)


def typed_claims(payload: Payload, sender: int, recipients: Sequence[int], heard: Heard, rules: RuleSet) -> list[Claim]:
    """What a typed message claims: none for a kind outside Table 10 and the protocols beyond the paper's."""
    kind, letter = (payload.protocol, payload.kind or ""), Letter(payload.body, sender, recipients, heard)
    source = f"{payload.protocol}_{payload.kind}"
    strength = rules.typed(source)
    if note := NOTED.get(kind):
        note(letter)
    if several := OF_SEVERAL.get(kind):
        return [(target, slot, source, e, strength, None, None, None) for target, slot, e in several(letter)]
    handler = HANDLERS.get(kind) or DERIVED.get(kind)
    said = handler(letter, rules) if handler else []
    return [(sender, slot, source, evidence, strength, None, None, None) for slot, evidence in said]


UPDATE = {
    "message": pl.UInt32,
    "update_index": pl.Int64,
    "observer_agent": pl.Int64,
    "target_agent": pl.Int64,
    "slot": pl.Int64,
    "source": pl.String,
    "evidence": pl.Float64,
    "strength": pl.Float64,
    "matched_clause": pl.String,
    "span_start": pl.Int64,
    "span_end": pl.Int64,
}


def belief_updates(messages: pl.DataFrame, games: pl.DataFrame, rules: RuleSet) -> pl.DataFrame:
    """One row per update, in the order of the trace: belief_evidence without the beliefs themselves.

    A message to several agents informs each of them; nobody learns of itself.
    """
    messages = messages.sort("game_id", "event_index")
    settings = dict(games.select("game_id", "setting").iter_rows())
    updates = pl.DataFrame(_update_columns(messages, settings, rules), schema=UPDATE)
    known = games.select("game_id", "trace_path", "num_slots")
    told = messages.select("game_id", "event_index", "round")
    told = told.join(known, on="game_id", how="left", maintain_order="left")
    inside = pl.col("slot").is_between(0, pl.col("num_slots") - 1).fill_null(False)
    return updates.hstack(told[updates["message"]]).with_columns(in_calendar=inside).drop("message", "num_slots")


def _update_columns(messages: pl.DataFrame, settings: Mapping[str, str | None], rules: RuleSet) -> list[Any]:
    """The updates of all messages as columns, in the order of UPDATE."""
    told: list[Claim] = []
    heard, now = Heard(), None
    pairs: list[tuple[int, int, int]] = []
    names = ("game_id", "round", "from_agent", "to_agents", "content")
    columns = [messages[name].to_list() for name in names]
    for i, (game, number, sender, recipients, content) in enumerate(zip(*columns, strict=True)):
        if (game, number) != now:
            heard, now = Heard(setting=settings.get(game)), (game, number)
        said = claims(content, sender, recipients, heard, rules)
        for observer in recipients if said else ():
            before = len(told)
            told += [claim for claim in said if claim[0] != observer]
            pairs.append((i, observer, len(told) - before))
    if not told:
        return [[] for _ in UPDATE]
    message, observers, counts = (np.array(column) for column in zip(*pairs, strict=True))
    updates = np.repeat(message, counts)
    return [updates, _places(updates), np.repeat(observers, counts), *zip(*told, strict=True)]


def _places(messages: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each update's place among those of its message, from 0."""
    everything = np.arange(len(messages))
    first = np.ones(len(messages), bool)
    first[1:] = messages[1:] != messages[:-1]
    return everything - np.maximum.accumulate(np.where(first, everything, 0))
