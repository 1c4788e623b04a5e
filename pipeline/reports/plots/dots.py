"""Teams' means as dots with intervals, beside what the paper reports; and the frames that figures are drawn from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from pipeline.paper.compare import printed
from pipeline.reports.measures import OWN, SCRIPT
from pipeline.reports.plots.layout import any_width, finish
from pipeline.reports.plots.layout import panels as panel_grid
from pipeline.reports.plots.style import (
    KINDS,
    REPORTED,
    SMALL,
    kind,
    kind_keys,
    marker_style,
    printed_name,
    round_ticks,
    text_color,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


TEAM = ("team", "setting", "condition")

# Keeps seaborn from making intervals of its own: the first of estimates_and_bounds' values is the mean, the others its
# bounds.
BY_ESTIMATE_AND_BOUNDS: dict[str, Any] = {"estimator": lambda values: values.iloc[0], "errorbar": ("pi", 100)}


def with_names(table: pl.DataFrame) -> pl.DataFrame:
    """The table with each team's printed `name` and its `kind` (of plots.style.KINDS). table: team, simulated."""
    teams = table.select("team", "simulated").unique()
    rows = [
        (team, bool(simulated), printed_name(team), kind(team, bool(simulated)))
        for team, simulated in teams.iter_rows()
    ]
    schema = {"team": pl.String, "simulated": pl.Boolean, "name": pl.String, "kind": pl.String}
    names = pl.DataFrame(rows, schema=schema, orient="row")
    return table.join(names, on=["team", "simulated"], how="left", maintain_order="left", nulls_equal=True)


def with_intervals(
    table: pl.DataFrame, intervals: pl.DataFrame, measures: Sequence[str], part: str | None = None
) -> pl.DataFrame:
    """The table with `{measure}_low` and `{measure}_high` beside each measure, null where there is no interval.

    table: team, setting, condition and the measures; intervals: as Study.intervals has them; part: the column that
    completes the table's key, such as difficulty.
    """
    keyed = table.with_columns(part=pl.col(part).cast(pl.String) if part else pl.lit(None, pl.String))
    for measure in measures:
        bounds = intervals.filter(measure=measure).select(
            *TEAM, "part", pl.col("low").alias(f"{measure}_low"), pl.col("high").alias(f"{measure}_high")
        )
        keyed = keyed.join(bounds, on=[*TEAM, "part"], how="left", nulls_equal=True, maintain_order="left")
    return keyed.drop("part")


def paper_models(figures: pl.DataFrame) -> pl.DataFrame:
    """The paper's models, a row a setting and model: setting, name, kind ("reported"), and a column for each metric.

    Their VPS is in the column of the public script. figures: one heading's, as Study.paper has them.
    """
    models = figures.filter(kind="model")
    if models.is_empty():
        return models.select("setting", name="method", kind="kind")
    wide = models.pivot("metric", index=["setting", "method"], values="value")
    return wide.rename({"method": "name", OWN: SCRIPT}, strict=False).with_columns(kind=pl.lit("reported"))


def estimates_and_bounds(points: pl.DataFrame, measure: str) -> pl.DataFrame:
    """One row per point and `_end` (the measure, {measure}_low, {measure}_high) with its `_value`, the mean first.

    Points without the measure are left out, and bounds of which only one is known.
    """
    bounds = [end for end in (f"{measure}_low", f"{measure}_high") if end in points.columns]
    both = pl.all_horizontal(pl.col(bounds).is_not_null())
    known = points.drop_nulls(measure).with_columns(pl.when(both).then(pl.col(end)) for end in bounds)
    kept = [column for column in points.columns if column not in (measure, *bounds)]
    return known.unpivot([measure, *bounds], index=kept, variable_name="_end", value_name="_value").drop_nulls("_value")


