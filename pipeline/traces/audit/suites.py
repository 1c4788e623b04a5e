"""Which game a trace says it is, and the lists of tasks that it is held against."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import msgspec

from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.trace import Trace

GAMES = UUID("6b1f3c52-5a0e-4b7e-9d53-0c8f4e6f2a11")
# Parameters of a language model that decide how it is called, not what it is asked: no part of the id.
CALLING = ("timeout", "retry_for", "retries", "backoff", "max_retry_after", "concurrency", "requests_per_minute")
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


PAPER_SUITE = Path(__file__).parents[3] / "data/suites/paper72.csv"


class SuiteError(ValueError):
    """A task list cannot be read: which, where, and what to do."""


class ListedTask(NamedTuple):
    """A task as a list has it; None where the list does not say."""

    suite: str
    task_id: str
    setting: str
    seed: int
    num_agents: int
    density: float
    optimal_cost: int | None
    greedy_cost: int | None
    witness_cost: int | None
    digest: str | None


# By name, the tasks of that name: lists number their tasks alike, so several may have one.
Suites = Mapping[str, tuple[ListedTask, ...]]


def read_suites(paths: Iterable[Path]) -> Suites:
    """The tasks of the lists. Raises SuiteError where one cannot be read."""
    tasks: dict[str, tuple[ListedTask, ...]] = {}
    for path in paths:
        for task in read_suite(path):
            tasks[task.task_id] = (*tasks.get(task.task_id, ()), task)
    return tasks


def read_suite(path: Path) -> list[ListedTask]:
    """The tasks of one list."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            tasks = [read_row(row, path, reader.line_num) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise SuiteError(
            f"{path} can't be read as a task list ({reason}); name a CSV as data/suites has them"
        ) from None
    if not tasks:
        raise SuiteError(f"{path} holds no task; give it a header and a line for each task")
    return tasks


def read_row(row: Mapping[str, str | None], path: Path, line: int) -> ListedTask:
    """One line of a list."""

    def needed(column: str) -> str:
        value = row.get(column)
        if not value:
            raise SuiteError(
                f"{path}, line {line}: no {column}; a task needs task_id, setting, seed, num_agents, density"
            )
        return value

    def cost(column: str) -> int | None:
        return int(value) if (value := row.get(column)) else None

    try:
        return ListedTask(
            path.name,
            needed("task_id"),
            needed("setting"),
            int(needed("seed")),
            int(needed("num_agents")),
            float(needed("density")),
            cost("optimal_cost"),
            cost("greedy_cost"),
            cost("witness_cost"),
            row.get("calendars_sha256") or None,
        )
    except SuiteError:
        raise
    except ValueError as error:
        raise SuiteError(f"{path}, line {line}: {error}; give a number") from None
