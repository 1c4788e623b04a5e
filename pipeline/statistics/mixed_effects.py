"""Does privacy loss fall as excess cost rises? Linear mixed models with crossed random intercepts (Appendix I)."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats  # type: ignore[import-untyped]

from pipeline.statistics import reml
from pipeline.statistics.reml import Array

if TYPE_CHECKING:
    import pandas as pd

ROUNDING = 1e-13  # of a column's largest value: variation below this is none
LINE = ("slope", "se", "low", "high", "p_one_sided")
EXACT = 1e-10  # of what a plain regression leaves: a remainder below this is none


@dataclass(frozen=True)
class Observations:
    """The n rows of a fit in an order of their own, so that no result depends on the order of the frame."""

    outcome: Array
    predictor: Array  # in sample standard deviations (n − 1) from its mean
    codes: tuple[NDArray[np.intp], ...]  # for each group, the number of each row's level
    sizes: dict[str, int]  # group → levels
    sd: float  # of the predictor as given

    @property
    def fixed(self) -> Array:
        """n × 2: an intercept and the predictor."""
        return np.column_stack([np.ones(len(self.outcome)), self.predictor])


@dataclass(frozen=True)
class Fit:
    """One fitted model: outcome = β0 + beta · z(predictor) + a random intercept a group + residual, by REML."""

    beta: float  # outcome per sample SD of the predictor
    se: float  # the root of the predictor's entry in σ²(X'V⁻¹X)⁻¹
    t: float  # beta / se
    p_one_sided: float  # Wald, against β < 0: Φ(t)
    df: float  # Satterthwaite's degrees of freedom
    p_one_sided_t: float  # against β < 0, from Student's t at df
    var: dict[str, float]  # group → variance of its intercepts, and "residual"
    loglik: float  # restricted, at its maximum, as lme4 reports it
    singular: bool  # whether some group's variance is 0
    n: int
    sizes: dict[str, int]  # group → levels
    sd: float  # of the predictor: beta / sd is the slope per unit

    @property
    def var_residual(self) -> float:
        """The variance within a cell."""
        return self.var["residual"]

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The slope's interval: Student's t at df on both sides."""
        reach = float(stats.t.ppf((1 + level) / 2, self.df)) * self.se
        return self.beta - reach, self.beta + reach

    def equivalence_bound(self, alpha: float = 0.05) -> float:
        """The least bound within which two one-sided tests at `alpha` place |β|: the far end of the 1 − 2α interval."""
        return max(map(abs, self.interval(1 - 2 * alpha)))


def crossed(
    frame: "pl.DataFrame | pd.DataFrame", outcome: str, predictor: str, groups: Sequence[str] = ("model", "task")
) -> Fit:
    """Fit the model of Appendix I to one row a game: the predictor standardised, crossed random intercepts, REML.

    Raises ValueError for columns that are missing or hold gaps, a predictor or outcome that does not vary, a group with
    fewer than two levels or with a level a row, one whose levels the predictor tells apart as two points do a line, and
    an outcome that the groups and the predictor explain exactly.
    """
    return fit(observations(frame, outcome, predictor, groups))


def fit(data: Observations) -> Fit:
    """The fitted model of `crossed`. The outcome is fitted in units of its spread, and what is found is scaled back."""
    design = reml.make_design(data.fixed, data.codes)
    plain = np.linalg.lstsq(data.fixed, data.outcome - data.outcome.mean(), rcond=None)[0]
    left = data.outcome - data.outcome.mean() - data.fixed @ plain
    unit = _residual_spread(data, left)
    y = reml.project_outcome(design, left / unit)
    fitted = reml.optimum(design, y)
    scale = unit**2 * fitted.squares / design.free
    beta = float(plain[1] + unit * fitted.beta[1])
    se = float(np.sqrt(scale * fitted.bread[1, 1]))
    df = reml.satterthwaite(design, fitted, 1)
    loglik = float(-fitted.deviance / 2 - design.free * np.log(unit))
    return _fit_record(data, beta, se, df, fitted.ratios, scale, loglik)


