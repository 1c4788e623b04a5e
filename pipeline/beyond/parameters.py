"""What notebooks/beyond/params.yaml may hold: each number within its bounds, each name among those that are known.

`python -m pipeline.beyond.parameters` checks both files of parameters in the current folder.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from machine.files import of_project
from pipeline.paper.parameters import (
    Count,
    Draws,
    Names,
    Penalty,
    Section,
    Share,
    check_names,
    check_once,
    check_parameters,
    checked,
)
from pipeline.tables.paths import PAPER_PROTOCOLS, params

PARAMS = Path("notebooks/beyond/params.yaml")
Probability = Annotated[float, Meta(gt=0, lt=1)]
Seat = Annotated[int, Meta(ge=0, le=999)]
Seats = Annotated[list[Seat], Meta(min_length=1)]
Pair = Annotated[list[Seat], Meta(min_length=2, max_length=2)]
Setting = Literal["uniform", "varied"]
Amount = Annotated[float, Meta(gt=0, le=1_000_000_000)]
Penalties = Annotated[list[Penalty], Meta(min_length=1)]
Parts = Annotated[list[Probability], Meta(min_length=1)]


class Ladder(Section):
    limit: Count
    resampling: Draws


class Responses(Section):
    protocols: Names
    claims: dict[str, dict[str, Any]]
    acts: dict[str, dict[str, Any]]
    without: dict[Setting, list[str]]
    search_seats: Seats
    also: dict[str, list[str]]
    prices: dict[Setting, Penalties]
    draws: Count


class Probers(Section):
    repeats: Count
    speakers: dict[str, Names]


class Strategy(Section):
    suite: str
    chosen_on: str
    protocols: Names
    seats: Seats
    pairs: Annotated[list[Pair], Meta(min_length=1)]
    lies: dict[str, dict[str, float]]
    deals: dict[str, dict[str, str | float]]
    bits: list[str]
    missed: dict[Setting, Penalty]
    responses: Responses
    probers: Probers


class Sensitivity(Section):
    feasible: Parts
    filled: Parts


class Leakage(Section):
    feasible: Probability
    filled: Probability
    costs: dict[Setting, dict[Annotated[str, Meta(pattern="^[0-9]+$")], Count]]
    least: Probability
    pairs_up_to: Annotated[int, Meta(ge=2, le=1000)]
    sensitivity: Sensitivity
    intervals: Draws


class Talk(Section):
    teams: Names
    beside: str
    weight: Amount


class Optima(Section):
    limit: Count
    steps: Penalties
    slack: Annotated[int, Meta(ge=0, le=1_000_000_000)]


class AgentType(Section):
    type: str
    parameters: dict[str, Any] = field(default_factory=dict)


class Attack(Section):
    teams: dict[Literal["published", "three densities"], Names]
    paper: dict[str, AgentType]


class Worst(Section):
    excess_cost: dict[Setting, Amount]
    leakage: dict[str, Amount]


class Frontier(Section):
    protocols: dict[str, dict[str, dict[str, Any]]]
    attack: Attack
    held_out: list[str]
    baseline: str
    candidates: Names
    fair_share: Share
    worst: Worst
    intervals: Draws

    @property
    def teams(self) -> list[str]:
        """A team for each setting of each protocol."""
        return [f"{protocol}-{name}" for protocol, named in self.protocols.items() for name in named]


class Enough(Section):
    repeats_played: Count
    estimate: str
    groups: dict[str, Names]
    alpha: Annotated[float, Meta(ge=0.0001, le=0.5)]
    power: Annotated[float, Meta(ge=0.01, le=0.9999)]
    most_tasks: Count
    differences: dict[Setting, dict[str, Annotated[list[Amount], Meta(min_length=1)]]]
    repeats: Annotated[list[Count], Meta(min_length=1)]
    pair_repeats: Count
    draws: Count
    most_simulated: Count
    subsets: Count
    seconds: Amount


class World(Section, omit_defaults=True):
    """A world's size; what a cell of a sweep leaves out is as in the base."""

    num_agents: Annotated[int, Meta(ge=2, le=1000)] | None = None
    num_participants: Annotated[int, Meta(ge=2, le=1000)] | None = None
    num_slots: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    num_meetings: Count | None = None
    density: Share | None = None


