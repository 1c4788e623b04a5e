"""Leaks under pressure (section 4, Appendix C): how many messages give a private label away, ours and the paper's."""

import polars as pl

from pipeline.paper.figures import ALL, SETTINGS, Figures
from pipeline.statistics.proportions import with_shares

AT = "section 4, Adversarial"
MODELS = ("Claude Sonnet 4.6", "Gemini 3 Flash", "Gemini 3.1 Pro")
PER = 1000  # messages
COUNTS = {"messages": pl.Int64, "induced": pl.Int64, "sensitive": pl.Int64}


def probed(leaks: pl.DataFrame) -> pl.DataFrame:
    """One row per team and setting of the adversarial condition, with intervals.

    leaks: rows of that result. messages: all that were sent; induced, spontaneous: those that leak, and why; sensitive:
    induced ones of that tier; unprobed, unprobed_messages: the team's leaking messages where nobody asks.
    """
    wide = _counts(leaks.filter(condition="adversarial"))
    before = leaks.filter(condition="standard", tier="all").select(
        "team", "setting", unprobed="leaked_messages", unprobed_messages="messages"
    )
    return _rates(wide.join(before, on=["team", "setting"], how="left")).sort("team", "setting")


def _counts(leaks: pl.DataFrame) -> pl.DataFrame:
    every = leaks.filter(tier="all").select(
        "team",
        "simulated",
        "setting",
        "games",
        "messages",
        induced="induced_messages",
        spontaneous="spontaneous_messages",
    )
    sensitive = leaks.filter(tier="sensitive").select("team", "setting", sensitive="induced_messages")
    return every.join(sensitive, on=["team", "setting"], how="left")


def _rates(counts: pl.DataFrame) -> pl.DataFrame:
    """The counts with their shares: of messages, and of sensitive ones among induced leaks."""
    rated = with_shares(counts, "induced", "messages", "induced_rate", PER)
    rated = with_shares(rated, "sensitive", "induced", "sensitive_pct", 100)
    if "spontaneous" in rated.columns:
        rated = with_shares(rated, "spontaneous", "messages", "spontaneous_rate", PER)
        rated = with_shares(rated, "unprobed", "unprobed_messages", "unprobed_rate", PER)
    return rated


def reported(f: Figures, listed: pl.DataFrame) -> pl.DataFrame:
    """The paper's counts by model and by setting, with intervals: name, messages, induced, sensitive.

    listed: Appendix C, which alone tells tiers by model. Claude's messages are what the others leave of the total.
    """
    total = sum(f[AT, s, ALL, "dms"] for s in SETTINGS)
    known = {m: f[AT, "pooled", m, "dms"] for m in MODELS if (AT, "pooled", m, "dms") in f}
    sent = known | {m: total - sum(known.values()) for m in MODELS if m not in known}
    tiers = listed.filter(pl.col("tiers").str.contains("sensitive"))
    rows: list[tuple[str, float, float, float]] = [
        (m, sent[m], f[AT, "pooled", m, "induced_leaks"], tiers.filter(method=m).height) for m in MODELS
    ]
    rows += [
        (f"all three, {s}", f[AT, s, ALL, "dms"], f[AT, s, ALL, "induced_leaks"], f[AT, s, ALL, "sensitive_leaks"])
        for s in SETTINGS
    ]
    frame = pl.DataFrame(rows, schema=["name", *COUNTS], orient="row")
    return _rates(frame.with_columns(pl.col(name).cast(dtype) for name, dtype in COUNTS.items()))
