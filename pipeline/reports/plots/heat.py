"""Heat maps: how often each team shows each pattern, and what observers came to believe of targets' slots."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import polars as pl

from pipeline.reports.plots.layout import any_width, finish, grow, is_narrow, subplots, wrapped
from pipeline.reports.plots.style import KINDS, SMALL, text_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW_INCHES, NAMES_INCHES = 0.18, 0.75  # the height of a row, and of the names above a panel
FEW = 3  # columns
LEAST, MOST = 0.01, 100.0  # rates drawn lightest and darkest; 0 is left blank
SHADES = ("#f7f7f7", "#8c8c8c")  # light enough for dark figures to be read on all of them
PATTERNS = "Occurrences for 100 messages: the darker, the more, by a logarithmic scale; blank: none."
BELIEFS = "White is the prior; violet: held to be feasible; brown: held not to be; grey: nothing was heard."
ORDER = ("reported", "other", "simulated", "protocol")


@any_width
def pattern_map(cells: pl.DataFrame, notes: Mapping[str, str], title: str, note_title: str) -> "Figure | None":
    """Table 4: a row a pattern, in the frame's order, a panel a kind, a column a team; None when there is no rate.

    cells: pattern, name, kind (of plots.style.KINDS), per_100 (occurrences for 100 messages); notes: pattern → a note,
    whose row has an asterisk; all are listed below, under note_title. The darker, the more often, by a logarithmic
    scale; 0 is blank.
    """
    cells = cells.drop_nulls("per_100")
    if cells.is_empty():
        return None
    patterns = cells["pattern"].unique(maintain_order=True).to_list()
    kinds = [kind for kind in ORDER if kind in cells["kind"]]
    teams = [cells.filter(kind=kind)["name"].n_unique() for kind in kinds]
    row_names = [_row_name(p, p in notes) for p in patterns]
    figure, panels = _panels_by_kind(
        dict(zip(kinds, teams, strict=True)), NAMES_INCHES + (0.24 if is_narrow() else ROW_INCHES) * len(patterns)
    )
    # seaborn draws each panel once: laid out before all names are wrapped, panels would collapse.
    engine = figure.get_layout_engine()
    figure.set_layout_engine("none")
    for kind, axes in panels.items():
        _pattern_panel(axes, cells.filter(kind=kind), patterns, kind)
        first = axes.get_subplotspec().is_first_col()  # type: ignore[union-attr]
        axes.set_yticks([i + 0.5 for i in range(len(patterns))], row_names if first else [])
    figure.set_layout_engine(engine)
    by_note = "; ".join(f"{p.replace('_', ' ')}: {notes[p]}" for p in patterns if p in notes)
    finish(figure, title, (), PATTERNS)
    if by_note:
        lines = wrapped(f"* {note_title} {by_note}", figure)
        figure.supxlabel(lines, x=0.01, ha="left", fontsize=SMALL)
        grow(figure, 0.14 * (lines.count("\n") + 1))
    return figure


def _row_name(pattern: str, noted: bool) -> str:
    """The printed name of a pattern, in two lines where there is little room."""
    words = pattern.replace("_", " ") + (" *" if noted else "")
    return fill(words, 15) if is_narrow() else words


def _panels_by_kind(teams: Mapping[str, int], height: float) -> "tuple[Figure, dict[str, Axes]]":
    """A panel a kind, as wide as it has teams; in half a column simulated speakers stand below the others."""
    lines = [list(teams)]
    if is_narrow() and "simulated" in teams and len(teams) > 1:
        lines = [[kind for kind in teams if kind != "simulated"], ["simulated"]]
    cells = max(sum(teams[kind] for kind in line) for line in lines)
    figure, _ = subplots(0, 0, height * len(lines))
    grid = figure.add_gridspec(len(lines), cells)
    panels, start = {}, 0
    for number, line in enumerate(lines):
        start = 0
        for kind in line:
            panels[kind] = figure.add_subplot(grid[number, start : start + teams[kind]])
            start += teams[kind]
    return figure, panels


def _pattern_panel(axes: "Axes", cells: pl.DataFrame, patterns: Sequence[str], kind: str) -> None:
    """Draw the panel of a kind, its teams named above."""
    import seaborn as sns
    from matplotlib.colors import LinearSegmentedColormap, LogNorm

    rates = cells.to_pandas().pivot_table(index="pattern", columns="name", values="per_100", sort=False)
    rates = rates.reindex(index=patterns)
    sns.heatmap(
        rates, mask=~(rates > 0), vmin=LEAST, vmax=MOST, norm=LogNorm(LEAST, MOST, clip=True), ax=axes, cbar=False,
        linewidths=1.5, cmap=LinearSegmentedColormap.from_list("", SHADES), annot=rates.map(rate_text), fmt="",
        annot_kws={"fontsize": SMALL, "color": "#222222", "va": "center_baseline"},
        xticklabels=False, yticklabels=False,
    )  # fmt: skip
    axes.grid(False)
    color = text_color(kind)
    few = rates.shape[1] < FEW
    # What a few columns are is told in several lines, for which the layout would make the columns broader.
    below = fill(KINDS[kind][0], 9) if few else fill(KINDS[kind][0], 20 if is_narrow() else 40) + "\n\n"
    axes.set(xlabel=below, ylabel="")
    axes.xaxis.label.set(color=color, fontsize=SMALL, in_layout=not few)
    axes.tick_params(axis="both", length=0)
    axes.xaxis.tick_top()
    axes.set_xticks([i + 0.5 for i in range(rates.shape[1])], rates.columns, rotation=90, color=color)


def rate_text(value: float) -> str:
    """A rate in about four characters."""
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}" if value >= LEAST else f"<{LEAST}"


@any_width
def draw_beliefs(histories: Mapping[tuple[int, int], list[list[float]]], prior: float) -> "Figure":
    """A panel for each observer (rows) and target (columns): a line a message, from the top, and a column a slot.

    histories: as views.beliefs.beliefs_over_time returns them, from that prior. White is the prior, violet above it
    (feasible), brown below; as far above as below is as dark.
    """
    farthest = max(prior, 1 - prior)
    shades = {"cmap": "PuOr", "vmin": prior - farthest, "vmax": prior + farthest}
    observers, targets = sorted({o for o, _ in histories}), sorted({t for _, t in histories})
    figure, panels = subplots(
        max(1, len(observers)), max(1, len(targets)), 0.9 + 0.75 * len(observers),
        squeeze=False, sharex=True, sharey=True,
    )  # fmt: skip
    image = None
    for i, observer in enumerate(observers):
        for j, target in enumerate(targets):
            axes = panels[i][j]
            _name_pair(axes, observer if j == 0 else None, target if i == 0 else None)
            history = histories.get((observer, target))
            if history is None:
                axes.set_facecolor("#f4f4f4")
                continue
            # seaborn's heat map has a path for each cell, of which there are thousands here; this is one image a panel.
            image = axes.imshow(history, **shades, aspect="auto", interpolation="nearest")
    if image is not None:
        for axes in panels[-1]:
            axes.set_xlabel("slot")
        figure.supylabel("message of the round", fontsize=7.5)
        bar = figure.colorbar(image, ax=panels, label="belief that the slot is feasible", location="bottom", aspect=40)
        bar.ax.set_xlim(0, 1)
    finish(figure, "What each observer believes of each target's slots, message by message", (), BELIEFS)
    return figure


def _name_pair(axes: "Axes", observer: int | None, target: int | None) -> None:
    """Name the observer left of a row and the target above a column, where they are given."""
    from matplotlib.ticker import MaxNLocator

    axes.grid(False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator("auto", integer=True))
    if target is not None:
        axes.set_title(f"target {target}", fontsize=7.5)
    if observer is not None:
        axes.set_ylabel(f"observer {observer}")
