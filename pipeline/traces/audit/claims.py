"""What a trace claims as a whole - shape, times, final state, metrics - against the game that was played again."""

from hashlib import sha256
from typing import Any

import msgspec

from pipeline.traces.audit.compare import listed
from pipeline.traces.audit.divergences import Findings, same_figure
from pipeline.traces.audit.replay import Replay
from pipeline.traces.audit.trace import Setup, Trace, nested
from pipeline.traces.audit.yardsticks import SHARES, Calendars, Yardsticks
from pipeline.traces.public_form import public_form
from pipeline.traces.trace import TraceError
from sim.game.rounds import final_state, metrics

# What names a game rather than measures it, and what is checked beside the optimum.
DESCRIPTIONS = frozenset(
    ("communication_protocol", "team_model_label", "team_model_counts", "is_heterogeneous_team", "nosy_agent_count")
)
ORACLE_METRICS = frozenset(("optimal_cost", "greedy_cost", "oracle_cost_replayed", SHARES))
# Public metrics of which nothing is known, and in games with group chats all that count these.
UNKNOWN_METRICS = frozenset(("slot_conflict_rate", "mean_contribution_score", "model_contribution_summary"))
AGENTS_STATE = ("per_agent_cost", "per_agent_excess_burden", "per_agent_messages_sent", "per_agent_messages_received")
PUBLIC_STATE = frozenset(("calendars", "round_outcomes", *AGENTS_STATE))


def check_claims(trace: Trace, text: bytes, replay: Replay, yardsticks: Yardsticks, findings: Findings) -> None:
    """Check every claim. text: the trace's JSON."""
    check_shape(trace, replay.setup, replay.broken_off, findings)
    check_adversaries(trace, findings)
    check_end(trace, replay, findings)
    times = [event.timestamp for event in trace.events if event.timestamp]
    span = (min(times, default=None), max(times, default=None))
    if not trace.public and span != (trace.started_at, trace.ended_at):
        findings.add("wrong_times", span, (trace.started_at, trace.ended_at))
    cap, sent = trace.config.get("dm_cap"), replay.game.messages
    if trace.public and type(cap) is int and sent > cap:
        findings.add("dm_cap", cap, sent, "messages of the game")
    state, facts = public_facts(text, findings) if trace.public else own_facts(replay, yardsticks)
    check_state(trace, state, findings)
    check_metrics(trace, facts, findings)
    if "meetings_kept" not in (trace.metrics or {}):
        for meeting in replay.game.coordinated:
            if not replay.game.consistent(meeting):
                findings.add("meeting_broken", "one common slot", "", f"meeting {meeting.id}")
    check_silence(trace, findings)


def check_shape(trace: Trace, setup: Setup, broken_off: bool, findings: Findings) -> None:
    """Numbers of agents, slots, rounds and participants, the seed, and the digest of the initial calendars."""
    config, start = trace.config, trace.first("game_start")
    facts = {"num_agents": len(setup.calendars), "num_slots": len(setup.calendars[0])}
    # A game that was cut short knows its meetings only where the scenario lists them.
    if "meetings" in trace.scenario or not (trace.stopped or broken_off):
        facts["num_meetings"] = len(setup.meetings)
    sizes = {len(m.participants) for m in setup.meetings}
    # A list of tasks may say who meets, whatever number it gives beside them.
    lists = listed(nested(trace.scenario, "parameters").get("participant_lists"))
    if len(sizes) == 1 and lists != [sorted(m.participants) for m in setup.meetings]:
        facts["num_participants"] = sizes.pop()
    for name, fact in facts.items():
        if config.get(name, fact if trace.public else None) != fact:
            findings.add("wrong_setup", fact, config.get(name), f"config.{name}")
    if "seed" in config and start.get("scenario_seed", config["seed"]) != config["seed"]:
        findings.add("wrong_setup", config["seed"], start["scenario_seed"], "game_start.scenario_seed")
    own = () if trace.public else ("scenario_seed", "nosy_agent_ids")
    for name in (name for name in ("optimal_cost", "greedy_cost", *own) if name not in start):
        findings.add("wrong_setup", "", "", f"game_start.{name} is missing")
    stated = trace.scenario.get("calendars_sha256")
    if stated is not None and stated != digest(setup.calendars):
        findings.add("wrong_setup", digest(setup.calendars), stated, "scenario.calendars_sha256")


def digest(calendars: Calendars, order: Any = None) -> str:
    """The digest of the initial calendars, as the scenario states it; with the order `sorted`, as a list does."""
    return sha256(msgspec.json.encode([calendar.slots for calendar in calendars], order=order)).hexdigest()


def check_adversaries(trace: Trace, findings: Findings) -> None:
    """Who probes the others, wherever the trace says it."""
    registered = trace.all_of("agent_registered")
    nosy = sorted(data["agent_id"] for data in registered if data.get("is_nosy_agent"))
    for place, holder in (("game_start", trace.first("game_start")), ("config", trace.config)):
        if holder.get("nosy_agent_ids", nosy) not in (nosy, None):
            findings.add("wrong_setup", nosy, holder["nosy_agent_ids"], f"{place}.nosy_agent_ids")


