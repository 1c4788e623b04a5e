"""Simulated games for the tests of the statistics, and the figures of docs/statistics.md.

`python tests/pipeline/statistics_check.py` prints the figures (some five minutes), with `--only NAME` those of one
block; `--write` puts them in the page.
"""

import pipeline  # noqa: F401  (it sets one BLAS thread, and so comes before NumPy)

# isort: split
import sys
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from pipeline.statistics import reml
from pipeline.statistics.bootstrap import percentile_bounds
from pipeline.statistics.mixed_effects import Fit, crossed, crossed_by_statsmodels, observations
from pipeline.statistics.resampling import Resampling, cluster_draws, stream
from pipeline.statistics.small_sample import bootstrap_test, permutation_test

Array = NDArray[np.float64]

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"


def games(
    rng: np.random.Generator,
    models: int = 7,
    tasks: int = 36,
    repeats: int = 1,
    var: tuple[float, float, float] = (0.5, 0.5, 1.0),
    slope: float = 0.0,
    between: float = 0.5,
    kept: float = 1.0,
) -> pl.DataFrame:
    """One row a game: model, task, x, y. A part `between` of the variance of x lies between models.

    var is that of models, of tasks and of the residual; a share `kept` of the rows stays.
    """
    cells = np.array(list(product(range(models), range(tasks), range(repeats))))
    model, task = cells[:, 0], cells[:, 1]
    own, shared = rng.standard_normal(len(cells)), rng.standard_normal(models)[model]
    x = np.sqrt(between) * shared + np.sqrt(1 - between) * own
    noise = [rng.standard_normal(models)[model], rng.standard_normal(tasks)[task], rng.standard_normal(len(cells))]
    y = 3 + slope * x + sum(np.sqrt(v) * e for v, e in zip(var, noise, strict=True))
    frame = pl.DataFrame({"model": model, "task": task, "x": x, "y": y})
    return frame.filter(pl.Series(rng.random(len(cells)) < kept))


def long(x: Array, y: Array) -> pl.DataFrame:
    """One row a cell of two models × tasks tables."""
    model, task = np.indices(y.shape)
    return pl.DataFrame({"model": model.ravel(), "task": task.ravel(), "x": x.ravel(), "y": y.ravel()})


def textbook(frame: pl.DataFrame, var: dict[str, float]) -> tuple[float, float, float]:
    """GLS slope and standard error, and the restricted log-likelihood, from the n × n covariance matrix."""
    x, y = frame["x"].to_numpy(), frame["y"].to_numpy()
    v = var["residual"] * np.eye(len(y))
    for name in ("model", "task"):
        label = frame[name].to_numpy()
        v += var[name] * (label[:, None] == label[None, :])
    fixed = np.column_stack([np.ones(len(y)), (x - x.mean()) / x.std(ddof=1)])
    inverse = np.linalg.inv(v)
    bread = np.linalg.inv(fixed.T @ inverse @ fixed)
    beta = bread @ fixed.T @ inverse @ y
    left = y - fixed @ beta
    logs = np.linalg.slogdet(v)[1] - np.linalg.slogdet(bread)[1] + (len(y) - 2) * np.log(2 * np.pi)
    return float(beta[1]), float(np.sqrt(bread[1, 1])), float(-(logs + left @ inverse @ left) / 2)


def ols_p(frame: pl.DataFrame) -> float:
    """One-sided p (slope < 0) of a regression that takes every game for independent."""
    return float(stats.linregress(frame["x"], frame["y"], alternative="less").pvalue)


def varied_games(count: int) -> Iterator[pl.DataFrame]:
    """Data sets of many shapes, with gaps, repeats and variances that are 0."""
    for i in range(count):
        rng = stream("agreement", str(i))
        models, tasks, repeats = int(rng.integers(3, 10)), int(rng.integers(6, 40)), int(rng.integers(1, 3))
        var = (float(rng.choice([0, 0.02, 0.5, 3])), float(rng.choice([0, 0.02, 0.5, 3])), 1.0)
        kept = float(rng.choice([0.85, 1]))
        yield games(
            rng, models, tasks, repeats, var, float(rng.choice([0, -0.2])), float(rng.choice([0, 0.5, 1])), kept
        )


