"""What is read all the same."""

import json

from hostile import added, changed, fine, toy
from trace_builder import CALENDARS, reschedule, schedule, toy_game


def moved(game: str, source: int, target: int) -> bytes:
    content = toy_game(game).content
    content["events"].insert(target, content["events"].pop(source))
    return json.dumps(content).encode()


# Read all the same.
TOLERATED = (
    fine("a byte order mark", "x.json", lambda game: b"\xef\xbb\xbf" + toy(game), "it is passed over"),
    fine(
        "a pack with a byte order mark and CRLF",
        "x.jsonl",
        lambda game: b"\xef\xbb\xbf" + toy(game) + b"\r\n\r\n",
        "they are passed over",
    ),
    fine("plain JSON called .gz", "x.json.gz", toy, "the content decides"),
    fine(
        "a key repeated in an object",
        "x.json",
        lambda game: b'{"game_id": "other", ' + toy(game)[1:],
        "the last counts",
    ),
    fine(
        "no configuration",
        "x.json",
        changed(("config", ...)),
        "the events tell what they can; the team is unknown, the task and the setting are empty",
        as_usual=False,
    ),
    fine("unknown fields", "x.json", changed(("mood", [1, {}]), ("events.4.data.mood", 1)), "they are passed over"),
    fine("unknown events", "x.json", added(*[("thought", {"round": "x"})] * 20_000), "they are passed over"),
    fine("no end of the game", "x.json", toy, "nothing is needed of it"),
    fine(
        "metrics that are wrong",
        "x.json",
        changed(("metrics", {"realized_cost": -5, "fairness": "x"})),
        "figures are counted from the events",
    ),
    fine(
        "a calendar with other lines",
        "x.json",
        changed(("events.1.data.calendar_render", f"Monday\n{CALENDARS[0]}\n")),
        "lines that do not begin with Slot are passed over",
    ),
    fine(
        "a calendar that does not show all slots",
        "x.json",
        changed(("events.3.data.calendar_render", "Slot  0: [FREE]")),
        "slots that are not shown are free",
    ),
    fine(
        "a participant named twice", "x.json", changed(("events.4.data.meeting.participants", [0, 0, 1])), "counts once"
    ),
    fine(
        "a recipient named twice",
        "x.json",
        lambda game: toy_game(game).group(1, 0, [1, 1, 2], {"a": 1}).text(),
        "gets it once",
        as_usual=False,
    ),
    fine(
        "a typed message with huge numbers",
        "x.json",
        lambda game: (
            toy_game(game).dm(1, 1, 2, {"dsm": "scores", "scores": {"1": 10**300, "2": -1e300}, "slot": 10**30}).text()
        ),
        "they are no slots and no scores",
        as_usual=False,
    ),
    fine(
        "an action that names a cost of its own",
        "x.json",
        changed(("events.9.data.actions.1.cost", -5), ("events.9.data.actions.0.cost", "free")),
        "what is moved costs what it costs on the calendar",
    ),
    fine(
        "a move to a slot outside the calendar",
        "x.json",
        lambda game: toy_game(game).batch(1, 2, reschedule(77, 0, 99), schedule(5, -1)).text(),
        "what is put there is gone; audit reports it",
        as_usual=False,
    ),
)
