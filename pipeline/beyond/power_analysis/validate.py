"""How a chosen sub-suite does where it was not chosen: on teams left out, and on new games of the same tasks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pipeline.beyond.power_analysis.subsuite import Pairs, agreements, random_subsets, smallest, strict_pairs
from pipeline.beyond.power_analysis.values import Array, Scores

Values = Mapping[str, Array]  # team → value on each task
Row = dict[str, Any]


def repeat_of(scores: Scores, repeat: int) -> dict[str, Array]:
    """Each team's values in a repeat; a team with fewer plays them the same way again."""
    return {team: v[:, repeat % v.shape[1]] for team, v in scores.values.items()}


def pairs_of(values: Values) -> Pairs:
    """The pairs that all tasks order, (less, more)."""
    return strict_pairs({team: float(v.mean()) for team, v in values.items()})


def subsuite_row(measures: Sequence[Scores], draws: int, seconds: float) -> Row:
    """The smallest sub-suite of the measures' first games, and which share of pairs it orders rightly elsewhere.

    new_*: in games that it was not chosen from, against the order of all tasks and games; *_random is the mean over
    random sub-suites of its size, *_whole what all tasks give. left_out_*: chosen without a team, which it then orders,
    beside random ones as large as that choice. A share is null where there is no such pair.
    """
    first = [repeat_of(scores, 0) for scores in measures]
    chosen = smallest(first, seconds)
    whole = list(range(len(measures[0].tasks)))

    def others(size: int) -> list[list[int]]:
        return random_subsets(len(whole), size, draws, (measures[0].setting, "random"))

    return {
        "size": len(chosen),
        "tasks": [measures[0].tasks[t] for t in chosen],
        "same": mean(share for values in first for share in agreements(values, [chosen], pairs_of(values)).tolist()),
        "new_chosen": new_games(measures, [chosen]),
        "new_random": new_games(measures, others(len(chosen))),
        "new_whole": new_games(measures, [whole]),
        **left_out(first, others, seconds),
    }


def new_games(measures: Sequence[Scores], subsets: Sequence[Sequence[int]]) -> float | None:
    """The mean share of pairs that the subsets order, in repeats after the first, as all tasks and repeats do.

    Two teams that both play a task the same way each time have no new games: such a pair does not count.
    """
    shares: list[float] = []
    for scores in measures:
        ranked = strict_pairs({team: float(v.mean()) for team, v in scores.values.items()})
        pairs = [pair for pair in ranked if any(scores.values[team].shape[1] > 1 for team in pair)]
        for repeat in range(1, max(v.shape[1] for v in scores.values.values())):
            values = repeat_of(scores, repeat)
            shares += agreements(values, subsets, pairs).tolist()
    return mean(shares)


def left_out(first: Sequence[Values], others: Callable[[int], list[list[int]]], seconds: float) -> Row:
    """Of pairs with a team that the choice did not see: the share that the chosen tasks order, and random ones.

    others: sub-suites of a size.
    """
    chosen: list[float] = []
    random: list[float] = []
    for team in sorted(first[0]):
        without = smallest([{t: v for t, v in values.items() if t != team} for values in first], seconds)
        for values in first:
            pairs = [pair for pair in pairs_of(values) if team in pair]
            chosen += agreements(values, [without], pairs).tolist()
            random += agreements(values, others(len(without)), pairs).tolist()
    return {"left_out_chosen": mean(chosen), "left_out_random": mean(random)}


def curve_rows(measures: Sequence[Scores], sizes: Sequence[int], draws: int) -> Iterator[Row]:
    """One row a size: the share of pairs that random sub-suites of the first games order as the whole suite does."""
    first = [repeat_of(scores, 0) for scores in measures]
    for size in sizes:
        subsets = random_subsets(len(measures[0].tasks), size, draws, (measures[0].setting, "curve"))
        shares = np.mean([agreements(v, subsets, pairs) for v in first if (pairs := pairs_of(v))], axis=0).tolist()
        yield {
            "size": size,
            "mean": mean(shares),
            "low": float(np.quantile(shares, 0.05)),
            "exact": mean(float(share == 1) for share in shares),
        }


def mean(values: Iterable[float]) -> float | None:
    """The mean of some numbers; of none there is none."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else None
