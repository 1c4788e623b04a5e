"""A trace as the public benchmark writes it, so that its scripts read ours. Its events, state and metrics are made anew
from what happened, so that a public trace comes out as it went in.

A game of ours on a published task equals the published game of the same protocol but for `game_id`, the clock, the
oracle's shares (`oracle_per_agent_cost`, `oracle_cost_replayed` and what an agent pays above them), and the parameters
in `config`, which are those in force.

What the public files do not show, and is chosen here: a mean per meeting is null where none was scheduled; the
density-adjusted score is the score and every agent has the base rating, as where all calendars are equally full;
several channels are joined by "+"; `batch_rolled_back`, `decision_failed` and group messages have the fields of ours. A
game that was stopped has no `game_end`.
"""

from codecs import BOM_UTF8
from collections import Counter
from dataclasses import dataclass
from typing import Any

import msgspec

from pipeline.traces.calendars import Item
from pipeline.traces.game_state import GameState
from pipeline.traces.ingest import cost_by_agent, fairness, oracle_burdens
from pipeline.traces.records import CHANNELS, NO_CAP, AgentSpec, Meeting, Resolution
from pipeline.traces.replay import replay
from pipeline.traces.trace import Identity, Trace, TraceError, decode_trace, identify

Raw = dict[str, Any]

PLACE = ("round", "turn", "phase", "agent_id")
ANSWER = "tool_calls text thinking usage latency_ms raw_api_response"
# The fields of events beside those of their place, in their order; other events have those of ours.
FIELDS = {
    "game_start": "scenario_seed num_agents num_slots optimal_cost greedy_cost nosy_agent_ids communication_protocol "
    "agent_densities initial_calendar_density_by_agent representation_elo_by_agent agent_models agent_types "
    "team_model_counts team_model_label is_heterogeneous_team",
    "agent_registered": "is_nosy_agent nosy_agent_ids model agent_type initial_calendar_density representation_elo "
    "system_prompt calendar_render",
    "round_start": "meeting speaker_order communication_protocol",
    "turn_end": ANSWER,
    "decide_end": ANSWER,
}
# What events of ours have and public ones do not.
OURS = frozenset(("intent", "parse"))
OUTCOME = (
    "meeting_id",
    "coordinated",
    "per_agent_slot",
    "slot_conflicts",
    "consistency_violated_meeting_ids",
    "blocked_slot_violations",
)
RATING, RATING_SCALE = 1500.0, 400.0
# Teams of ours whose agents have types of their own there, and their parameters' names there.
TYPES = {"dsm-welfare": "paper_dsm", "dsm-private": "private_dsm"}
DSM = {
    "l_max": "dsm_num_proposals",
    "cascade_depth": "dsm_cascade_depth",
    "displacement_targets": "dsm_displacement_targets",
    "l_min": "dsm_lmin",
    "beta": "dsm_beta",
    "theta_unit_cost": "dsm_theta",
    "welfare": "dsm_social_welfare_weight",
    "initial_points": "dsm_initial_budget",
}


@dataclass(frozen=True)
class Played:
    """What came of a game. costs, owed: what each agent paid, and its share of the oracle's schedule where it is known.
    sent, received: messages by agent; a group message is one sent, and one received by each recipient."""

    game: GameState
    team: Raw
    costs: list[int]
    owed: list[int] | None
    sent: Counter[int]
    received: Counter[int]
    rounds: list[tuple[Meeting, Resolution]]

    @property
    def excess(self) -> list[int] | None:
        """What each agent paid above its share of the oracle's schedule."""
        return self.owed and [cost - due for cost, due in zip(self.costs, self.owed, strict=True)]


def public_form(text: bytes) -> Raw:
    """The trace in the public form, from the JSON of ours or of a public one. Raises TraceError where it is neither."""
    trace = decode_trace(text)
    raw: Raw = msgspec.json.decode(text.removeprefix(BOM_UTF8))
    game = replay(trace)
    try:
        return written(raw, trace, game)
    except KeyError as lacking:
        raise TraceError(f"has no {lacking}, which the public form needs") from None


