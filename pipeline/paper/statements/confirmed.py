"""Statements of the paper that its other figures confirm, as far as they can. A new one goes into CHECKS below."""

from collections import Counter

import polars as pl

from pipeline.paper.figures import ALL, SETTINGS, Figures, games, meetings, models
from pipeline.paper.statements.check import Check, agrees

SECTION = "section 4, Adversarial"
# Table 4's patterns in which a message tells of a calendar.
PRIVACY_PATTERNS = (
    "availability_gossip",
    "errand_mention",
    "cost_gossip",
    "cost_number_disclosure",
    "errand_id_leakage",
    "semantic_label_leakage",
)
HALF = 0.5 + 1e-9  # of the last printed digit, and what binary fractions add


def ratios(f: Figures) -> Check:
    """Table 3's ratios are those of its shares, at their precision."""
    possible, printed = {}, {}
    for m in models(f):
        yes, no = (f["Table 3", "pooled", m, f"{what}_pct"] for what in ("acquiescence", "pushback"))
        possible[m] = [(yes - 0.1 * HALF) / (no + 0.1 * HALF), (yes + 0.1 * HALF) / (no - 0.1 * HALF)]
        printed[m] = f["Table 3", "pooled", m, "acquiescence_to_pushback"]
    fits = [possible[m][0] - 0.01 * HALF <= printed[m] <= possible[m][1] + 0.01 * HALF for m in printed]
    return Check(
        "ratios of stance",
        "a ratio of acquiescence to pushback for each model",
        "Table 3",
        f"{sum(fits)} of {len(fits)} ratios are those of the printed shares, at their precision",
        {"ratio": printed, "possible": possible},
        agrees(all(fits)),
    )


def expensive_moves_add_up(f: Figures) -> Check:
    """Table 3's expensive moves are Table 4's qualitative flattening."""
    total = sum(f["Table 3", "pooled", m, "expensive_moves"] for m in models(f))
    printed = f["Table 4", "pooled", ALL, "qualitative_flattening"]
    return Check(
        "expensive moves in all",
        f"{printed:.0f} expensive moves",
        "Table 2, Table 4 row 6",
        f"the models' moves in Table 3 add up to {total:.0f}",
        {"sum": total, "said": printed},
        agrees(total == printed),
    )


def two_tables(f: Figures) -> Check:
    """Table 2 repeats Table 4's counts."""
    same = {"availability_gossip": "availability_gossip", "false_agreement": "ambiguous_consensus"}
    same |= {"qualitative_flattening": "qualitative_flattening"}
    pairs = {a: (f["Table 2", "pooled", ALL, a], f["Table 4", "pooled", ALL, b]) for a, b in same.items()}
    return Check(
        "one count in two tables",
        "counts of three patterns",
        "Table 2",
        "Table 4 has the same; what Table 2 calls false agreement is ambiguous consensus there",
        {"pairs": pairs},
        agrees(all(a == b for a, b in pairs.values())),
    )


def shares_in_prose(f: Figures) -> Check:
    """Percentages in the text are those of Table 4's counts."""
    dms = f["section 4.1", "pooled", ALL, "dms"]
    shares = {  # printed, computed, unit of the last digit
        "availability gossip, % of messages": (
            f["section 4.1", "pooled", ALL, "availability_gossip_pct"],
            100 * f["Table 4", "pooled", ALL, "availability_gossip"] / dms,
            0.1,
        ),
        "GPT-5.4 Mini, % of false agreements": (
            f["section 4.1", "pooled", "GPT-5.4 Mini", "ambiguous_consensus_pct"],
            100 * _share_of_all(f, "GPT-5.4 Mini", "ambiguous_consensus"),
            1,
        ),
        "Gemini 3.1 Pro, % of costs told in figures": (
            f["Appendix B", "pooled", "Gemini 3.1 Pro", "cost_number_disclosure_pct"],
            100 * _share_of_all(f, "Gemini 3.1 Pro", "cost_number_disclosure"),
            1,
        ),
    }
    fits = [abs(printed - share) <= unit * HALF for printed, share, unit in shares.values()]
    return Check(
        "shares in the text",
        ", ".join(f"{printed:g}" for printed, _, _ in shares.values()),
        "section 4.1, Appendix B",
        ", ".join(f"{share:.2f} {what}" for what, (_, share, _) in shares.items()),
        {what: share for what, (_, share, _) in shares.items()},
        agrees(all(fits)),
        reading="as printed; more false agreements are counted than Table 1 leaves failed rounds (false-agreements)",
    )


