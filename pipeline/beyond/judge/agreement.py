"""Where the parser and the judge agree, by class: of which units each of them makes which claims.

A unit is an agent's slot in a message: one of which either reader claims something, or, of the sender, one whose
number the parser's slot finder sees and of which neither claims anything. Slots outside the calendar are none.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pipeline.beyond.judge.questions import Asked, Question
from pipeline.privacy.language.atoms import atoms
from pipeline.privacy.language.messages import TWO, language_claims
from pipeline.privacy.language.scan import fold, numbers_of, sentences
from pipeline.privacy.language.slots import NUMBER
from pipeline.privacy.rules import Claim, RuleSet

POOLED, ANY = "pooled", "any"
NOTHING: frozenset[str] = frozenset()

Cells = NDArray[np.int64]


def rows_of(rules: RuleSet) -> list[str]:
    """What agreement is counted of: each class; `pooled`, all classes together; `any`, whether anything is claimed."""
    return [*rules.language, POOLED, ANY]


def by_game(asked: Iterable[Asked], read: Mapping[Question, Sequence[Claim]], rules: RuleSet) -> Cells:
    """(games × rows_of × 4) counts of units: both, parser only, judge only, neither; games in the order of `asked`.

    Messages without a reading are left out, and games without any that was read.
    """
    counted: dict[Question, Cells] = {}
    sums: dict[str, Cells] = {}
    for game, _, question in asked:
        if question not in read:
            continue
        if question not in counted:
            counted[question] = count(question, read[question], rules)
        sums[game] = sums[game] + counted[question] if game in sums else counted[question]
    return np.stack(list(sums.values())) if sums else np.zeros((0, len(rows_of(rules)), 4), dtype=np.int64)


def count(question: Question, judged: Sequence[Claim], rules: RuleSet) -> Cells:
    """(rows_of × 4) counts of a message's units."""
    parsed = language_claims(question.message, question.sender, rules)
    first, second = classes(parsed, question.slots), classes(judged, question.slots)
    claimed = {slot for _, slot in first.keys() | second.keys()}
    silent = {(question.sender, slot) for slot in mentioned(question.message, question.slots) if slot not in claimed}
    sources = [source for source, _, _ in rules.language.values()]
    cells = np.zeros((len(rows_of(rules)), 4), dtype=np.int64)
    for unit in first.keys() | second.keys() | silent:
        one, other = first.get(unit, NOTHING), second.get(unit, NOTHING)
        for row, source in enumerate(sources):
            cells[row, cell(source in one, source in other)] += 1
        cells[-1, cell(bool(one), bool(other))] += 1
    cells[-2] = cells[: len(sources)].sum(axis=0)
    return cells


def cell(first: bool, second: bool) -> int:
    """Where a unit counts: both, first only, second only, neither."""
    return 3 - 2 * first - second


def classes(claims: Sequence[Claim], slots: int) -> dict[tuple[int, int], set[str]]:
    """(target, slot) → the sources of its claims, for slots of the calendar."""
    found: dict[tuple[int, int], set[str]] = {}
    for target, slot, source, *_ in claims:
        if slot is not None and slot < slots:
            found.setdefault((target, slot), set()).add(source)
    return found


def mentioned(message: str, slots: int) -> set[int]:
    """The calendar's slots that a message mentions, whether or not it claims anything of them."""
    found: set[int] = set()
    for start, text, _, _ in sentences(fold(message)):
        numbers = numbers_of(message[start : start + len(text)])
        for first, last in places(TWO.sub("0", text)) if numbers else ():
            low = int(numbers[first])
            high = low if last is None else int(numbers[last])
            found.update(range(low, min(high, slots - 1) + 1) if low <= high else {low, high})
    return {slot for slot in found if slot < slots}


@lru_cache(maxsize=65536)
def places(text: str) -> tuple[tuple[int, int | None], ...]:
    """The slots and ranges in a folded sentence, by which of its numbers they are."""
    ranks = {found.start(): rank for rank, found in enumerate(NUMBER.finditer(text))}
    return tuple(
        (ranks[slot.start], ranks[slot.to_start] if slot.to_start >= 0 else None)
        for atom in atoms(text)
        for slot in (*atom.slots, *atom.aside)
    )
