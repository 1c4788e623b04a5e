"""What each observer believed of each target's slots after each message of a round."""

from collections.abc import Mapping, Sequence
from typing import Any

PRIOR = 0.5

Pair = tuple[int, int]


def beliefs_over_time(
    messages: Sequence[Mapping[str, Any]], slots: int, prior: float = PRIOR
) -> dict[Pair, list[list[float]]]:
    """(observer, target) → beliefs: a row before the first message and one after each, an entry a slot.

    messages: those of one round of a view. Only pairs whose belief was touched are there.
    """
    pairs = sorted({(u["observer_agent"], u["target_agent"]) for m in messages for u in m["updates"]})
    histories = {pair: [[prior] * slots] for pair in pairs}
    for message in messages:
        for history in histories.values():
            history.append(list(history[-1]))
        for update in sorted(message["updates"], key=lambda u: u["update_index"]):
            slot, after = update["slot"], update["belief_after"]
            if after is not None and slot is not None and 0 <= slot < slots:
                histories[update["observer_agent"], update["target_agent"]][-1][slot] = after
    return histories
