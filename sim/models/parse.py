"""A model's answer read as `{"thinking", "actions"}`: strictly, else repaired, else refused with the reason (D.5).

A repair never invents: an answer that is cut off is refused, and where it is open which of several objects is meant, as
when an agent quotes another's, none is taken. All of it takes time in proportion to the answer's length, but for what
json-repair reads, which is short.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from string import ascii_letters
from typing import Any

from msgspec import Struct

from sim.game.trace import to_jsonable

LONGEST = 200_000
# json-repair may take time by the square of the length: a second and a half, at worst, for so many characters.
LONGEST_MENDED = 4_000
FENCE = "```"
OPENING = re.compile(r"\s*(?:```[a-zA-Z]*\s*)?")
ACTIONS_LOOSELY = re.compile(r"""\bactions["']?\s*:\s*\[""")
OPEN = "several lists of actions, and it is open which is meant"
# The fields of actions that are integers, and how text may write one.
INTEGERS = ("to", "meeting_id", "item_id", "slot", "from_slot", "to_slot")
LARGEST_EXACT = 2**53
INTEGER = re.compile(r"\s*([+-]?[0-9]{1,18})(?:\.0{1,18})?\s*", re.ASCII)


class Parsed(Struct, frozen=True):
    """What an answer says, and how it was read: strict, "repaired: …" or "refused: …" (then no actions)."""

    actions: Any
    thinking: str | None
    how: str


class JsonObject(Struct, frozen=True):
    """A whole object with actions, and where it stands in the text."""

    value: dict[str, Any]
    begin: int
    end: int


class Refused(ValueError):
    """Why an answer can't be read."""


def parse(text: str) -> Parsed:
    """Read an answer; one that can't be read gives no actions and its reason."""
    try:
        value, notes = find_value(text)
        actions, thinking, more = shape(value)
    except Refused as reason:
        return Parsed([], None, f"refused: {reason}")
    kept = to_jsonable(actions)
    notes += more + (["a value that no trace can hold was kept as text"] if kept != actions else [])
    read = [with_integers(action) for action in kept]
    notes += ["integers written as text or with a point"] if any(map(differs, read, kept)) else []
    thoughts = thinking if thinking is None or isinstance(thinking, str) else json.dumps(thinking)
    return Parsed(read, to_jsonable(thoughts), f"repaired: {', '.join(notes)}" if notes else "strict")


def find_value(text: str) -> tuple[Any, list[str]]:
    """The JSON value in the text, and what had to be done to find it. Raises Refused."""
    if not text.strip():
        raise Refused("the answer is empty")
    if len(text) > LONGEST:
        raise Refused(f"the answer has more than {LONGEST} characters")
    whole = loaded(text)
    if whole is not None:
        return whole, []
    inside = fenced(text)
    value = None if inside is None else loaded(inside)
    how = "code fence" if value is not None else "prose around the JSON"
    begun, objects = beginning(text), envelopes(text)
    if is_answer(begun):
        several = any(item.value != begun for item in objects)
        return begun, ["several JSON objects, the one that the answer begins with taken" if several else how]
    if objects:
        return the_one(text, objects, [begun, value]), [how]
    if value is not None:
        return value, [how]
    start = text.find("{")
    if start < 0:
        raise Refused("the answer holds no JSON object")
    if len(ACTIONS_LOOSELY.findall(text)) > 1:
        raise Refused(OPEN)
    body = text[start:] if inside is None else inside
    if is_cut(body):
        raise Refused("the answer is cut off")
    return mended(body)


def fenced(text: str) -> str | None:
    """What stands in the text's first code fence, without the name of its language; None where none is closed."""
    begin = text.find(FENCE)
    end = text.find(FENCE, begin + len(FENCE)) if begin >= 0 else -1
    return None if end < 0 else text[begin + len(FENCE) : end].lstrip(ascii_letters).lstrip()


def loaded(text: str) -> Any:
    """The value of the JSON text, or None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def beginning(text: str) -> Any:
    """The JSON value that the answer begins with, in a code fence or not; None where it begins otherwise."""
    start = OPENING.match(text)
    try:
        return json.JSONDecoder().raw_decode(text, start.end() if start else 0)[0]
    except (ValueError, RecursionError):
        return None


def is_answer(value: Any) -> bool:
    """Whether the value can be a whole answer: an object with actions, or a list of some."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(v, dict) and "type" in v for v in value)
    return isinstance(value, dict) and "actions" in value


