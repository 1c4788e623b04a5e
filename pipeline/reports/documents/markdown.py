"""Markdown tables, and the marks between which a built part of a document stands."""

import re
from collections.abc import Iterable, Mapping, Sequence

from pipeline.paper.compare import round_half_up

PART = re.compile(r"(<!-- built: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill_parts(text: str, parts: Mapping[str, str]) -> str:
    """The text with every built part replaced. parts: name → text. Raises KeyError for a mark of another name."""
    return PART.sub(lambda match: f"{match[1]}{parts[match[2]]}\n{match[3]}", text)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> str:
    """A Markdown table; the columns whose titles are in `right` are aligned to the right."""
    rule = ["---:" if title in right else "---" for title in head]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def figure(value: float | None, decimals: int) -> str:
    """The value rounded half up, with this number of decimals; no text for no value."""
    return "" if value is None else round_half_up(value, decimals)


def link(text: str, address: str) -> str:
    """A link with its text."""
    return f"[{text}]({address})"
