"""Leaks under probing (section 4, Appendix C): how many messages give a private label away, ours and the paper's."""

import polars as pl

from pipeline.paper.figures import ALL, SETTINGS, Figures
from pipeline.statistics.proportions import with_shares

SECTION = "section 4, Adversarial"
MODELS = ("Claude Sonnet 4.6", "Gemini 3 Flash", "Gemini 3.1 Pro")
PER_MESSAGES = 1000  # rates are for so many
COUNTS = {"messages": pl.Int64, "induced": pl.Int64, "sensitive": pl.Int64}


def leak_rates(leaks: pl.DataFrame) -> pl.DataFrame:
    """One row per team and setting of the adversarial condition (its key): counts of messages, rates, intervals.

    leaks: rows of that result. messages: all that were sent; induced, spontaneous: those that leak, and why; sensitive:
    induced ones of that tier; unprobed of unprobed_messages: those that leak in standard games. Each has {name}_rate
    for PER_MESSAGES, sensitive sensitive_pct of induced ones, all with _low and _high (Clopper and Pearson, 95 %).
    """
    counts = _counts(leaks.filter(condition="adversarial"))
    standard = leaks.filter(condition="standard", tier="all").select(
        "team", "setting", unprobed="leaked_messages", unprobed_messages="messages"
    )
    return _rates(counts.join(standard, on=["team", "setting"], how="left")).sort("team", "setting")


def _counts(leaks: pl.DataFrame) -> pl.DataFrame:
    """One row per team and setting: messages, and those that leak, by reason and tier."""
    all_tiers = leaks.filter(tier="all").select(
        "team",
        "simulated",
        "setting",
        "games",
        "messages",
        induced="induced_messages",
        spontaneous="spontaneous_messages",
    )
    sensitive = leaks.filter(tier="sensitive").select("team", "setting", sensitive="induced_messages")
    return all_tiers.join(sensitive, on=["team", "setting"], how="left")


def _rates(counts: pl.DataFrame) -> pl.DataFrame:
    """The counts with their shares: of messages, and of sensitive ones among induced leaks."""
    rated = with_shares(counts, "induced", "messages", "induced_rate", PER_MESSAGES)
    rated = with_shares(rated, "sensitive", "induced", "sensitive_pct", 100)
    if "spontaneous" in rated.columns:
        rated = with_shares(rated, "spontaneous", "messages", "spontaneous_rate", PER_MESSAGES)
        rated = with_shares(rated, "unprobed", "unprobed_messages", "unprobed_rate", PER_MESSAGES)
    return rated


def reported_leak_rates(f: Figures, listed: pl.DataFrame) -> pl.DataFrame:
    """The paper's counts and rates, with intervals: a row per model and one per setting, by `name`.

    f: of `figure_values`. listed: rows of data/paper/appendix_c.csv, which alone has tiers by model. Claude's messages
    are what the others leave of the total.
    """
    total = sum(f[SECTION, s, ALL, "dms"] for s in SETTINGS)
    known = {m: f[SECTION, "pooled", m, "dms"] for m in MODELS if (SECTION, "pooled", m, "dms") in f}
    sent = known | {m: total - sum(known.values()) for m in MODELS if m not in known}
    tiers = listed.filter(pl.col("tiers").str.contains("sensitive"))
    rows: list[tuple[str, float, float, float]] = [
        (m, sent[m], f[SECTION, "pooled", m, "induced_leaks"], tiers.filter(method=m).height) for m in MODELS
    ]
    rows += [
        (
            f"all three, {s}",
            f[SECTION, s, ALL, "dms"],
            f[SECTION, s, ALL, "induced_leaks"],
            f[SECTION, s, ALL, "sensitive_leaks"],
        )
        for s in SETTINGS
    ]
    frame = pl.DataFrame(rows, schema=["name", *COUNTS], orient="row")
    return _rates(frame.with_columns(pl.col(name).cast(dtype) for name, dtype in COUNTS.items()))
