"""Appendix I on the study's games: does privacy loss fall as excess cost rises? A fit a group of teams and setting."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import sqrt
from typing import Any

import polars as pl
from polars import selectors as cs

from pipeline.statistics.mixed_effects import crossed, per_group_slopes, predictors
from pipeline.statistics.resampling import fewest_clusters
from pipeline.statistics.small_sample import MeansTest, between_test, bootstrap_test, correlate, permutation_test
from pipeline.tables.io import to_frame
from pipeline.tables.schemas.results import MIXED_EFFECTS, MIXED_EFFECTS_SLOPES

OUTCOME, PREDICTOR, GROUPS = "vps_uniform_mean", "excess_cost", ("team", "task_id")
POOLED, PRINTED = "pooled", "paper"
ALPHA = 0.05
MARGIN = 0.5  # standard deviations of VPS within a team: a slope that may lie so far below 0 is not shown to be level
DIGITS = 8  # significant ones: those beyond may differ from machine to machine


@dataclass(frozen=True)
class Tests:
    """How the tests beside Wald's are made: outcomes drawn, most relabellings, and the name of the streams."""

    draws: int = 199
    relabellings: int = 10_000
    seed: str = "mixed effects"


@dataclass(frozen=True)
class Sample:
    """The cells of a group of teams in a setting, with `predictor`, and how many games have none.

    cells: as `cell_means` gives them.
    """

    teams: str
    setting: str
    predictor: str
    cells: pl.DataFrame
    left_out: int


def cell_means(games: pl.DataFrame) -> pl.DataFrame:
    """One row a team, task and setting: its mean VPS and excess cost, and of how many `games`, those that have both.

    Games of one team on one task are not independent given the two: protocols play the same game each time.
    """
    values = pl.col(OUTCOME, PREDICTOR)
    mean = pl.when(values.min() == values.max()).then(values.min()).otherwise(values.sort().mean())
    played = games.drop_nulls([OUTCOME, PREDICTOR]).with_columns(values.cast(pl.Float64))
    cells = played.group_by(*GROUPS, "setting", maintain_order=True)
    return cells.agg(mean, pl.col("simulated").any(), games=pl.len())


def samples(games: pl.DataFrame, groups: Mapping[str, Sequence[str]]) -> Iterator[Sample]:
    """Each group of teams, setting, and both settings together where there is not one alone, by each predictor."""
    cells = cell_means(games)
    for name, teams in groups.items():
        of_group = cells.filter(pl.col("team").is_in(list(teams)))
        settings = sorted(of_group["setting"].drop_nulls().unique())
        alone = of_group["setting"].n_unique() == len(settings) == 1
        for setting in settings if alone else [*settings, POOLED]:
            part = of_group if setting == POOLED else of_group.filter(setting=setting)
            for predictor, frame in predictors(part, PREDICTOR).items():
                left_out = int(part["games"].sum()) - int(frame["games"].sum())
                yield Sample(name, setting, predictor, frame, left_out)


def fits_table(
    games: pl.DataFrame, groups: Mapping[str, Sequence[str]], tests: Tests, printed: pl.DataFrame | None = None
) -> pl.DataFrame:
    """One row a group of teams, setting and predictor: the fit, its tests, and what the means of the teams say.

    `games` has a row a game: team, simulated, task_id, setting, vps_uniform_mean, excess_cost; a team's games of one
    task are one row of a fit, their mean. Where there is no fit the figures are null and `note` says why. `printed` has
    a row a setting and model of the paper, with the last two as means: they make the rows of the group `paper`, which
    has a test of means and no fit.
    """
    rows = [_row(sample, tests) for sample in samples(games, groups)]
    rows += [] if printed is None else _printed_rows(printed)
    fits = to_frame(MIXED_EFFECTS, [tuple(row.get(name) for name in MIXED_EFFECTS.names) for row in rows])
    return fits.with_columns(cs.float().round_sig_figs(DIGITS))


def _printed_rows(printed: pl.DataFrame) -> list[dict[str, object]]:
    """The paper's means of its models: how they correlate in each setting, by each predictor."""
    rows: list[dict[str, object]] = []
    for (setting,), points in printed.sort("setting").group_by("setting", maintain_order=True):
        for predictor, frame in predictors(points, PREDICTOR).items():
            means = correlate(*(frame[name].to_numpy() for name in ("predictor", OUTCOME)))
            known = {"teams": PRINTED, "simulated": False, "setting": setting, "predictor": predictor}
            tested = {"between_correlation": means.correlation, "between_p": means.p_one_sided}
            rows.append(known | tested | {"n_teams": frame.height, "note": "means as printed, without games"})
    return rows


