"""A model's answer read as `{"thinking", "actions"}`: strictly, else repaired, else refused with the reason (D.5).

A repair never invents: of an answer that was cut off, only the actions that arrived whole are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from sim.game.trace import to_jsonable

LONGEST = 200_000
FENCED = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)```", re.DOTALL)
ACTIONS_BEGIN = re.compile(r"""["']actions["']\s*:\s*\[""")


class Parsed(Struct, frozen=True):
    """What an answer says, and how it was read: strict, "repaired: …" or "refused: …" (then no actions)."""

    actions: Any
    thinking: str | None
    how: str


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
    thoughts = thinking if thinking is None or isinstance(thinking, str) else json.dumps(thinking)
    return Parsed(kept, to_jsonable(thoughts), f"repaired: {', '.join(notes)}" if notes else "strict")


def find_value(text: str) -> tuple[Any, list[str]]:
    """The JSON value in the text, and what had to be done to find it. Raises Refused."""
    if not text.strip():
        raise Refused("the answer is empty")
    if len(text) > LONGEST:
        raise Refused(f"the answer has {len(text)} characters, more than {LONGEST}")
    whole = loaded(text)
    if whole is not None:
        return whole, []
    fenced = FENCED.search(text)
    if fenced and (value := loaded(fenced[1])) is not None:
        return value, ["code fence"]
    if objects := envelopes(text):
        return objects[-1], [
            "prose around the JSON" if len(objects) == 1 else "several JSON objects, the last one taken"
        ]
    start = text.find("{")
    if start < 0:
        raise Refused("the answer holds no JSON object")
    body = fenced[1] if fenced else text[start:]
    return cut_value(body) if is_cut(body) else mended(body)


def loaded(text: str) -> Any:
    """The value of the JSON text, or None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def envelopes(text: str) -> list[dict[str, Any]]:
    """The whole objects in the text that have actions, in order; none inside another."""
    decoder, objects, place, tries = json.JSONDecoder(), [], text.find("{"), 0
    while place >= 0 and tries < 50:
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            value, end = None, place + 1
        if isinstance(value, dict) and "actions" in value:
            objects.append(value)
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


def cut_value(text: str) -> tuple[Any, list[str]]:
    """What arrived whole of an answer that was cut off: complete actions only. Raises Refused where it ends before."""
    begin = ACTIONS_BEGIN.search(text)
    if begin is None:
        raise Refused("the answer is cut off before its actions")
    decoder, actions, rest = json.JSONDecoder(), [], text[begin.end() :].lstrip(" \n\r\t,")
    while rest.startswith("{"):
        try:
            action, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            break
        actions.append(action)
        rest = rest[end:].lstrip(" \n\r\t,")
    lost = ["cut JSON, an incomplete action dropped"] if rest.startswith("{") else ["cut JSON"]
    head = mended(text[: begin.start()] + '"actions": []}')[0]
    thinking = head.get("thinking") if isinstance(head, dict) else None
    return {"thinking": "" if thinking is None else thinking, "actions": actions}, lost


def mended(text: str) -> tuple[Any, list[str]]:
    """The value of malformed JSON, as json-repair reads it. Raises Refused where it finds none."""
    import json_repair

    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError) as error:
        raise Refused("the answer is no JSON, and can't be repaired") from error
    if isinstance(value, list):
        value = next((v for v in value if isinstance(v, dict) and "actions" in v), value)
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


def a_kind(value: Any) -> str:
    """What kind of JSON value it is, in words."""
    kinds: Mapping[type, str] = {dict: "an object", list: "a list", str: "text", bool: "a truth value"}
    return "null" if value is None else kinds.get(type(value), "a number")