def crossed_by_statsmodels(
    frame: "pl.DataFrame | pd.DataFrame",
    outcome: str,
    predictor: str,
    groups: Sequence[str] = ("model", "task"),
    method: str | None = "nm",
) -> Fit:
    """The model of `crossed` fitted by statsmodels' MixedLM: one dummy group, all factors as variance components.

    A second opinion on slope, se, variances and likelihood. It tests by the normal alone: df is infinite.
    Nelder and Mead's search ("nm") finds the optimum, its default (None) often stops short of it. No variance is ever
    exactly 0, and near there the se can be far off. Raises ValueError as `observations` does.
    """
    from statsmodels.api import MixedLM  # type: ignore[import-untyped]

    data = observations(frame, outcome, predictor, groups)
    factors = [f"group{i}" for i in range(len(groups))]
    columns = pl.DataFrame({"y": data.outcome, "z": data.predictor, **dict(zip(factors, data.codes, strict=True))})
    parts = {name: f"0 + C({name})" for name in factors}
    everything = np.ones(len(data.outcome))
    model = MixedLM.from_formula("y ~ z", columns.to_pandas(), vc_formula=parts, groups=everything)
    with warnings.catch_warnings():  # that a variance is near 0, which `singular` says
        warnings.simplefilter("ignore")
        fitted = model.fit(reml=True, method=method)
        beta, se = float(fitted.fe_params["z"]), float(fitted.bse_fe["z"])
    ratios = np.array([fitted.vcomp[model.exog_vc.names.index(name)] for name in factors]) / fitted.scale
    return _fit_record(data, beta, se, np.inf, ratios, fitted.scale, float(fitted.llf))


def _fit_record(
    data: Observations, beta: float, se: float, df: float, ratios: Array, scale: float, loglik: float
) -> Fit:
    """A fit with its tests. ratios: of each group's variance to the residual's, which is `scale`."""
    return Fit(
        beta=beta,
        se=se,
        t=beta / se,
        p_one_sided=float(stats.norm.cdf(beta / se)),
        df=df,
        p_one_sided_t=float(stats.t.cdf(beta / se, df)),
        var=dict(zip(data.sizes, map(float, scale * ratios), strict=True)) | {"residual": float(scale)},
        loglik=loglik,
        singular=bool(np.sqrt(ratios).min() < reml.SINGULAR),
        n=len(data.outcome),
        sizes=data.sizes,
        sd=data.sd,
    )


def observations(
    frame: "pl.DataFrame | pd.DataFrame", outcome: str, predictor: str, groups: Sequence[str]
) -> Observations:
    """The frame's rows, checked as `crossed` says, sorted by level, predictor and outcome."""
    missing = [name for name in (outcome, predictor, *groups) if name not in frame.columns]
    if missing:
        raise ValueError(f"no column {', '.join(missing)} in the frame")
    if len(set(groups)) < len(groups) or not groups or "residual" in groups:
        raise ValueError(f"groups must be one or more different columns, none called residual: {', '.join(groups)}")
    y, x = numbers(frame, outcome), numbers(frame, predictor)
    labels = [np.unique(levels(frame, name), return_inverse=True) for name in groups]
    sizes = {name: len(names) for name, (names, _) in zip(groups, labels, strict=True)}
    order = np.lexsort((y, x, *(codes for _, codes in reversed(labels))))
    y, x = y[order], x[order]
    codes = tuple(codes[order] for _, codes in labels)
    _check_groups(len(y), sizes, codes)
    sd = spread(x, predictor)
    data = Observations(y, (x - x.mean()) / sd, codes, sizes, sd)
    _check_separable(data)
    return data


def numbers(frame: "pl.DataFrame | pd.DataFrame", name: str) -> Array:
    """A column as n floats. Raises ValueError unless every value is a finite number."""
    try:
        values = np.array([float("nan") if v is None else float(v) for v in frame[name].to_list()])
    except (TypeError, ValueError):
        raise ValueError(f"{name} holds values that are not numbers") from None
    if not np.isfinite(values).all():
        raise ValueError(f"{name} holds {int((~np.isfinite(values)).sum())} values that are missing or infinite")
    return values


def levels(frame: "pl.DataFrame | pd.DataFrame", name: str) -> NDArray[np.str_]:
    """A column of labels (text, whole numbers or categories) as n texts. Raises ValueError for a gap."""
    values: list[Any] = frame[name].to_list()
    if any(v is None or v != v for v in values):
        raise ValueError(f"{name} holds missing labels")
    return np.array([str(v) for v in values])


