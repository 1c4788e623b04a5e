"""Who plays: named teams, and teams listed in a YAML file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from machine.files import of_project
from sim.agents import Agent
from sim.agents.beyond.coarse import KBitImap, KBitParameters, LogDsm, LogDsmParameters, NoisyImap, NoisyParameters
from sim.agents.beyond.poll import Poll, PollParameters, SpokenPoll
from sim.agents.beyond.secure import Secure, SecureParameters
from sim.agents.beyond.shares import Shares, SharesParameters
from sim.agents.beyond.strategic import Strategic, StrategicParameters
from sim.agents.dsm import PRIVATE, WELFARE, Dsm, DsmParameters
from sim.agents.english.speaker import AdaptiveStyle, Style
from sim.agents.imap import Imap
from sim.agents.parameters import StyleParameters, named_styles, study_parameters
from sim.agents.sd import SdMap, SdParameters
from sim.models.spec import LlmParameters, is_simulated, read_parameters
from sim.runs.options import read_yaml
from sim.tasks.suite import LONGEST_NAME

Parameters = TypeVar("Parameters")


class TeamError(ValueError):
    """Why a team can't play: what is wrong, where, and what to do."""


class AgentSpec(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One agent of a team: its type, the parameters of its kind, and whether it probes for private details."""

    type: str
    parameters: dict[str, Any] = {}
    nosy: bool = False


class Team(Struct, frozen=True, forbid_unknown_fields=True):
    """A team: one spec for all agents, or one for each. `simulated` marks agents that imitate speakers."""

    team: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=LONGEST_NAME)]  # of a folder
    agents: tuple[AgentSpec, ...]
    simulated: bool = False
    prompts: str | None = None  # the file of builders that all its models are asked with


Protocol = tuple[Callable[[Any], Agent], type]


def bare(agent: Callable[[], Agent]) -> Protocol:
    """A protocol without parameters."""
    return lambda _: agent(), Struct


# Each protocol by its type: what builds an agent, and the record of its parameters. First those of Appendix G.
PAPER: Mapping[str, Protocol] = {
    "imap": bare(Imap),
    "sd": (SdMap, SdParameters),
    "dsm": (Dsm, DsmParameters),
}
# Beyond the paper's: they trade excess cost against privacy by a parameter.
FRONTIER: Mapping[str, Protocol] = {
    "dsm-log": (LogDsm, LogDsmParameters),
    "imap-kbit": (KBitImap, KBitParameters),
    "imap-noisy": (NoisyImap, NoisyParameters),
    "poll": (Poll, PollParameters),
    "poll-spoken": (SpokenPoll, PollParameters),
    "secure": (Secure, SecureParameters),
    "shares": (Shares, SharesParameters),
}
PROTOCOLS = {**PAPER, **FRONTIER}

# Simulated speakers: their parameters are those of a style.
SPEAKERS: Mapping[str, Callable[[StyleParameters, bool], Agent]] = {"style": Style, "adaptive-prober": AdaptiveStyle}
SPEAKING_TYPES = frozenset({*SPEAKERS, "llm"})

# Agents that wait for a provider: the run that has one builds them (sim/runs/runner.py).
WAITING_TYPES = ("llm",)

AGENT_TYPES = (*PAPER, *SPEAKERS, "strategic", *FRONTIER, *WAITING_TYPES)


def protocol_teams() -> dict[str, Team]:
    """The paper's four protocols (Appendix G); what Table 9 does not print of DSM is params.yaml's."""
    presets, unprinted = {"dsm-welfare": WELFARE, "dsm-private": PRIVATE}, study_parameters().get("dsm") or {}
    protocols = {"imap": AgentSpec("imap"), "sd": AgentSpec("sd")}
    protocols |= {name: AgentSpec("dsm", msgspec.structs.asdict(p) | unprinted) for name, p in presets.items()}
    return {name: Team(name, (spec,)) for name, spec in protocols.items()}


def named_teams() -> dict[str, Team]:
    """The teams that need no file: the paper's four protocols and the simulated styles of params.yaml."""
    styles = {name: Team(name, (AgentSpec("style", p),), simulated=True) for name, p in named_styles().items()}
    return protocol_teams() | styles


def described_teams() -> list[dict[str, Any]]:
    """Every named team: `team`, `kind`, and its agents' `parameters`."""
    protocols = protocol_teams()
    return [
        {
            "team": name,
            "kind": "protocol of the paper" if name in protocols else "simulated speakers",
            "parameters": team.agents[0].parameters,
        }
        for name, team in named_teams().items()
    ]


def check_parameters(kind: str, parameters: Mapping[str, Any], expected: type[Parameters]) -> Parameters:
    """The parameters as their kind's record. Raises TeamError for an unknown name or a wrong type."""
    known = getattr(expected, "__struct_fields__", ())
    unknown = [name for name in parameters if name not in known]
    if unknown:
        listed = ", ".join(known) or "none"
        raise TeamError(f"agents of type {kind} have no parameter {unknown[0]}; they have: {listed}")
    try:
        return msgspec.convert(dict(parameters), expected, strict=False)
    except msgspec.ValidationError as error:
        raise TeamError(f"a parameter of an agent of type {kind} is wrong: {error}") from error


def load_team(name: str, preset: str | None = None) -> Team:
    """The team of that name, of that model, or of the YAML file at that path. `preset` names the parameters of a model.

    Raises TeamError, saying what there is, and where a file would have to name the preset itself.
    """
    teams = named_teams()
    if name in teams:
        return teams[name]
    path = of_project(Path(name))
    if path.suffix in (".yaml", ".yml") or path.exists():
        team = read_team(path)
        if preset and any(map(waits, team.agents)):
            raise TeamError(
                f"--preset {preset} is for models named in --team, and {name} is a file: write `preset: {preset}` "
                "under the `parameters:` of its agents, and leave out --preset"
            )
        return team
    if "/" in name:
        return model_team(name, preset)
    raise TeamError(
        f"there is no team {name!r}; known teams: {', '.join(teams)}, or a model as LiteLLM calls it, like "
        "openai/gpt-5.4-mini, or the path of a YAML file"
    )


def model_team(model: str, preset: str | None) -> Team:
    """Agents of one model, called as LiteLLM calls it. Raises TeamError where LiteLLM knows no such provider."""
    from sim.models.library import litellm

    provider, _, own_name = model.partition("/")
    if provider not in litellm().provider_list or not own_name:
        raise TeamError(
            f"{model!r} is no file, and {provider!r} no provider that LiteLLM knows; name a team, a YAML file that is "
            "there, or a model like openai/gpt-5.4-mini"
        )
    spec = AgentSpec("llm", {"model": model, **({"preset": preset} if preset else {})})
    llm_parameters(spec)
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", own_name).strip("-._")[:LONGEST_NAME] or "model"
    team = Team(name, (spec,), is_simulated(model))
    check_name(team, model)
    return team


def read_team(path: Path) -> Team:
    """The team that a YAML file lists."""
    import yaml

    try:
        team = msgspec.convert(read_yaml(path), Team)
    except (OSError, UnicodeDecodeError) as error:
        raise TeamError(f"{path}: can't be read ({error}); name a YAML file that lists a team") from error
    except (yaml.YAMLError, ValueError) as error:
        raise TeamError(
            f"{path}: not a team ({problem_of(error)}); it needs `team: NAME` and a list `agents:`"
        ) from error
    if not team.agents:
        raise TeamError(f"{path}: lists no agents; give one for all, or one for each agent of the task")
    for spec in team.agents:
        if waits(spec):
            llm_parameters(spec)
        else:
            build_agent(spec)
    check_name(team, path)
    if team.prompts is not None:
        if not any(map(waits, team.agents)):
            raise TeamError(f"{path}: prompts are for models, and none of its agents is one; leave them out")
        team = with_prompts(team, team.prompts)
    return replace(team, simulated=True) if any(map(imitates, team.agents)) else team


def with_prompts(team: Team, path: str) -> Team:
    """The team, its models asked in the words of that file."""
    agents = (replace(s, parameters=s.parameters | {"prompts": path}) if waits(s) else s for s in team.agents)
    return replace(team, agents=tuple(agents))


def check_name(team: Team, where: object) -> None:
    """Raise TeamError where a team has the name of a protocol of the paper and plays otherwise."""
    own = protocol_teams().get(team.team.lower())
    if own and not all(is_same(spec, own.agents[0]) for spec in team.agents):
        raise TeamError(
            f"{where}: the name {team.team} is that of the paper's protocol, and these are other agents; give the team "
            "another name in a YAML file"
        )


def is_same(spec: AgentSpec, preset: AgentSpec) -> bool:
    """Whether the agent plays as that of a protocol of the paper."""
    if spec.type != preset.type:
        return False
    kind = PAPER[spec.type][1]
    own: Struct = check_parameters(spec.type, spec.parameters, kind)
    return own == check_parameters(spec.type, preset.parameters, kind) and not spec.nosy


def imitates(spec: AgentSpec) -> bool:
    """Whether the agent imitates a speaker: a style, or a model whose name says that it is simulated."""
    return spec.type in SPEAKERS or (waits(spec) and is_simulated(str(spec.parameters.get("model", ""))))


def problem_of(error: Exception) -> str:
    """What is wrong with a team's file, and in which line; never the line itself, which may hold a key."""
    mark = getattr(error, "problem_mark", None)
    where = f" in line {mark.line + 1}" if mark else ""
    return " ".join(str(getattr(error, "problem", None) or getattr(error, "reason", None) or error).split()) + where


def build_agent(spec: AgentSpec) -> Agent:
    """A new agent of the spec. Raises TeamError, listing the known types, for an unknown one."""
    if waits(spec):
        raise TeamError(f"agents of type {spec.type} wait for a provider; play their teams with `sim run`")
    if spec.type not in AGENT_TYPES:
        raise TeamError(f"there is no agent type {spec.type!r}; known types: {', '.join(AGENT_TYPES)}")
    if spec.type == "adaptive-prober" and not spec.nosy:
        raise TeamError("agents of type adaptive-prober probe the others; give each `nosy: true`")
    if spec.type in SPEAKERS:
        return SPEAKERS[spec.type](style_parameters(spec.parameters), spec.nosy)
    if spec.type == "strategic":
        parameters = strategic_parameters(spec.parameters)
        return Strategic(parameters, build_agent(truthful(parameters.protocol)))
    agent, expected = PROTOCOLS[spec.type]
    return agent(check_parameters(spec.type, spec.parameters, expected))


def specs_for(team: Team, num_agents: int) -> tuple[AgentSpec, ...]:
    """One spec for each agent of a task."""
    if len(team.agents) == 1:
        return team.agents * num_agents
    if len(team.agents) != num_agents:
        raise TeamError(
            f"team {team.team} lists {len(team.agents)} agents, the task has {num_agents}; list one, or {num_agents}"
        )
    return team.agents


def as_nosy(spec: AgentSpec) -> AgentSpec:
    """The spec of the same agent when it probes the others."""
    return replace(spec, nosy=True)


def speaks(spec: AgentSpec) -> bool:
    """Whether the agent reads and writes English, and so is shown private labels."""
    return spec.type in SPEAKING_TYPES


def waits(spec: AgentSpec) -> bool:
    """Whether the agent waits for a provider."""
    return spec.type in WAITING_TYPES


def llm_parameters(spec: AgentSpec) -> LlmParameters:
    """The parameters of an agent with a language model, checked. Raises TeamError with what is wrong."""
    try:
        return read_parameters(spec.parameters, spec.nosy)
    except ValueError as error:
        raise TeamError(str(error)) from error


def style_parameters(parameters: Mapping[str, Any]) -> StyleParameters:
    """The parameters of a simulated speaker, checked. Raises TeamError with what is wrong."""
    return check_parameters("style", parameters, StyleParameters)


def strategic_parameters(parameters: Mapping[str, Any]) -> StrategicParameters:
    """The parameters of a strategic agent, checked. Raises TeamError with what is wrong."""
    return check_parameters("strategic", parameters, StrategicParameters)


def truthful(protocol: str) -> AgentSpec:
    """The agent of a named team with a scripted protocol, or of a type beyond the paper's, without parameters.

    Raises TeamError, listing them, where there is none.
    """
    scripted = {name: t.agents[0] for name, t in named_teams().items() if not speaks(t.agents[0])}
    scripted |= {kind: AgentSpec(kind) for kind in FRONTIER}
    if protocol not in scripted:
        raise TeamError(f"strategic agents can't play {protocol!r}; they play one of: {', '.join(scripted)}")
    return scripted[protocol]


def agent_record(spec: AgentSpec) -> dict[str, Any]:
    """The spec as a trace's configuration keeps it: for an agent that speaks, all parameters that are in force."""
    record: dict[str, Any] = msgspec.to_builtins(spec)
    if spec.type in SPEAKERS:
        record["parameters"] = msgspec.to_builtins(style_parameters(spec.parameters))
    if spec.type == "strategic":
        record["plays"] = agent_record(truthful(spec.parameters["protocol"]))
    if waits(spec):
        every: dict[str, Any] = msgspec.to_builtins(llm_parameters(spec))
        # Where a file of prompts lies is nobody's concern: `prompts` of the configuration says which it is.
        record["parameters"] = {n: value for n, value in every.items() if value is not None and n != "prompts"}
    return record
