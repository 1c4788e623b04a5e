"""A replayed game's metrics, computed independently of the simulator."""

from math import isclose
from typing import Any

from pipeline.traces.audit.game import Game
from pipeline.traces.audit.trace import CHANNELS

OWN_METRICS = (
    "coordination_rate",
    "meetings_scheduled",
    "meetings_kept",
    "realized_cost",
    "optimal_cost",
    "greedy_cost",
    "excess_cost",
    "cost_vs_optimal",
    "cost_vs_greedy",
    "fairness",
    "total_dms_sent",
    "total_dm_chars",
    "total_participant_groupchat_messages_sent",
    "total_all_groupchat_messages_sent",
    "dms_per_meeting",
)

# What names a game rather than measures it.
DESCRIPTIONS = frozenset(
    ("communication_protocol", "team_model_label", "team_model_counts", "is_heterogeneous_team", "nosy_agent_count")
)

# Checked beside the optimum, or there; a metric whose fault has a code of its own.
ORACLE_METRICS = frozenset(("optimal_cost", "greedy_cost", "oracle_per_agent_cost", "oracle_cost_replayed"))
CODES_OF_METRICS = {"slot_conflict_rate": "slot_conflicts", "realized_cost": "wrong_cost"}


def recompute_metrics(game: Game, optimum: int | None, greedy: int | None, burdens: list[int] | None) -> dict[str, Any]:
    """Name → figure; None where a ratio is undefined."""
    facts = cost_metrics(game, optimum, greedy) | message_metrics(game)
    if burdens is not None:
        over = [paid - owed for paid, owed in zip(game.paid, burdens, strict=True)]
        facts |= {"per_agent_excess_burden": over, "total_excess_burden": sum(over)}
    return facts


def cost_metrics(game: Game, optimum: int | None, greedy: int | None) -> dict[str, Any]:
    """What was scheduled, and what it cost."""
    realized, scheduled = sum(game.paid), len(game.coordinated)
    rounds = len(game.setup.meetings) if not game.public else max(1, scheduled + len(game.failed))
    facts = {
        "coordination_rate": ratio(scheduled, rounds),
        "meetings_scheduled": scheduled,
        "meetings_kept": sum(map(game.holds_once, game.coordinated)),
        "slot_conflict_rate": ratio(game.disagreements, rounds),
        "realized_cost": realized,
        "fallback_displacement_cost": 0,
        "fairness": min(game.paid) / max(game.paid) if any(game.paid) else 1.0,
        "cost_vs_optimal": ratio(realized, optimum),
        "cost_vs_greedy": ratio(realized, greedy),
    }
    return facts | ({} if optimum is None else {"excess_cost": realized - optimum})


def message_metrics(game: Game) -> dict[str, Any]:
    """What was said, by channel; a group message is one message sent."""
    by_channel = {c: [chars for channel, chars in game.messages if channel == c] for c in CHANNELS}
    dms, scheduled = by_channel["dm"], len(game.coordinated)
    group = by_channel["participant_groupchat"] + by_channel["all_groupchat"]
    facts: dict[str, Any] = {
        "total_dms_sent": len(dms),
        "total_dm_chars": sum(dms),
        "avg_dm_chars": sum(dms) / len(dms) if dms else 0.0,
        "max_dm_chars": max(dms, default=0),
        "dms_per_meeting": ratio(len(dms), scheduled),
        "total_cheap_talk_messages": len(game.messages),
        "total_groupchat_messages_sent": len(group),
        "total_groupchat_chars": sum(group),
        "max_groupchat_chars": max(group, default=0),
    }
    for channel in CHANNELS[1:]:
        facts[f"total_{channel}_messages_sent"] = len(by_channel[channel])
        facts[f"total_{channel}_chars"] = sum(by_channel[channel])
        facts[f"max_{channel}_chars"] = max(by_channel[channel], default=0)
    if scheduled:
        facts |= {"efficiency": len(game.messages) / scheduled, "dm_chars_per_meeting": sum(dms) / scheduled}
    return facts


def ratio(part: int, whole: int | None) -> float | None:
    """part / whole; None where that is undefined."""
    return part / whole if whole else None


def same_figure(value: Any, fact: Any) -> bool:
    """Whether two figures are the same, to the last digits of a float."""
    numbers = (int, float)
    if type(value) in numbers and type(fact) in numbers:
        return isclose(value, fact, rel_tol=1e-12, abs_tol=1e-12)
    return type(value) is type(fact) and bool(value == fact)