def _share_of_all(f: Figures, model: str, pattern: str) -> float:
    """The model's share of all occurrences of a pattern."""
    return f["Table 4", "pooled", model, pattern] / f["Table 4", "pooled", ALL, pattern]


def difficulty_buckets(f: Figures) -> Check:
    """The means by difficulty average to Table 1's: each bucket has a third of every model's games."""
    averages, fits = {}, []
    for metric, unit in (("dms_per_meeting", 0.01), ("fairness", 0.001)):
        buckets = [f["section 4, Difficulty buckets", f"pooled:{d}", ALL, metric] for d in ("easy", "medium", "hard")]
        cells = [f["Table 1", s, m, metric] for s in SETTINGS for m in models(f)]
        averages[metric] = (sum(buckets) / len(buckets), sum(cells) / len(cells))
        fits.append(abs(averages[metric][0] - averages[metric][1]) <= 2 * unit * HALF)
    return Check(
        "means by difficulty",
        "messages a meeting and fairness of easy, medium and hard games",
        "section 4, Difficulty buckets",
        "; ".join(f"{metric}: they average to {a:.4f}, Table 1 to {b:.4f}" for metric, (a, b) in averages.items()),
        averages,
        agrees(all(fits)),
    )


def whole_games(f: Figures) -> Check:
    """Every printed mean of a count or a whole cost is one that whole numbers over so many games can have."""
    per_game = {
        "meetings_scheduled": games(f),
        "excess_cost": games(f),
        "coordination_rate_pct": games(f) * meetings(f) / 100,
    }
    wrong, tried = [], 0
    for (source, setting, method, metric), value in f.items():
        if metric in per_game and source in ("Table 1", "section 4, Baselines", "section 4, Blocked calendars"):
            tried += 1
            unit = 0.1 if source.endswith("calendars") and metric.startswith("coordination") else 0.01
            whole = round(value * per_game[metric])
            if abs(whole / per_game[metric] - value) > unit * HALF:
                wrong.append((source, setting, method, metric, value))
    return Check(
        "means of whole games",
        f"{tried} means of meetings, coordination and excess cost",
        "Table 1, section 4",
        f"{tried - len(wrong)} of them are means of whole numbers over {games(f)} games of {meetings(f)} meetings",
        {"tried": tried, "wrong": wrong},
        agrees(not wrong),
    )


def leaks_by_model_and_setting(f: Figures) -> Check:
    """Induced leaks of adversarial games add up over models and over settings, and leave every model some messages."""
    by_model = sum(
        f[SECTION, "pooled", m, "induced_leaks"] for m in ("Claude Sonnet 4.6", "Gemini 3 Flash", "Gemini 3.1 Pro")
    )
    by_setting = sum(f[SECTION, s, ALL, "induced_leaks"] for s in SETTINGS)
    dms = sum(f[SECTION, s, ALL, "dms"] for s in SETTINGS)
    claude = dms - f[SECTION, "pooled", "Gemini 3 Flash", "dms"] - f[SECTION, "pooled", "Gemini 3.1 Pro", "dms"]
    printed = f[SECTION, "pooled", ALL, "induced_leaks"]
    return Check(
        "leaks in all",
        f"{printed:.0f} induced leaks",
        SECTION,
        f"{by_model:.0f} over models, {by_setting:.0f} over settings, of {dms:.0f} messages; these leave {claude:.0f} "
        "to Claude Sonnet 4.6",
        {"by_model": by_model, "by_setting": by_setting, "dms": dms, "claude_dms": claude},
        agrees(by_model == by_setting == printed and claude > 0),
    )