def _row(sample: Sample, tests: Tests) -> dict[str, object]:
    known = {
        "teams": sample.teams,
        "simulated": bool(sample.cells["simulated"].any()),
        "setting": sample.setting,
        "predictor": sample.predictor,
        "games": sample.cells["games"].sum(),
        "left_out": sample.left_out,
    }
    try:
        return known | _figures(sample, tests)
    except ValueError as error:
        return known | {"note": str(error)}


def _figures(sample: Sample, tests: Tests) -> dict[str, object]:
    """The fit's columns. Raises ValueError as `crossed` does."""
    fit = crossed(sample.cells, OUTCOME, "predictor", GROUPS)
    between = _between(sample.cells)
    team, task = GROUPS
    low, high = fit.interval()
    same = ("beta", "se", "t", "p_one_sided", "df", "p_one_sided_t", "loglik", "singular", "sd")
    return {
        "n_teams": fit.sizes[team],
        "n_tasks": fit.sizes[task],
        **{name: getattr(fit, name) for name in same},
        "low": low,
        "high": high,
        "equivalence_bound": fit.equivalence_bound(),
        **_reference(sample, tests),
        "var_team": fit.var[team],
        "var_task": fit.var[task],
        "var_residual": fit.var_residual,
        "between_correlation": between.correlation,
        "between_p": between.p_one_sided,
    }


def _between(cells: pl.DataFrame) -> MeansTest:
    """The test of the teams' means, over the tasks that all of them played; none where these tell nothing."""
    team, task = GROUPS
    shared = cells.filter(pl.col(team).n_unique().over(task) == cells[team].n_unique())
    try:
        return between_test(shared, OUTCOME, "predictor", team)
    except ValueError:
        return MeansTest(None, None)


def _reference(sample: Sample, tests: Tests) -> dict[str, object]:
    """The test without Wald's normal that the games allow: whole teams relabelled, or else outcomes drawn."""
    seed = "/".join((tests.seed, sample.teams, sample.setting, sample.predictor))
    try:
        test = permutation_test(sample.cells, OUTCOME, "predictor", GROUPS, tests.relabellings, seed)
        return {"p_permutation": test.p_one_sided, "draws": test.draws}
    except ValueError:
        test = bootstrap_test(sample.cells, OUTCOME, "predictor", GROUPS, tests.draws, seed)
        return {"p_bootstrap": test.p_one_sided, "draws": test.draws}


def falls(fit: Mapping[str, Any] | None) -> bool | None:
    """Whether a fit's slope, a row of `fits_table`, is below 0 beyond chance: by Wald's test, the paper's, and by the
    one without its normal. None where the two disagree, where the second has too few draws to reach ALPHA, where
    neither is below it but the slope's interval reaches MARGIN below 0, of too few tasks, and where there is no fit."""
    if fit is None or fit["p_one_sided"] is None or 1 / fit["draws"] >= ALPHA:
        return None
    if fit["n_tasks"] < fewest_clusters(1 - ALPHA):
        return None
    beside = fit["p_bootstrap"] if fit["p_permutation"] is None else fit["p_permutation"]
    verdicts = {p < ALPHA for p in (fit["p_one_sided"], beside)}
    within = sqrt(fit["var_task"] + fit["var_residual"])
    if verdicts == {True}:
        return True
    return False if verdicts == {False} and fit["low"] > -MARGIN * within else None


def slopes_table(games: pl.DataFrame, groups: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """One row a group of teams, setting, predictor and team: the least-squares line through the team's own tasks.

    A group whose predictor does not vary has no rows.
    """
    simulated = games.group_by("team").agg(pl.col("simulated").any())
    parts = [to_frame(MIXED_EFFECTS_SLOPES, [])]
    for sample in samples(games, groups):
        named = {"teams": sample.teams, "setting": sample.setting, "predictor": sample.predictor}
        with suppress(ValueError):
            lines = per_group_slopes(sample.cells, OUTCOME, "predictor", GROUPS[0])
            lines = lines.with_columns(pl.lit(value).alias(name) for name, value in named.items())
            parts.append(lines.join(simulated, on="team", how="left").select(parts[0].columns))
    return pl.concat(parts).with_columns(cs.float().round_sig_figs(DIGITS))
