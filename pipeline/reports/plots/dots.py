"""Points with intervals: a team's mean by a dot, beside what the paper reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from pipeline.reports.plots.style import KINDS, REPORTED, entitle, ink, key, kind, mark, name, round_ticks, subplots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


TEAM = ("team", "setting", "condition")

# For seaborn, which would make intervals of its own: the first of with_ends' values is the mean, the others its ends.
WITH_ENDS: dict[str, Any] = {"estimator": lambda values: values.iloc[0], "errorbar": ("pi", 100)}


def named(table: pl.DataFrame) -> pl.DataFrame:
    """The table with `name` and `kind` (of plots.style.KINDS) for its columns team and simulated."""
    teams = table.select("team", "simulated").unique()
    told = [(team, bool(simulated), name(team), kind(team, bool(simulated))) for team, simulated in teams.iter_rows()]
    schema = {"team": pl.String, "simulated": pl.Boolean, "name": pl.String, "kind": pl.String}
    told_apart = pl.DataFrame(told, schema=schema, orient="row")
    return table.join(told_apart, on=["team", "simulated"], how="left", maintain_order="left", nulls_equal=True)


def bounded(
    table: pl.DataFrame, intervals: pl.DataFrame, measures: Sequence[str], part: str | None = None
) -> pl.DataFrame:
    """The table with `{measure}_low` and `{measure}_high` beside each measure, null where there is no interval.

    intervals: as Study.intervals has them; part: the table's column that tells rows of a team, setting and condition
    apart, such as difficulty.
    """
    keyed = table.with_columns(part=pl.col(part).cast(pl.String) if part else pl.lit(None, pl.String))
    for measure in measures:
        bounds = intervals.filter(measure=measure).select(
            *TEAM, "part", pl.col("low").alias(f"{measure}_low"), pl.col("high").alias(f"{measure}_high")
        )
        keyed = keyed.join(bounds, on=[*TEAM, "part"], how="left", nulls_equal=True, maintain_order="left")
    return keyed.drop("part")


def reported(figures: pl.DataFrame) -> pl.DataFrame:
    """The paper's models as rows like ours: setting, name, kind, and a column for each metric that it prints of them.

    figures: as Study.paper has them, of one heading.
    """
    models = figures.filter(kind="model")
    if models.is_empty():
        return models.select("setting", name="method", kind="kind")
    wide = models.pivot("metric", index=["setting", "method"], values="value")
    return wide.rename({"method": "name"}).with_columns(kind=pl.lit("reported"))


def with_ends(points: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Each row with the measure as `value`, and twice more with {measure}_low and _high where both are known.

    Rows without the measure are left out.
    """
    ends = [end for end in (f"{measure}_low", f"{measure}_high") if end in points.columns]
    both = pl.all_horizontal(pl.col(ends).is_not_null())
    known = points.drop_nulls(measure).with_columns(pl.when(both).then(pl.col(end)) for end in ends)
    kept = [column for column in points.columns if column not in (measure, *ends)]
    return known.unpivot([measure, *ends], index=kept, variable_name="end", value_name="value").drop_nulls("value")


def told(points: pl.DataFrame, decimals: Mapping[str, int]) -> pl.DataFrame:
    """The points with each measure as text at its decimals, its interval in brackets, and no *_low and *_high."""
    columns = [
        pl.Series(m, [_told(row, m, d) for row in points.iter_rows(named=True)], pl.String) for m, d in decimals.items()
    ]
    ends = [f"{m}_{end}" for m in decimals for end in ("low", "high")]
    return points.with_columns(columns).drop(ends, strict=False)


def _told(row: Mapping[str, Any], measure: str, decimals: int) -> str | None:
    if row[measure] is None:
        return None
    low, high = row.get(f"{measure}_low"), row.get(f"{measure}_high")
    interval = "" if low is None or high is None else f" [{low:,.{decimals}f}, {high:,.{decimals}f}]"
    return f"{row[measure]:,.{decimals}f}{interval}".replace("-", "−")


ROW, FRAME = 0.155, 1.05  # inches for a row, and for what stands around the rows
BETWEEN = 0.6  # rows left free between kinds
LEAST = 1.8  # inches: what titles and axes need when there is but a row or two
ROOM, BEYOND = "#d9d9d9", "#b8500c"


@dataclass(frozen=True)
class Panel:
    """A measure: its column, what stands above and below its panel, and the rows that it shows.

    where: a column's value that a point must have, such as ("setting", "varied"); log: whether distances are ratios.
    """

    measure: str
    heading: str
    xlabel: str = ""
    where: tuple[str, str] | None = None
    log: bool = False


def team_dots(points: pl.DataFrame, panels: Sequence[Panel], title: str) -> "Figure | None":
    """A row for each team, in the frame's order within its kind; None when no panel has a point.

    points: name, kind (of plots.style.KINDS) and the panels' measures; with intervals also {measure}_low and
    {measure}_high. A team that lacks a measure has an empty place.
    """
    there = [panel for panel in panels if not _rows(points, panel).is_empty()]
    if not there:
        return None
    places = _places(points)
    height = max(LEAST, FRAME + ROW * max(places.values(), default=0))
    figure, axes = subplots(1, len(there), figsize=(6.9, height), sharey=True, squeeze=False)
    for place, panel in zip(axes[0], there, strict=True):
        _panel(place, _rows(points, panel), panel, places)
    _names(axes[0][0], places)
    entitle(figure, title)
    key(figure, points["kind"].unique().to_list())
    return figure


