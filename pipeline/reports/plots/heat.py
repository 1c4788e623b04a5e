"""Heat maps: how often each team shows each pattern, and what observers came to believe of targets' slots."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from pipeline.reports.plots.style import KINDS, set_title, subplots, text_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW_INCHES, COLUMN_INCHES = 0.21, 0.46  # inches
LEAST, MOST = 0.01, 100.0  # rates drawn lightest and darkest; 0 is left blank
SHADES = ("#f7f7f7", "#8c8c8c")  # light enough for dark figures to be read on all of them
ORDER = ("reported", "other", "simulated", "protocol")


def pattern_map(cells: pl.DataFrame, notes: Mapping[str, str], title: str, note_title: str) -> "Figure | None":
    """Table 4: a row a pattern, in the frame's order, a panel a kind, a column a team; None when there is no cell.

    cells: pattern, name, kind (of plots.style.KINDS), per_100 (occurrences for 100 messages); notes: pattern → text to
    the right of its row, under note_title. The darker, the more often, by a logarithmic scale; 0 is blank.
    """
    if cells.is_empty():
        return None
    patterns = cells["pattern"].unique(maintain_order=True).to_list()
    kinds = [kind for kind in ORDER if kind in cells["kind"]]
    teams = [cells.filter(kind=kind)["name"].n_unique() for kind in kinds]
    width = 2.3 + COLUMN_INCHES * sum(teams) + (1.5 if notes else 0)
    size = max(4.2, min(8.6, width)), 1.25 + ROW_INCHES * len(patterns)
    figure, panels = subplots(1, len(kinds), figsize=size, width_ratios=teams, sharey=True, squeeze=False)
    for axes, kind in zip(panels[0], kinds, strict=True):
        _pattern_panel(axes, cells.filter(kind=kind), patterns, kind)
    panels[0][0].set_yticks([i + 0.5 for i in range(len(patterns))], [p.replace("_", " ") for p in patterns])
    if notes:
        _notes(panels[0][-1], {-0.5: note_title} | {patterns.index(p) + 0.5: notes[p] for p in patterns if p in notes})
    set_title(figure, title)
    return figure


def _pattern_panel(axes: "Axes", cells: pl.DataFrame, patterns: Sequence[str], kind: str) -> None:
    """Draw the panel of a kind, its teams named above."""
    import seaborn as sns
    from matplotlib.colors import LinearSegmentedColormap, LogNorm

    rates = cells.to_pandas().pivot_table(index="pattern", columns="name", values="per_100", sort=False)
    rates = rates.reindex(index=patterns)
    sns.heatmap(
        rates, mask=~(rates > 0), vmin=LEAST, vmax=MOST, norm=LogNorm(LEAST, MOST, clip=True), ax=axes, cbar=False,
        linewidths=1.5, cmap=LinearSegmentedColormap.from_list("", SHADES), annot=rates.map(rate_text), fmt="",
        annot_kws={"fontsize": 6.5, "color": "#222222", "va": "center_baseline"},
    )  # fmt: skip
    axes.grid(False)
    axes.set(xlabel=KINDS[kind][0], ylabel="")
    color = text_color(kind)
    axes.xaxis.label.set(color=color, fontsize=7)
    axes.tick_params(axis="both", length=0)
    axes.xaxis.tick_top()
    axes.set_xticks(axes.get_xticks(), rates.columns, rotation=40, ha="left", rotation_mode="anchor", color=color)


def _notes(axes: "Axes", words: Mapping[float, str]) -> None:
    """Write texts to the right of a panel. words: height in data → text."""
    beside: dict[str, Any] = {
        "xycoords": ("axes fraction", "data"),
        "textcoords": "offset points",
        "annotation_clip": False,
    }
    for height, text in words.items():
        axes.annotate(text, (1, height), xytext=(8, 0), va="center", fontsize=7, color="#555555", **beside)


def rate_text(value: float) -> str:
    """A rate in about four characters."""
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}" if value >= LEAST else f"<{LEAST}"


def draw_beliefs(histories: Mapping[tuple[int, int], list[list[float]]], prior: float) -> "Figure":
    """A panel for each observer (rows) and target (columns): a line a message, from the top, and a column a slot.

    histories: as views.beliefs.beliefs_over_time returns them, from that prior. White is the prior, violet above it
    (feasible), brown below; as far above as below is as dark.
    """
    farthest = max(prior, 1 - prior)
    shades = {"cmap": "PuOr", "vmin": prior - farthest, "vmax": prior + farthest}
    observers, targets = sorted({o for o, _ in histories}), sorted({t for _, t in histories})
    size = (1.0 + 1.5 * len(targets), 0.9 + 1.05 * len(observers))
    figure, panels = subplots(
        max(1, len(observers)), max(1, len(targets)), figsize=size, squeeze=False, sharex=True, sharey=True
    )
    image = None
    for i, observer in enumerate(observers):
        for j, target in enumerate(targets):
            axes = panels[i][j]
            axes.grid(False)
            if i == 0:
                axes.set_title(f"about agent {target}", fontsize=8)
            if j == 0:
                axes.set_ylabel(f"agent {observer}\nmessage")
            history = histories.get((observer, target))
            if history is None:
                axes.set_facecolor("#f4f4f4")
                continue
            # seaborn's heat map has a path for each cell, of which there are thousands here; this is one image a panel.
            image = axes.imshow(history, **shades, aspect="auto", interpolation="nearest")
    if image is not None:
        figure.supxlabel("slot", fontsize=8)
        bar = figure.colorbar(image, ax=panels, label="belief that the slot is feasible", fraction=0.04)
        bar.ax.set_ylim(0, 1)
    return figure
