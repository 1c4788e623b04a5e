"""Labels beside marks, placed so that none hides a mark or another label.

Lengths are in points (1/72 inch). The same marks give the same places. So they do with adjustText 1.4, but in Figures
2 and 3 and Table 3 (72 labels) it left 26 lines under labels, 5 labels beyond the axes and 2 on each other, against 4,
0 and 0 here: it pushes labels apart step by step, and none can jump over a mark or a line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pipeline.reports.plots.style import SMALL
from pipeline.statistics.resampling import stream

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

DISTANCES = (4.5, 7.0, 10.0, 14.0, 19.0, 25.0, 32.0, 40.0, 50.0, 62.0, 76.0)  # from a mark to its label
ANGLES = 16
ORDERS, SWEEPS = 24, 10
FROM, TO = 0.1, 0.85  # the part of the way from a mark to its label's centre on which a leader is drawn
LEADER_FROM = 9.0  # a label farther than this from its mark is tied to it by a line
MARK = 4.0  # half the side of the square that a mark takes up
PADDING = 2.0  # kept free between a label and another's leader
LINE = 0.7  # half the breadth of an interval's line, and of a leader's

# What a square point of overlap costs, and what a point of distance does.
LABEL_OVERLAP, MARK_OVERLAP, LINE_OVERLAP, OUTSIDE, DISTANCE = 20.0, 12.0, 2.5, 60.0, 0.6
CROSSING, NEARER_TO_ANOTHER = (
    120.0,
    10.0,
)  # a leader over a mark, label or leader; a nearer mark than its own


@dataclass(frozen=True)
class Label:
    """The text of a mark, and where the mark is in the axes' data."""

    x: float
    y: float
    text: str
    color: str


def label_marks(
    axes: "Axes",
    labels: Sequence[Label],
    marks: Sequence[tuple[float, float]] = (),
    lines: Array | None = None,
) -> None:
    """Write each label beside its mark, or tied to it by a thin line (a leader) where there is no room near by.

    marks: others that no label may hide; lines: rows of x, y, x, y, in data, that labels avoid if they can.
    The figure's layout must not change afterwards: limits, titles and legends come first.
    """
    area, points = _axes_box(axes), _to_points(axes, [(label.x, label.y) for label in labels])
    sizes = np.array([text_size(label.text, SMALL) for label in labels])
    obstacles = np.vstack([_squares(points), _squares(_to_points(axes, marks))])
    segments = np.zeros((0, 4)) if lines is None else _to_points(axes, lines.reshape(-1, 2)).reshape(-1, 4)
    centres = place_labels(points, sizes, obstacles, _segment_boxes(segments), area)
    for label, point, centre in zip(labels, points, centres, strict=True):
        _write_label(axes, label, point, centre)


def place_labels(points: Array, sizes: Array, marks: Array, lines: Array, inside: Array) -> Array:
    """The centre of each label: points and sizes n × 2, marks and lines boxes m × 4 (left, low, right, high).

    Labels take turns, in several orders; the best outcome is kept.
    """
    options = [_candidates(point, size) for point, size in zip(points, sizes, strict=True)]
    own_costs = [_cost_alone(o, p, s, marks, lines, inside) for o, p, s in zip(options, points, sizes, strict=True)]
    rng = stream("places of labels")
    orders = [rng.permutation(len(points)) for _ in range(ORDERS)]
    outcomes = [_move_in_turn(order, options, own_costs, points, sizes) for order in orders]
    return min(outcomes, key=lambda outcome: outcome[0])[1]


def _move_in_turn(
    order: NDArray[np.int64], options: Sequence[Array], own_costs: Sequence[Array], points: Array, sizes: Array
) -> tuple[float, Array]:
    """The cost of the placement, and its centres: each label in turn takes its cheapest place, until none moves."""
    centres, costs = np.full_like(points, np.nan), np.zeros(len(points))
    for _ in range(SWEEPS):
        before = centres.copy()
        for i in order:
            others = [j for j in range(len(points)) if j != i and not np.isnan(centres[j, 0])]
            among = _cost_beside(options[i], points[i], sizes[i], points[others], centres[others], sizes[others])
            best = int(np.argmin(own_costs[i] + among))
            centres[i], costs[i] = options[i][best], own_costs[i][best] + among[best]
        if np.array_equal(before, centres):
            break
    return round(float(costs.sum()), 6), centres


def _cost_beside(options: Array, point: Array, size: Array, points: Array, centres: Array, sizes: Array) -> Array:
    """The cost of each candidate place of a label that comes from the other labels, where those are now."""
    boxes, others = _boxes(options, size), _boxes(centres, sizes)
    around = np.array([-PADDING, -PADDING, PADDING, PADDING])
    hidden = _leader_hits(points, centres, boxes + around).sum(axis=0)
    hiding = _leader_hits(point[None], options, others + around).sum(axis=1)
    return np.asarray(
        LABEL_OVERLAP * _overlap(boxes, others).sum(axis=1)
        + CROSSING * (hidden + hiding + _crossings(point, options, points, centres))
    )


@cache
def text_size(text: str, size: float) -> tuple[float, float]:
    """Width and height of a line of text, with a small margin; that of a square where it has no visible letter."""
    from matplotlib.textpath import TextPath

    try:
        width = float(TextPath((0, 0), text, size=size).get_extents().width)
    except AttributeError:  # of a path without a point
        width = size
    return width + 2.0, 1.1 * size


