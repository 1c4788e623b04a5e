"""A model's answer read as `{"thinking", "actions"}`, one way: strictly, else repaired, else refused (D.5).

What stands before the last end of a thought is thought, and an unclosed thought has no actions. Of the rest counts the
one whole JSON object with actions; where there is none, one that json-repair makes of it without changing any value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from sim.game.trace import to_jsonable
from sim.models.prompts.answer_format import ACTIONS, INTEGER

LONGEST = 200_000
# json-repair may take time by the square of the length: a second and a half, at worst, for so many characters.
LONGEST_REPAIRED = 4_000
MOST_BRACES = 50
# What models that reason put before a thought and after it.
THOUGHT = "think|thinking|thoughts?|reason|reasoning|reflection|analysis|scratchpad"
ENDS = re.compile(
    rf"</\s*(?:\w+:)?(?:{THOUGHT})\s*>|\[/THINK\]|<\|(?:end|/)_?(?:of_)?(?:{THOUGHT})\|>|◁/think▷|<channel\|>"
    r"|<\|channel\|>\s*final\b[^{]{0,80}?<\|message\|>|\bassistantfinal(?=\s*[{`])|<\|inner_suffix\|>",
    re.IGNORECASE,
)
BEGINS = re.compile(
    rf"<\s*(?:\w+:)?(?:{THOUGHT})(?:\s[^<>]*)?>|\[THINK\]|<\|(?:begin|start)_?(?:of_)?(?:{THOUGHT})\|>|◁think▷"
    r"|<\|?channel\|?>|\A\s*(?-i:analysis(?=[A-Z]))|<\|inner_prefix\|>",
    re.IGNORECASE,
)
OBJECT = re.compile(r'\{\s*"')
ACTIONS_LOOSELY = re.compile(r"""\bactions["']?\s*:\s*\[""")
# What malformed JSON may be made of: strings in either quotes, numbers and literals, names before a colon, and marks.
TOKEN = re.compile(
    r"""\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w)"""
    r"""|(?i:true|false|null|none)\b)|([A-Za-z_]\w*)(?=\s*:)|([][{}:,]))""",
    re.DOTALL | re.ASCII,
)
SENTENCE_GOES_ON = re.compile(r"[\w,;:(\-–]\Z")
OPEN = "several lists of actions, and it is open which is meant"
CUT = "the answer is cut off"
CHANGED = "malformed JSON, and a repair would change what it says"
# How text may write one of the integers of an action.
INTEGERS = {name for fields in ACTIONS.values() for name, kind in fields.items() if kind is INTEGER}
WRITTEN = re.compile(r"\s*([+-]?[0-9]{1,18})(?:\.0{1,18})?\s*", re.ASCII)
LARGEST_EXACT = 2**53


class Parsed(Struct, frozen=True):
    """What an answer says, and how it was read: strict, "repaired: …" or "refused: …" (then no actions)."""

    actions: list[Any]
    thinking: str | None
    how: str


class Refused(ValueError):
    """Why an answer can't be read."""


def parse(text: str, cut: bool | None = None) -> Parsed:
    """Read an answer; one that can't be read gives no actions and its reason.

    cut: whether the provider says that the answer broke off; None where it says nothing.
    """
    try:
        value, repair = envelope(text, cut)
        actions = value["actions"]
        if not isinstance(actions, list):
            raise Refused(f"the actions are {a_kind(actions)}, not a list")
    except Refused as reason:
        return Parsed([], None, f"refused: {reason}")
    kept = to_jsonable(actions)
    read = [with_integers(action) for action in kept]
    notes = [repair, "a value that no trace can hold was kept as text" if kept != actions else ""]
    notes.append("integers written as text or with a point" if repr(read) != repr(kept) else "")
    thinking = value.get("thinking")
    thoughts = thinking if thinking is None or isinstance(thinking, str) else json.dumps(thinking)
    repaired = ", ".join(filter(None, notes))
    return Parsed(read, to_jsonable(thoughts), f"repaired: {repaired}" if repaired else "strict")


def parse_calls(calls: Sequence[str], beside: str, cut: bool | None = None) -> Parsed:
    """Read an answer handed in by tool calls: the actions of all of them in order. The text beside them is thinking."""
    read = [parse(call, cut) for call in calls]
    hows = list(dict.fromkeys(parsed.how for parsed in read if parsed.how != "strict"))
    refused = next((how for how in hows if how.startswith("refused")), None)
    if refused:
        return Parsed([], None, refused)
    thoughts = [beside.strip(), *(parsed.thinking or "" for parsed in read)]
    repaired = ", ".join(how.removeprefix("repaired: ") for how in hows)
    return Parsed(
        [action for parsed in read for action in parsed.actions],
        "\n".join(filter(None, thoughts)),
        f"repaired: {repaired}" if repaired else "strict",
    )


def envelope(text: str, cut: bool | None) -> tuple[dict[str, Any], str]:
    """The object with actions that the text means, and what had to be repaired, if anything. Raises Refused."""
    if not text.strip():
        raise Refused("the answer is empty")
    if len(text) > LONGEST:
        raise Refused(f"the answer has more than {LONGEST} characters")
    for whole in dict.fromkeys((text, text[last_end(text) :])):
        value = loaded(whole)
        if isinstance(value, dict) and "actions" in value:
            return value, ""
    if not whole.strip() or BEGINS.search(whole):
        raise Refused("the answer ends within a thought")
    objects = list(whole_objects(whole))
    if objects:
        return the_one(whole, objects, cut), "code fence" if "```" in whole else "prose around the JSON"
    if value is not None:
        raise Refused(f"the answer is {a_kind(value)} without actions")
    return repaired(whole, cut), "malformed JSON"


