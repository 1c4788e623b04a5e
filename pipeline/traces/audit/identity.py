"""What a trace of ours must say of itself, and its id, which is made of its configuration."""

from typing import Any
from uuid import UUID, uuid5

import msgspec

from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.trace import Trace

GAMES = UUID("6b1f3c52-5a0e-4b7e-9d53-0c8f4e6f2a11")
# Parameters of a language model that decide how it is called, not what it is asked: no part of the id.
CALLING = ("timeout", "retries", "backoff", "max_retry_after", "concurrency", "requests_per_minute")
CARRIAGE = frozenset(("api_key_env", "needs_env", "prices", *CALLING))
CONFIGURED = ("team", "condition", "setting", "task_id", "seed", "repeat", "num_meetings", "agents", "scenario")
SCENARIO = ("parameters", "calendars_sha256", "meetings", "optimal", "greedy", "witness")


def check_identity(trace: Trace, findings: Findings) -> None:
    """What tables and comparisons rest on must be there, and the id must be the configuration's."""
    if trace.public:
        return
    if trace.schema_version is None:
        findings.add("wrong_setup", "", "", "schema_version is missing")
    check_present(trace.config, CONFIGURED, "config", findings)
    scenario = trace.config.get("scenario")
    if isinstance(scenario, dict):
        check_present(scenario, SCENARIO, "config.scenario", findings)
    probes = any(e.type == "agent_registered" and e.data.get("is_nosy_agent") for e in trace.events)
    if (trace.config.get("condition") == "adversarial") != probes:
        expected = "adversarial" if probes else "nobody probes"
        findings.add("wrong_setup", expected, trace.config.get("condition"), "config.condition")
    wanted = configured_id(trace.config)
    if trace.game_id != wanted:
        findings.add("wrong_game_id", wanted, trace.game_id, "game_id")


def check_present(holder: dict[str, Any], names: tuple[str, ...], place: str, findings: Findings) -> None:
    """Report each of the names that is missing or null."""
    for name in names:
        if holder.get(name) is None:
            findings.add("wrong_setup", "", "", f"{place}.{name} is missing")


def configured_id(config: dict[str, Any]) -> str:
    """The id of the configuration's game: the same configuration, the same id."""
    agents = config.get("agents")
    asked = {"agents": [without_carriage(a) for a in agents]} if isinstance(agents, list) else {}
    return str(uuid5(GAMES, msgspec.json.encode(config | asked, order="deterministic").decode()))


def without_carriage(agent: Any) -> Any:
    """The agent's record without what only says how its model is called."""
    if not isinstance(agent, dict) or agent.get("type") != "llm" or not isinstance(agent.get("parameters"), dict):
        return agent
    return agent | {"parameters": {k: v for k, v in agent["parameters"].items() if k not in CARRIAGE}}
