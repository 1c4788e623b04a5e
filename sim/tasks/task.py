"""What a task holds: a scenario with its optimum, its yardsticks and its name."""

from __future__ import annotations

from msgspec import Struct

from sim.calendar import Calendar
from sim.tasks.scenario import Meeting, Parameters


class Schedule(Struct, frozen=True):
    """A slot for each meeting, by meeting id; what it costs in all, and each agent."""

    cost: int
    assignments: dict[int, int]
    per_agent_cost: tuple[int, ...]


class Task(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One task of a suite. Costs are in cost units; `assignments` map meeting ids to slots.

    `difficulty_score` is the optimum over the number of participant-slots to fill; `displaced_errands` counts what
    the optimum moves. `feasible_assignments` and `optimal_assignments` are None where there were too many to count.
    Where the optimum was not proven, `optimal` is the cheapest schedule found, and `optimal_bound` below it.
    """

    task_id: str
    setting: str
    condition: str
    seed: int
    num_agents: int
    num_participants: int
    num_meetings: int
    num_slots: int
    density: float
    difficulty: str
    parameters: Parameters
    calendars: tuple[Calendar, ...]
    meetings: tuple[Meeting, ...]
    optimal: Schedule
    greedy: Schedule
    witness: Schedule
    displaced_errands: int
    difficulty_score: float
    feasible_assignments: int | None
    optimal_assignments: int | None
    optimal_bound: int | None = None

    @property
    def optimal_proven(self) -> bool:
        """Whether no schedule is cheaper than `optimal`."""
        return self.optimal_bound is None