def the_one(text: str, objects: list[JsonObject], others: list[Any]) -> dict[str, Any]:
    """The object that is meant, where the answer begins with none. Raises Refused where others could be."""
    value = objects[0].value
    rivals = [v for v in others if is_answer(v) or (isinstance(v, dict) and "type" in v)]
    if any(v != value for v in [*(item.value for item in objects), *rivals]):
        raise Refused(OPEN)
    edges = [0, *(edge for item in objects for edge in (item.begin, item.end)), len(text)]
    around = list(pairwise(edges))[::2]
    if any(ACTIONS_LOOSELY.search(text, begin, end) for begin, end in around):
        raise Refused(OPEN)
    return value


def envelopes(text: str) -> list[JsonObject]:
    """The whole objects in the text that have actions, in order; none inside another."""
    decoder, objects, place, tries = json.JSONDecoder(), [], text.find("{"), 0
    while place >= 0 and tries < 50:
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            value, end = None, place + 1
        if isinstance(value, dict) and "actions" in value:
            objects.append(JsonObject(value, place, end))
        place, tries = text.find("{", end), tries + 1
    return objects


def is_cut(text: str) -> bool:
    """Whether the text ends inside a string, an object or a list."""
    depth, inside, escaped = 0, False, False
    for letter in text:
        if inside:
            inside, escaped = letter != '"' or escaped, letter == "\\" and not escaped
        elif letter == '"':
            inside = True
        else:
            depth += (letter in "{[") - (letter in "}]")
    return inside or depth > 0


def mended(text: str) -> tuple[Any, list[str]]:
    """The value of malformed JSON, as json-repair reads it. Raises Refused where it finds none."""
    import json_repair

    if len(text) > LONGEST_MENDED:
        raise Refused(f"malformed JSON of {len(text)} characters; at most {LONGEST_MENDED} are repaired")
    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError) as error:
        raise Refused("the answer is no JSON, and can't be repaired") from error
    if isinstance(value, list):
        answers = [v for v in value if isinstance(v, dict) and "actions" in v]
        if any(v != answers[0] for v in answers):
            raise Refused(OPEN)
        value = answers[0] if answers else value
    return value, ["malformed JSON"]


def shape(value: Any) -> tuple[Any, Any, list[str]]:
    """Actions, thinking, and what was not as asked. Raises Refused where there are no actions to find."""
    if isinstance(value, list) and all(isinstance(v, dict) and "type" in v for v in value):
        return value, "", ["a bare list of actions"]
    if not isinstance(value, dict):
        raise Refused(f"the answer is {a_kind(value)}, not an object with thinking and actions")
    if "actions" not in value:
        if "type" in value:
            return [value], "", ["a bare action"]
        raise Refused("the answer has no actions")
    actions, thinking, notes = value["actions"], value.get("thinking"), []
    if isinstance(actions, dict):
        actions, notes = [actions], ["a single action outside a list"]
    if not isinstance(actions, list):
        raise Refused(f"the actions are {a_kind(actions)}, not a list")
    if "thinking" not in value:
        notes.append("no thinking")
    elif not isinstance(thinking, str):
        notes.append(f"the thinking is {a_kind(thinking)}")
    if len(value) > 1 + ("thinking" in value):
        notes.append("keys beyond thinking and actions left out")
    return actions, thinking, notes


def with_integers(action: Any) -> Any:
    """The action, its integers read where they are written as text or as numbers with a point, as "2" and 2.0 are."""
    if not isinstance(action, dict):
        return action
    return {name: as_integer(value) if name in INTEGERS else value for name, value in action.items()}


def as_integer(value: Any) -> Any:
    """The integer that text or a number with a point stands for; any other value as it is."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_EXACT:
        return int(value)
    written = INTEGER.fullmatch(value) if isinstance(value, str) else None
    return int(written[1]) if written else value


def differs(one: Any, other: Any) -> bool:
    """Whether the two actions have an integer of another type."""
    return isinstance(one, dict) and any(type(one[name]) is not type(other[name]) for name in INTEGERS if name in one)


def a_kind(value: Any) -> str:
    """What kind of JSON value it is, in words."""
    kinds: Mapping[type, str] = {dict: "an object", list: "a list", str: "text", bool: "a truth value"}
    return "null" if value is None else kinds.get(type(value), "a number")
