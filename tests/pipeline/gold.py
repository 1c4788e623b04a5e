"""Messages with the claims that a careful reader finds in them."""

from pathlib import Path
from typing import NamedTuple

import yaml

from pipeline.privacy.rules import Claim

# The C library reads thousands of lines in a tenth of the time.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

FOLDER = Path(__file__).parents[2] / "data" / "gold"


class Row(NamedTuple):
    """A claim: of whom, which slot, of what class, and where the message says so."""

    target: int
    slot: int
    said: str
    clause: str


class Example(NamedTuple):
    """A message, who sent it, and its claims."""

    sender: int
    message: str
    rows: frozenset[Row]


def gold(name: str) -> list[Example]:
    """The examples of a gold set, in its order."""
    with open(FOLDER / f"{name}.yaml", encoding="utf-8") as file:
        return [Example(each["sender"], each["message"], _rows(each["rows"])) for each in yaml.load(file, LOADER)]


def _rows(written: list[str]) -> frozenset[Row]:
    """ "3 1,5 positive | Agent 3 is free at 1 and 5" is two rows. The clause may be left out."""
    rows = set()
    for text in written:
        claim, _, clause = text.partition(" | ")
        target, slots, said = claim.split()
        rows |= {Row(int(target), int(slot), said, clause) for slot in slots.split(",")}
    return frozenset(rows)


def found(claims: list[Claim]) -> frozenset[Row]:
    """The parser's claims as rows."""
    return frozenset(
        Row(target, slot or 0, source.removeprefix("language_"), clause or "")
        for target, slot, source, _, _, clause, _, _ in claims
    )