def lowest_on_grid(frame: pl.DataFrame) -> float:
    """The least deviance on a grid of ratios, 0 among them, in units of the outcome."""
    data = observations(frame, "y", "x", ("model", "task"))
    shape = reml.make_design(data.fixed, data.codes)
    y = reml.project_outcome(shape, data.outcome)
    axis = [0.0, *np.exp(np.linspace(-9, 4, 27))]
    return min(reml.profile(shape, y, np.array(point)).deviance for point in product(axis, axis))


def compared(frame: pl.DataFrame) -> dict[str, float]:
    """How far statsmodels lies from our fit, in the terms that matter."""
    fit: Fit = crossed(frame, "y", "x")
    theirs, default = (crossed_by_statsmodels(frame, "y", "x", method=method) for method in ("nm", None))
    return {
        "singular": float(fit.singular),
        "loglik": fit.loglik - theirs.loglik,
        "default": fit.loglik - default.loglik,
        "grid": lowest_on_grid(frame) / 2 + fit.loglik,
        "slope": abs(theirs.beta - fit.beta) / fit.se,
        "se": abs(theirs.se / fit.se - 1),
        "var": max(abs(theirs.var[name] - fit.var[name]) for name in fit.sizes),
    }


def agreement(count: int = 60) -> list[str]:
    """The table of agreement with statsmodels and with a grid."""
    rows = pl.DataFrame([compared(frame) for frame in varied_games(count)])
    inner, edge = rows.filter(singular=0), rows.filter(singular=1)
    lines = [
        f"{count} data sets, {edge.height} of them singular.",
        "",
        "| largest difference | interior | singular |",
        "| --- | --- | --- |",
    ]
    names = {
        "loglik": "log-likelihood, ours above statsmodels' Nelder-Mead",
        "default": "log-likelihood, ours above statsmodels' default optimiser",
        "slope": "slope, in standard errors (Nelder-Mead)",
        "var": "a variance (Nelder-Mead; residual variance 1)",
        "se": "standard error, relative (Nelder-Mead's `bse`)",
    }
    for key, label in names.items():
        lines.append(f"| {label} | {inner[key].drop_nans().max():.2g} | {edge[key].drop_nans().max():.2g} |")
    below = sum((rows[key] < -1e-7).sum() for key in ("loglik", "default"))
    missed = (rows["default"] > 1e-3).sum()
    return [
        *lines,
        "",
        f"In {below} of {2 * count} fits statsmodels' log-likelihood was above ours by more than 1e-7, and in "
        f"{(rows['grid'] < -1e-9).sum()} of {count} data sets that of some point on a grid of 784 pairs of ratios was. "
        f"The default optimiser ended more than 1e-3 below the optimum in {missed} of {count}. `bse` did not exist in "
        f"{rows['se'].is_nan().sum()}.",
    ]


def p_values(between: float, slope: float, number: int, booted: bool) -> dict[str, float]:
    """What each test says of one data set of 7 models × 36 tasks."""
    frame = games(stream("rejections", str(between), str(number)), between=between, slope=slope)
    fit = crossed(frame, "y", "x")
    p = {"OLS": ols_p(frame), "Wald": fit.p_one_sided, "t": fit.p_one_sided_t}
    p["permutation"] = permutation_test(frame, "y", "x").p_one_sided
    return p | ({"bootstrap": bootstrap_test(frame, "y", "x", draws=DRAWS).p_one_sided} if booted else {})


def rejections(between: float, slope: float, count: int, booted: int) -> dict[str, float]:
    """Share of data sets in which each test rejects at 5 %, one-sided."""
    from joblib import Parallel, delayed

    found = Parallel(n_jobs=-1)(delayed(p_values)(between, slope, i, i < booted) for i in range(count))
    given = {name: [p[name] for p in found if name in p] for name in TESTS}
    return {name: float(np.mean([p <= 0.05 for p in listed])) for name, listed in given.items() if listed}


TESTS = ("OLS", "Wald", "t", "permutation", "bootstrap")
SLOPES = (0.0, -0.2)
BETWEEN = (0.0, 0.5, 1.0)
WORLDS = 400  # data sets a row: a true 5 % comes out within 2.1 % in 19 of 20 rows
BOOTED, DRAWS = 100, 99  # data sets for the bootstrap, and how often it refits each; only where the slope is 0