class Worlds(Section):
    base: World
    sweeps: Annotated[dict[str, Annotated[list[World], Meta(min_length=1)]], Meta(min_length=1)]
    settings: Annotated[list[Setting], Meta(min_length=1)]
    seeds: Count
    name: Annotated[str, Meta(pattern=r"^[^/\\]+$")]
    effort: Amount
    protocols: Names

    def __post_init__(self) -> None:
        for size in self.base.__struct_fields__:
            if getattr(self.base, size) is None:
                raise ValueError(f"worlds.base lacks {size}")
        for place, world in [
            ("base", self.base),
            *((name, cell) for name, cells in self.sweeps.items() for cell in cells),
        ]:
            together, agents = (
                getattr(world, size) or getattr(self.base, size) for size in ("num_participants", "num_agents")
            )
            if together > agents:
                raise ValueError(f"worlds.{place} lets {together} of {agents} agents meet")


class Parameters(Section):
    """The sections of notebooks/beyond/params.yaml. What agents' parameters may be is held where agents are made."""

    ladder: Ladder
    strategy: Strategy
    leakage: Leakage
    talk: Talk
    optima: Optima
    frontier: Frontier
    enough: Enough
    worlds: Worlds

    def __post_init__(self) -> None:
        self._check_study_names()
        self._check_strategy_names()
        frontier = self.frontier
        known = [*frontier.attack.paper, *frontier.teams]
        check_names(
            {
                "talk.beside": ([self.talk.beside], self.talk.teams),
                "frontier.held_out": (frontier.held_out, frontier.teams),
                "frontier.candidates": (frontier.candidates, frontier.teams),
                "frontier.baseline": ([frontier.baseline], PAPER_PROTOCOLS),
                **{f"frontier.attack.teams.{suite}": (teams, known) for suite, teams in frontier.attack.teams.items()},
            }
        )

    def _check_study_names(self) -> None:
        """Teams of the study: those of the paper and those of styles."""
        styles = params("styles", of_project(PARAMS).parents[2])
        teams = [*PAPER_PROTOCOLS, *styles]
        lists: Mapping[str, Sequence[str]] = {
            "strategy.protocols": self.strategy.protocols,
            "worlds.protocols": self.worlds.protocols,
            "strategy.responses.protocols": self.strategy.responses.protocols,
            "talk.teams": self.talk.teams,
            **{f"enough.groups.{group}": names for group, names in self.enough.groups.items()},
        }
        spoken = {"strategy.responses.protocols": ["poll"], "talk.teams": ["poll-spoken"]}
        check_names({place: (names, [*teams, *spoken.get(place, [])]) for place, names in lists.items()})
        speakers = self.strategy.probers.speakers.items()
        check_names({f"strategy.probers.speakers.{team}": (names, styles) for team, names in speakers})
        check_once({**lists, "frontier.held_out": self.frontier.held_out, "optima.steps": self.optima.steps})

    def _check_strategy_names(self) -> None:
        responses = self.strategy.responses
        both = [f"{claim}-{act}" for claim in responses.claims for act in responses.acts]
        check_names(
            {
                "strategy.bits": (self.strategy.bits, self.strategy.lies),
                "strategy.responses.also": (responses.also, responses.protocols),
                **{f"strategy.responses.without.{s}": (acts, responses.acts) for s, acts in responses.without.items()},
                **{f"strategy.responses.also.{p}": (names, both) for p, names in responses.also.items()},
            }
        )


if __name__ == "__main__":
    try:
        check_parameters()
        checked(PARAMS, PARAMS, Parameters)
    except ValueError as problem:
        sys.exit(f"error: {problem}")
    print("every parameter is within its bounds")
