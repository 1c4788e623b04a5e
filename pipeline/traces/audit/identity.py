"""Which game a trace says it is: its id, who played, what their answers took, and the digest of the record."""

from collections.abc import Iterator
from typing import Any

from pipeline.traces.audit.compare import listed
from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.trace import Event, Trace
from pipeline.traces.records import CARRIAGE, CHANNELS
from sim.game import trace as record

CONFIGURED = ("team", "condition", "setting", "task_id", "seed", "repeat", "num_meetings", "agents", "scenario")
SCHEDULE = ("assignments", "per_agent_cost")
SCENARIO = ("parameters", "calendars_sha256", "meetings", "optimal", "greedy", "witness", "labels")


def check_identity(trace: Trace, findings: Findings) -> None:
    """What tables and comparisons rest on must be there, and the id must be the configuration's."""
    check_condition(trace, findings)
    if trace.public:
        return
    check_digest(trace, findings)
    check_agents(trace, findings)
    check_usage(trace, findings)
    if trace.schema_version is None:
        findings.add("wrong_setup", "", "", "schema_version is missing")
    check_present(trace.config, CONFIGURED, "config", findings)
    check_limits_stated(trace.config, findings)
    if trace.scenario:
        check_present(trace.scenario, SCENARIO, "config.scenario", findings)
        if isinstance(optimal := trace.scenario.get("optimal"), dict):
            stated = {name: value for name, value in optimal.items() if value not in ({}, [])}
            check_present(stated, SCHEDULE, "config.scenario.optimal", findings)
    wanted = configured_id(trace.config)
    if trace.game_id != wanted:
        findings.add("wrong_game_id", wanted, trace.game_id, "game_id")


def check_condition(trace: Trace, findings: Findings) -> None:
    """A game is adversarial where an agent probes the others, and only there. Public traces need not say so."""
    stated = trace.config.get("condition")
    probes = any(data.get("is_nosy_agent") for data in trace.all_of("agent_registered"))
    if (stated == "adversarial") != probes and not (trace.public and stated is None):
        findings.add("wrong_setup", "adversarial" if probes else "nobody probes", stated, "config.condition")


def check_present(holder: dict[str, Any], names: tuple[str, ...], place: str, findings: Findings) -> None:
    """Report each of the names that is missing or null."""
    for name in names:
        if holder.get(name) is None:
            findings.add("wrong_setup", "", "", f"{place}.{name} is missing")


def check_limits_stated(config: dict[str, Any], findings: Findings) -> None:
    """What a game allowed is stated by every game: what is left out is no default of anybody's."""
    channels, cap = config.get("channels"), config.get("dm_cap", "")
    sound = {
        "max_turns_per_round": type(config.get("max_turns_per_round")) is int,
        "decision_retries": type(config.get("decision_retries")) is int,
        "dm_cap": cap is None or type(cap) is int,
        "channels": isinstance(channels, list) and all(channel in CHANNELS for channel in channels),
    }
    for name in (name for name, is_sound in sound.items() if not is_sound):
        findings.add("wrong_setup", "what the game allowed", config.get(name, "nothing"), f"config.{name}")


def configured_id(config: dict[str, Any]) -> str:
    """The id of the configuration's game: the same configuration, the same id."""
    agents = config.get("agents")
    asked = {"agents": [without_carriage(a) for a in agents]} if isinstance(agents, list) else {}
    return record.game_id(config | asked)


def without_carriage(agent: Any) -> Any:
    """The agent's record without what only says how its model is called."""
    if not isinstance(agent, dict) or agent.get("type") != "llm" or not isinstance(agent.get("parameters"), dict):
        return agent
    return agent | {"parameters": {k: v for k, v in agent["parameters"].items() if k not in CARRIAGE}}


# Types of agents that are simulated speakers, one that always probes, and what the name of a model begins with that is
# none. Only who speaks can probe.
SPEAKERS, PROBER, SIMULATED = frozenset(("style", "adaptive-prober")), "adaptive-prober", "simulated-"
SPEAKING = SPEAKERS | {"llm"}
# What is told of an answer by a model (docs/models.md).
USAGE = frozenset(("model", "input_tokens", "output_tokens", "cached_input_tokens", "cost_usd", "priced_by"))
USAGE |= {"finish_reason", "response_id", "served_model", "system_fingerprint", "reasoning_tokens", "reasoning"}
USAGE |= {"refusal", "failed_attempts", "charged_attempts", "from_cache"}


