"""Replaying a trace from its start, and holding it against what it says: the auditor of one trace."""

from dataclasses import dataclass

from pipeline.traces.audit.batch import Meeting
from pipeline.traces.audit.calendar import render
from pipeline.traces.audit.claims import Claims
from pipeline.traces.audit.codes import Divergence, Findings
from pipeline.traces.audit.compare import Comparison
from pipeline.traces.audit.decide import decision, resolution, voluntary
from pipeline.traces.audit.record import CHEAP_TALK, GAME_END, GAME_START, Raw, Setup, Unreadable, decode, set_up
from pipeline.traces.audit.state import BrokenOff, Game, Shown, cheap_talk, start


def replay(raw: Raw, setup: Setup, findings: Findings) -> Game:
    """The game played again as far as its record goes."""
    game = start(raw, setup, findings)
    announce(game)
    try:
        for number, meeting in enumerate(setup.meetings):
            game.paid_before = list(game.paid)
            game.told, game.addressed = set(), set()
            begin_round(game, number, meeting)
            sweeps, joined = cheap_talk(game, number, meeting)
            voluntary(game, number, sweeps, meeting, joined)
            decision(game, number, sweeps, meeting)
            resolution(game, number, sweeps, meeting)
    except BrokenOff:
        game.broken_off = True
    finish(game, raw)
    return game


def announce(game: Game) -> None:
    """The events before the first round."""
    place = (-1, -1, GAME_START)
    size = len(game.setup.calendars[0])
    game.expect("game_start", (*place, None), num_agents=len(game.calendars), num_slots=size)
    for agent, calendar in enumerate(game.calendars):
        nobody = Meeting(0, (), 0, ())
        shown = Shown("registered", render(calendar), game.text_for(calendar), calendar, [], 0, nobody)
        game.expect("agent_registered", (*place, agent), shown)


def begin_round(game: Game, number: int, meeting: Meeting) -> None:
    """A round's first event. A record that breaks off between two rounds has none."""
    if game.open_ended and not any(key[0] == number for key in game.index.turns):
        recorded = any(e.type == "round_start" and e.data.get("round") == number for e in game.index.events)
        if not recorded:
            raise BrokenOff
    order = list(meeting.order)
    listed = {"id": meeting.id, "participants": list(meeting.participants), "cost": meeting.cost}
    more = {"duration": meeting.duration, "speaker_order": order}
    game.expect("round_start", (number, 0, CHEAP_TALK, None), meeting=listed | more, speaker_order=order)


def finish(game: Game, raw: Raw) -> None:
    """The game's last event, and whether the trace may end as it does."""
    done = len(game.coordinated) + len(game.failed)
    if not game.open_ended:
        game.expect("game_end", (len(game.setup.meetings), 0, GAME_END, None))
    elif raw.stopped and not game.public:
        game.expect("game_stopped", (done, 0, GAME_END, None), cause=raw.stop_cause)
    if raw.stop_cause is not None and not raw.stopped:
        game.findings.add("stop_claim", "no cause", raw.stop_cause, "a game that was not stopped")
    if raw.stopped and not game.broken_off:
        game.findings.add("stop_claim", "not stopped", "stopped", "every round is recorded")
    if game.open_ended and not raw.stopped:
        game.findings.add("broken_off", "game_end", raw.events[-1].type, event=len(raw.events) - 1, round=done)


@dataclass(frozen=True)
class Audited:
    """One trace, audited: who played under which condition, and every divergence."""

    trace_path: str
    team: str
    condition: str
    divergences: tuple[Divergence, ...]


def audit(text: bytes, path: str) -> list[Divergence]:
    """Every divergence of the trace whose JSON this is. It never raises: what can't be replayed is `unreadable`."""
    return list(audited(text, path).divergences)


def audited(text: bytes, path: str) -> Audited:
    """The same, with the team and the condition that the trace names."""
    findings = Findings(path)
    raw: Raw | None = None
    try:
        raw = decode(text)
        findings = Findings(path, raw.public, raw.game_id)
        examine(raw, findings)
    except Unreadable as error:
        findings.add("unreadable", "", error.reason, error.place)
    except Exception as error:
        findings.add("unreadable", "", f"{type(error).__name__}: {error}", "while replaying")
    return Audited(path, *identity(raw), tuple(findings.found))


def examine(raw: Raw, findings: Findings) -> None:
    """Replay the trace, and hold its events and its claims against the replay."""
    setup = set_up(raw)
    game = replay(raw, setup, findings)
    Comparison(game, raw.events, findings).run()
    Claims(raw, game, findings).run()


def identity(raw: Raw | None) -> tuple[str, str]:
    """(team, condition) as the trace names them; a public trace names its team by its models."""
    if raw is None:
        return "unknown", "unknown"
    named = raw.config.get("team") or (raw.metrics or {}).get("team_model_label")
    condition = raw.config.get("condition") or ("adversarial" if raw.config.get("nosy_agent_ids") else "standard")
    return str(named or "unknown")[:80], str(condition)[:80]
