"""The game played again from its initial calendars with the recorded answers, by rules written anew (Appendix D.4).

The replay gives the events that the trace should have. Where the record decides otherwise - a batch applied that
breaks a rule, a valid message refused - the finding is kept and the replay goes on as the record did, so that one fault
is one finding and not a hundred.
"""

from pipeline.traces.audit.batch import Meeting
from pipeline.traces.audit.calendar import render
from pipeline.traces.audit.codes import Findings
from pipeline.traces.audit.decide import decision, resolution, voluntary
from pipeline.traces.audit.record import CHEAP_TALK, GAME_END, GAME_START, Raw, Setup
from pipeline.traces.audit.state import BrokenOff, Game, Shown, start
from pipeline.traces.audit.talk import cheap_talk


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
