"""Messages about other people's files, as lines that cannot control the terminal."""

from machine.terminal import escaped
from pipeline.traces.limits import LINE_CHARS


def printable(text: str) -> str:
    """The text as part of one line: cut to LINE_CHARS, control characters escaped."""
    return escaped(text if len(text) <= LINE_CHARS else f"{text[:LINE_CHARS]}…")


def rejection_line(path: str, reason: str, place: str) -> str:
    """A rejected trace in one line: which, why, where, and what to do about it."""
    problem = printable(f"{reason}{place and ' at '}{place}")
    return f"rejected {printable(path)}: {problem}. {_advice(reason)}"


def _advice(reason: str) -> str:
    if "compression" in reason or "opened" in reason:
        return "Copy or fetch the file again."
    if "read already" in reason:
        return "Name each trace once."
    if "cannot be derived" in reason:
        return "That is a fault of the pipeline: please report it."
    return "Run the game again, or leave the file out."