def _candidates(point: Array, size: Array) -> Array:
    """Candidate centres of a label around its mark: the nearest first, and of those the right one first."""
    turns = np.arange(ANGLES) * 2 * np.pi / ANGLES
    rays = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return np.vstack([point + rays * (distance + size / 2) for distance in DISTANCES])


def _cost_alone(options: Array, point: Array, size: Array, marks: Array, lines: Array, inside: Array) -> Array:
    """The cost of each candidate place of a label that does not depend on other labels."""
    boxes = _boxes(options, size)
    inside_area = _overlap(boxes, inside[None, :])[:, 0]
    others = marks[~np.all(np.isclose((marks[:, :2] + marks[:, 2:]) / 2, point), axis=1)]
    own, nearest = _gaps(boxes, point[None, :])[:, 0], _gaps(boxes, (others[:, :2] + others[:, 2:]) / 2)
    too_far = np.where(own > LEADER_FROM, 0.0, own - nearest.min(axis=1, initial=np.inf))
    return np.asarray(
        DISTANCE * np.repeat(DISTANCES, ANGLES)
        + NEARER_TO_ANOTHER * np.clip(too_far, 0, None)
        + OUTSIDE * (size.prod() - inside_area)
        + MARK_OVERLAP * _overlap(boxes, marks).sum(axis=1)
        + LINE_OVERLAP * _overlap(boxes, lines).sum(axis=1)
        + CROSSING * _leader_hits(point[None], options, others).sum(axis=1)
    )


def _gaps(boxes: Array, points: Array) -> Array:
    """Distances from boxes to points, n × m."""
    beside = np.maximum(boxes[:, None, :2] - points[None], points[None] - boxes[:, None, 2:])
    return np.asarray(np.hypot(*np.moveaxis(np.clip(beside, 0, None), 2, 0)))


def _boxes(centres: Array, sizes: Array) -> Array:
    return np.hstack([centres - sizes / 2, centres + sizes / 2])


def _squares(points: Array, half: float = MARK) -> Array:
    return np.hstack([points - half, points + half]).reshape(-1, 4)


def _segment_boxes(segments: Array) -> Array:
    """Boxes around lines that run along the axes."""
    low, high = np.minimum(segments[:, :2], segments[:, 2:]), np.maximum(segments[:, :2], segments[:, 2:])
    return np.hstack([low - LINE, high + LINE])


def _overlap(boxes: Array, others: Array) -> Array:
    """Areas that boxes share, n × m."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.asarray(np.clip(high - low, 0, None).prod(axis=2))


def _leader_hits(marks: Array, centres: Array, boxes: Array) -> Array:
    """Whether each leader from a mark to a centre (n × 2, or one of them 1 × 2) crosses each box (m × 4): n × m."""
    start, way = marks + FROM * (centres - marks), (TO - FROM) * (centres - marks)
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = ((boxes[None, :, side] - start[:, None]) / way[:, None] for side in ([0, 1], [2, 3]))
    enter, leave = np.fmin(one, other).max(axis=2), np.fmax(one, other).min(axis=2)
    return np.asarray((enter < leave) & (leave > 0) & (enter < 1))


def _crossings(point: Array, options: Array, points: Array, centres: Array) -> Array:
    """How many other leaders each candidate's leader would cross."""

    def side(a: Array, b: Array, c: Array) -> Array:
        return np.asarray(
            (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])
        )

    a, b, c, d = point[None, None], options[:, None], points[None], centres[None]
    apart = (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)
    return np.asarray(apart.sum(axis=1))


def _to_points(axes: "Axes", places: Sequence[tuple[float, float]] | Array) -> Array:
    data = np.asarray(places, dtype=np.float64).reshape(-1, 2)
    return np.asarray(axes.transData.transform(data)) * 72 / axes.figure.dpi


def _axes_box(axes: "Axes") -> Array:
    return np.asarray(axes.get_window_extent().extents) * 72 / axes.figure.dpi


def _write_label(axes: "Axes", label: Label, point: Array, centre: Array) -> None:
    offset = centre - point
    tied = np.hypot(*np.clip(np.abs(offset) - np.array(text_size(label.text, SMALL)) / 2, 0, None)) > LEADER_FROM
    line = {"arrowstyle": "-", "color": label.color, "linewidth": 0.4, "alpha": 0.7, "shrinkA": 0, "shrinkB": 3}
    annotation = axes.annotate(
        label.text,
        (label.x, label.y),
        xytext=tuple(np.round(offset, 2)),
        textcoords="offset points",
        ha="center",
        va="center_baseline",
        fontsize=SMALL,
        color=label.color,
        arrowprops=line if tied else None,
    )
    annotation.set_in_layout(False)


def spread_apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions at least `gap` apart within low … high, in the order of those wanted and nearest to them by squares.

    Where there is no room for that gap, they are evenly spread. Ties keep their order.
    """
    if not wanted:
        return []
    gap = min(gap, (high - low) / max(1, len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    groups: list[list[float]] = []
    for rank, i in enumerate(order):
        groups.append([wanted[i] - rank * gap])
        # Neighbours that would be too near one another move together, to where they are best off on average.
        while len(groups) > 1 and _mean(groups[-2]) >= _mean(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    packed = [_mean(group) for group in groups for _ in group]
    top = high - (len(wanted) - 1) * gap
    positions = [0.0] * len(wanted)
    for rank, i in enumerate(order):
        positions[i] = min(max(packed[rank], low), top) + rank * gap
    return positions


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
