"""How time and memory of deriving the tables grow with the number of traces."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pipeline.documents.benchmarks import numbers
from pipeline.plots import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BOUND_MB = 2_000


def growth(found: Mapping[str, Any]) -> "Figure":
    """Two panels over the number of traces: seconds beside straight growth from the middle, and memory."""
    sizes, figures = numbers(found), found["figures"]
    figure, (time, memory) = style.subplots(1, 2, figsize=(6.4, 2.8))
    seconds = [figures[f"seconds_{n}"] for n in sizes]
    middle = sizes[len(sizes) // 2]
    straight = [figures[f"seconds_{middle}"] * n / middle for n in sizes]
    time.loglog(sizes, straight, color="#888888", linewidth=0.8, linestyle="--", label="in proportion")
    time.loglog(sizes, seconds, marker="o", markersize=4, label="measured")
    time.set(title="Time", xlabel="traces", ylabel="seconds")
    time.legend(frameon=False)
    memory.semilogx(sizes, [figures[f"memory_mb_{n}"] for n in sizes], marker="o", markersize=4)
    memory.axhline(BOUND_MB, color="#888888", linewidth=0.8, linestyle="--")
    memory.annotate("bound", (sizes[0], BOUND_MB), xytext=(0, -9), textcoords="offset points", fontsize=7)
    memory.set(title="Memory of all processes", xlabel="traces", ylabel="MB", ylim=(0, BOUND_MB * 1.1))
    return figure
