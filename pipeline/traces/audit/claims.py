"""Checks of what a trace claims as a whole - setup, final state, metrics - against its replay."""

from collections.abc import Mapping
from typing import Any

from pipeline.traces.audit.calendar import (
    calendar_from_json,
    classify_difference,
    differences,
    digest,
    slots_holding,
)
from pipeline.traces.audit.divergences import same_figure
from pipeline.traces.audit.metrics import (
    CODES_OF_METRICS,
    DESCRIPTIONS,
    ORACLE_METRICS,
    OWN_METRICS,
    recompute_metrics,
)
from pipeline.traces.audit.yardsticks import Yardsticks, nested


class Claims(Yardsticks):
    """One trace's claims."""

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
        listed = nested(self.scenario, "parameters").get("participant_lists")
        named = [sorted(map(str, who)) for who in listed if isinstance(who, list)] if isinstance(listed, list) else []
        if len(sizes) == 1 and named != [sorted(map(str, m.participants)) for m in game.setup.meetings]:
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
