"""How large a trace may be, every bound in one place, and how what is read of it is shown on a terminal."""

import sys
from collections.abc import Sequence

from machine.terminal import escaped

# Bytes after decompression.
FILE_BYTES = 1 << 30
TRACE_BYTES = 1 << 28
SAMPLE_BYTES = 1 << 26  # of a log of Inspect: its trace, and its conversation in other forms

# Of a pack: lines, and rejected lines. What follows is not read.
LINES = 1_000_000
BAD_LINES = 1_000

# Decompressed bytes that a worker reads before it writes their rows to the disk.
BATCH_BYTES = 1 << 28

# CPU seconds that a trace may take to be read, again to be derived, and to be audited.
CPU_SECONDS = 120
# More than most games take to be derived: a batch that takes as much longer is tried game by game.
USUAL_CPU_SECONDS = 0.1

# Of a game.
SLOTS = 10_000
AGENTS = 1_000
CELLS = 5_000_000  # slots of all calendars that are kept
MESSAGE_CHARS = 1_000_000
DELIVERED_CHARS = 16_000_000  # characters of all messages, times their recipients
DELIVERED_CLAIMS = 1_000_000  # of all messages, times their recipients; games of larger worlds have under 100,000

# Of values: names that are repeated in every row, counts and costs, and whole numbers that a table can hold.
NAME_CHARS = 200
MAX_NUMBER = 1_000_000_000
MIN_INT64, MAX_INT64 = -(1 << 63), (1 << 63) - 1

# Of a rejection's reason: in the table, and on the terminal.
REASON_CHARS = 500
LINE_CHARS = 300
# Of rejections, on the terminal; the table has all.
MOST_PRINTED = 1_000


def printable(text: str) -> str:
    """The text as part of one line: cut to LINE_CHARS, control characters escaped."""
    return escaped(text if len(text) <= LINE_CHARS else f"{text[:LINE_CHARS]}…")


def print_rejections(rejected: Sequence[tuple[str, str, str]], more: str = "") -> None:
    """Print rejected traces on stderr, a line each, MOST_PRINTED of them. more: where the others are to be found."""
    for path, reason, place in rejected[:MOST_PRINTED]:
        print(rejection_line(path, reason, place), file=sys.stderr)
    if len(rejected) > MOST_PRINTED:
        print(f"rejected {len(rejected) - MOST_PRINTED} more{more}", file=sys.stderr)


def rejection_line(path: str, reason: str, place: str) -> str:
    """A rejected trace in one line: which, why, where, and what to do about it."""
    problem = printable(f"{reason}{place and ' at '}{place}")
    return f"rejected {printable(path)}: {problem}. {_advice(reason)}"


def _advice(reason: str) -> str:
    if "compression" in reason or "opened" in reason:
        return "Copy or fetch the file again."
    if "read already" in reason:
        return "Name each trace once."
    if "CPU seconds" in reason:
        return "Leave it out: it is made to take long, or longer than any game."
    if "cannot be derived" in reason:
        return "That is a fault of the pipeline: please report it."
    return "Fetch the file again, or leave it out."


def require_between(name: str, value: object, low: float, high: float) -> None:
    """Raise ValueError for a parameter that is no number between two, both of them included."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"params.yaml: {name} is {value!r}, not a number between {low:g} and {high:g}")
