"""The metrics under check, the changes that they are checked with, and what each metric is to do under each change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, NamedTuple

from pipeline.statistics.metric_checks import permute_ids, perturb_messages
from pipeline.statistics.metric_checks.perturb_costs import UNIT, scale_costs

Raw = dict[str, Any]  # a trace's JSON
VPS = ("vps_uniform_mean", "vps_cost_mean")
SAME, NOT_LESS, SCALED, ONE_MORE = "stays the same", "does not fall", "grows with the unit", "falls to n / (n + 1)"


class Metric(NamedTuple):
    """A metric of Table 1: its column in table1.csv, its definition, where the paper has it, and which end is good."""

    column: str
    title: str
    definition: str
    source: str
    best: str  # high or low


METRICS = (
    Metric(
        "meetings_scheduled",
        "Meetings",
        "the rounds whose resolution found every participant with the meeting in one slot, no earlier meeting broken "
        "and no blocked slot taken; a meeting that a later round breaks still counts",
        "Table 1; Appendix D.4",
        "high",
    ),
    Metric(
        "coordination_rate_pct",
        "Coordination %",
        "meetings scheduled / meetings of the game, in percent",
        "section 4, Metrics; Table 1",
        "high",
    ),
    Metric(
        "excess_cost",
        "Excess cost",
        "Σ cost of everything that agents moved − the oracle's cost of scheduling all meetings; below 0 where less was "
        "moved than all meetings need",
        "section 4, Metrics; Table 1",
        "low",
    ),
    Metric(
        "dms_per_meeting",
        "DMs per meeting",
        "direct messages sent / meetings scheduled; undefined where none was, and left out of the mean",
        "section 4, Metrics; Table 1",
        "low",
    ),
    Metric(
        "fairness",
        "Fairness",
        "least / largest cost that an agent paid; 1 where nobody paid anything",
        "section 3; section 4, Metrics; Table 1",
        "high",
    ),
    Metric(
        "vps_uniform_mean",
        "VPS, uniform",
        "Σ over slots of |belief − 0.5| at the end of a round, as the mean over those rounds, targets and observers in "
        "which the observer learnt something of the target; undefined where nobody ever did",
        "Eq. 1; Appendix H.1, H.5; Table 1",
        "low",
    ),
    Metric(
        "vps_cost_mean",
        "VPS, cost-weighted",
        "the same with each slot weighing min(32, 1 + √cost), blocked slots 32",
        "Eq. 1; Appendix H.4",
        "low",
    ),
)


@dataclass(frozen=True)
class Change:
    """A change to a game's trace: make(trace, name of a random stream) → trace.

    expected: column of a metric → NOT_LESS, SCALED or ONE_MORE; every other metric should stay the SAME.
    """

    name: str
    meaning: str
    make: Callable[[Raw, str], Raw]
    expected: Mapping[str, str] = field(default_factory=dict)


def random_order(size: int, name: str) -> list[int]:
    """The numbers below `size` in the random order of a named stream."""
    order = list(range(size))
    Random(name).shuffle(order)
    return order


def _permute_agents(raw: Raw, name: str) -> Raw:
    return permute_ids.permute_agents(raw, random_order(raw["config"]["num_agents"], f"agents {name}"))


def _permute_slots(raw: Raw, name: str) -> Raw:
    return permute_ids.permute_slots(raw, random_order(raw["config"]["num_slots"], f"slots {name}"))


def _without_stream(change: Callable[[Raw], Raw], raw: Raw, name: str) -> Raw:
    """A change that draws nothing, called as one that does."""
    return change(raw)


CHANGES = (
    Change("relabel agents", "the agents exchange their numbers, in messages too", _permute_agents),
    Change("relabel slots", "the slots exchange their numbers, in messages too", _permute_slots),
    Change(
        "reorder messages",
        "messages of one sweep change places, none an answer to the other",
        perturb_messages.reorder_messages,
    ),
    Change(
        "split messages",
        "what one message says is said in two",
        partial(_without_stream, perturb_messages.split_messages),
    ),
    Change(
        "repeat messages", "every message is sent twice", partial(_without_stream, perturb_messages.repeat_messages)
    ),
    Change(
        "move to the group",
        "participants' messages go to all participants of the round; what is said to several is said once",
        partial(_without_stream, perturb_messages.send_to_group),
        dict.fromkeys(VPS, NOT_LESS),
    ),
    Change(
        "tell an outsider",
        "in each round one participant also tells an agent who has heard nothing yet that slot 0 is free",
        partial(_without_stream, perturb_messages.tell_outsider),
        dict.fromkeys((*VPS, "dms_per_meeting"), NOT_LESS),
    ),
    Change(
        "add an empty round",
        "one more meeting, of which nobody says or does anything",
        partial(_without_stream, perturb_messages.add_empty_round),
        {"coordination_rate_pct": ONE_MORE},
    ),
    Change(
        "count in smaller units",
        f"every cost is {UNIT} times as large",
        partial(_without_stream, scale_costs),
        {"excess_cost": SCALED},
    ),
)
