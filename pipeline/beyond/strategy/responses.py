"""Best responses to the truth, by the price of a failed meeting: chosen on one suite, reported on another.

A lie's gain at a price p is g − p · m: g is what its moves cost the liar less than in the truthful game, m how many
more of its meetings fail, both means over games. Over prices the best of several lies is the upper envelope of such
lines, the truth's being 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from pipeline.beyond.brief_traces import Game, games_in
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.paired_tests import means_by_task, paired_permutation
from pipeline.statistics.resampling import Resampling

TRUTH = "truth"
GROUP = ("protocol", "setting")
LIE = (*GROUP, "lie")
SAVED = ("saved", "saved_low", "saved_high")
# Each measure of a lie on the suite that is reported: numerator and denominator of a game.
MEASURES = {
    "gain": (pl.col("gain"), pl.lit(1.0)),
    "missed": (pl.col("missed"), pl.lit(1.0)),
    "saved": (pl.col("gain"), pl.col("own_truthful")),
    "harm": (pl.col("harm"), pl.lit(1.0)),
    "break_even": (pl.col("gain"), pl.col("missed")),
}


class Span(NamedTuple):
    """The prices, from `low` to below `high`, at which a lie is the best."""

    lie: str
    low: float
    high: float


def costs_of(traces: Path) -> pl.DataFrame:
    """One row per game of a folder or pack: protocol, setting, lie, seat, task_id, and by agent `cost` and `missed`,
    its meetings that failed. Teams are named as `pipeline.beyond.strategy.play.Lie` names them. Raises TraceError."""
    return pl.DataFrame([costs_row(game) for game in games_in(traces)])


def costs_row(game: Game) -> dict[str, Any]:
    """The row of a game in `costs_of`."""
    protocol, lie, seat = game.config["team"].split(".")
    failed = [game.participants[e.meeting_id] for e in game.resolutions if not e.coordinated]
    return {
        "protocol": protocol,
        "setting": game.config["setting"],
        "lie": lie,
        "seat": int(seat),
        "task_id": game.config["task_id"],
        "cost": game.costs,
        "missed": [sum(agent in members for members in failed) for agent in range(len(game.costs))],
    }


def gains(costs: pl.DataFrame) -> pl.DataFrame:
    """One row per game with a liar: LIE, seat, task_id, `gain` (cost units that its moves save it), `missed` (of its
    meetings that fail more), `harm` (what all others pay more), each against the truthful game of the same protocol on
    the same task, and `own_truthful`, what it pays there. costs: of `costs_of`. Raises ValueError without it.
    """
    truthful = costs.filter(lie=TRUTH).select("protocol", "task_id", true_cost="cost", true_missed="missed")
    both = costs.filter(pl.col("lie") != TRUTH).join(truthful, on=["protocol", "task_id"])
    if both.height != costs.filter(pl.col("lie") != TRUTH).height:
        raise ValueError("a game with a liar has no truthful game of its protocol on its task: play those first")
    own = {name: pl.col(name).list.get(pl.col("seat")) for name in ("cost", "missed", "true_cost", "true_missed")}
    paid_more = pl.col("cost").list.sum() - pl.col("true_cost").list.sum()
    gain = own["true_cost"] - own["cost"]
    return both.select(
        *LIE,
        "seat",
        "task_id",
        gain=gain.cast(pl.Float64),
        missed=(own["missed"] - own["true_missed"]).cast(pl.Float64),
        harm=(paid_more + gain).cast(pl.Float64),
        own_truthful=own["true_cost"].cast(pl.Float64),
    )


def envelope(lines: Mapping[str, tuple[float, float]]) -> list[Span]:
    """Which lie is best at which price ≥ 0. lines: lie → (gain without a price, meetings missed more), in the order in
    which equals are taken; the truth, (0, 0), before them all."""
    every = {TRUTH: (0.0, 0.0), **lines}
    crossings = {(a - b) / (m - n) for (a, m), (b, n) in combinations(every.values(), 2) if m != n}
    prices = sorted({0.0, *(price for price in crossings if price > 0)})
    spans: list[Span] = []
    for low, high in pairwise([*prices, inf]):
        between = (low + high) / 2 if high < inf else 2 * low + 1
        best = max(every, key=lambda lie: round(every[lie][0] - between * every[lie][1], 9))
        if spans and spans[-1].lie == best:
            low = spans.pop().low
        spans.append(Span(best, low, high))
    return spans


def best_responses(games: pl.DataFrame, lies: Sequence[str]) -> dict[tuple[str, str], list[Span]]:
    """(protocol, setting) → which lie is best at which price. games: of `gains`; lies: in the order of equals."""
    means = games.group_by(LIE).agg(pl.col("gain", "missed").mean())
    lines = {(r["protocol"], r["setting"], r["lie"]): (r["gain"], r["missed"]) for r in means.iter_rows(named=True)}
    cells = sorted({(protocol, setting) for protocol, setting, _ in lines})
    return {cell: envelope({lie: lines[*cell, lie] for lie in lies if (*cell, lie) in lines}) for cell in cells}


def responses(chosen: pl.DataFrame, reported: pl.DataFrame, lies: Sequence[str], drawn: Resampling) -> pl.DataFrame:
    """One row per protocol, setting and lie: strategy_responses.

    chosen, reported: frames of `gains` of either suite; lies: as for `best_responses`.
    """
    searched = chosen.group_by(LIE).agg(search_gain=pl.col("gain").mean(), search_missed=pl.col("missed").mean())
    spans = [
        {"protocol": p, "setting": s, "lie": span.lie, "best_from": span.low, "best_to": finite(span.high)}
        for (p, s), best in best_responses(chosen, lies).items()
        for span in best
    ]
    lines = pl.concat([measure_lines(reported, name) for name in MEASURES])
    means = ratio_intervals(lines, [*LIE, "measure"], drawn).select(*LIE, "measure", "mean", "low", "high")
    wide = means.pivot("measure", index=LIE, values=["mean", "low", "high"])
    named = wide.rename({c: c.removeprefix("mean_") for c in wide.columns if c.startswith("mean_")})
    ranges = pl.DataFrame(spans, schema_overrides={"best_to": pl.Float64})
    return searched.join(ranges, on=LIE, how="full", coalesce=True).join(named, on=LIE, how="left").sort(LIE)


def finite(price: float) -> float | None:
    """The price; None where it has no end."""
    return price if price < inf else None


def measure_lines(games: pl.DataFrame, name: str) -> pl.DataFrame:
    """One row per game: its numerator and denominator of a measure."""
    above, below = MEASURES[name]
    return games.select(*LIE, "task_id", measure=pl.lit(name), numerator=above, denominator=below)


def priced(
    chosen: pl.DataFrame,
    reported: pl.DataFrame,
    lies: Sequence[str],
    prices: Mapping[str, Sequence[float]],
    draws: int,
    drawn: Resampling,
) -> pl.DataFrame:
    """One row per protocol, setting and price: the lie that is best on the suite of choice, and what it gains on the
    other (strategy_prices). chosen, reported, lies: as for `responses`; prices: by setting."""
    rows = []
    for (protocol, setting), spans in best_responses(chosen, lies).items():
        part = reported.filter(protocol=protocol, setting=setting)
        for price in prices[setting]:
            lie = next(span.lie for span in spans if span.low <= price < span.high)
            known = {"protocol": protocol, "setting": setting, "price": float(price), "lie": lie}
            rows.append(known | gain_at(part.filter(lie=lie), price, draws, drawn))
    return pl.DataFrame(rows)


def gain_at(games: pl.DataFrame, price: float, draws: int, drawn: Resampling) -> dict[str, Any]:
    """What a lie gains at a price, and its share of what the liar pays, with intervals; the sign-flip test's p.

    Without games, as of the truth, nothing.
    """
    if not games.height:
        return {**dict.fromkeys(("gain", "low", "high", *SAVED), 0.0), "p": 1.0}
    at = games.with_columns(numerator=pl.col("gain") - price * pl.col("missed"), denominator=pl.lit(1.0))
    mean = ratio_intervals(at, list(LIE), drawn).row(0, named=True)
    share = ratio_intervals(at.with_columns(denominator="own_truthful"), list(LIE), drawn).row(0, named=True)
    values = list(next(iter(means_by_task(at, "lie", "numerator", "task_id").values())).values())
    names = ("price", *games.select(LIE).row(0), str(price))
    summary = {"p": paired_permutation(values, [0.0] * len(values), names, draws).p_value}
    for columns, row in ((("gain", "low", "high"), mean), (SAVED, share)):
        summary |= {column: row[end] for column, end in zip(columns, ("mean", "low", "high"), strict=True)}
    return summary


def lies_of(p: Mapping[str, Any], setting: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(lie, its parameters) of every claim with every act that does something in the setting, in the order of equals.

    p: the block `strategy.responses` of notebooks/beyond/params.yaml.
    """
    for act, how in p["acts"].items():
        for claim, misreport in p["claims"].items():
            if act not in p["without"][setting] and (misreport or "refuses" in how):
                yield claim if act == "keeps" else f"{claim}-{act}", {**misreport, **how}
