"""How models' answers were read, as traces have it: strictly, repaired, refused, or empty."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from machine.terminal import escaped

READINGS = ("strict", "repaired", "refused", "empty")
# The least share of a team's answers that were refused, empty ones among them, of which a line warns.
MANY_REFUSED = 0.05
# A reading in a trace's JSON. In a text of it the quotes would stand behind a backslash.
READING = re.compile(rb'"parse":\s*"(strict|repaired|refused)((?:[^"\\]|\\.)*)"')


def answers(text: bytes) -> Counter[str]:
    """How many answers of a trace were read in each way."""
    found = READING.findall(text)
    return Counter("empty" if word == b"refused" and why.endswith(b"empty") else word.decode() for word, why in found)


def answer_lines(games: Iterable[tuple[str, Mapping[str, int]]]) -> Iterator[str]:
    """What to say of each team whose games (team, its `answers`) have any: their shares, and a warning where many were
    refused."""
    teams: dict[str, Counter[str]] = {}
    for team, read in games:
        teams.setdefault(team, Counter()).update(read)
    for team, read in sorted(teams.items()):
        if not (total := read.total()):
            continue
        shares = ", ".join(f"{read[how] / total:.1%} {how}" for how in READINGS)
        many = read["refused"] + read["empty"] > MANY_REFUSED * total
        warning = f"; warning: more than {MANY_REFUSED:.0%} were refused" if many else ""
        yield escaped(f"{team}: of {total} answers {shares}{warning}")
