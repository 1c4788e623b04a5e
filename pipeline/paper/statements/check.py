"""What a check of a statement of the paper gives."""

from dataclasses import dataclass
from typing import Any

CONTRADICTS, NOT_SHOWN, AGREES = VERDICTS = ("contradicts", "not shown", "agrees")


@dataclass(frozen=True)
class Check:
    """A statement of the paper, checked: what it `says` and `where`, what `follows` from figures printed elsewhere, the
    values computed from them, and the verdict, one of VERDICTS.
    """

    name: str
    says: str
    where: str
    follows: str
    computed: dict[str, Any]
    verdict: str


def agrees(fits: bool) -> str:
    """The verdict on a statement that other figures either allow (`fits`) or exclude."""
    return AGREES if fits else CONTRADICTS
