"""Shares of rare things: exact intervals (Clopper and Pearson), and Fisher's exact test of two shares.

Both take the trials for independent. Messages of one game are not quite: see `intervals.csv` for intervals over games.
"""

import polars as pl


def exact_interval(count: int, total: int, level: float = 0.95) -> tuple[float | None, float | None]:
    """The shares that an exact two-sided test of this level does not exclude; nothing without a trial."""
    from scipy.stats import beta  # type: ignore[import-untyped]

    if not 0 <= count <= total:
        raise ValueError(f"{count} of {total} is no share")
    if total == 0:
        return None, None
    tail = (1 - level) / 2
    low = float(beta.ppf(tail, count, total - count + 1)) if count else 0.0
    high = float(beta.ppf(1 - tail, count + 1, total - count)) if count < total else 1.0
    return low, high


def with_shares(frame: pl.DataFrame, count: str, total: str, name: str, per: float = 1) -> pl.DataFrame:
    """The frame with `name`, `{name}_low` and `{name}_high`: the count's share of the total, times `per`."""
    shares = [
        (c / t if t else None, *exact_interval(c, t)) if c is not None and t is not None else (None, None, None)
        for c, t in frame.select(count, total).iter_rows()
    ]
    columns = dict(
        zip((name, f"{name}_low", f"{name}_high"), zip(*shares, strict=True) if shares else ((), (), ()), strict=True)
    )
    added = (pl.Series(column, list(values), pl.Float64) * per for column, values in columns.items())
    return frame.with_columns(*added)


def fisher_p(count_a: int, total_a: int, count_b: int, total_b: int) -> float:
    """The two-sided p-value of Fisher's exact test that two shares are one."""
    from scipy.stats import fisher_exact

    return float(fisher_exact([[count_a, total_a - count_a], [count_b, total_b - count_b]]).pvalue)
