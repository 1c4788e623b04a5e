"""Statements that other figures of the paper contradict, or do not settle. A new one goes into CHECKS below."""

import polars as pl

from pipeline.paper.figures import (
    ALL,
    EXPENSIVE,
    SETTINGS,
    Figures,
    Suite,
    by_model,
    failed_rounds,
    games,
    meetings,
    models,
)
from pipeline.paper.ledger.outcomes import Labels, Outcome, correlation
from pipeline.paper.statements.check import AGREES, CONTRADICTS, NOT_SHOWN, UNDECIDED, Check, agrees


def false_agreements(f: Figures) -> Check:
    """Table 4's false agreements are failed rounds, so that Table 1 must leave as many."""
    counted = by_model(f, "Table 4", "ambiguous_consensus")
    failed = {model: failed_rounds(f, model) for model in counted}
    return Check(
        "false agreements",
        f"two or more distinct slots in {counted['GPT-5.4 Mini']:.0f} failed rounds of GPT-5.4 Mini and in "
        f"{counted['DeepSeek V4 Pro']:.0f} of DeepSeek V4 Pro",
        "section 4.1, Table 4 row 9",
        f"Table 1's rates leave {failed['GPT-5.4 Mini']} and {failed['DeepSeek V4 Pro']} failed rounds",
        {"counted": counted, "failed_rounds": failed},
        agrees(all(counted[model] <= failed[model] for model in counted)),
        len(counted),
        "models",
    )


def unilateral_displacements(f: Figures) -> Check:
    """Table 4's unilateral displacements, if they are rounds, are failed ones, so that Table 1 must leave as many."""
    counted, total = (
        by_model(f, "Table 4", "unilateral_displacement"),
        f["Table 4", "pooled", ALL, "unilateral_displacement"],
    )
    failed = {model: failed_rounds(f, model) for model in models(f)}
    fits = total <= sum(failed.values()) and all(counted[m] <= failed[m] for m in counted)
    return Check(
        "unilateral displacements",
        f"{total:.0f} displacements violate a meeting, {counted['Qwen3.6 Plus']:.0f} of them Qwen3.6 Plus's",
        "Appendix B, Table 4 row 8",
        f"Table 1's rates leave {sum(failed.values())} failed rounds, {failed['Qwen3.6 Plus']} of them Qwen3.6 Plus's: "
        "too few if rounds are counted; the unit is not printed, and meetings may be counted by participant",
        {"counted": counted | {ALL: total}, "failed_rounds": failed | {ALL: sum(failed.values())}},
        AGREES if fits else NOT_SHOWN,
        len(counted) + 1,
        "counts",
    )


def expensive_moves_paid(f: Figures, suite: Suite) -> Check:
    """A model's expensive moves (Table 3) cost no more than it paid by Table 1: the oracle's cost and the excess."""
    moves = {m: f["Table 3", "pooled", m, "expensive_moves"] for m in models(f)}
    paid = {m: suite.optimal_cost + games(f) * f["Table 1", "varied", m, "excess_cost"] for m in models(f)}
    # Where a meeting failed, its participants may have moved nothing for it.
    whole = {m for m in models(f) if not failed_rounds(f, m, ("varied",))}
    least = {m: suite.cost_with(round(n)) if m in whole else EXPENSIVE * n for m, n in moves.items()}
    short = [m for m in models(f) if least[m] > paid[m] + 0.005 * games(f)]
    return Check(
        "expensive moves and what they cost",
        f"moves of cost {EXPENSIVE} or more: " + ", ".join(f"{moves[m]:.0f} by {m}" for m in short or moves),
        "Table 3, Table 4 row 6 (varied games)",
        "; ".join(
            f"Table 1 leaves {m} {paid[m]:.0f} for all its moves, and games with these cost {least[m]:.0f} or more; "
            f"{_most_that_fit(suite, paid[m], m in whole)} at most fit"
            for m in short
        )
        or "Table 1's excess leaves every model enough for them",
        {"expensive_moves": moves, "paid": paid, "cost_at_least": least},
        agrees(not short),
        len(moves),
        "models",
        reading="moves of batches that were rejected or rolled back would explain it, if they are counted",
    )


