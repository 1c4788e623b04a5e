"""What observers came to believe of targets' slots, message by message, in one round."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipeline.plots.style import subplots

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def beliefs_over_time(histories: Mapping[tuple[int, int], list[list[float]]]) -> "Figure":
    """One panel per observer (rows) and target (columns): time runs down, a line a message, a column a slot.

    histories: of pipeline.views.beliefs. White is the prior 0.5; violet says that the slot can be had, brown that not.
    """
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
            image = axes.imshow(history, cmap="PuOr", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    if image is not None:
        figure.supxlabel("slot", fontsize=8)
        figure.colorbar(image, ax=panels, label="belief that the slot is feasible", fraction=0.04)
    return figure
