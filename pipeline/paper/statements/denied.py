"""Statements of the paper that its other figures contradict, or do not show. A new one goes into CHECKS below."""

from pipeline.paper.figures import ALL, SETTINGS, Figures, Suite, by_model, failed_rounds, games, models
from pipeline.paper.statements.check import AGREES, CONTRADICTS, NOT_SHOWN, Check, agrees

EXPENSIVE, CHEAP = 100, 1  # the least cost of an expensive move (Appendix B), and of any other move of varied games


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
    )


def unilateral_displacements(f: Figures) -> Check:
    """Table 4's unilateral displacements are failed rounds, so that Table 1 must leave as many."""
    counted, total = (
        by_model(f, "Table 4", "unilateral_displacement"),
        f["Table 4", "pooled", ALL, "unilateral_displacement"],
    )
    failed = {model: failed_rounds(f, model) for model in models(f)}
    return Check(
        "unilateral displacements",
        f"{total:.0f} rounds end with a violated meeting, {counted['Qwen3.6 Plus']:.0f} of them Qwen3.6 Plus's",
        "Appendix B, Table 4 row 8",
        f"Table 1's rates leave {sum(failed.values())} failed rounds, {failed['Qwen3.6 Plus']} of them Qwen3.6 Plus's; "
        "a round with a violation is a failed one",
        {"counted": counted | {ALL: total}, "failed_rounds": failed | {ALL: sum(failed.values())}},
        agrees(total <= sum(failed.values()) and all(counted[m] <= failed[m] for m in counted)),
    )


def expensive_moves_paid(f: Figures, suite: Suite) -> Check:
    """A model's expensive moves (Table 3) cost no more than it paid by Table 1: the oracle's cost and the excess."""
    moves = {m: f["Table 3", "pooled", m, "expensive_moves"] for m in models(f)}
    paid = {m: suite.optimal_cost + games(f) * f["Table 1", "varied", m, "excess_cost"] for m in models(f)}
    # Where a meeting failed, its participants may have moved nothing for it.
    least = {
        m: EXPENSIVE * n + CHEAP * max(0, suite.fewest_moves - n) * (failed_rounds(f, m, ("varied",)) == 0)
        for m, n in moves.items()
    }
    short = [m for m in models(f) if least[m] > paid[m] + 0.005 * games(f)]
    return Check(
        "expensive moves and what they cost",
        f"moves of cost {EXPENSIVE} or more: " + ", ".join(f"{moves[m]:.0f} by {m}" for m in short or moves),
        "Table 3, Table 4 row 6 (varied games)",
        "; ".join(
            f"Table 1 leaves {m} {paid[m]:.0f} for all its moves, and these cost {least[m]:.0f} or more" for m in short
        )
        or "Table 1's excess leaves every model enough for them",
        {"expensive_moves": moves, "paid": paid, "cost_at_least": least},
        agrees(not short),
    )


def least_coordination(f: Figures) -> Check:
    """Llama 4 Maverick coordinates least."""
    rates = {m: sum(f["Table 1", s, m, "coordination_rate_pct"] for s in SETTINGS) / len(SETTINGS) for m in models(f)}
    least = min(rates, key=lambda m: rates[m])
    return Check(
        "lowest coordination",
        "Llama 4 Maverick has the lowest coordination rate of the seven",
        "section 4.1, Appendix A",
        f"over both settings of Table 1 it is {least}: {rates[least]:.2f} % against {rates['Llama 4 Maverick']:.2f} %",
        {"coordination_rate_pct": rates},
        agrees(least == "Llama 4 Maverick"),
    )


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
    )


def rarest_pattern(f: Figures) -> Check:
    """Semantic label leakage is the rarest pattern."""
    counts = {what: v for (at, _, who, what), v in f.items() if (at, who) == ("Table 4", ALL)}
    rarer = [p for p in counts if counts[p] < counts["semantic_label_leakage"]]
    return Check(
        "the rarest pattern",
        f"semantic label leakage is the rarest pattern, with {counts['semantic_label_leakage']:.0f}",
        "Appendix B",
        " and ".join(f"{p.replace('_', ' ')} has {counts[p]:.0f}" for p in rarer) or "no pattern has fewer",
        {"counts": counts},
        agrees(not rarer),
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
        "Gemini 3.1 Pro is highly acquiescent, and acquiesces frequently",
        "section 4.1, Appendix A",
        f"its share of {pro:.1f} % is below the mean of {sum(shares.values()) / len(shares):.1f} %, and only "
        f"{', '.join(below)} has a lower one; its ratio is high because it hardly pushes back",
        {"acquiescence_pct": shares},
        agrees(pro > sum(shares.values()) / len(shares)),
    )


def stance_and_cost(f: Figures) -> Check:
    """Stance correlates with cost over the seven models."""
    from scipy.stats import spearmanr  # type: ignore[import-untyped]

    ratios = [f["Table 3", "pooled", m, "acquiescence_to_pushback"] for m in models(f)]
    rho = {}
    for what, costs in (
        ("expensive_moves", [f["Table 3", "pooled", m, "expensive_moves"] for m in models(f)]),
        ("varied_excess", [f["Table 1", "varied", m, "excess_cost"] for m in models(f)]),
    ):
        test = spearmanr(ratios, costs)
        rho[what] = {"rho": round(float(test.statistic), 2), "p": round(float(test.pvalue), 2)}
    text = {what: f"{value['rho']} (p = {value['p']})" for what, value in rho.items()}
    clear = any(value["p"] <= 0.05 for value in rho.values())
    return Check(
        "stance and cost",
        "the ratio of acquiescence to pushback correlates with cost outcomes across models",
        "Appendix A.1",
        f"over the seven models its rank correlation is {text['expensive_moves']} with expensive moves and "
        f"{text['varied_excess']} with varied excess; by section 4.1, stance alone does not explain performance",
        rho,
        AGREES if clear else NOT_SHOWN,
    )


def varied_leaks(f: Figures) -> Check:
    """Leaks are more frequent where costs vary, and not in one model's games only."""
    section = "section 4, Adversarial"
    flash = {s: f[section, s, "Gemini 3 Flash", "induced_leaks"] for s in SETTINGS}
    other = {s: f[section, s, ALL, "induced_leaks"] - flash[s] for s in SETTINGS}
    return Check(
        "leaks where costs vary",
        "induced leaks are slightly more frequent in varied games",
        section,
        f"Gemini 3 Flash goes from {flash['uniform']:.0f} to {flash['varied']:.0f}, all others together from "
        f"{other['uniform']:.0f} to {other['varied']:.0f}: the direction is one model's",
        {"Gemini 3 Flash": flash, "others": other},
        AGREES if other["varied"] > other["uniform"] else NOT_SHOWN,
    )


def sd_map(f: Figures) -> Check:
    """SD-MAP coordinates perfectly in varied games, of which no figure is printed."""
    return Check(
        "SD-MAP in varied games",
        "all baselines but DSM-Private coordinate perfectly; SD-MAP coordinates nearly all varied tasks",
        "section 4, Baselines",
        "the second sentence takes back the first",
        {"uniform_pct": f["section 4, Baselines", "uniform", "SD-MAP", "coordination_rate_pct"]},
        CONTRADICTS,
    )


# `expensive_moves_paid` needs the tasks as well: checks.py calls it.
CHECKS = (
    false_agreements,
    unilateral_displacements,
    least_coordination,
    top_models,
    rarest_pattern,
    errand_ids,
    accepts_often,
    sd_map,
    stance_and_cost,
    varied_leaks,
)
