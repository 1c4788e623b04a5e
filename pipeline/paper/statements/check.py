"""What a check of a statement of the paper by a function gives."""

from dataclasses import dataclass
from typing import Any

CONTRADICTS, NOT_SHOWN, UNDECIDED, AGREES = VERDICTS = ("contradicts", "not shown", "undecided", "agrees")


@dataclass(frozen=True)
class Check:
    """A statement of the paper, checked: what it `says` and `where`, what `follows` from figures printed elsewhere, the
    values computed from them, and the verdict, one of VERDICTS.

    test: how; statistic and p_value: of a test that has them; n: how many of `unit` were compared. reading: how it is
    read, or what to bear in mind.
    """

    name: str
    says: str
    where: str
    follows: str
    computed: dict[str, Any]
    verdict: str
    n: int = 1
    unit: str = "comparisons"
    test: str = "figures set beside each other"
    statistic: float | None = None
    p_value: float | None = None
    reading: str = ""


def agrees(fits: bool) -> str:
    """The verdict on a statement that other figures either allow (`fits`) or exclude."""
    return AGREES if fits else CONTRADICTS
