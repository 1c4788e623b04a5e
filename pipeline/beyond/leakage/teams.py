"""The measures of leaked_games by team, with intervals, and which of them are compared."""

from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.resampling import Resampling

# From the paper's VPS to bits, one step at a time: each differs from the one before it in one thing.
STEPS = ("vps", "vps_all_pairs", "feasible_bits_per_round", "feasible_bits", "bits")
BESIDE = ("vps_reversed", "vps_cost", "bits_touched", "feasible_bits_touched", "bits_true", "coalition_bits")
PAIRS = (*pairwise(STEPS), *(("vps", b) for b in (*STEPS[2:], *BESIDE)), ("bits", "bits_true"),
         ("bits", "coalition_bits"), ("vps_all_pairs", "bits"), ("vps", "bits_with_figures"))  # fmt: skip
MEASURES = (
    *STEPS,
    *BESIDE,
    "vps_cost_all_pairs",
    "feasible_bits_true",
    "bits_with_figures",
    "bits_true_with_figures",
    "misled_slots",
    "bits_per_round",
    "coalition_pair_bits",
    "best_member_bits",
    "members_bits",
    "to_initiator_bits_per_round",
    "disclosed_bits_per_round",
    "necessary_bits_per_round",
    "excess_bits_per_round",
    "excess_disclosed_bits_per_round",
)


def team_means(games: pl.DataFrame, measures: Sequence[str], resampling: Resampling) -> pl.DataFrame:
    """One row per condition, setting, team and measure: the mean over games and its interval."""
    by = ["condition", "setting", "team", "measure"]
    index = ["condition", "setting", "team", "task_id"]
    lines = games.unpivot(measures, index=index, variable_name="measure", value_name="numerator")
    lines = lines.with_columns(
        pl.col("numerator").fill_null(0.0), denominator=pl.col("numerator").is_not_null().cast(pl.Float64)
    )
    return ratio_intervals(lines, by, resampling)
