"""Messages to belief updates: who learns what about whom (Appendix H.1 to H.3)."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.language.messages import language_stretches
from pipeline.payloads import Payload, read_payload
from pipeline.rules import Claim, Clause, RuleSet, Stretch, one_by_one
from pipeline.typed import HANDLERS, Heard, Letter, Said
from pipeline.typed_frontier import DERIVED, NOTED, OF_SEVERAL

NO_CLAUSE: Clause = (None, None, None)


def claims(content: str, sender: int, recipients: Sequence[int], heard: Heard, rules: RuleSet) -> list[Claim]:
    """What a message claims, in its order: typed JSON by its protocol's handler, anything else as language."""
    return one_by_one(stretched(content, sender, recipients, heard, rules))


def stretched(content: str, sender: int, recipients: Sequence[int], heard: Heard, rules: RuleSet) -> list[Stretch]:
    """The same in stretches: a typed message has one, or one for each agent that it tells of."""
    payload = read_payload(content)
    if payload is not None:
        return _typed(payload, sender, recipients, heard, rules)
    return language_stretches(content, sender, rules)


class Reader(NamedTuple):
    """How one kind of typed message is read: what its evidence is called, and the functions for it, if any."""

    source: str
    note: Callable[[Letter], None] | None
    of_several: Callable[[Letter], list[tuple[int, int | None, float]]] | None
    of_sender: Callable[[Letter, RuleSet], list[Said]] | None


@lru_cache(maxsize=1024)
def _reader(protocol: str, kind: str | None) -> Reader:
    known = (protocol, kind or "")
    of_sender = HANDLERS.get(known) or DERIVED.get(known)
    return Reader(f"{protocol}_{kind}", NOTED.get(known), OF_SEVERAL.get(known), of_sender)


def _typed(payload: Payload, sender: int, recipients: Sequence[int], heard: Heard, rules: RuleSet) -> list[Stretch]:
    """What a typed message claims: none for a kind outside Table 10 and the protocols beyond the paper's."""
    source, note, of_several, of_sender = _reader(payload.protocol, payload.kind)
    letter = Letter(payload.body, sender, recipients, heard)
    strength = rules.typed(source)
    if note:
        note(letter)
    if of_several:
        return [(target, source, strength, [(slot, e)], NO_CLAUSE) for target, slot, e in of_several(letter)]
    said = of_sender(letter, rules) if of_sender else []
    return [(sender, source, strength, said, NO_CLAUSE)] if said else []


# A stretch is what one message tells one observer of one agent from one source: its updates have all this in common.
STRETCH = {
    "message": pl.UInt32,
    "observer_agent": pl.Int64,
    "target_agent": pl.Int64,
    "source": pl.String,
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
    updates = _updates(messages, settings, rules)
    known = games.select("game_id", "trace_path", "num_slots")
    told = messages.select("game_id", "event_index", "round")
    told = told.join(known, on="game_id", how="left", maintain_order="left")
    inside = pl.col("slot").is_between(0, pl.col("num_slots") - 1).fill_null(False)
    return updates.hstack(told[updates["message"]]).with_columns(in_calendar=inside).drop("message", "num_slots")


def _updates(messages: pl.DataFrame, settings: Mapping[str, str | None], rules: RuleSet) -> pl.DataFrame:
    """The updates of all messages, each with its place among those of its message."""
    stretches: list[tuple[Any, ...]] = []
    counts: list[int] = []
    said: list[Said] = []
    heard, now = Heard(), None
    names = ("game_id", "round", "from_agent", "to_agents", "content")
    columns = [messages[name].to_list() for name in names]
    for i, (game, number, sender, recipients, content) in enumerate(zip(*columns, strict=True)):
        if (game, number) != now:
            heard, now = Heard(setting=settings.get(game)), (game, number)
        told = stretched(content, sender, recipients, heard, rules)
        for observer in recipients if told else ():
            for target, source, strength, more, clause in told:
                if target != observer:
                    stretches.append((i, observer, target, source, strength, *clause))
                    counts.append(len(more))
                    said += more
    slots, evidence = zip(*said, strict=True) if said else ((), ())
    stretch = pl.Series(np.repeat(np.arange(len(counts), dtype=np.uint32), counts))
    turned = list(zip(*stretches, strict=True)) or [()] * len(STRETCH)
    common = {n: pl.Series(values, dtype=d) for (n, d), values in zip(STRETCH.items(), turned, strict=True)}
    updates = pl.DataFrame(common)[stretch]
    return updates.with_columns(
        pl.Series("update_index", _places(updates["message"].to_numpy()), pl.Int64),
        pl.Series("slot", slots, pl.Int64),
        pl.Series("evidence", evidence, pl.Float64),
    )


def _places(messages: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Each update's place among those of its message, from 0."""
    everything = np.arange(len(messages))
    first = np.ones(len(messages), bool)
    first[1:] = messages[1:] != messages[:-1]
    return everything - np.maximum.accumulate(np.where(first, everything, 0))
