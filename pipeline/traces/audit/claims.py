"""Checks of what a trace claims as a whole - setup, optimum, final state, metrics - against its replay."""

from collections.abc import Mapping
from typing import Any

from pipeline.traces.audit.calendar import (
    calendar_from_json,
    classify_difference,
    differences,
    digest,
    slots_holding,
)
from pipeline.traces.audit.divergences import Findings, same_figure, whole
from pipeline.traces.audit.game import Game
from pipeline.traces.audit.metrics import (
    CODES_OF_METRICS,
    DESCRIPTIONS,
    ORACLE_METRICS,
    OWN_METRICS,
    Optimum,
    Schedule,
    UnknownOptimum,
    agent_shares,
    optimum,
    places_to_look_at,
    recompute_metrics,
    schedule_in_order,
)
from pipeline.traces.audit.trace import Trace

SHARES = "oracle_per_agent_cost"


class Claims:
    """One trace's claims."""

    def __init__(self, trace: Trace, game: Game, findings: Findings) -> None:
        self.trace, self.game, self.findings = trace, game, findings
        scenario = trace.config.get("scenario")
        self.scenario: dict[str, Any] = scenario if isinstance(scenario, dict) else {}
        self.start = next((e.data for e in trace.events if e.type == "game_start"), {})
        self.end = next((e.data for e in trace.events if e.type == "game_end"), {})
        self.state = trace.final_state or {}
        self.metrics = trace.metrics or {}
        self.too_large = places_to_look_at(game.setup.calendars, game.setup.meetings) is None

    def run(self) -> None:
        """Check every claim."""
        self.check_shape()
        self.check_limits()
        optimum, greedy = self.check_optimum(), self.check_greedy()
        burdens = self.check_burdens(optimum)
        self.check_state(burdens)
        self.check_metrics(recompute_metrics(self.game, optimum, greedy, burdens))
        self.check_kept()
        self.check_silence()

    def check_shape(self) -> None:
        """Numbers of agents, slots, rounds and participants, the seed, and the digest of the initial calendars."""
        game, config = self.game, self.trace.config
        facts = {"num_agents": len(game.calendars), "num_slots": len(game.setup.calendars[0])}
        # A game that was cut short knows its meetings only where the scenario lists them.
        if "meetings" in self.scenario or not (self.trace.stopped or game.broken_off):
            facts["num_meetings"] = len(game.setup.meetings)
        sizes = {len(m.participants) for m in game.setup.meetings}
        # A list of tasks may say who meets, whatever number it gives beside them.
        if len(sizes) == 1 and nested(self.scenario, "parameters").get("participant_lists") is None:
            facts["num_participants"] = sizes.pop()
        for name, fact in facts.items():
            if config.get(name, fact if self.trace.public else None) != fact:
                self.findings.add("wrong_setup", fact, config.get(name), f"config.{name}")
        if "seed" in config and self.start.get("scenario_seed", config["seed"]) != config["seed"]:
            self.findings.add("wrong_setup", config["seed"], self.start["scenario_seed"], "game_start.scenario_seed")
        self.check_announced()
        self.check_adversaries()
        stated = self.scenario.get("calendars_sha256")
        if stated is not None and stated != digest(game.setup.calendars):
            self.findings.add("wrong_setup", digest(game.setup.calendars), stated, "scenario.calendars_sha256")

    def check_announced(self) -> None:
        """What the start of every game announces, and what tables take from there."""
        own = () if self.trace.public else ("scenario_seed", "nosy_agent_ids")
        for name in ("optimal_cost", "greedy_cost", *own):
            if name not in self.start:
                self.findings.add("wrong_setup", "", "", f"game_start.{name} is missing")

    def check_adversaries(self) -> None:
        """Who probes the others, wherever the trace says it."""
        registered = [e.data for e in self.trace.events if e.type == "agent_registered"]
        nosy = sorted(d["agent_id"] for d in registered if d.get("is_nosy_agent"))
        for place, holder in (("game_start", self.start), ("config", self.trace.config)):
            if holder.get("nosy_agent_ids", nosy) not in (nosy, None):
                self.findings.add("wrong_setup", nosy, holder["nosy_agent_ids"], f"{place}.nosy_agent_ids")

    def check_limits(self) -> None:
        """The cap on messages, and the time that the game took."""
        times = [event.timestamp for event in self.trace.events if event.timestamp]
        span, stated = (
            (min(times, default=None), max(times, default=None)),
            (self.trace.started_at, self.trace.ended_at),
        )
        if not self.trace.public and span != stated:
            self.findings.add("wrong_times", span, stated)
        cap, sent = self.game.setup.dm_cap, len(self.game.messages)
        if cap is not None and sent > cap and not self.findings.counts["dm_cap"]:
            self.findings.add("dm_cap", cap, sent, "messages of the game")

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
        cost = sum(schedule.paid) if schedule else None
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

    def check_schedule(self, name: str, code: str, schedule: Schedule | None) -> None:
        """The scenario's record of a schedule: its cost, its slots, and each agent's share."""
        stated = nested(self.scenario, name)
        if not stated:
            return
        facts: dict[str, Any] = {"cost": None, "assignments": None, "per_agent_cost": None}
        if schedule:
            slots = {str(m.id): s for m, s in zip(self.game.setup.meetings, schedule.slots, strict=True)}
            facts = {"cost": sum(schedule.paid), "assignments": slots, "per_agent_cost": list(schedule.paid)}
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

    def check_state(self, burdens: list[int] | None) -> None:
        """The final state: calendars, costs, messages, rounds."""
        game = self.game
        facts: dict[str, Any] = {
            "per_agent_cost": game.paid,
            "per_agent_messages_sent": game.sent,
            "per_agent_messages_received": game.received,
            "total_displacement_cost": sum(game.paid),
            "rounds_succeeded": len(game.coordinated),
            "rounds_failed": len(game.failed),
            "messages": len(game.messages),
            "consistency_violations": game.violations,
        }
        if burdens:
            facts["per_agent_excess_burden"] = [p - b for p, b in zip(game.paid, burdens, strict=True)]
        for name, fact in facts.items():
            if name not in self.state:
                if not self.trace.public:
                    self.findings.add("wrong_final_state", fact, "", f"final_state.{name} is missing")
            elif self.state[name] != fact:
                code = "wrong_cost" if "cost" in name else "wrong_final_state"
                self.findings.add(code, fact, self.state[name], f"final_state.{name}")
        self.check_final_calendars()
        self.check_outcomes()

    def check_final_calendars(self) -> None:
        """Every agent's calendar at the end."""
        listed = self.state.get("calendars")
        if not isinstance(listed, list) or len(listed) != len(self.game.calendars):
            self.findings.add("wrong_final_state", "a calendar for each agent", listed, "final_state.calendars")
            return
        for agent, (slots, replayed) in enumerate(zip(listed, self.game.calendars, strict=True)):
            recorded = calendar_from_json(slots)
            if recorded is None or len(recorded) != len(replayed):
                self.findings.add("wrong_final_state", "", slots, "final_state.calendars", agent=agent)
            elif gap := differences(recorded, replayed):
                code, item = classify_difference(recorded, replayed)
                ours, theirs = [[s, b] for s, _, b in gap], [[s, a] for s, a, _ in gap]
                self.findings.add(code, ours[:4], theirs[:4], f"final_state.calendars {item}", agent=agent)

    def check_outcomes(self) -> None:
        """The public final state's list of rounds says what the resolutions say."""
        listed = self.state.get("round_outcomes")
        resolutions = [e.data for e in self.trace.events if e.type == "resolution"]
        if isinstance(listed, list) and listed != [
            {name: data.get(name) for name in entry} if isinstance(entry, dict) else None
            for data, entry in zip(resolutions, listed, strict=False)
        ]:
            self.findings.add("wrong_final_state", "", "", "final_state.round_outcomes")

    def check_metrics(self, facts: Mapping[str, Any]) -> None:
        """Every metric, in the trace's metrics and in game_end."""
        for name in () if self.trace.public else OWN_METRICS:
            if name not in self.metrics:
                self.findings.add("missing_metric", facts.get(name), "", name)
        for name, value in self.metrics.items():
            if name in facts and not same_figure(value, facts[name]):
                self.findings.add(CODES_OF_METRICS.get(name, "wrong_metric"), facts[name], value, f"metrics.{name}")
        rest = sorted(set(self.metrics) - set(facts) - DESCRIPTIONS - ORACLE_METRICS)
        if rest:
            self.findings.add("unchecked_metric", "", rest)
        number = next((n for n, e in enumerate(self.trace.events) if e.type == "game_end"), None)
        for name, value in self.metrics.items() if number is not None else ():
            if not same_figure(self.end.get(name), value):
                self.findings.add("end_differs", value, self.end.get(name), name, event=number)

    def check_kept(self) -> None:
        """Meetings that were coordinated in their round and are no longer in one slot at the end.

        Ours say so themselves, in meetings_kept; a trace without it counts them as scheduled and tells nobody.
        """
        if "meetings_kept" in self.metrics:
            return
        for meeting in self.game.coordinated:
            if not self.game.holds_once(meeting):
                places = {str(a): slots_holding(self.game.calendars[a], meeting.id) for a in meeting.participants}
                self.findings.add("meeting_broken", "one common slot", places, f"meeting {meeting.id}")

    def check_silence(self) -> None:
        """Answers without text and usage, of agents that have both elsewhere."""
        ends = [(n, e.data) for n, e in enumerate(self.trace.events) if e.type in ("turn_end", "decide_end")]
        speakers = {repr(d.get("agent_id")) for _, d in ends if d.get("usage") and d.get("text")}
        for number, data in ends if speakers else ():
            mute = not data.get("usage") and not data.get("text") and not data.get("tool_calls")
            if mute and repr(data.get("agent_id")) in speakers:
                where = {"event": number, "round": data.get("round"), "agent": data.get("agent_id")}
                self.findings.add("silent_failure", "an answer", "", str(data.get("phase")), **where)


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