def with_text(points: pl.DataFrame, decimals: Mapping[str, int]) -> pl.DataFrame:
    """The points with each measure as text, rounded half up, and its interval in brackets; without *_low and *_high.

    decimals: measure → how many to print.
    """
    columns = [
        pl.Series(m, [_measure_text(row, m, d) for row in points.iter_rows(named=True)], pl.String)
        for m, d in decimals.items()
    ]
    bounds = [f"{m}_{end}" for m in decimals for end in ("low", "high")]
    return points.with_columns(columns).drop(bounds, strict=False)


def _measure_text(row: Mapping[str, Any], measure: str, decimals: int) -> str | None:
    if row[measure] is None:
        return None
    low, high = row.get(f"{measure}_low"), row.get(f"{measure}_high")
    interval = "" if low is None or high is None else f" [{printed(low, decimals)}, {printed(high, decimals)}]"
    return f"{printed(row[measure], decimals)}{interval}".replace("-", "−")


ROW_INCHES, FRAME_INCHES = 0.145, 0.75  # the height of a row, and of what stands around the rows
KIND_GAP = 0.6  # between kinds, in rows
MIN_INCHES = 1.4  # what title and axes need when there is but a row or two
INTERVALS = ", a line for its 95 % interval"
LIMIT_COLOR, BEYOND_COLOR = "#d9d9d9", "#b8500c"


@dataclass(frozen=True)
class Panel:
    """A panel of `team_dots`: its measure's column, its heading and axis label, and which rows it shows.

    where: (column, value) that a row must have, such as ("setting", "varied"); log: a logarithmic axis.
    """

    measure: str
    heading: str
    xlabel: str = ""
    where: tuple[str, str] | None = None
    log: bool = False


@any_width
def team_dots(points: pl.DataFrame, panels: Sequence[Panel], title: str) -> "Figure | None":
    """A row for each team, a panel for each measure; None when no panel has a point.

    points: name, kind (of plots.style.KINDS) and the panels' measures; with intervals also {measure}_low and
    {measure}_high. Teams stand in the frame's order within their kind. A team without the measure has an empty row.
    """
    shown = [panel for panel in panels if not _panel_rows(points, panel).is_empty()]
    if not shown:
        return None
    heights = _row_heights(points)
    height = max(MIN_INCHES, FRAME_INCHES + ROW_INCHES * max(heights.values(), default=0))
    figure, axes = panel_grid(len(shown), height, narrow=2, sharey=True)
    for panel_axes, panel in zip(axes, shown, strict=True):
        _panel(panel_axes, _panel_rows(points, panel), panel, heights)
        if panel_axes.get_subplotspec().is_first_col():  # type: ignore[union-attr]
            _label_rows(panel_axes, heights)
    bounds = {f"{panel.measure}_low" for panel in shown}
    reading = f"A row for each team, a mark for its mean{INTERVALS if bounds & set(points.columns) else ''}."
    finish(figure, title, kind_keys(points["kind"].unique().to_list()), reading)
    return figure


def _panel_rows(points: pl.DataFrame, panel: Panel) -> pl.DataFrame:
    if panel.measure not in points.columns:
        return points.clear()
    known = points.drop_nulls(panel.measure)
    return known.filter(pl.col(panel.where[0]) == panel.where[1]) if panel.where else known


def _row_heights(points: pl.DataFrame) -> dict[tuple[str, str], float]:
    """(kind, name) → height of its row, counted from the top, with a gap between kinds."""
    teams = points.select("kind", "name").unique(maintain_order=True)
    heights, height = {}, 0.0
    for group in (k for k in KINDS if k in teams["kind"]):
        for team in teams.filter(kind=group)["name"]:
            heights[group, team] = height
            height += 1
        height += KIND_GAP
    return heights