def check_end(trace: Trace, replay: Replay, findings: Findings) -> None:
    """A trace that breaks off says that its game was stopped, where a language model was to answer; no other does."""
    done = len(replay.game.coordinated) + len(replay.game.failed)
    if trace.stop_cause is not None and not trace.stopped:
        findings.add("stop_claim", "no cause", trace.stop_cause, "a game that was not stopped")
    if trace.stopped and not replay.broken_off:
        findings.add("stop_claim", "not stopped", "stopped", "every round is recorded")
    if replay.open_ended and not trace.stopped:
        findings.add("broken_off", "game_end", trace.events[-1].type, event=len(trace.events) - 1, round=done)
    if replay.broken_off and trace.stopped and not trace.public:
        agents, due = listed(trace.config.get("agents")), replay.unanswered
        agent = agents[due] if due is not None and due < len(agents) else None
        kind = agent.get("type") if isinstance(agent, dict) else None
        if kind != "llm":
            who = "nobody" if due is None else f"agent {due}"
            findings.add("stop_claim", "a language model was to answer", kind, f"{who} was to answer", agent=due)


Facts = tuple[dict[str, Any], dict[str, Any]]


def own_facts(replay: Replay, yardsticks: Yardsticks) -> Facts:
    """The final state and the metrics that the engine gives."""
    game: Any = replay.game
    task: Any = yardsticks
    owed = yardsticks.optimal.per_agent_cost or [0] * len(game.paid)
    task = yardsticks._replace(optimal=yardsticks.optimal._replace(per_agent_cost=owed))
    state = msgspec.json.decode(msgspec.json.encode(final_state(game, task, ())))
    return {name: fact for name, fact in state.items() if name not in (SHARES, "agent_summaries")}, metrics(game, task)


def public_facts(text: bytes, findings: Findings) -> Facts:
    """What the public form says of the recorded events, without what only the public harness computes."""
    try:
        form = public_form(text)
    except TraceError as error:
        findings.add("unreadable", "", error.reason, error.place)
        return {}, {}
    state = {name: fact for name, fact in form["final_state"].items() if name in PUBLIC_STATE}
    counted = form["metrics"]
    unknown = set(UNKNOWN_METRICS)
    if counted["total_groupchat_messages_sent"]:
        unknown |= {name for name in counted if "group" in name or "cheap_talk" in name} | {"efficiency"}
    unknown |= {name for name in ("efficiency", "dm_chars_per_meeting") if counted[name] is None}
    return state, {name: fact for name, fact in counted.items() if name not in unknown}


def check_state(trace: Trace, facts: dict[str, Any], findings: Findings) -> None:
    """The final state: calendars, costs, messages, rounds."""
    state = trace.final_state or {}
    for name, fact in facts.items():
        if name not in state and trace.public and name != "calendars":
            continue
        found = state.get(name)
        if name == "calendars" and trace.public:
            found = [with_known(slots, known) for slots, known in zip(listed(found), fact, strict=False)]
        if found != fact and fact is not None:
            code = "wrong_cost" if "cost" in name else "wrong_final_state"
            expected, differing = first_difference(fact, found)
            findings.add(code, expected, differing, f"final_state.{name}")


def with_known(slots: Any, known: list[Any]) -> list[Any]:
    """A recorded calendar with those fields of its items that are known."""
    pairs = zip(listed(slots), known, strict=False)
    return [{k: v for k, v in a.items() if k in b} if isinstance(a, dict) and b else a for a, b in pairs]


def first_difference(expected: Any, found: Any) -> tuple[Any, Any]:
    """The first entries of two lists that differ; both as they are where one is none."""
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return next((first_difference(a, b) for a, b in zip(expected, found, strict=True) if a != b), (expected, found))
    return expected, found


def check_metrics(trace: Trace, facts: dict[str, Any], findings: Findings) -> None:
    """Every metric, in the trace's metrics and in game_end."""
    stated, end = trace.metrics or {}, trace.first("game_end")
    for name in () if trace.public else facts.keys() - stated.keys():
        findings.add("missing_metric", facts[name], "", name)
    for name, value in stated.items():
        if name in facts and name not in DESCRIPTIONS | ORACLE_METRICS and not same_figure(value, facts[name]):
            code = "wrong_cost" if name == "realized_cost" else "wrong_metric"
            findings.add(code, facts[name], value, f"metrics.{name}")
    if rest := sorted(stated.keys() - facts.keys() - DESCRIPTIONS - ORACLE_METRICS):
        findings.add("unchecked_metric", "", rest)
    number = next((n for n, e in enumerate(trace.events) if e.type == "game_end"), None)
    for name, value in stated.items() if number is not None else ():
        if not same_figure(end.get(name), value):
            findings.add("end_differs", value, end.get(name), name, event=number)


def check_silence(trace: Trace, findings: Findings) -> None:
    """Answers without text and usage, of agents that have both elsewhere."""
    ends = [(n, e.data) for n, e in enumerate(trace.events) if e.type in ("turn_end", "decide_end")]
    speakers = {repr(d.get("agent_id")) for _, d in ends if d.get("usage") and d.get("text")}
    for number, data in ends if speakers else ():
        mute = not data.get("usage") and not data.get("text") and not data.get("tool_calls")
        if mute and repr(data.get("agent_id")) in speakers:
            where = {"event": number, "round": data.get("round"), "agent": data.get("agent_id")}
            findings.add("silent_failure", "an answer", "", str(data.get("phase")), **where)
