"""How far the second reader agrees with the parser, and its tables: claims, agreement, what could not be used."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from machine.output import staged
from pipeline.beyond.judge.model import Judge
from pipeline.beyond.judge.replies import Asked, Question, Reading
from pipeline.beyond.tables import declare
from pipeline.privacy.language.atoms import atoms
from pipeline.privacy.language.messages import language_claims
from pipeline.privacy.language.ranges import NUMBER
from pipeline.privacy.language.scan import TWO, fold, numbers_of, sentences
from pipeline.privacy.rules import Claim, RuleSet
from pipeline.statistics.proportions import agreement
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import to_frame, write_table

TABLES = declare(
    """
    judge_evidence (game_id, event_index, claim_index): one claim that the judge found in a message, whoever receives it
    game_id: str the game, a UUID
    event_index: int the event's place in the trace, from 0
    target_agent: int the agent that the belief is about
    slot: int the slot, within the calendar
    source: str the language rule
    evidence: float e in [0, 1], by the parser's rules: 1 feasible, 0 not
    strength: float s in [0, 1] of b ← (1 − s)·b + s·e, by the parser's rules
    matched_clause: str the words it rests on: content[span_start:span_end]
    span_start: int [characters] where the words that show it start in the message
    span_end: int [characters] where they end
    claim_index: int the claim's place among those of its message, from 0
    judge: str the model that read; simulated-… is none

    judge_agreement (class): one class of claims; pooled is all classes together, any is whether anything is claimed
    class: str occupied, negative, positive, cost, proposal, pooled or any
    n: int units: a target's slot in a message (docs/language.md); of pooled, units times classes
    both: int units of which parser and judge make such a claim
    parser_only: int units of which the parser alone does
    judge_only: int units of which the judge alone does
    neither: int units of which neither does
    observed_agreement: float (both + neither) / n
    kappa: float Cohen's kappa; empty where both say the same of every unit, or nothing
    kappa_low: float lower end of its 95 % interval over games; empty below two games
    kappa_high: float upper end
    messages: int messages whose reply could be read
    games: int games with such a message
    judge
    simulated: bool whether the judge is simulated: then the figures prove the path and nothing else
    prompt: str name and version of the judge's prompt
    prompt_sha256: str SHA-256 of its text

    judge_rejected (game_id, event_index, place): one thing in the judge's reply to a message that could not be used
    game_id, event_index
    place: int the claim's place in the reply, from 0; -1 for the whole reply: it counts as unread
    reason: str what is wrong; `unlocated` begins that of a quote that the message does not hold
    reply: str how the reply begins
    judge
    """
)

# The command, as its manifest names it, and what it writes beside that.
JUDGED = "judge"
JUDGE_FILES = [f"{table.name}{ending}" for table in TABLES.values() for ending in (".csv", ".parquet")]

POOLED, ANY = "pooled", "any"
NOTHING: frozenset[str] = frozenset()

RESAMPLING = Resampling(seed="judge agreement")
REPLY_CHARS = 200
WHOLE_REPLY = -1

Row = tuple[Any, ...]
Frames = dict[str, pl.DataFrame]
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
    sources: dict[tuple[int, int], set[str]] = {}
    for target, slot, source, *_ in claims:
        if slot is not None and slot < slots:
            sources.setdefault((target, slot), set()).add(source)
    return sources


def mentioned(message: str, slots: int) -> set[int]:
    """The calendar's slots that a message mentions, whether or not it claims anything of them."""
    slots_mentioned: set[int] = set()
    for start, text, _, _ in sentences(fold(message)):
        numbers = numbers_of(message[start : start + len(text)])
        for first, last in mentions(TWO.sub("0", text)) if numbers else ():
            low = int(numbers[first])
            high = low if last is None else int(numbers[last])
            slots_mentioned.update(range(low, min(high, slots - 1) + 1) if low <= high else {low, high})
    return {slot for slot in slots_mentioned if slot < slots}


@lru_cache(maxsize=65536)
def mentions(text: str) -> tuple[tuple[int, int | None], ...]:
    """The slots (first, None) and ranges (first, last) that a folded sentence mentions, as ranks among its numbers."""
    ranks = {number.start(): rank for rank, number in enumerate(NUMBER.finditer(text))}
    return tuple(
        (ranks[slot.start], ranks[slot.to_start] if slot.to_start >= 0 else None)
        for atom in atoms(text)
        for slot in (*atom.slots, *atom.aside)
    )


def judge_frames(asked: Sequence[Asked], readings: Mapping[Question, Reading], judge: Judge, rules: RuleSet) -> Frames:
    """The three tables by name. Every message in `asked` has a reading."""
    rows = {
        "judge_evidence": evidence_rows(asked, readings, judge),
        "judge_agreement": agreement_rows(asked, readings, judge, rules),
        "judge_rejected": rejected_rows(asked, readings, judge),
    }
    return {name: to_frame(TABLES[name], list(of)) for name, of in rows.items()}


def evidence_rows(asked: Sequence[Asked], readings: Mapping[Question, Reading], judge: Judge) -> Iterator[Row]:
    """Rows of judge_evidence: one per claim of a message."""
    for game, event, question in asked:
        for place, claim in enumerate(readings[question].claims):
            yield game, event, *claim, place, judge.name


def rejected_rows(asked: Sequence[Asked], readings: Mapping[Question, Reading], judge: Judge) -> Iterator[Row]:
    """Rows of judge_rejected: one per refused reply or claim of a message."""
    for game, event, question in asked:
        reading = readings[question]
        for refused in reading.refused:
            place = WHOLE_REPLY if refused.place is None else refused.place
            yield game, event, place, refused.reason, reading.reply[:REPLY_CHARS], judge.name


def agreement_rows(
    asked: Sequence[Asked], readings: Mapping[Question, Reading], judge: Judge, rules: RuleSet
) -> Iterator[Row]:
    """Rows of judge_agreement: one per class, over the messages whose reply could be read."""
    read = {question: reading.claims for question, reading in readings.items() if reading.whole}
    counts = by_game(asked, read, rules)
    messages = sum(each.question in read for each in asked)
    prompt = judge.prompt
    columns = (judge.name, judge.simulated, f"{prompt.name}.v{prompt.version}", prompt.sha256)
    for row, name in enumerate(rows_of(rules)):
        result = agreement(counts[:, row], RESAMPLING)
        cells = (result.both, result.first_only, result.second_only, result.neither)
        agreed = (result.observed, result.kappa, result.low, result.high)
        yield name, sum(cells), *cells, *agreed, messages, len(counts), *columns


def write_frames(frames: Frames, out: Path, made_from: Mapping[str, str]) -> None:
    """Write the tables as Parquet and CSV and their manifest, all of them or none. made_from: as `held_origins` has
    it."""
    with staged(out, JUDGED, JUDGE_FILES) as work:
        work.made_from = dict(made_from)
        for name, table in TABLES.items():
            write_table(frames[name], table, work.folder)