def _rows(points: pl.DataFrame, panel: Panel) -> pl.DataFrame:
    if panel.measure not in points.columns:
        return points.clear()
    known = points.drop_nulls(panel.measure)
    return known.filter(pl.col(panel.where[0]) == panel.where[1]) if panel.where else known


def _places(points: pl.DataFrame) -> dict[tuple[str, str], float]:
    """Where each kind and name stands, from above, with room between kinds."""
    teams = points.select("kind", "name").unique(maintain_order=True)
    places, height = {}, 0.0
    for group in (k for k in KINDS if k in teams["kind"]):
        for team in teams.filter(kind=group)["name"]:
            places[group, team] = height
            height += 1
        height += BETWEEN
    return places


def _panel(axes: "Axes", rows: pl.DataFrame, panel: Panel, places: dict[tuple[str, str], float]) -> None:
    import seaborn as sns

    measure = panel.measure
    if panel.log:
        least = float(rows[measure].min())  # type: ignore[arg-type]
        axes.set_xscale("log") if least > 0 else axes.set_xscale("symlog", linthresh=1)
    heights = [places[row] for row in rows.select("kind", "name").iter_rows()]
    for (group,), part in with_ends(rows.with_columns(height=pl.Series(heights)), measure).group_by(
        "kind", maintain_order=True
    ):
        style = mark(str(group), markersize=4.2, markeredgewidth=1.0, zorder=3)
        sns.pointplot(
            part.to_pandas(), x="value", y="height", native_scale=True, orient="y", ax=axes,
            err_kws={"linewidth": 0.8, "zorder": 2}, **WITH_ENDS, **style,
        )  # fmt: skip
    axes.set_ylabel("")
    axes.set_title(panel.heading, fontsize=8)
    axes.set_xlabel(panel.xlabel)
    axes.margins(x=0.08)
    if panel.log:
        round_ticks(axes.xaxis)
    axes.grid(axis="x", visible=True)
    axes.grid(axis="y", linewidth=0.3)
    axes.tick_params(axis="y", length=0)


def _names(axes: "Axes", places: dict[tuple[str, str], float]) -> None:
    axes.set_yticks(list(places.values()), [name for _, name in places])
    axes.set_ylim(max(places.values()) + 0.7, -0.7)
    for words, (group, _) in zip(axes.get_yticklabels(), places, strict=True):
        words.set_color(ink(group))


@dataclass(frozen=True)
class Count:
    """What is counted by model, and the room that other figures leave: a mark must lie within its bar."""

    heading: str
    xlabel: str
    counted: Mapping[str, float]
    room: Mapping[str, float]


def counted_and_room(panels: Sequence[Count], title: str) -> "Figure":
    """A row for each model, a panel for each count: marks to the right of their bars can't be."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    models = sorted({model for panel in panels for model in panel.room})
    figure, axes = subplots(1, len(panels), figsize=(6.9, 1.35 + 0.2 * len(models)), sharey=True, squeeze=False)
    for place, panel in zip(axes[0], panels, strict=True):
        _count_panel(place, panel, models)
    axes[0][0].set_yticks(range(len(models)), models)
    axes[0][0].set_ylim(len(models) - 0.4, -0.6)
    axes[0][0].tick_params(axis="y", length=0)
    inside, beyond = ({**REPORTED, "color": color} for color in ("#444444", BEYOND))
    keys = [
        Patch(color=ROOM, label="room left by Table 1"),
        Line2D([], [], label="counted", **inside),
        Line2D([], [], label="counted beyond that", **beyond),
    ]
    figure.legend(handles=keys, loc="outside lower center", ncols=3)
    entitle(figure, title)
    return figure


def _count_panel(axes: "Axes", panel: Count, models: Sequence[str]) -> None:
    for place, model in enumerate(models):
        room, counted = panel.room.get(model), panel.counted.get(model)
        if room is not None:
            axes.barh(place, room, height=0.72, color=ROOM)
        if counted is not None:
            beyond = room is not None and counted > room
            axes.plot(
                [counted],
                [place],
                zorder=3,
                **REPORTED | {"color": BEYOND if beyond else "#444444", "markeredgewidth": 1.4},
            )
            if beyond:
                axes.annotate(
                    f"{counted:.0f}", (counted, place), xytext=(5, 0), textcoords="offset points", va="center",
                    fontsize=6.8, color=BEYOND,
                )  # fmt: skip
    axes.set_title(panel.heading, fontsize=8)
    axes.set_xlabel(panel.xlabel)
    axes.margins(x=0.12)
    axes.grid(axis="x", visible=True)
    axes.grid(axis="y", visible=False)
