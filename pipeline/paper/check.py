"""One statement of the paper beside what its other figures imply."""

from dataclasses import dataclass
from typing import Any

CONTRADICTS, NOT_SHOWN, AGREES = VERDICTS = ("contradicts", "not shown", "agrees")


@dataclass(frozen=True)
class Check:
    """A statement of the paper (`says`, at `where`), what `follows` elsewhere, the values computed, and the verdict."""

    name: str
    says: str
    where: str
    follows: str
    computed: dict[str, Any]
    verdict: str


def agrees(fits: bool) -> str:
    """The verdict on a statement that its other figures either allow or exclude."""
    return AGREES if fits else CONTRADICTS