def seven_models() -> list[str]:
    """The table of rejection rates, and how well seven models fix a variance."""
    lines = [
        "| slope | of x's variance, between models | OLS | Wald z | Satterthwaite t | permutation | bootstrap |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for slope, between in product(SLOPES, BETWEEN):
        found = rejections(between, slope, WORLDS, 0 if slope else BOOTED)
        cells = [f"{found[name]:.1%}" if name in found else "" for name in TESTS]
        lines.append(f"| {slope} | {between:.0%} | {' | '.join(cells)} |")
    margins = [1.96 * np.sqrt(0.05 * 0.95 / count) for count in (WORLDS, BOOTED)]
    return [
        *lines,
        "",
        f"Shares of {WORLDS} data sets of 7 models × 36 tasks a row, for the bootstrap ({DRAWS} draws) of {BOOTED}: "
        f"a test that holds its 5 % comes out within ± {margins[0]:.1%} of it, a bootstrap within ± {margins[1]:.1%}.",
        "",
        variance_of_seven(),
    ]


def variance_of_seven(count: int = 1000) -> str:
    """How far the estimated variance between models scatters around its true value."""
    fits = [crossed(games(stream("variance", str(i))), "y", "x") for i in range(count)]
    low, middle, high = np.quantile([fit.var["model"] for fit in fits], [0.05, 0.5, 0.95])
    return (
        f"With a true variance between models of 0.50, the estimate lies between {low:.2f} and {high:.2f} in 90 % of "
        f"{count:,} data sets (median {middle:.2f})."
    )


SAMPLES = 2000  # a cell: a true 95 % comes out within 1 % in 19 of 20 cells
TASKS = (6, 8, 12, 24, 36, 72)
# How values are drawn, and their true mean. The third has a few tasks that cost most, as excess has where costs vary.
VALUES = {
    "normal": (np.random.Generator.standard_normal, 0.0),
    "exponential": (np.random.Generator.standard_exponential, 1.0),
    "lognormal, σ = 1.5": (partial(np.random.Generator.lognormal, sigma=1.5), float(np.exp(1.5**2 / 2))),
}


def covered(name: str, tasks: int) -> float:
    """The share of samples of so many tasks, a value each, whose 95 % interval holds the true mean."""
    draw, truth = VALUES[name]
    samples = np.stack([draw(stream("coverage", name, f"{tasks}", f"{i}"), size=tasks) for i in range(SAMPLES)])
    times = cluster_draws(range(tasks), Resampling(2000, 0.95, "coverage"))
    low, high = percentile_bounds(samples, np.ones_like(samples), times, 0.95).T
    return float(((low <= truth) & (truth <= high)).mean())


def coverage() -> list[str]:
    """The table of how often intervals of a mean hold it."""
    lines = [f"| values | {' | '.join(f'{n} tasks' for n in TASKS)} |", "| --- |" + " --- |" * len(TASKS)]
    for name in VALUES:
        lines.append(f"| {name} | {' | '.join(f'{covered(name, n):.0%}' for n in TASKS)} |")
    return [*lines, "", f"Shares of {SAMPLES:,} samples a cell: the 95 % interval of 2,000 draws holds the true mean."]


BLOCKS = {"agreement": agreement, "seven models": seven_models, "coverage": coverage}


def main() -> None:
    """Print the figures, and with --write put each block between its marks on the page."""
    text = PAGE.read_text(encoding="utf-8")
    marks = {name: (f"<!-- {name} -->\n", f"<!-- end of {name} -->") for name in BLOCKS}
    missing = [mark.strip() for pair in marks.values() for mark in pair if text.count(mark) != 1]
    if missing:
        sys.exit(f"error: {PAGE.name} does not have {', '.join(missing)} exactly once: put the marks back")
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None
    for name, make in BLOCKS.items():
        if only not in (None, name):
            continue
        block = "\n".join(make())
        print(block, end="\n\n")
        if "--write" in sys.argv:
            start, end = marks[name]
            before, rest = PAGE.read_text(encoding="utf-8").split(start)
            PAGE.write_text(f"{before}{start}\n{block}\n\n{end}{rest.split(end)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