def written(raw: Raw, trace: Trace, game: GameState) -> Raw:
    """The trace in the public form. Raises KeyError for a field that it needs and the trace does not have."""
    own = trace.config.team is not None
    config = config_of(raw["config"], trace, game) if own else raw["config"]
    played = played_game(game, trace, team_of(game, trace, config))
    totals = metrics(played)
    events = [event for each in raw["events"] if (event := public_event(each, played.team, game))]
    for event in events:
        if event["type"] == "game_end":
            event["data"] = placed(event["data"]) | totals
    outcomes = [{name: e["data"][name] for name in OUTCOME} for e in events if e["type"] == "resolution"]
    return {
        "game_id": trace.game_id,
        "config": config,
        "events": events,
        "final_state": final_state(played, outcomes),
        "metrics": totals,
        "started_at": raw.get("started_at"),
        "ended_at": raw.get("ended_at"),
        "stopped": trace.stopped,
    }


def played_game(game: GameState, trace: Trace, team: Raw) -> Played:
    """What came of the game."""
    return Played(
        game,
        team,
        [cost for _, cost in sorted(cost_by_agent(game).items())],
        list(oracle_burdens(trace, game)) or None,
        Counter(each.message.from_agent for each in game.messages),
        Counter(agent for each in game.messages for agent in each.recipients),
        [(this.meeting, this.resolution) for this in game.rounds.values() if this.resolution],
    )


def config_of(own: Raw, trace: Trace, state: GameState) -> Raw:
    """The configuration of a game of ours under the public names: what was in force, and what public files have for the
    rest. A simulated game says so, which public ones need not."""
    game = identify(trace, state.start)
    given: Raw = (own.get("scenario") or {}).get("parameters") or {}
    dsm: Raw = next((a.get("parameters") or {} for a in own["agents"] if a["type"] == "dsm"), {})
    name = f"{game.setting}_{game.team.replace('-', '_')}" + "_adversarial" * (game.condition == "adversarial")
    config = {
        "game_name": "calendar",
        "num_agents": own["num_agents"],
        "agents": [public_agent(agent.type, agent.named_model(), agent.asked(), game) for agent in trace.config.agents],
        "seed": own["seed"],
        "experiment_run_id": f"{name}.{game.task_id}.{game.repeat}",
        "experiment_name": name,
        "git_hash": None,
        "extra": {},
        "num_slots": own["num_slots"],
        "density": own["density"],
        "agent_densities": given.get("agent_densities"),
        "pref_level": given.get("pref_level", 1),
        "num_meetings": own["num_meetings"],
        "num_participants": own["num_participants"],
        "max_turns_per_round": own["max_turns_per_round"],
        "dm_cap": NO_CAP if own["dm_cap"] is None else own["dm_cap"],
        "decision_retries": own["decision_retries"],
        "errand_cost_level": given.get("errand_cost_level") or given.get("pref_level", 1),
        "meeting_cost_level": given.get("meeting_cost_level", 1),
        "enable_fallback": False,
        "fallback_max_depth": 3,
        "communication_protocol": "+".join(trace.config.open_channels() or ()),
        "task_path": f"tasks/{game.setting}_full.jsonl",
        "task_id": game.task_id,
        "dsm_num_proposals": 4,
        "dsm_cascade_depth": 1,
        "dsm_displacement_targets": 4,
        "dsm_exhaustive_search": True,
        "dsm_stop_on_perfect": True,
        "nosy_agent_ids": state.start.nosy_agent_ids or [],
        "dsm_lmin": 1,
        "dsm_lmax": None,
        "dsm_beta": 1.0,
        "dsm_theta": 0.0,
        "dsm_social_welfare_weight": 1.0,
        "dsm_privacy_unit_cost": 1.0,
        "dsm_initial_budget": 100,
        "sd_model": {},
        "representation_elo_base": RATING,
        "representation_elo_scale": RATING_SCALE,
    }
    in_force = {there: dsm[name] for name, there in DSM.items() if name in dsm}
    return config | in_force | ({"simulated": True} if game.simulated else {})


def public_agent(kind: str | None, model: str | None, asked: str | None, game: Identity) -> Raw:
    """An agent's entry in the configuration; `extra` has its parameters."""
    own = kind == "dsm"
    extra = msgspec.json.decode(asked) if asked and not (own and game.team in TYPES) else {}
    return {"type": TYPES.get(game.team, "dsm") if own else kind, "model": model, "extra": extra}


