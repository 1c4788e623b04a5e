"""What is read all the same."""

import json

from hostile import added, changed, fine, packed, toy
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
    fine("zstd called .json", "x.json", packed(".zst", toy), "the content decides"),
    fine("gzip called .zst", "x.json.zst", packed(".gz", toy), "the content decides"),
    fine(
        "several frames in one .zst",
        "x.json.zst",
        lambda game: packed(".zst", lambda g: toy(g)[:99])(game) + packed(".zst", lambda g: toy(g)[99:])(game),
        "they follow one another",
    ),
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
        "numbers of slots outside the start of the game",
        "x.json",
        changed(("config.num_slots", 4), ("events.0.data.num_slots", None)),
        "the configuration's counts",
    ),
    fine(
        "a calendar with other lines",
        "x.json",
        changed(("events.1.data.calendar_render", f"Monday\n{CALENDARS[0]}\n")),
        "lines that do not begin with Slot are passed over",
    ),
    fine(
        "a calendar with a line of 100,000 blanks",
        "x.json",
        changed(("events.1.data.calendar_render", CALENDARS[0] + "\n" + " " * 100_000)),
        "it is passed over",
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
        "a speaker named twice",
        "x.json",
        changed(("events.4.data.speaker_order", [1, 0, 1])),
        "speaks once",
        as_usual=False,
    ),
    fine(
        "a message before its round begins",
        "x.json",
        lambda game: moved(game, 13, 12),
        "it is one of that round",
        as_usual=False,
    ),
    fine(
        "a recipient named twice",
        "x.json",
        lambda game: toy_game(game).group(1, 0, [1, 1, 2], {"a": 1}).text(),
        "gets it once",
        as_usual=False,
    ),
    fine(
        "a message to nobody",
        "x.json",
        added(("dm_sent", {"round": 1, "from_agent": 0, "content": "Hm."})),
        "it counts as sent, and informs nobody",
        as_usual=False,
    ),
    fine(
        "a message about slots outside the calendar",
        "x.json",
        lambda game: toy_game(game).dm(1, 1, 2, {"imap": "decision", "slot": 99}).text(),
        "it changes no belief: in_calendar is false",
        as_usual=False,
    ),
    fine(
        "a typed message nested 400 deep",
        "x.json",
        lambda game: toy_game(game).dm(1, 1, 2, '{"imap": "x", "slot": ' + "[" * 400 + "]" * 400 + "}").text(),
        "nothing can be known of its slot",
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
        "fields that an action does not need",
        "x.json",
        changed(("events.9.data.actions.0.slot", []), ("events.9.data.actions.1.item_id", True)),
        "they are passed over",
    ),
    fine(
        "a move of an item that is not there",
        "x.json",
        lambda game: toy_game(game).batch(1, 2, reschedule(77, 0, 3)).text(),
        "it costs nothing",
        as_usual=False,
    ),
    fine(
        "a move to a slot outside the calendar",
        "x.json",
        lambda game: toy_game(game).batch(1, 2, reschedule(77, 0, 99), schedule(5, -1)).text(),
        "what is put there is gone; audit reports it",
        as_usual=False,
    ),
    fine(
        "formulas, quotes, commas and newlines in a message",
        "x.json",
        lambda game: toy_game(game).dm(1, 1, 2, '=1+1,"a"\r\n;\x00').text(),
        "they are kept",
        as_usual=False,
    ),
)
