"""Any value as JSON can hold it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

DEEPEST = 60
LARGEST_INTEGER = 2**63 - 1
# Lists and objects within one value: a list that holds itself twice would have 2 ** DEEPEST.
MOST_INSIDE = 100_000
LONGEST_SHOWN = 200

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def to_jsonable(value: Any) -> Any:
    """A copy of the value, with what JSON can't hold replaced by text that shows it: never an exception, whatever it
    is. What reads as JSON afterwards is equal to it, type by type."""
    return _to_jsonable(value, 0, iter(range(MOST_INSIDE)))


def _to_jsonable(value: Any, depth: int, left: Iterator[int]) -> Any:
    kind = type(value)
    if kind is str:
        return value if value.isascii() else to_text(value)
    if value is None or kind is bool:
        return value
    if issubclass(kind, int) and -LARGEST_INTEGER <= (whole := int.__int__(value)) <= LARGEST_INTEGER:
        return whole
    if issubclass(kind, float) and math.isfinite(number := float.__float__(value)):
        return number
    if depth < DEEPEST and next(left, None) is not None:
        # Their own methods may do anything: only those of list, tuple and dict are asked.
        if issubclass(kind, list):
            return [_to_jsonable(item, depth + 1, left) for item in list.__iter__(value)]
        if issubclass(kind, tuple):
            return [_to_jsonable(item, depth + 1, left) for item in tuple.__iter__(value)]
        if issubclass(kind, dict):
            return {to_text(key): _to_jsonable(item, depth + 1, left) for key, item in dict.items(value)}
        if issubclass(kind, Struct):
            return _to_jsonable(asdict(value), depth + 1, left)
    return to_text(value)


def to_text(value: Any) -> str:
    """A value as text: itself where it is text, else the start of its representation."""
    if type(value) is str and value.isascii():
        return value
    try:
        is_text = issubclass(type(value), str)
        text = str.__str__(value) if is_text else ADDRESS.sub("", str.__str__(repr(value)))[:LONGEST_SHOWN]
    except Exception:
        return f"<{type(value).__name__}>"
    return str.encode(text, "utf-8", "backslashreplace").decode("utf-8")
