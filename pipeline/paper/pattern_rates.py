"""How often teams show the paper's patterns (Tables 2 and 4), per message, beside what it reports of its models."""

from collections.abc import Sequence

import polars as pl

from pipeline.privacy.beliefs import ratio
from pipeline.statistics.paired_tests import ALPHA, paired_permutation

REPORTED = "the paper’s models"
ALL = "all models"
ACCURACIES = ["precision", "recall", "found_per_meant"]
PHRASINGS = {"false": "open", "true": "held_out"}  # known_truth's `held_out` → how columns name such phrasings


def pattern_rates(patterns: pl.DataFrame, condition: str = "standard") -> pl.DataFrame:
    """One row per team and pattern of a condition (its key), over its settings.

    patterns: rows of that result. Returns team, simulated, paper_rank, pattern, unit, messages, occurrences, strict,
    and per_100: occurrences for a hundred messages sent, whatever the pattern's unit, so that teams of few words
    compare with those of many; null where none was sent.
    """
    pooled = (
        patterns.filter(condition=condition)
        .group_by("team", "simulated", "paper_rank", "pattern", "unit")
        .agg(pl.col("messages", "occurrences").sum(), strict=pl.col("strict_occurrences").sum())
    )
    sent = pl.when(pl.col("messages") > 0).then("messages")
    return pooled.with_columns(per_100=100 * pl.col("occurrences") / sent).sort("team", "paper_rank")


def reported_rates(table4: pl.DataFrame, messages: float) -> pl.DataFrame:
    """The paper's counts over all models in the same columns, without strict counts. table4: rows of `Study.paper`.

    messages: all that its models sent.
    """
    counts = table4.filter(method=ALL).with_row_index("paper_rank", offset=1)
    return counts.select(
        team=pl.lit(REPORTED),
        paper_rank=pl.col("paper_rank").cast(pl.Int64),
        pattern="metric",
        messages=pl.lit(messages).cast(pl.Int64),
        occurrences=pl.col("value").cast(pl.Int64),
        per_100=100 * pl.col("value") / messages,
    )


def rank_agreement(ours: pl.DataFrame, paper: pl.DataFrame) -> pl.DataFrame:
    """One row per team: `rho`, Spearman's rank correlation of its counts of patterns with the paper's, over so many.

    ours: of `pattern_rates`. paper: of `reported_rates`. rho is null where a team shows every pattern equally often.
    """
    from scipy.stats import spearmanr  # type: ignore[import-untyped]

    rows = []
    for (team, simulated), shown in ours.group_by("team", "simulated", maintain_order=True):
        both = shown.join(paper.select("pattern", reported="occurrences"), on="pattern")
        varies = both["occurrences"].n_unique() > 1
        rho = float(spearmanr(both["occurrences"], both["reported"]).statistic) if varies else None
        rows.append((team, simulated, rho, both.height))
    schema = {"team": pl.String, "simulated": pl.Boolean, "rho": pl.Float64, "patterns": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("team")


def is_commonest(pattern: str, others: Sequence[str], occurrences: pl.DataFrame) -> bool | None:
    """Whether a pattern occurs oftener than each of the others on the same tasks, by sign-flip tests; False where one
    of them occurs oftener, by Bonferroni's correction, None where chance may order them.

    occurrences: task_id, game_id, pattern and n, how often it occurs in the game; no pattern for a game without any.
    """
    in_games = occurrences.pivot("pattern", index=["task_id", "game_id"], values="n", aggregate_function="sum")
    by_task = in_games.fill_null(0).drop("game_id").group_by("task_id").mean().sort("task_id")
    never = dict.fromkeys({pattern, *others} - set(by_task.columns), 0)
    counts = by_task.with_columns(pl.lit(n).alias(name) for name, n in never.items()).to_dict(as_series=False)
    tests = [paired_permutation(counts[pattern], counts[other]) for other in others]
    if any(t.difference and t.difference < 0 and t.p_value * len(tests) <= ALPHA for t in tests):
        return False
    above = [t.difference is not None and t.difference > 0 and t.p_value <= ALPHA for t in tests]
    return True if tests and all(above) else None


def pattern_accuracy(known_truth: pl.DataFrame) -> pl.DataFrame:
    """One row per pattern of messages: how accurate its detector is on what simulated speakers meant.

    known_truth: rows of that result. precision, recall and found_per_meant (how many are counted for each that was
    meant), each on phrasings open to the parsers' authors and on those held out. No row where nobody meant anything.
    """
    known = known_truth.filter(pl.col("finder") == "patterns", pl.col("part") != "all")
    if known.is_empty():
        return pl.DataFrame(schema={"pattern": pl.String})
    detected = pl.col("hits") + pl.col("false_alarms")
    counted = known.with_columns(found_per_meant=ratio(detected, pl.col("hits") + pl.col("misses")))
    by_phrasing = counted.pivot("held_out", index="part", values=ACCURACIES, maintain_order=True)
    names = {f"{what}_{held}": f"{what}_{name}" for what in ACCURACIES for held, name in PHRASINGS.items()}
    return by_phrasing.rename(names, strict=False).rename({"part": "pattern"}).sort("pattern")
