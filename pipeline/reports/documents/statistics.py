"""The figures that docs/statistics.md quotes, built from the results."""

from pathlib import Path
from typing import Any

import polars as pl

from pipeline.reports.documents.markdown import figure, table
from pipeline.statistics.paired_tests import holm
from pipeline.tables.paths import RESULTS

SETTINGS = ("uniform", "varied")
STANDARD = "standard"


def _read(results: Path, name: str) -> pl.DataFrame:
    return pl.read_csv(results / f"{name}.csv", infer_schema_length=None, glob=False)


def team_label(name: str, simulated: bool) -> str:
    """The name of a team or of a group of teams, in italics where its speakers are simulated."""
    return f"*{name}*" if simulated else name


def mixed_effects(results: Path = RESULTS) -> str:
    """A line a fit of one setting: slope, interval, bound, p-values, and the correlation of team means."""
    fits = _read(results, "mixed_effects")
    head = ["teams", "setting", "excess", "games", "slope", "95 % interval", "nearer to 0 than", "Wald p", "t p"]
    head += ["reference p", "r of means", "its p"]
    rows = [
        [
            team_label(row["teams"], row["simulated"]),
            row["setting"],
            row["predictor"],
            figure(row["games"], 0),
            figure(row["beta"], 4),
            "" if row["low"] is None else f"{figure(row['low'], 4)} to {figure(row['high'], 4)}",
            figure(row["equivalence_bound"], 4),
            *(figure(row[name], 3) for name in ("p_one_sided", "p_one_sided_t")),
            figure(_reference(row), 3),
            figure(row["between_correlation"], 2),
            figure(row["between_p"], 3),
        ]
        for setting in SETTINGS
        for row in _in_order(fits.filter(setting=setting))
    ]
    return table(head, rows)


def _in_order(fits: pl.DataFrame) -> list[dict[str, Any]]:
    """Styles first, as the paper's models; each by its predictors in the appendix's order."""
    place = pl.col("predictor").replace_strict({"raw": 0, "log": 1, "rank": 2})
    return fits.sort("teams", place, descending=[True, False]).to_dicts()


def slopes_beyond_chance(results: Path = RESULTS) -> str:
    """A line a test of the styles' slopes: which of their fits it finds, two-sided at 5 %, above 0 and which below."""
    styles = _read(results, "mixed_effects").filter(teams="styles")
    fits = [fit for setting in ("pooled", *SETTINGS) for fit in _in_order(styles.filter(setting=setting))]
    adjusted = holm([_two_sided(fit["p_one_sided_t"]) for fit in fits])
    tests = {
        "each by itself (t)": [_two_sided(fit["p_one_sided_t"]) for fit in fits],
        "each by itself (reference)": [_two_sided(_reference(fit)) for fit in fits],
        f"all {len(fits)} together (t, Holm)": adjusted,
    }
    rows = [[name, *(_named(fits, p_values, sign) for sign in (1, -1))] for name, p_values in tests.items()]
    return table(["test", "above 0", "below 0"], rows)


def _two_sided(p_one_sided: float) -> float:
    return 2 * min(p_one_sided, 1 - p_one_sided)


def _reference(fit: dict[str, Any]) -> float:
    """The permutation's p-value; of the logarithm, which has gaps, the bootstrap's."""
    p_value: float = fit["p_bootstrap"] if fit["p_permutation"] is None else fit["p_permutation"]
    return p_value


def _named(fits: list[dict[str, Any]], p_values: list[float], sign: int) -> str:
    """The settings and predictors of the slopes of that sign that are beyond chance."""
    slopes = (f for f, p in zip(fits, p_values, strict=True) if p <= ALPHA and f["beta"] * sign > 0)
    return ", ".join(f"{fit['setting']} {fit['predictor']}" for fit in slopes) or "none"


ALPHA = 0.05
RANKED = {"excess_cost": ("excess", 2), "vps_uniform_mean": ("VPS", 2), "coordination_rate_pct": ("coordination %", 1)}