def check_digest(trace: Trace, findings: Findings) -> None:
    """The digest of the record, where it has one."""
    if trace.record_sha256 is None:
        findings.add("no_digest", "", "", "record_sha256")
        return
    wanted = record_digest(trace)
    if trace.record_sha256 != wanted:
        findings.add("wrong_digest", wanted, trace.record_sha256, "record_sha256")


def record_digest(trace: Trace) -> str:
    """The SHA-256 of the trace's other fields, as JSON with sorted keys."""
    return record.record_digest({name: getattr(trace, name) for name in trace.__struct_fields__})


def check_agents(trace: Trace, findings: Findings) -> None:
    """The listed agents are those who are registered, probe who is said to, and are simulated where their types are."""
    agents = [a if isinstance(a, dict) else {} for a in listed(trace.config.get("agents"))]
    registered = trace.all_of("agent_registered")
    if len(agents) != len(registered):
        findings.add("wrong_setup", len(registered), len(agents), "number of config.agents")
        return
    for number, spec in enumerate(agents):
        check_present(spec, ("type",), f"config.agents.{number}", findings)
    for data in registered:
        agent = data.get("agent_id")
        spec = agents[agent] if type(agent) is int and 0 <= agent < len(agents) else {}
        if spec.get("nosy", False) != data.get("is_nosy_agent", False):
            findings.add("wrong_setup", data.get("is_nosy_agent"), spec.get("nosy"), f"config.agents.{agent}.nosy")
    for number, spec in enumerate(agents):
        if problem := probing_problem(trace.config, number, spec):
            findings.add("wrong_setup", *problem)
    if any(map(imitates, agents)) and trace.config.get("simulated") is not True:
        findings.add("wrong_setup", True, trace.config.get("simulated"), "config.simulated, by the types of its agents")


def probing_problem(config: dict[str, Any], number: int, agent: dict[str, Any]) -> tuple[Any, Any, str] | None:
    """(expected, found, detail) where the agent can't be one that probes, or none that does not; None where it can."""
    kind, place = agent.get("type"), f"config.agents.{number}.nosy"
    if not agent.get("nosy"):
        return ("an agent that probes", kind, place) if kind == PROBER else None
    if kind not in SPEAKING:
        return "an agent that speaks", kind, place
    prompts = config.get("prompts")
    prompt = prompts[number] if isinstance(prompts, list) and number < len(prompts) else None
    if kind == "llm" and not (isinstance(prompt, dict) and prompt.get("variants")):
        return "a prompt that asks it to probe", prompt, f"config.prompts.{number}.variants"
    return None


def imitates(agent: dict[str, Any]) -> bool:
    """Whether the agent imitates a speaker: a style, or a model whose name says that it is simulated."""
    return agent.get("type") in SPEAKERS or str(model_of(agent)).rpartition("/")[2].startswith(SIMULATED)


def type_of(agent: Any) -> Any:
    """The type that the agent's record names; None where it names none."""
    return agent.get("type") if isinstance(agent, dict) else None


def model_of(agent: dict[str, Any]) -> Any:
    """The model that the agent's record names; None where it names none."""
    parameters = agent.get("parameters")
    return parameters.get("model") if isinstance(parameters, dict) else None


def check_usage(trace: Trace, findings: Findings) -> None:
    """Each answer is by its agent's model. Who has none was sent no prompt."""
    asked = {number for number, agent in enumerate(trace.config.get("agents") or ()) if type_of(agent) == "llm"}
    for number, event in enumerate(trace.events):
        if event.data.get("prompt_sent") and event.data.get("agent_id") not in asked:
            findings.add("wrong_usage", "no prompt", "a prompt", "prompt_sent", event=number)
        for expected, found, field in usage_problems(trace, event):
            where: dict[str, Any] = {"event": number, "round": event.data.get("round")}
            findings.add("wrong_usage", expected, found, f"usage.{field}", agent=event.data.get("agent_id"), **where)


def usage_problems(trace: Trace, event: Event) -> Iterator[tuple[Any, Any, str]]:
    """(expected, found, field) of what does not fit in an answer's usage."""
    usage, number, agents = event.data.get("usage"), event.data.get("agent_id"), trace.config.get("agents")
    if not isinstance(usage, dict) or type(number) is not int or not isinstance(agents, list) or number >= len(agents):
        return
    agent = agents[number] if isinstance(agents[number], dict) else {}
    if usage and (agent.get("type") != "llm" or usage.keys() - USAGE):
        yield "a model's", sorted(usage.keys() - USAGE) or agent.get("type"), "fields"
    if usage.get("model") != model_of(agent):
        yield model_of(agent), usage.get("model"), "model"
