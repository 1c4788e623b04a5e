"""What each change does to each metric: games are changed, measured again, and compared with what they were."""

from collections.abc import Iterable, Iterator, Sequence
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from pipeline.privacy.rules import RULES, RuleSet, Weighing
from pipeline.statistics.metric_checks.metrics import CHANGES, METRICS, NOT_LESS, ONE_MORE, SCALED, Change
from pipeline.statistics.metric_checks.permute_ids import with_game_id
from pipeline.statistics.metric_checks.perturb_costs import UNIT

if TYPE_CHECKING:
    import polars as pl

Raw = dict[str, Any]  # a trace's JSON
Figures = dict[str, float | None]  # column of a metric → value

KINDS = {False: "protocols", True: "speakers"}
# Metrics are sums of floats in some order: they agree to this share of their size.
TOLERANCE = 1e-9


class Case(NamedTuple):
    """A game before and after a change, by every metric."""

    change: Change
    simulated: bool
    meetings: int
    before: Figures
    after: Figures


def table1_metrics(raws: Sequence[Raw], rules: RuleSet, weighing: Weighing) -> list[Figures]:
    """Table 1's metrics of each trace, by its own query, each trace as a team of its own."""
    from pipeline.derive.rows import ingested_frames
    from pipeline.privacy.evidence import privacy_frames
    from pipeline.tables import io
    from pipeline.tables.queries import query
    from pipeline.tables.schemas.base import TABLES
    from pipeline.traces.ingest import ingest, no_rows
    from pipeline.traces.trace import decode_trace

    rows = no_rows()
    for number, raw in enumerate(raws):
        trace = decode_trace(msgspec.json.encode(with_game_id(raw, f"game {number:06d}")))
        for table, more in ingest(trace, str(number)).items():
            rows[table] += more
    frames = ingested_frames(rows)
    frames |= privacy_frames(frames, rules, weighing)
    with TemporaryDirectory() as folder:
        for table in ("games", "game_summary"):
            io.write_table(frames[table], TABLES[table], Path(folder), csv=False)
        table1 = query("table1", Path(folder)).sort("team")
    return [{m.column: row[m.column] for m in METRICS} for row in table1.iter_rows(named=True)]


def check_games(
    raws: Iterable[Raw], rules: RuleSet = RULES["paper"], weighing: Weighing = Weighing()
) -> Iterator[Case]:
    """A case for each game and change, game by game."""
    for raw in raws:
        changed = [raw, *(change.make(raw, raw["game_id"]) for change in CHANGES)]
        before, *afters = table1_metrics(changed, rules, weighing)
        config = raw["config"]
        for change, after in zip(CHANGES, afters, strict=True):
            yield Case(change, config["simulated"], config["num_meetings"], before, after)


def holds(case: Case, metric: str) -> bool:
    """Whether the metric, undefined or not, answers to the change as Change.expected says."""
    before, after = case.before[metric], case.after[metric]
    expected = case.change.expected.get(metric)
    if before is None or after is None:
        return before is after
    if expected == NOT_LESS:
        return after > before or is_close(after, before)
    factor = {SCALED: UNIT, ONE_MORE: case.meetings / (case.meetings + 1)}.get(expected or "", 1.0)
    return is_close(after, before * factor)


def is_close(one: float, other: float) -> bool:
    """Whether two figures are equal but for rounding."""
    return isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def verdict_table(cases: Sequence[Case]) -> "pl.DataFrame":
    """One row per change, kind of team and metric (its key): games, in how many the metric `holds`, and where it fails
    by most `before` and `after`, null where it never fails. The result metric_checks.csv."""
    import polars as pl

    rows = []
    for change in dict.fromkeys(case.change.name for case in cases):
        for simulated, kind in KINDS.items():
            games = [c for c in cases if c.change.name == change and c.simulated is simulated]
            rows += [_verdict_row(change, kind, metric.column, games) for metric in METRICS if games]
    names = ("change", "kind", "metric", "games", "holds", "before", "after")
    counted = {"games": pl.Int64, "holds": pl.Int64, "before": pl.Float64, "after": pl.Float64}
    return pl.DataFrame(rows, {name: counted.get(name, pl.String) for name in names}, orient="row")


def _verdict_row(change: str, kind: str, metric: str, games: Sequence[Case]) -> tuple[Any, ...]:
    """A row of `verdict_table`, from the cases of one change and kind of team."""
    failed = [(c.before[metric], c.after[metric]) for c in games if not holds(c, metric)]
    before, after = max(failed, key=_gap, default=(None, None))
    return change, kind, metric, len(games), len(games) - len(failed), before, after


def _gap(pair: tuple[float | None, float | None]) -> float:
    """How far apart two figures are; most where only one is defined."""
    before, after = pair
    return float("inf") if before is None or after is None else abs(after - before)
