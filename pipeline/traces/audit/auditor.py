"""The auditor of one trace: play it again from its start, and compare that with what the trace says."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from machine.cores import OverBudget, cpu_budget
from pipeline.traces import limits
from pipeline.traces.audit.batch_rules import Meeting
from pipeline.traces.audit.calendar import render
from pipeline.traces.audit.claims import Claims
from pipeline.traces.audit.decisions import replay_decision, replay_resolution, replay_voluntary
from pipeline.traces.audit.divergences import Divergence, Findings
from pipeline.traces.audit.events import EventComparison
from pipeline.traces.audit.game import AgentView, BrokenOff, Game, replay_cheap_talk, start
from pipeline.traces.audit.identity import check_identity, type_of
from pipeline.traces.audit.suites import Suites
from pipeline.traces.audit.task import check_labels, check_task
from pipeline.traces.audit.trace import (
    CHEAP_TALK,
    GAME_END,
    GAME_START,
    Setup,
    Trace,
    Unreadable,
    decode,
    game_id_of,
    read_setup,
)


def replay(trace: Trace, setup: Setup, findings: Findings) -> Game:
    """The game at its end, or where its record breaks off, played again from the recorded answers."""
    game = start(trace, setup, findings)
    expect_game_start(game)
    try:
        for number, meeting in enumerate(setup.meetings):
            game.paid_before = list(game.paid)
            game.informed, game.addressed = set(), set()
            expect_round_start(game, number, meeting)
            sweeps, joined = replay_cheap_talk(game, number, meeting)
            replay_voluntary(game, number, sweeps, meeting, joined)
            replay_decision(game, number, sweeps, meeting)
            replay_resolution(game, number, sweeps, meeting)
    except BrokenOff as end:
        game.broken_off, game.unanswered = True, end.agent
    check_end(game, trace)
    return game


def expect_game_start(game: Game) -> None:
    """Expect the events before the first round."""
    start_ref = (-1, -1, GAME_START)
    size = len(game.setup.calendars[0])
    game.expect("game_start", (*start_ref, None), num_agents=len(game.calendars), num_slots=size)
    for agent, calendar in enumerate(game.calendars):
        nobody = Meeting(0, (), 0, ())
        view = AgentView("registered", render(calendar), game.rendering_for(calendar), calendar, [], 0, nobody)
        game.expect("agent_registered", (*start_ref, agent), view)


def expect_round_start(game: Game, number: int, meeting: Meeting) -> None:
    """Expect a round's first event. Raises BrokenOff where the record ends before it."""
    if game.open_ended and not any(key[0] == number for key in game.index.turns):
        recorded = any(e.type == "round_start" and e.data.get("round") == number for e in game.index.events)
        if not recorded:
            raise BrokenOff
    order = list(meeting.order)
    listed = {"id": meeting.id, "participants": list(meeting.participants), "cost": meeting.cost}
    speaking = {"duration": 1, "speaker_order": order}
    game.expect("round_start", (number, 0, CHEAP_TALK, None), meeting=listed | speaking, speaker_order=order)


def check_end(game: Game, trace: Trace) -> None:
    """Expect the game's last event, and report an end that the events do not bear out."""
    done = len(game.coordinated) + len(game.failed)
    if not game.open_ended:
        game.expect("game_end", (len(game.setup.meetings), 0, GAME_END, None))
    elif trace.stopped and not game.public:
        game.expect("game_stopped", (done, 0, GAME_END, None), cause=trace.stop_cause)
        check_stopped(game, trace)
    if trace.stop_cause is not None and not trace.stopped:
        game.findings.add("stop_claim", "no cause", trace.stop_cause, "a game that was not stopped")
    if trace.stopped and not game.broken_off:
        game.findings.add("stop_claim", "not stopped", "stopped", "every round is recorded")
    if game.open_ended and not trace.stopped:
        game.findings.add("broken_off", "game_end", trace.events[-1].type, event=len(trace.events) - 1, round=done)


def check_stopped(game: Game, trace: Trace) -> None:
    """A game stops where a provider gives no answer: it was for an agent with a language model to answer."""
    agents, due = trace.config.get("agents"), game.unanswered
    kind = type_of(agents[due]) if isinstance(agents, list) and due is not None and due < len(agents) else None
    if kind != "llm" and game.broken_off:
        who = "nobody" if due is None else f"agent {due}"
        game.findings.add("stop_claim", "a language model was to answer", kind, f"{who} was to answer", agent=due)


@dataclass(frozen=True)
class TraceAudit:
    """One trace, audited: who played under which condition, every divergence, and how its answers were read."""

    trace_path: str
    team: str
    condition: str
    divergences: tuple[Divergence, ...]
    answers: Mapping[str, int] = field(default_factory=dict)


def audit(text: bytes, path: str) -> list[Divergence]:
    """The divergences of a trace from its JSON. Never raises: what can't be replayed is the divergence `unreadable`."""
    return list(audit_trace(text, path).divergences)


def audit_trace(text: bytes, path: str, suites: Suites | None = None) -> TraceAudit:
    """The divergences of a trace from its JSON, with the team and condition that it names. Never raises.

    Where `suites` are given, the game is held against the task that it names.
    """
    findings = Findings(path, game_id=game_id_of(text))
    trace: Trace | None = None
    try:
        with cpu_budget(limits.CPU_SECONDS):
            trace = decode(text)
            findings = Findings(path, trace.public, trace.game_id)
            compare(trace, suites, findings)
    except Unreadable as error:
        findings.add("unreadable", "", error.reason, error.place)
    except OverBudget as error:
        findings.add("unreadable", "", f"takes {error}", "while replaying")
    except Exception as error:
        findings.add("unreadable", "", f"{type(error).__name__}: {error}", "while replaying")
    return TraceAudit(path, *team_and_condition(trace), tuple(findings.divergences))


def compare(trace: Trace, suites: Suites | None, findings: Findings) -> None:
    """Replay the trace, and hold everything that it says against that. Raises Unreadable."""
    game = replay(trace, read_setup(trace), findings)
    EventComparison(game, trace, findings).run()
    Claims(trace, game, findings).run()
    check_identity(trace, findings)
    check_labels(trace, game, findings)
    if suites is not None:
        check_task(trace, game, suites, findings)


def team_and_condition(trace: Trace | None) -> tuple[str, str]:
    """(team, condition) as the trace names them; a public trace names its team by its models."""
    if trace is None:
        return "unknown", "unknown"
    named = trace.config.get("team") or (trace.metrics or {}).get("team_model_label")
    condition = trace.config.get("condition") or ("adversarial" if trace.config.get("nosy_agent_ids") else "standard")
    return str(named or "unknown")[:80], str(condition)[:80]
