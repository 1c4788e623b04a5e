"""Labels in a column, moved apart as little as can be."""

from collections.abc import Sequence


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least `gap` apart and within low … high, in the order of those wanted, with the least squares of moves.

    Where there is no room for all, they are as far apart as there is. Ties keep their order.
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
    places = [0.0] * len(wanted)
    for rank, i in enumerate(order):
        places[i] = min(max(packed[rank], low), top) + rank * gap
    return places


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
