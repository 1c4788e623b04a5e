"""What each change does to each metric: games are changed, derived again, and set beside what they were."""

from collections.abc import Iterable, Iterator, Sequence
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from pipeline.privacy.rules import RULES, RuleSet, Weighing
from pipeline.statistics.metric_checks.metrics import CHANGES, METRICS, NOT_LESS, ONE_MORE, SCALED, UNIT, Change
from pipeline.statistics.metric_checks.relabel import renamed

if TYPE_CHECKING:
    import polars as pl

Raw = dict[str, Any]
Figures = dict[str, float | None]

UNCHANGED = "as it was"
KINDS = {False: "protocols", True: "speakers"}
# Metrics are sums of floats in some order: they agree to this share of their size.
TOLERANCE = 1e-9


class Case(NamedTuple):
    """One game before and after a change: who plays, and every metric."""

    change: Change
    simulated: bool
    meetings: int
    before: Figures
    after: Figures


def measured(raws: Sequence[Raw], rules: RuleSet, weighing: Weighing) -> list[Figures]:
    """Table 1's metrics of each game: its own query, asked of each game alone."""
    from pipeline.derive.rows import ingested_frames
    from pipeline.privacy.evidence import privacy_frames
    from pipeline.tables import io
    from pipeline.tables.queries import query
    from pipeline.tables.schemas.base import TABLES
    from pipeline.traces.ingest import ingest, no_rows
    from pipeline.traces.trace import decode_trace

    rows = no_rows()
    for number, raw in enumerate(raws):
        trace = decode_trace(msgspec.json.encode(renamed(raw, f"game {number:06d}")))
        for table, more in ingest(trace, str(number)).items():
            rows[table] += more
    frames = ingested_frames(rows)
    frames |= privacy_frames(frames, rules, weighing)
    with TemporaryDirectory() as folder:
        for table in ("games", "game_summary"):
            io.write_table(frames[table], TABLES[table], Path(folder), csv=False)
        found = query("table1", Path(folder)).sort("team")
    return [{m.column: row[m.column] for m in METRICS} for row in found.iter_rows(named=True)]


def cases(raws: Iterable[Raw], rules: RuleSet = RULES["paper"], weighing: Weighing = Weighing()) -> Iterator[Case]:
    """Each game with each change."""
    for raw in raws:
        changed = [raw, *(change.make(raw, raw["game_id"]) for change in CHANGES)]
        before, *afters = measured(changed, rules, weighing)
        told = raw["config"]
        for change, after in zip(CHANGES, afters, strict=True):
            yield Case(change, told["simulated"], told["num_meetings"], before, after)


def holds(case: Case, metric: str) -> bool:
    """Whether the metric answers to the change as it should."""
    before, after = case.before[metric], case.after[metric]
    expected = case.change.expected.get(metric)
    if before is None or after is None:
        return before is after
    if expected == NOT_LESS:
        return after > before or close(after, before)
    factor = {SCALED: UNIT, ONE_MORE: case.meetings / (case.meetings + 1)}.get(expected or "", 1.0)
    return close(after, before * factor)


def close(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def verdicts(found: Sequence[Case]) -> "pl.DataFrame":
    """One row per change, metric and kind of team: in how many games it holds, and the game where it fails by most."""
    import polars as pl

    rows = []
    for change in dict.fromkeys(case.change.name for case in found):
        for simulated, kind in KINDS.items():
            games = [c for c in found if c.change.name == change and c.simulated is simulated]
            rows += [verdict(change, kind, metric.column, games) for metric in METRICS if games]
    names = ("change", "kind", "metric", "games", "holds", "before", "after")
    counted = {"games": pl.Int64, "holds": pl.Int64, "before": pl.Float64, "after": pl.Float64}
    return pl.DataFrame(rows, {name: counted.get(name, pl.String) for name in names}, orient="row")


def verdict(change: str, kind: str, metric: str, games: Sequence[Case]) -> tuple[Any, ...]:
    """One row; `before` and `after` are those of the game in which the metric is off by most."""
    failed = [(c.before[metric], c.after[metric]) for c in games if not holds(c, metric)]
    before, after = max(failed, key=gap, default=(None, None))
    return change, kind, metric, len(games), len(games) - len(failed), before, after


def gap(pair: tuple[float | None, float | None]) -> float:
    """How far apart two figures are; most where only one is defined."""
    before, after = pair
    return float("inf") if before is None or after is None else abs(after - before)
