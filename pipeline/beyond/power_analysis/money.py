"""What games with a model take: tokens by the estimate of `sim run --dry-run`, money by dated prices."""

import re
from dataclasses import dataclass

import polars as pl

from pipeline.paper.costs import price_calls

LINE = re.compile(r"^(\S+): (\d+) games, about (\d+) calls \(.*?\), (\d+) tokens in, (\d+) out", re.MULTILINE)
HOW = re.compile(r"^estimated by .*$", re.MULTILINE)


class NoEstimate(ValueError):
    """The text holds no estimate."""


@dataclass(frozen=True)
class Estimate:
    """What one game takes: calls, tokens in and out; and how that was estimated."""

    calls: float
    input_tokens: float
    output_tokens: float
    how: str


def read_estimate(text: str) -> Estimate:
    """The estimate that `python -m sim run … --dry-run` printed, for one game. Raises NoEstimate."""
    found, how = LINE.search(text), HOW.search(text)
    if not found or not how:
        raise NoEstimate("it holds no estimate: make it with `python -m sim run … --dry-run` and a model's team")
    games, calls, tokens_in, tokens_out = (int(number) for number in found.groups()[1:])
    return Estimate(calls / games, tokens_in / games, tokens_out / games, how[0])


def game_prices(estimate: Estimate, prices: pl.DataFrame) -> pl.DataFrame:
    """One row a model with a known price: what one game takes of it. prices: of `read_prices`."""
    calls = prices.select(
        "model",
        input_tokens=pl.lit(estimate.input_tokens),
        output_tokens=pl.lit(estimate.output_tokens),
        cached_input_tokens=pl.lit(None, pl.Int64),
    )
    priced = price_calls(calls, prices).filter("price_known")
    return priced.select("model", "input_tokens", "output_tokens", "usd", "dated", estimated=pl.lit(estimate.how))
