"""Any value as JSON can hold it."""

from __future__ import annotations

import math
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

DEEPEST = 60
LARGEST_INTEGER = 2**63 - 1


def plain(value: Any, depth: int = 0) -> Any:
    """The value with what JSON can't hold replaced by text that shows it: never an exception, whatever it is."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, int) and abs(value) <= LARGEST_INTEGER:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if depth < DEEPEST and isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    if depth < DEEPEST and isinstance(value, dict):
        return {shown(key): plain(item, depth + 1) for key, item in value.items()}
    if depth < DEEPEST and isinstance(value, Struct):
        return plain(asdict(value), depth + 1)
    return shown(value)


def shown(value: Any) -> str:
    """A value as text: itself where it is text, else the start of its representation."""
    try:
        text = value if isinstance(value, str) else repr(value)[:200]
    except Exception:
        return f"<{type(value).__name__}>"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