def _most_that_fit(suite: Suite, paid: float, whole: bool) -> int:
    """So many expensive moves fit at most into what was paid, with all meetings coordinated or not."""
    most = int(paid // EXPENSIVE)
    return max(n for n in range(most + 1) if not n or not whole or suite.cost_with(n) <= paid)


def least_coordination(f: Figures) -> Check:
    """Llama 4 Maverick coordinates least."""
    rates = {m: sum(f["Table 1", s, m, "coordination_rate_pct"] for s in SETTINGS) / len(SETTINGS) for m in models(f)}
    least = min(rates, key=lambda m: rates[m])
    last = {setting: _lowest(f, setting) for setting in SETTINGS}
    return Check(
        "lowest coordination",
        "Llama 4 Maverick has the lowest coordination rate of the seven, over both settings",
        "section 4.1, Appendix A",
        f"over both settings of Table 1 it is {least}: {rates[least]:.2f} % against {rates['Llama 4 Maverick']:.2f} %; "
        + ", ".join(f"in {setting} games {model}" for setting, model in last.items()),
        {"coordination_rate_pct": rates},
        agrees(least == "Llama 4 Maverick"),
        len(rates) - 1,
        reading="it holds in uniform games, and with blocked calendars",
    )


def _lowest(f: Figures, setting: str) -> str:
    """The model that coordinates least in a setting."""
    return min(models(f), key=lambda m: f["Table 1", setting, m, "coordination_rate_pct"])


def top_models(f: Figures) -> Check:
    """Table 4's top models of a pattern leave no other model more occurrences than the last of them has."""
    most, counts = {}, {}
    for _, where, who, pattern in f:
        named = by_model(f, "Table 4", pattern)
        if where == "pooled" and who == ALL and len(named) > 1 and ("Table 4", "pooled", ALL, pattern) in f:
            rest = len(models(f)) - len(named)
            counts[pattern] = f["Table 4", "pooled", ALL, pattern]
            most[pattern] = sum(named.values()) + rest * min(named.values())
    beyond = [p for p in counts if counts[p] > most[p]]
    text = [f"{counts[p]:.0f} of {p.replace('_', ' ')}, though its top models allow {most[p]:.0f}" for p in beyond]
    return Check(
        "top models of a pattern",
        "each pattern's count, and the models that show it most",
        "Table 4",
        "; ".join(text) or "the models not named can account for the rest",
        {"counts": counts, "most_possible": most},
        agrees(not beyond),
        len(counts),
        "patterns",
    )


def errand_ids(f: Figures) -> Check:
    """Nearly all errand ids are told by Llama 4 Maverick."""
    named, total = (
        f["Table 4", "pooled", "Llama 4 Maverick", "errand_id_leakage"],
        f["Table 4", "pooled", ALL, "errand_id_leakage"],
    )
    return Check(
        "whose errand ids",
        "telling an errand's id is almost entirely Llama 4 Maverick's",
        "Appendix B, rank 7",
        f"it is {named:.0f} of {total:.0f} messages, {100 * named / total:.0f} %",
        {"share": named / total},
        agrees(named > total / 2),
    )


def accepts_often(f: Figures) -> Check:
    """Gemini 3.1 Pro acquiesces often."""
    shares = {m: f["Table 3", "pooled", m, "acquiescence_pct"] for m in models(f)}
    pro = shares["Gemini 3.1 Pro"]
    below = [m for m in shares if shares[m] < pro]
    return Check(
        "who accepts often",
        "Gemini 3.1 Pro acquiesces frequently",
        "Appendix A",
        f"its share of {pro:.1f} % is below the mean of {sum(shares.values()) / len(shares):.1f} %, and only "
        f"{', '.join(below)} has a lower one; its ratio is high because it hardly pushes back",
        {"acquiescence_pct": shares},
        AGREES if pro > sum(shares.values()) / len(shares) else NOT_SHOWN,
        len(shares),
        "models",
    )


def stance_and_cost(f: Figures) -> Check:
    """Stance correlates with cost over the seven models."""
    ratios = [f["Table 3", "pooled", m, "acquiescence_to_pushback"] for m in models(f)]
    moves = _falls(ratios, [f["Table 3", "pooled", m, "expensive_moves"] for m in models(f)])
    excess = _falls(ratios, [f["Table 1", "varied", m, "excess_cost"] for m in models(f)])
    return Check(
        "stance and cost",
        "the ratio of acquiescence to pushback correlates with cost outcomes across models",
        "Appendix A.1, section 4.1",
        f"over the seven models its rank correlation is {moves.statistic:.2f} with expensive moves (p = "
        f"{moves.p_value:.2f}) and {excess.statistic:.2f} with varied excess (p = {excess.p_value:.2f})",
        {"expensive_moves": moves.statistic, "varied_excess": excess.statistic},
        AGREES if excess.clear else UNDECIDED,
        len(ratios),
        "models",
        "Spearman's rank correlation, of ratio and varied excess",
        excess.statistic,
        excess.p_value,
        "by section 4.1 stance alone does not explain performance; seven models show neither",
    )


def _falls(x: list[float], y: list[float]) -> Outcome:
    """The exact test of a rank correlation over a few models."""
    outcome = correlation(pl.DataFrame({"x": x, "y": y}), Labels(("models", "")), "stance", falls=True)
    if outcome is None:
        raise ValueError("a rank correlation needs three models that differ")
    return outcome


def messages_in_all(f: Figures) -> Check:
    """The number of all messages is one that Table 1's messages per scheduled meeting allow.

    The rates give the number where every meeting is scheduled. A failed meeting takes away its game's rate, which is
    not printed; what can be computed is what it would have to be on average.
    """
    printed, rounds = f["section 4.1", "pooled", ALL, "dms"], games(f) * meetings(f)  # rounds: of a model in a setting
    most = sum(rounds * f["Table 1", s, m, "dms_per_meeting"] for s in SETTINGS for m in models(f))
    failed = sum(failed_rounds(f, m) for m in models(f))
    rate = (most - printed) / failed
    return Check(
        "messages in all",
        f"{printed:.0f} messages",
        "section 4.1",
        f"Table 1 allows {most:.0f} at most, and gives {printed:.0f} if games lost {rate:.1f} messages with each of "
        f"the {failed} failed meetings: their own rate, which is not printed, and may well be above the others'",
        {"said": printed, "at_most": most, "failed_meetings": failed, "rate_needed": rate},
        UNDECIDED if printed <= most + 0.005 * rounds * len(models(f)) * len(SETTINGS) else CONTRADICTS,
        reading="not excluded",
    )


# `expensive_moves_paid` needs the tasks as well: checks.py calls it.
CHECKS = (
    false_agreements,
    unilateral_displacements,
    least_coordination,
    top_models,
    errand_ids,
    accepts_often,
    stance_and_cost,
    messages_in_all,
)
