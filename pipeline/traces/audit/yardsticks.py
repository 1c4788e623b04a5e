"""Checks of what a trace claims of its task - optimum, greedy rule, witness, shares - against its calendars."""

from typing import Any

from pipeline.traces.audit.divergences import Findings, same_figure, whole
from pipeline.traces.audit.game import Game
from pipeline.traces.audit.metrics import (
    Optimum,
    UnknownOptimum,
    agent_shares,
    optimum,
    places_to_look_at,
    schedule_in_order,
)
from pipeline.traces.audit.trace import Trace
from sim.tasks.schedules import Replay

SHARES = "oracle_per_agent_cost"


class Yardsticks:
    """What one trace claims that its task costs at least, by the greedy rule, and each agent."""

    def __init__(self, trace: Trace, game: Game, findings: Findings) -> None:
        self.trace, self.game, self.findings = trace, game, findings
        scenario = trace.config.get("scenario")
        self.scenario: dict[str, Any] = scenario if isinstance(scenario, dict) else {}
        self.start = next((e.data for e in trace.events if e.type == "game_start"), {})
        self.end = next((e.data for e in trace.events if e.type == "game_end"), {})
        self.state = trace.final_state or {}
        self.metrics = trace.metrics or {}
        self.too_large = places_to_look_at(game.setup.calendars, game.setup.meetings) is None

    def check_optimum(self) -> int | None:
        """The least cost, wherever the trace states it; where the trace says that it is not proven, the least found."""
        claims = {
            "game_start": self.start,
            "metrics": self.metrics,
            "scenario.optimal": nested(self.scenario, "optimal"),
        }
        bound, cheapest = self.scenario.get("optimal_bound"), claimed(claims["scenario.optimal"], "cost")
        if bound is not None:
            self.findings.add("unproven_optimum", "", [bound, cheapest], "scenario.optimal_bound")
        try:
            best = optimum(self.game.setup.calendars, self.game.setup.meetings)
        except UnknownOptimum as reason:
            self.findings.add("unchecked_optimum", "", "", str(reason))
            return claimed(self.metrics, "optimal_cost")
        if self.partial():
            return claimed(self.metrics, "optimal_cost")
        least = best.cost if best else None
        if bound is not None:
            costs = [cost for cost in (bound, least, cheapest) if type(cost) is int]
            if len(costs) < 3 or costs != sorted(costs):
                self.findings.add("wrong_optimum", least, [bound, cheapest], "scenario.optimal_bound")
            least = cheapest
        for place, holder in claims.items():
            name = "cost" if place.startswith("scenario") else "optimal_cost"
            if name in holder and not same_figure(holder[name], least):
                self.findings.add("wrong_optimum", least, holder[name], f"{place}.{name}")
        self.check_schedule_named(best if bound is None else None)
        return least

    def check_schedule_named(self, best: Optimum | None) -> None:
        """The oracle's slots: of the cheapest schedules the one that the rule names. A search that was given little
        effort may end with another."""
        stated = nested(nested(self.scenario, "optimal"), "assignments")
        slots = tuple(stated.get(str(m.id)) for m in self.game.setup.meetings)
        if best and stated and slots != best.slots:
            self.findings.add("odd_optimum", list(best.slots), list(slots), "scenario.optimal.assignments")

    def partial(self) -> bool:
        """Whether the record knows only the meetings of the rounds that were begun."""
        return len(self.game.setup.meetings) < self.game.setup.announced

    def check_greedy(self) -> int | None:
        """The greedy rule's cost, wherever the trace states it."""
        if self.partial() or self.too_large:
            return claimed(self.metrics, "greedy_cost")
        schedule = schedule_in_order(self.game.setup.calendars, self.game.setup.meetings)
        cost = schedule.cost if schedule else None
        for place, holder in {"game_start": self.start, "metrics": self.metrics}.items():
            if "greedy_cost" in holder and not same_figure(holder["greedy_cost"], cost):
                self.findings.add("wrong_greedy", cost, holder["greedy_cost"], f"{place}.greedy_cost")
        self.check_schedule("greedy", "wrong_greedy", schedule)
        witness = nested(nested(self.scenario, "witness"), "assignments")
        given = tuple(whole(witness.get(str(m.id))) for m in self.game.setup.meetings)
        self.check_schedule(
            "witness", "wrong_witness", schedule_in_order(self.game.setup.calendars, self.game.setup.meetings, given)
        )
        return cost

    def check_schedule(self, name: str, code: str, schedule: Replay | None) -> None:
        """The scenario's record of a schedule: its cost, its slots, and each agent's share."""
        stated = nested(self.scenario, name)
        if not stated:
            return
        facts: dict[str, Any] = {"cost": None, "assignments": None, "per_agent_cost": None}
        if schedule:
            slots = {str(m.id): s for m, s in zip(self.game.setup.meetings, schedule.slots, strict=True)}
            facts = {"cost": schedule.cost, "assignments": slots, "per_agent_cost": list(schedule.per_agent_cost)}
        for field, fact in facts.items():
            if stated.get(field) != fact:
                self.findings.add(code, fact, stated.get(field), f"scenario.{name}.{field}")

    def check_burdens(self, optimum: int | None) -> list[int] | None:
        """The agents' shares of the optimum: they add up to it, and are those of the oracle's slots where it has any.

        Returns what each agent is said to owe, None where nothing usable is said.
        """
        places = {"final_state": self.state, "metrics": self.metrics, "game_end": self.end}
        by_place = {place: holder[SHARES] for place, holder in places.items() if SHARES in holder}
        stated: Any = next(iter(by_place.values()), None)
        for place, shares in by_place.items():
            if shares != stated:
                self.findings.add("end_differs", stated, shares, f"{place}.{SHARES}")
        self.check_shares(stated, optimum)
        total = whole_sum(stated)
        if total is None:
            return None
        if optimum is not None and total != optimum:
            self.findings.add("oracle_burden", optimum, total, f"the sum of {stated}")
        replayed = self.metrics.get("oracle_cost_replayed")
        if replayed is not None and optimum is not None and replayed != optimum:
            self.findings.add("oracle_replay", optimum, replayed, "metrics.oracle_cost_replayed")
        return stated if len(stated) == len(self.game.paid) else None

    def check_shares(self, stated: Any, optimum: int | None) -> None:
        """The scenario's slots of the oracle, of all meetings and at the least cost, and each agent's share of it.
        Where it names no slots, its shares are those that the end states."""
        optimal = nested(self.scenario, "optimal")
        assigned, shares, owed = nested(optimal, "assignments"), optimal.get("per_agent_cost"), stated
        if assigned and not self.too_large:
            owed = self.owed(assigned, optimum)
            if stated != owed:
                self.findings.add("oracle_burden", owed, stated, "final_state")
        if shares is None and not assigned:
            return
        if shares != owed and owed is not None:
            self.findings.add("wrong_optimum", owed, shares, "scenario.optimal.per_agent_cost")
        elif optimum is not None and whole_sum(shares) != optimum:
            self.findings.add("wrong_optimum", optimum, shares, "the sum of scenario.optimal.per_agent_cost")

    def owed(self, assigned: dict[str, Any], optimum: int | None) -> list[int] | None:
        """What each agent gives up in the oracle's slots."""
        slots = [assigned.get(str(m.id)) for m in self.game.setup.meetings]
        owed = agent_shares(self.game.setup.calendars, self.game.setup.meetings, slots)
        if owed is None or not (optimum is None or self.partial() or sum(owed) == optimum):
            self.findings.add("wrong_optimum", optimum, slots, "scenario.optimal.assignments")
        return owed


def nested(holder: dict[str, Any], name: str) -> dict[str, Any]:
    """An object in an object; empty where there is none."""
    value = holder.get(name)
    return value if isinstance(value, dict) else {}


def claimed(holder: dict[str, Any], name: str) -> int | None:
    """A claimed whole number, where there is nothing to hold it against."""
    value = holder.get(name)
    return value if type(value) is int else None


def whole_sum(costs: Any) -> int | None:
    """What the costs add up to; None where they are no list of whole numbers."""
    return sum(costs) if isinstance(costs, list) and all(type(cost) is int for cost in costs) else None
