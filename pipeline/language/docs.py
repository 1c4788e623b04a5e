"""The vocabulary part of docs/language.md, written from the data: python -m pipeline.language.docs."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.language.grammar import ELSEWHERE, EXCEPT, HARD, HYPOTHETICAL, IGNORED, NEGATION, REQUEST, SOFT, UNITS
from pipeline.language.vocabulary import Phrases
from pipeline.language.vocabulary.feasible import CLEAR, COST, POSITIVE, PROPOSAL
from pipeline.language.vocabulary.infeasible import EFFORT, EVENT, NEGATIVE, OCCUPIED
from pipeline.rules import ENGLISH

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
START, END = "<!-- vocabulary: made by python -m pipeline.language.docs -->\n", "<!-- end of vocabulary -->\n"

EXAMPLES = {
    "occupied": "Slot 4 has an errand that I would have to move",
    "negative": "I can't do slot 5",
    "positive": "Agent 3 and I are available at slot 1",
    "cost": "Slot 6 is low cost for me",
    "proposal": "Let's go with slot 5",
}
SHOWN: dict[str, Phrases] = {
    "occupied": OCCUPIED,
    "negative": NEGATIVE,
    "positive": POSITIVE,
    "cost": COST,
    "proposal": PROPOSAL,
    "making room: cost where the clause names it, else occupied": EFFORT,
    "events, which occupy a slot": EVENT,
    "turned round: an errand denied, a conflict denied": CLEAR,
    "negations, which turn the class after them": NEGATION,
    "read over": IGNORED,
    "conditions and guesses": HYPOTHETICAL,
    "requests": REQUEST,
    "the rest of the calendar": ELSEWHERE,
    "exceptions": EXCEPT,
    "clause ends": HARD,
    "part ends": SOFT,
    "units: numbers before these are no slots": (UNITS,),
}


def vocabulary() -> str:
    """The classes with their evidence and strength, and every phrase of the vocabulary."""
    return START + "\n".join([*_table(), *_phrases()]) + "\n" + END


def _table() -> Iterator[str]:
    ends = {0.0: "ε", 1.0: "1 − ε"}
    yield "| class | source | evidence | strength | example |"
    yield "| --- | --- | --- | --- | --- |"
    for said, (evidence, strength) in ENGLISH.items():
        yield f"| {said} | `language_{said}` | {ends.get(evidence, evidence)} | {strength:.2f} | {EXAMPLES[said]} |"
    yield ""


def _phrases() -> Iterator[str]:
    for title, phrases in SHOWN.items():
        yield f"**{title}**\n\n```text"
        yield from phrases
        yield "```\n"


def updated(page: str) -> str:
    """The page with its vocabulary part as the data has it."""
    before, rest = page.split(START)
    return before + vocabulary() + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text("utf-8")), "utf-8")