def team_of(game: GameState, trace: Trace, config: Raw) -> Raw:
    """What the start and the end say of the agents, each a list over them, and of the team. An agent that names no
    model is called after its team, of which all are alike, or by its type."""
    agents = [game.agents[agent] for agent in sorted(game.agents)]
    specs = [AgentSpec(**{name: spec.get(name) for name in ("type", "model")}) for spec in config.get("agents") or ()]
    specs += [AgentSpec()] * (len(agents) - len(specs))
    types = [agent.agent_type or spec.type for agent, spec in zip(agents, specs, strict=False)]
    team = trace.config.team if len(set(types)) == 1 else None
    suffix = " (simulated)" if trace.config.simulated and trace.config.team else ""
    named = [(TYPES.get(team, team) if team else kind or "unknown") + suffix for kind in types]
    models = [agent.model or spec.model or name for agent, spec, name in zip(agents, specs, named, strict=False)]
    alike = len(set(models)) == 1
    return {
        "nosy_agent_ids": [number for number, agent in enumerate(agents) if agent.is_nosy_agent],
        "communication_protocol": config.get("communication_protocol", "dm"),
        "initial_calendar_density_by_agent": [
            sum(item is not None for item in game.initial[agent]) / game.num_slots for agent in sorted(game.agents)
        ],
        "representation_elo_by_agent": [RATING for _ in agents],
        "agent_models": models,
        "agent_types": types,
        "team_model_counts": dict(Counter(models)),
        "team_model_label": game.start.team_model_label or (models[0] if alike else trace.config.team or "mixed"),
        "is_heterogeneous_team": not alike,
    }


def placed(data: Raw) -> Raw:
    """The fields of an event that say where it happened."""
    return {name: data[name] for name in PLACE}


def public_event(event: Raw, team: Raw, game: GameState) -> Raw | None:
    """The event in the public form; None for those that public traces do not have: decisions' events of a retry, and
    the note of a stop."""
    kind, data = event["type"], {k: v for k, v in event["data"].items() if k not in OURS}
    if kind == "game_stopped" or (kind in ("decide_start", "decide_end") and data.pop("attempt", 0)):
        return None
    known = team
    if kind == "agent_registered":
        agent = data["agent_id"]
        known = team | {
            "model": team["agent_models"][agent],
            "agent_type": team["agent_types"][agent],
            "initial_calendar_density": team["initial_calendar_density_by_agent"][agent],
            "representation_elo": team["representation_elo_by_agent"][agent],
        }
    names = FIELDS.get(kind, "").split()
    data = placed(data) | {name: data.get(name, known.get(name)) for name in names} | data
    if kind == "round_start":
        data["meeting"] = dict(sorted(data["meeting"].items()))
    elif kind == "decide_start" and data["phase"] == "VOLUNTARY" and "calendar_snapshot_render" in data:
        data = {{"calendar_snapshot_render": "calendar_render"}.get(k, k): v for k, v in data.items()}
    elif kind == "decide_end" and data["phase"] == "DECISION":
        data |= {"retry_count": 0, "status": "pending"}
    elif kind == "batch_applied":
        data.pop("cost", None)
        cost = game.rounds[data["round"]].meeting.cost
        data["actions"] = [a | {"cost": cost} if a["type"] == "schedule" else a for a in data["actions"]]
    elif kind == "resolution":
        data["slot_conflicts"] = {}
    return {"type": kind, "timestamp": event.get("timestamp"), "data": data}


def metrics(played: Played) -> Raw:
    """The game's metrics, which are the fields of game_end as well."""
    game, team, costs, excess = played.game, played.team, played.costs, played.excess
    scheduled = sum(resolution.coordinated for _, resolution in played.rounds)
    chars = {
        channel: [len(sent.message.content) for sent in game.messages if sent.channel == channel]
        for channel in CHANNELS
    }
    dms, groups = chars["dm"], ("groupchat", *CHANNELS[1:])
    chars["groupchat"] = chars["participant_groupchat"] + chars["all_groupchat"]
    scores = contributions(played)
    return {
        "coordination_rate": scheduled / max(1, len(played.rounds)),
        "slot_conflict_rate": 0.0,
        "efficiency": ratio(len(game.messages), scheduled),
        "fairness": fairness(costs),
        "meetings_scheduled": scheduled,
        "total_dms_sent": len(dms),
        **{f"total_{name}_messages_sent": len(chars[name]) for name in groups},
        "total_cheap_talk_messages": len(game.messages),
        "total_dm_chars": sum(dms),
        **{f"total_{name}_chars": sum(chars[name]) for name in groups},
        "avg_dm_chars": sum(dms) / len(dms) if dms else 0.0,
        **{f"max_{name}_chars": max(chars[name], default=0) for name in ("dm", *groups)},
        "dm_chars_per_meeting": ratio(sum(dms), scheduled),
        "realized_cost": sum(costs),
        "fallback_displacement_cost": 0,
        "optimal_cost": game.start.optimal_cost,
        "oracle_cost_replayed": played.owed and sum(played.owed),
        "oracle_per_agent_cost": played.owed,
        "per_agent_excess_burden": excess,
        "total_excess_burden": excess and sum(excess),
        "nosy_agent_count": len(team["nosy_agent_ids"]),
        "communication_protocol": team["communication_protocol"],
        "team_model_label": team["team_model_label"],
        "team_model_counts": team["team_model_counts"],
        "is_heterogeneous_team": team["is_heterogeneous_team"],
        "mean_contribution_score": mean([score["contribution_score"] for score in scores]),
        "model_contribution_summary": by_model(scores),
    }