def _panel(axes: "Axes", rows: pl.DataFrame, panel: Panel, heights: dict[tuple[str, str], float]) -> None:
    import seaborn as sns

    measure = panel.measure
    if panel.log:
        least = float(rows[measure].min())  # type: ignore[arg-type]
        axes.set_xscale("log") if least > 0 else axes.set_xscale("symlog", linthresh=1)
    rows_at = [heights[row] for row in rows.select("kind", "name").iter_rows()]
    for (group,), part in estimates_and_bounds(rows.with_columns(height=pl.Series(rows_at)), measure).group_by(
        "kind", maintain_order=True
    ):
        style = marker_style(str(group), markersize=4.2, markeredgewidth=1.0, zorder=3)
        sns.pointplot(
            part.to_pandas(), x="_value", y="height", native_scale=True, orient="y", ax=axes,
            err_kws={"linewidth": 0.8, "zorder": 2}, **BY_ESTIMATE_AND_BOUNDS, **style,
        )  # fmt: skip
    axes.set_ylabel("")
    axes.set_title(panel.heading, fontsize=7.5)
    axes.set_xlabel(panel.xlabel)
    axes.margins(x=0.08)
    if panel.log:
        round_ticks(axes.xaxis)
    axes.grid(axis="x", visible=True)
    axes.grid(axis="y", linewidth=0.3)
    axes.tick_params(axis="y", length=0)


def _label_rows(axes: "Axes", heights: dict[tuple[str, str], float]) -> None:
    """Name the rows left of the first panel of each line of panels."""
    axes.set_yticks(list(heights.values()), [name for _, name in heights])
    axes.set_ylim(max(heights.values()) + 0.7, -0.7)
    for words, (group, _) in zip(axes.get_yticklabels(), heights, strict=True):
        words.set_color(text_color(group))


@dataclass(frozen=True)
class Count:
    """A panel of `counts_and_limits`: by model, what the paper counts, and the most that its other figures allow."""

    heading: str
    xlabel: str
    counted: Mapping[str, float]
    limit: Mapping[str, float]


@any_width
def counts_and_limits(panels: Sequence[Count], title: str) -> "Figure":
    """A row for each model, a panel for each count: a mark right of its bar contradicts the paper's other figures."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    models = sorted({model for panel in panels for model in panel.limit})
    figure, axes = panel_grid(len(panels), 0.7 + 0.2 * len(models), sharey=True)
    for panel_axes, panel in zip(axes, panels, strict=True):
        _count_panel(panel_axes, panel, models)
        panel_axes.tick_params(axis="y", length=0)
    axes[0].set_yticks(range(len(models)), models)
    axes[0].set_ylim(len(models) - 0.4, -0.6)
    inside, beyond = ({**REPORTED, "color": color} for color in ("#444444", BEYOND_COLOR))
    handles = [
        Patch(color=LIMIT_COLOR, label="room left by Table 1"),
        Line2D([], [], label="counted", **inside),
        Line2D([], [], label="counted beyond that", **beyond),
    ]
    reading = "A mark right of its bar counts more than the paper's own Table 1 leaves room for."
    finish(figure, title, handles, reading)
    return figure


def _count_panel(axes: "Axes", panel: Count, models: Sequence[str]) -> None:
    for height, model in enumerate(models):
        limit, counted = panel.limit.get(model), panel.counted.get(model)
        if limit is not None:
            axes.barh(height, limit, height=0.72, color=LIMIT_COLOR)
        if counted is not None:
            beyond = limit is not None and counted > limit
            axes.plot(
                [counted],
                [height],
                zorder=3,
                **REPORTED | {"color": BEYOND_COLOR if beyond else "#444444", "markeredgewidth": 1.4},
            )
            if beyond:
                axes.annotate(
                    f"{counted:.0f}", (counted, height), xytext=(5, 0), textcoords="offset points", va="center",
                    fontsize=SMALL, color=BEYOND_COLOR,
                )  # fmt: skip
    axes.set_title(panel.heading, fontsize=7.5)
    axes.set_xlabel(panel.xlabel)
    axes.margins(x=0.16)
    axes.grid(axis="x", visible=True)
    axes.grid(axis="y", visible=False)