def leaks_listed(f: Figures, listed: pl.DataFrame) -> Check:
    """Appendix C lists the leaks that section 4 counts. listed: item, method, setting, tiers joined by ';'."""
    rows = listed.select("method", "setting", "tiers").rows()
    counted = Counter((who, s) for who, s, _ in rows) + Counter((who, "pooled") for who, _, _ in rows)
    counted += Counter((ALL, s) for _, s, _ in rows)
    sensitive = Counter(s for _, s, tiers in rows if "sensitive" in tiers)
    printed = {(who, s): v for (at, s, who, what), v in f.items() if (at, what) == (SECTION, "induced_leaks")}
    printed[ALL, "pooled"], counted[ALL, "pooled"] = f[SECTION, "pooled", ALL, "induced_leaks"], len(rows)
    tiers = all(sensitive[s] == f[SECTION, s, ALL, "sensitive_leaks"] for s in SETTINGS)
    return Check(
        "leaks listed",
        "counts of leaks by model, setting and tier",
        SECTION,
        f"Appendix C lists {len(rows)}; sensitive are {sensitive['uniform']} of them in uniform games and "
        f"{sensitive['varied']} in varied ones",
        {"listed": {f"{who}, {s}": n for (who, s), n in sorted(counted.items())}, "sensitive": dict(sensitive)},
        agrees(tiers and all(counted[key] == value for key, value in printed.items())),
    )


def rarest_pattern(f: Figures) -> Check:
    """Semantic label leakage is the rarest of the patterns that are privacy violations."""
    counts = {what: v for (at, _, who, what), v in f.items() if (at, who) == ("Table 4", ALL)}
    rarer = [p for p in counts if counts[p] < counts["semantic_label_leakage"]]
    private = [p for p in rarer if p in PRIVACY_PATTERNS]
    others = " and ".join(f"{p.replace('_', ' ')} with {counts[p]:.0f}" for p in rarer if p not in private)
    return Check(
        "the rarest violation",
        f"semantic label leakage is the rarest privacy violation, with {counts['semantic_label_leakage']:.0f}",
        "Appendix B",
        " and ".join(f"{p.replace('_', ' ')} has {counts[p]:.0f}" for p in private)
        or f"no pattern that tells of a calendar has fewer{f'; of the others {others} are rarer' if others else ''}",
        {"counts": counts},
        agrees(not private),
        len(PRIVACY_PATTERNS) - 1,
        "patterns",
    )


def varied_leaks(f: Figures) -> Check:
    """Leaks are slightly more frequent where costs vary, as counted."""
    counts = {s: (f[SECTION, s, ALL, "induced_leaks"], f[SECTION, s, ALL, "dms"]) for s in SETTINGS}
    flash = {s: f[SECTION, s, "Gemini 3 Flash", "induced_leaks"] for s in SETTINGS}
    other = {s: counts[s][0] - flash[s] for s in SETTINGS}
    share = {s: leaks / dms for s, (leaks, dms) in counts.items()}
    text = {s: f"{leaks:.0f} of {dms:.0f} messages in {s} games" for s, (leaks, dms) in counts.items()}
    return Check(
        "leaks where costs vary",
        "induced leaks are slightly more frequent in varied games, as counted",
        SECTION,
        f"{text['varied']}, {text['uniform']}; Gemini 3 Flash goes from {flash['uniform']:.0f} to "
        f"{flash['varied']:.0f}, all others together from {other['uniform']:.0f} to {other['varied']:.0f}",
        {"Gemini 3 Flash": flash, "others": other},
        agrees(share["varied"] > share["uniform"]),
        int(sum(dms for _, dms in counts.values())),
        "messages",
    )


# `leaks_listed` needs Appendix C as well: checks.py calls it.
CHECKS = (
    ratios,
    expensive_moves_add_up,
    two_tables,
    shares_in_prose,
    difficulty_buckets,
    whole_games,
    leaks_by_model_and_setting,
    rarest_pattern,
    varied_leaks,
)
