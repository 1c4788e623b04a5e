"""EXAMPLES: every kind of file that is no good trace, and what happens to it, as docs/reliability.md tells."""

from hostile import Example
from hostile_bytes import UNREADABLE
from hostile_games import IMPOSSIBLE, TALKATIVE
from hostile_tolerated import TOLERATED
from hostile_values import MISSHAPEN

from pipeline.traces import limits

EXAMPLES = (*UNREADABLE, *MISSHAPEN, *IMPOSSIBLE, *TALKATIVE, *TOLERATED)


def outcome(example: Example) -> str:
    """What happens to an example, with the bounds that are in force."""
    if example.read:
        return f"read: {example.read}"
    place = f"line {example.line[1:]}, {example.place}" if example.line else example.place
    return f"rejected: {example.reason.format(**vars(limits))} (at {place})"


def table() -> str:
    """The examples as a Markdown table."""
    rows = [(example.what, outcome(example)) for example in EXAMPLES]
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (("Input", "What happens"), ("---", "---"), *rows)]
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


if __name__ == "__main__":
    print(table())
