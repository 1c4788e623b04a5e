"""Statements of the paper that its other figures bear out, as far as they can: functions of what is printed."""

from collections import Counter

import polars as pl

from pipeline.paper.figures import ALL, SETTINGS, Check, Figures, agrees, failed_rounds, games, meetings, models

AT = "section 4, Adversarial"
HALF = 0.5 + 1e-9  # of the last printed digit, and what binary fractions add


def ratios(f: Figures) -> Check:
    """Table 3's ratio is that of its shares, at the precision of what is printed."""
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
    said = f["Table 4", "pooled", ALL, "qualitative_flattening"]
    return Check(
        "expensive moves in all",
        f"{said:.0f} expensive moves",
        "Table 2, Table 4 row 6",
        f"the models' moves in Table 3 add up to {total:.0f}",
        {"sum": total, "said": said},
        agrees(total == said),
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
    """Percentages in the text are those of the counts."""
    dms = f["section 4.1", "pooled", ALL, "dms"]
    truncated = {
        "availability gossip, % of messages": (
            f["section 4.1", "pooled", ALL, "availability_gossip_pct"],
            100 * f["Table 4", "pooled", ALL, "availability_gossip"] / dms,
            0.1,
        ),
        "GPT-5.4 Mini, % of false agreements": (
            f["section 4.1", "pooled", "GPT-5.4 Mini", "ambiguous_consensus_pct"],
            100 * _of_all(f, "GPT-5.4 Mini", "ambiguous_consensus"),
            1,
        ),
        "Gemini 3.1 Pro, % of costs told in figures": (
            f["Appendix B", "pooled", "Gemini 3.1 Pro", "cost_number_disclosure_pct"],
            100 * _of_all(f, "Gemini 3.1 Pro", "cost_number_disclosure"),
            1,
        ),
    }
    fits = [abs(said - found) <= unit * HALF for said, found, unit in truncated.values()]
    return Check(
        "shares in the text",
        ", ".join(f"{said:g}" for said, _, _ in truncated.values()),
        "section 4.1, Appendix B",
        ", ".join(f"{found:.2f} {what}" for what, (_, found, _) in truncated.items()),
        {what: found for what, (_, found, _) in truncated.items()},
        agrees(all(fits)),
    )


def _of_all(f: Figures, model: str, pattern: str) -> float:
    return f["Table 4", "pooled", model, pattern] / f["Table 4", "pooled", ALL, pattern]


def difficulty_buckets(f: Figures) -> Check:
    """The means by difficulty average to Table 1's: each bucket has a third of every model's games."""
    found, fits = {}, []
    for metric, unit in (("dms_per_meeting", 0.01), ("fairness", 0.001)):
        buckets = [f["section 4, Difficulty buckets", f"pooled:{d}", ALL, metric] for d in ("easy", "medium", "hard")]
        cells = [f["Table 1", s, m, metric] for s in SETTINGS for m in models(f)]
        found[metric] = (sum(buckets) / len(buckets), sum(cells) / len(cells))
        fits.append(abs(found[metric][0] - found[metric][1]) <= 2 * unit * HALF)
    return Check(
        "means by difficulty",
        "messages a meeting and fairness of easy, medium and hard games",
        "section 4, Difficulty buckets",
        "; ".join(f"{metric}: they average to {a:.4f}, Table 1 to {b:.4f}" for metric, (a, b) in found.items()),
        found,
        agrees(all(fits)),
    )


def messages_in_all(f: Figures) -> Check:
    """All messages, against Table 1's messages a scheduled meeting.

    Where every meeting is scheduled, the rate gives the number. Each failed meeting takes away its game's rate, which
    is not printed: what it would have to be on average is what can be told.
    """
    said, each = f["section 4.1", "pooled", ALL, "dms"], games(f) * meetings(f)
    most = sum(each * f["Table 1", s, m, "dms_per_meeting"] for s in SETTINGS for m in models(f))
    failed = sum(failed_rounds(f, m) for m in models(f))
    rate = (most - said) / failed
    return Check(
        "messages in all",
        f"{said:.0f} messages",
        "section 4.1",
        f"Table 1 allows {most:.0f} at most, and gives {said:.0f} if games lost {rate:.1f} messages with each of the "
        f"{failed} failed meetings: their own rate, which is not printed, and may well be above the others'",
        {"said": said, "at_most": most, "failed_meetings": failed, "rate_needed": rate},
        agrees(said <= most + 0.01 * HALF * each * len(models(f)) * len(SETTINGS)),
    )


def whole_games(f: Figures) -> Check:
    """A mean of whole numbers over so many games is one of few values: every printed mean must be."""
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
    """Leaks and messages of the adversarial games, summed over models and over settings."""
    by_model = sum(
        f[AT, "pooled", m, "induced_leaks"] for m in ("Claude Sonnet 4.6", "Gemini 3 Flash", "Gemini 3.1 Pro")
    )
    by_setting = sum(f[AT, s, ALL, "induced_leaks"] for s in SETTINGS)
    dms = sum(f[AT, s, ALL, "dms"] for s in SETTINGS)
    claude = dms - f[AT, "pooled", "Gemini 3 Flash", "dms"] - f[AT, "pooled", "Gemini 3.1 Pro", "dms"]
    said = f[AT, "pooled", ALL, "induced_leaks"]
    return Check(
        "leaks in all",
        f"{said:.0f} induced leaks",
        AT,
        f"{by_model:.0f} over models, {by_setting:.0f} over settings, of {dms:.0f} messages; these leave {claude:.0f} "
        "to Claude Sonnet 4.6",
        {"by_model": by_model, "by_setting": by_setting, "dms": dms, "claude_dms": claude},
        agrees(by_model == by_setting == said and claude > 0),
    )


def leaks_listed(f: Figures, listed: pl.DataFrame) -> Check:
    """Appendix C's list, counted. listed: item, method, setting, tiers joined by ';'."""
    rows = listed.select("method", "setting", "tiers").rows()
    counted = Counter((who, s) for who, s, _ in rows) + Counter((who, "pooled") for who, _, _ in rows)
    counted += Counter((ALL, s) for _, s, _ in rows)
    sensitive = Counter(s for _, s, tiers in rows if "sensitive" in tiers)
    said = {(who, s): v for (at, s, who, what), v in f.items() if (at, what) == (AT, "induced_leaks")}
    said[ALL, "pooled"], counted[ALL, "pooled"] = f[AT, "pooled", ALL, "induced_leaks"], len(rows)
    tiers = all(sensitive[s] == f[AT, s, ALL, "sensitive_leaks"] for s in SETTINGS)
    return Check(
        "leaks listed",
        "counts of leaks by model, setting and tier",
        AT,
        f"Appendix C lists {len(rows)}; sensitive are {sensitive['uniform']} of them in uniform games and "
        f"{sensitive['varied']} in varied ones",
        {"listed": {f"{who}, {s}": n for (who, s), n in sorted(counted.items())}, "sensitive": dict(sensitive)},
        agrees(tiers and all(counted[key] == value for key, value in said.items())),
    )