def ranks(results: Path = RESULTS) -> str:
    """A line a setting and team: each measure's mean and the ranks that the tests leave open."""
    ranked = _read(results, "ranks")
    head = ["setting", "team", *(f"{title}: mean, rank" for title, _ in RANKED.values())]
    rows = []
    for setting in SETTINGS:
        part = ranked.filter(setting=setting, condition=STANDARD)
        for team, simulated in (
            part.filter(metric="excess_cost").sort("rank", "team").select("team", "simulated").rows()
        ):
            cells = [part.filter(metric=metric, team=team).row(0, named=True) for metric in RANKED]
            shown = [
                f"{figure(cell['mean'], decimals)}, {cell['rank_low']} to {cell['rank_high']}"
                for cell, (_, decimals) in zip(cells, RANKED.values(), strict=True)
            ]
            rows.append([setting, team_label(team, simulated), *shown])
    return table(head, rows)


CHANGES = {
    "weight_mode": "cost weights",
    "pairs": "the mean over all pairs",
    "rules": "the release's rules",
    "epsilon": "ε",
    "prior": "the prior",
}


def robustness_ranks(results: Path = RESULTS) -> str:
    """A line a constant changed alone: Kendall's τ with the study's choice, and how many pairs of teams flip."""
    choices = _read(results, "robustness_ranks")
    head = ["changed", "to", *(f"{title}, {setting}" for title in GROUPS.values() for setting in SETTINGS)]
    rows = []
    for name, title in CHANGES.items():
        alone = choices.filter(changed=name)
        for (to,), part in alone.group_by(name, maintain_order=True):
            cells = [part.filter(group=group, setting=setting) for group in GROUPS for setting in SETTINGS]
            shown = [
                f"{figure(cell['kendall'].item(), 2)} ({cell['flips'].item()} of {cell['pairs_compared'].item()})"
                for cell in cells
            ]
            rows.append([title, f"{to}", *shown])
    return table(head, rows)


GROUPS = {"protocols": "protocols", "styles": "*styles*"}


def english_rules(results: Path = RESULTS) -> str:
    """A line a setting and team: under each reading of English its mean VPS, the interval and the rank."""
    read = _read(results, "english_rules")
    readings = read["english"].unique(maintain_order=True).to_list()
    rows = []
    for setting in SETTINGS:
        for (team, simulated), part in read.filter(setting=setting).group_by("team", "simulated", maintain_order=True):
            shown = {row["english"]: _mean_and_rank(row) for row in part.iter_rows(named=True)}
            rows.append([setting, team_label(team, simulated), *(shown[name] for name in readings)])
    return table(["setting", "team", *readings], rows)


def _mean_and_rank(row: dict[str, Any]) -> str:
    low, mean, high = (figure(row[name], 2) for name in ("low", "vps", "high"))
    return f"{mean} [{low}, {high}], {row['rank']}"


def english_rules_ranks(results: Path = RESULTS) -> str:
    """A line a reading of English: Kendall's τ with the study's reading, and how many pairs of teams flip."""
    read = _read(results, "english_rules_ranks")
    groups = {"all": "all teams", **GROUPS}
    head = ["reading", *(f"{title}, {setting}" for title in groups.values() for setting in SETTINGS)]
    rows = []
    for (english,), part in read.group_by("english", maintain_order=True):
        cells = [
            part.filter(group=group, setting=setting).row(0, named=True) for group in groups for setting in SETTINGS
        ]
        shown = [f"{figure(cell['kendall'], 2)} ({cell['flips']} of {cell['pairs_compared']})" for cell in cells]
        rows.append([f"{english}", *shown])
    return table(head, rows)


def excess(results: Path = RESULTS) -> str:
    """A line a setting, condition and team that left a meeting unscheduled: excess cost by its definitions."""
    costs = _read(results, "excess")
    penalties = [p for p in (1.0, 100.0, 1000.0) if p in costs["penalty"].to_list()]
    head = ["setting", "condition", "team", "failed a game", "excess", "over those scheduled"]
    rows = []
    failing = costs.filter(pl.col("mean") > 0, measure="failed_meetings").sort("setting", "condition", "team")
    for setting, condition, team, simulated, failed in failing.select(
        "setting", "condition", "team", "simulated", "mean"
    ).rows():
        own = costs.filter(setting=setting, condition=condition, team=team)
        plain = {m: own.filter(measure=m)["mean"][0] for m in ("excess", "excess_scheduled")}
        raised = [own.filter(measure="excess_penalised", penalty=p)["mean"].item() for p in penalties]
        figures = [figure(value, 2) for value in (failed, *plain.values(), *raised)]
        rows.append([setting, condition, team_label(team, simulated), *figures])
    return table([*head, *(f"λ = {p:g}" for p in penalties)], rows)
