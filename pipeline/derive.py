"""The stages composed: traces to rows, rows to every table."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from pipeline.ingest import Rows, ingest, no_rows
from pipeline.rules import RuleSet, Weighing
from pipeline.schemas import TABLES
from pipeline.sources import Source, texts
from pipeline.traces import TraceError, decode

if TYPE_CHECKING:
    import polars as pl

Frames = dict[str, "pl.DataFrame"]


class Rejection(NamedTuple):
    """A trace that could not be used."""

    path: str
    reason: str
    place: str


def read_traces(sources: Iterable[Source]) -> tuple[Rows, list[Rejection]]:
    """The rows of every trace that can be read, and the rejections; of traces with one game_id the first is read."""
    rows = no_rows()
    rejected: list[Rejection] = []
    seen: dict[str, str] = {}
    for source in sources:
        for path, text in texts(source):
            try:
                read = _read(path, text, seen)
            except TraceError as error:
                rejected.append(Rejection(path, error.reason, error.place))
                continue
            for table, more in read.items():
                rows[table].extend(more)
    return rows, rejected


def _read(path: str, text: bytes | TraceError, seen: dict[str, str]) -> Rows:
    if isinstance(text, TraceError):
        raise text
    trace = decode(text)
    if trace.game_id in seen:
        raise duplicate(seen[trace.game_id])
    rows = ingest(trace, path)
    seen[trace.game_id] = path
    return rows


def duplicate(first: str) -> TraceError:
    """The rejection of a game that another trace has told of already."""
    return TraceError(f"its game was read already from {first}", ".game_id")


def derive_frames(rows: Rows, rules: RuleSet, weighing: Weighing) -> Frames:
    """Every table from ingested rows; `rejected` is left to the caller."""
    from pipeline import io

    frames = {name: io.to_frame(TABLES[name], listed) for name, listed in rows.items()}
    return {**frames, **privacy_frames(frames, rules, weighing)}


def privacy_frames(frames: Frames, rules: RuleSet, weighing: Weighing) -> Frames:
    """The four privacy tables from games, rounds, messages and calendars."""
    from pipeline import beliefs
    from pipeline.evidence import belief_updates

    updates = belief_updates(frames["messages"], frames["games"], rules)
    evidence = beliefs.hold_beliefs(updates, weighing)
    weighed = beliefs.weigh(evidence, frames["calendars"], weighing)
    pairs = beliefs.pair_round_vps(weighed, frames["games"], frames["rounds"], weighing)
    return {
        "belief_evidence": evidence,
        "pair_round_vps": pairs,
        "game_summary": beliefs.game_summary(pairs, frames["games"]),
        "vps_by_source": beliefs.vps_by_source(weighed, weighing),
    }