def final_state(played: Played, outcomes: list[Raw]) -> Raw:
    """The state at the end; lists run over agents, `round_outcomes` over rounds."""
    game, team, scores = played.game, played.team, contributions(played)
    return {
        "calendars": [[public_item(item) for item in game.calendars[agent]] for agent in sorted(game.agents)],
        "per_agent_cost": played.costs,
        "per_agent_fallback_cost": [0 for _ in played.costs],
        "oracle_per_agent_cost": played.owed,
        "per_agent_excess_burden": played.excess,
        "per_agent_messages_sent": [played.sent[agent] for agent in sorted(game.agents)],
        "per_agent_messages_received": [played.received[agent] for agent in sorted(game.agents)],
        "initial_calendar_density_by_agent": team["initial_calendar_density_by_agent"],
        "representation_elo_by_agent": team["representation_elo_by_agent"],
        "contribution_scores": scores,
        "model_contribution_summary": by_model(scores),
        "round_outcomes": outcomes,
        "nosy_agent_ids": team["nosy_agent_ids"],
        "agent_models": team["agent_models"],
        "agent_types": team["agent_types"],
        "team_model_counts": team["team_model_counts"],
        "team_model_label": team["team_model_label"],
        "is_heterogeneous_team": team["is_heterogeneous_team"],
    }


def public_item(item: Item | None) -> Raw | None:
    """What a slot holds."""
    if item is None:
        return None
    if item.kind == "meeting":
        return {"meeting_id": item.id, "cost": item.cost}
    return ({"blocked": True} if item.blocked else {}) | {"cost": item.cost, "errand_id": item.id}


def contributions(played: Played) -> list[Raw]:
    """Each agent's share in the game: up to 60 points for the meetings that it coordinated, 25 for a cost below the
    most that an agent paid, 15 for its part of all messages."""
    team, messages, scores = played.team, len(played.game.messages), []
    for agent, cost in enumerate(played.costs):
        own = [resolution.coordinated for meeting, resolution in played.rounds if agent in meeting.participants]
        rate, share = (sum(own) / len(own) if own else 0.0), (played.sent[agent] / messages if messages else 0.0)
        thrift = 1 - cost / max(played.costs) if cost else 1.0
        score = round(60 * rate + 25 * thrift + 15 * share, 6)
        scores.append(
            {
                "agent_id": agent,
                "model": team["agent_models"][agent],
                "agent_type": team["agent_types"][agent],
                "participant_rounds": len(own),
                "coordinated_participant_rounds": sum(own),
                "coordination_rate": round(rate, 6),
                "messages_sent": played.sent[agent],
                "messages_received": played.received[agent],
                "communication_share": round(share, 6),
                "cost": cost,
                "oracle_cost": played.owed and played.owed[agent],
                "excess_burden": played.excess and played.excess[agent],
                "fallback_cost": 0,
                "cost_efficiency": round(thrift, 6),
                "calendar_density": team["initial_calendar_density_by_agent"][agent],
                "representation_elo": team["representation_elo_by_agent"][agent],
                "contribution_score": score,
                "density_adjusted_contribution_score": score,
            }
        )
    return scores


def by_model(scores: list[Raw]) -> Raw:
    """The scores, summed up by model."""
    groups = {model: [s for s in scores if s["model"] == model] for model in dict.fromkeys(s["model"] for s in scores)}
    return {
        model: {
            "agent_count": len(group),
            "mean_contribution_score": round(mean([s["contribution_score"] for s in group]), 6),
            "mean_density_adjusted_contribution_score": round(mean([s["contribution_score"] for s in group]), 6),
            "total_messages_sent": sum(s["messages_sent"] for s in group),
            "total_cost": float(sum(s["cost"] for s in group)),
        }
        for model, group in groups.items()
    }


def mean(values: list[float]) -> float:
    """The mean of at least one value."""
    return sum(values) / len(values)


def ratio(part: int, whole: int) -> float | None:
    """part / whole; None where that is undefined."""
    return part / whole if whole else None