def last_end(text: str) -> int:
    """Where the text's last thought ends; 0 where none does."""
    return max((match.end() for match in ENDS.finditer(text)), default=0)


def loaded(text: str) -> Any:
    """The value of the JSON text, or None where it is none or a key comes twice."""
    try:
        return json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        return None


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs. Raises Refused where a key comes twice."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise Refused("a key comes twice in one object")
    return value


def whole_objects(text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """The whole objects in the text that have actions, none inside another, with their beginnings and ends. Raises
    Refused where the text has too many braces to try."""
    decoder, place = json.JSONDecoder(object_pairs_hook=unique), 0
    for _ in range(MOST_BRACES):
        begin = OBJECT.search(text, place)
        if begin is None:
            return
        try:
            value, place = decoder.raw_decode(text, begin.start())
        except Refused:
            raise
        except (ValueError, RecursionError):
            place = begin.start() + 1
        else:
            if "actions" in value:
                yield value, begin.start(), place
    if OBJECT.search(text, place):
        raise Refused(f"the answer has more than {MOST_BRACES} braces outside of one JSON object")


def the_one(text: str, objects: Sequence[tuple[dict[str, Any], int, int]], cut: bool | None) -> dict[str, Any]:
    """The object that is meant. Raises Refused where others could be, or where the text breaks off after it."""
    value = objects[0][0]
    edges = [0, *(edge for _, begin, end in objects for edge in (begin, end)), len(text)]
    around = list(pairwise(edges))[::2]
    if any(other != value for other, _, _ in objects) or any(ACTIONS_LOOSELY.search(text, *gap) for gap in around):
        raise Refused(OPEN)
    check_end(text[edges[-2] :], cut)
    return value


def check_end(after: str, cut: bool | None) -> None:
    """Raise Refused where the answer breaks off in what follows its object."""
    after = after.strip("` \n")
    if after and (cut or (cut is None and SENTENCE_GOES_ON.search(after))):
        raise Refused(CUT)


def repaired(text: str, cut: bool | None) -> dict[str, Any]:
    """The object that json-repair makes of malformed JSON, where it holds the text's values, no more and no fewer, and
    each of its actions is whole and of its kind. Raises Refused."""
    import json_repair

    start = text.find("{")
    if start < 0:
        raise Refused("the answer holds no JSON object")
    if len(ACTIONS_LOOSELY.findall(text)) > 1:
        raise Refused(OPEN)
    if cut:
        raise Refused(CUT)
    values, end = values_in(text, start)
    check_end(text[end:], cut)
    if end - start > LONGEST_REPAIRED:
        raise Refused(f"malformed JSON of {end - start} characters; at most {LONGEST_REPAIRED} are repaired")
    try:
        value = json_repair.loads(text[start:end], skip_json_loads=True)
    except (ValueError, RecursionError) as error:
        raise Refused("the answer is no JSON, and can't be repaired") from error
    if not isinstance(value, dict) or not isinstance(value.get("actions"), list):
        raise Refused("the answer has no list of actions")
    if repr(flat(value)) != repr(values):
        raise Refused(CHANGED)
    if not all(map(is_whole, value["actions"])):
        raise Refused("malformed JSON, and an action of it is not as its kind asks")
    return value


def values_in(text: str, place: int) -> tuple[list[Any], int]:
    """The names and values of the malformed object that begins there, in order, and where it ends. Raises Refused where
    it is cut off, where its brackets don't match, or where anything else stands in it."""
    values: list[Any] = []
    closing: list[str] = []
    while token := TOKEN.match(text, place):
        place = token.end()
        quoted, literal, name, mark = token.groups()
        if mark is None:
            values.append(name or plain(quoted or literal.lower().replace("none", "null")))
        elif mark in "{[":
            closing.append("}" if mark == "{" else "]")
        elif mark in "}]" and closing.pop() != mark:
            raise Refused(CHANGED)
        if not closing:
            return values, place
    raise Refused(CUT if text[place:].strip()[:1] in ("", '"', "'", "`") else CHANGED)


def plain(written: str) -> Any:
    """The value that is written as JSON, or as a string in single quotes. Raises Refused."""
    if written.startswith("'"):
        written = '"' + written[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    try:
        return json.loads(written, strict=False)
    except ValueError as error:
        raise Refused(CHANGED) from error


def flat(value: Any) -> list[Any]:
    """The names and values in a value of JSON, in order."""
    inside = [part for pair in value.items() for part in pair] if isinstance(value, dict) else value
    return [leaf for inner in inside for leaf in flat(inner)] if isinstance(inside, list) else [value]


def is_whole(action: Any) -> bool:
    """Whether the action has exactly the fields of its kind, each of its type."""
    fields = ACTIONS.get(action["type"]) if isinstance(action, dict) and isinstance(action.get("type"), str) else None
    if fields is None or action.keys() != {"type", *fields}:
        return False
    return all(type(action[name]) is (int if kind is INTEGER else str) for name, kind in fields.items())


def with_integers(action: Any) -> Any:
    """The action, its integers read where they are written as text or as numbers with a point, as "2" and 2.0 are."""
    if not isinstance(action, dict):
        return action
    return {name: as_integer(value) if name in INTEGERS else value for name, value in action.items()}


def as_integer(value: Any) -> Any:
    """The integer that text or a number with a point stands for; any other value as it is."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_EXACT:
        return int(value)
    written = WRITTEN.fullmatch(value) if isinstance(value, str) else None
    return int(written[1]) if written else value


def a_kind(value: Any) -> str:
    """What kind of JSON value it is, in words."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    kinds = ((dict, "an object"), (list, "a list"), (str, "text"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "a number")
