"""The cost that an English claim puts into figures, for bits as they would be if observers believed figures."""

import re

COST = re.compile(r"\b(?:costs?|costing|price)\b", re.IGNORECASE)
# "slots 2, 4 and 6 to 9", "agent 3": numbers that are no cost.
NAMED = re.compile(
    r"\b(?:slots?|agents?|meetings?)\s*#?\d+(?:(?:\s|,|and|or|to|through|&|[-–—])+#?\d+)*", re.IGNORECASE
)
FIGURE = re.compile(r"\d{1,9}(?!\d)")


def cost_in_figures(clause: str | None) -> int | None:
    """The cost that a clause names in figures; None where it names none, or several."""
    if clause is None or not COST.search(clause):
        return None
    figures = set(FIGURE.findall(NAMED.sub(" ", clause)))
    return int(figures.pop()) if len(figures) == 1 else None