def spread(values: Array, name: str) -> float:
    """The sample standard deviation (n − 1). Raises ValueError for fewer than three values or for a constant."""
    if len(values) < 3:
        raise ValueError(f"{len(values)} rows are too few to fit a slope")
    sd = float(values.std(ddof=1))
    if sd <= ROUNDING * float(np.abs(values).max()):
        raise ValueError(f"{name} does not vary")
    return sd


def _check_groups(n: int, sizes: dict[str, int], codes: Sequence[NDArray[np.intp]]) -> None:
    for name, count in sizes.items():
        if count < 2:
            raise ValueError(f"{name} needs at least 2 levels to have a variance, and has {count}")
        if count >= n:
            raise ValueError(f"{name} has as many levels as there are rows ({n}): its variance is the residual's")
    for i, (name, code) in enumerate(zip(sizes, codes, strict=True)):
        for other, again in list(zip(sizes, codes, strict=True))[:i]:
            if len(set(zip(code, again, strict=True))) == sizes[name] == sizes[other]:
                raise ValueError(f"{other} and {name} group the rows alike: their variances cannot be told apart")


def _check_separable(data: Observations) -> None:
    """Raise ValueError for a group whose levels differ in nothing but the predictor: any variance would fit as well."""
    for name, code in zip(data.sizes, data.codes, strict=True):
        dummies = np.eye(data.sizes[name])[code]
        left = dummies - data.fixed @ np.linalg.lstsq(data.fixed, dummies, rcond=None)[0]
        if np.abs(left).max() <= EXACT:
            raise ValueError(f"the predictor alone tells the levels of {name} apart: no variance is left to estimate")


def _residual_spread(data: Observations, left: Array) -> float:
    """The spread of what a plain regression leaves. Raises ValueError where nothing would be left for the residual."""
    dummies = [np.eye(count)[code] for code, count in zip(data.codes, data.sizes.values(), strict=True)]
    everything = np.hstack([data.fixed, *dummies])
    unit = float(np.sqrt(np.mean(left**2)))
    rest = left - everything @ np.linalg.lstsq(everything, left, rcond=None)[0]
    if np.sqrt(np.mean(rest**2)) <= max(EXACT * unit, ROUNDING * float(np.abs(data.outcome).max())):
        raise ValueError("the groups and the predictor explain the outcome exactly: no residual is left to estimate")
    return unit


def predictors(frame: pl.DataFrame, column: str) -> dict[str, pl.DataFrame]:
    """The frame with a column `predictor` that holds the column raw, its natural log, or its rank (Appendix I).

    The log has only the rows above 0. Equal values share the mean of their ranks.
    """
    value = pl.col(column).cast(pl.Float64)
    return {
        "raw": frame.with_columns(predictor=value),
        "log": frame.filter(value > 0).with_columns(predictor=value.log()),
        "rank": frame.with_columns(predictor=value.rank("average")),
    }


def per_group_slopes(
    frame: "pl.DataFrame | pd.DataFrame", outcome: str, predictor: str, group: str, level: float = 0.95
) -> pl.DataFrame:
    """One row a level of the group: n, the least-squares slope within it, se, Student-t interval, one-sided p (< 0).

    Slopes are per sample SD of the predictor over all rows, so that they compare with `crossed`. They are null where a
    level has fewer than three rows or a constant predictor; a constant outcome has a slope of 0 and nothing else.
    """
    y, x, labels = numbers(frame, outcome), numbers(frame, predictor), levels(frame, group)
    sd = spread(x, predictor)
    z = (x - x.mean()) / sd
    names = np.unique(labels).tolist()
    lines = [_line(z[labels == name], y[labels == name], level) for name in names]
    counts = [int((labels == name).sum()) for name in names]
    measured = {key: pl.Series([line.get(key) for line in lines], dtype=pl.Float64) for key in LINE}
    return pl.DataFrame({group: names, "n": counts} | measured)


def _line(x: Array, y: Array, level: float) -> dict[str, float]:
    """The figures of one least-squares line, or none where it has no slope."""
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    if len(x) < 3 or np.ptp(x) <= EXACT:
        return {}
    if np.ptp(y) <= ROUNDING * float(np.abs(y).max()):
        return {"slope": 0.0}
    line = stats.linregress(x, y, alternative="less")
    slope, se = float(line.slope), float(line.stderr)
    reach = float(stats.t.ppf((1 + level) / 2, len(x) - 2)) * se
    return dict(zip(LINE, (slope, se, slope - reach, slope + reach, float(line.pvalue)), strict=True))
