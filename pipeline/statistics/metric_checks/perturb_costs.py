"""A game in which every cost is counted in smaller units."""

import re
from typing import Any

from pipeline.statistics.metric_checks.permute_ids import CALENDAR_TEXTS

UNIT = 10  # how many of the smaller units make one of the trace's
COST = re.compile(r"\(cost=(\d+)\)")
COSTS = frozenset(("cost", "optimal_cost", "greedy_cost", "per_agent_cost", "oracle_per_agent_cost"))


def scale_costs(value: Any, name: str = "") -> Any:
    """A value of the trace, under this field name, with every cost in it UNIT times as large, as euros in cents."""
    if name in COSTS and isinstance(value, int | list):
        return value * UNIT if isinstance(value, int) else [cost * UNIT for cost in value]
    if name in CALENDAR_TEXTS and isinstance(value, str):
        return COST.sub(lambda cost: f"(cost={int(cost[1]) * UNIT})", value)
    if isinstance(value, dict):
        return {key: scale_costs(item, key) for key, item in value.items()}
    return [scale_costs(item) for item in value] if isinstance(value, list) else value
