"""The judge's readings as tables: what it claims, where it agrees with the parser, and what could not be used."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.beyond.judge.agreement import by_game, rows_of
from pipeline.beyond.judge.model import Judge
from pipeline.beyond.judge.questions import Asked, Question
from pipeline.beyond.judge.replies import Reading
from pipeline.privacy.rules import RuleSet
from pipeline.statistics.proportions import agreement
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import to_frame, write_table
from pipeline.tables.schemas.judge import JUDGE_AGREEMENT, JUDGE_EVIDENCE, JUDGE_REJECTED, JUDGE_TABLES
from pipeline.tables.shards import publish, scratch_in

RESAMPLING = Resampling(seed="judge agreement")
REPLY_CHARS = 200
WHOLE_REPLY = -1

Row = tuple[Any, ...]
Frames = dict[str, pl.DataFrame]


def judge_frames(asked: Sequence[Asked], readings: Mapping[Question, Reading], judge: Judge, rules: RuleSet) -> Frames:
    """The three tables by name. Every message in `asked` has a reading."""
    return {
        JUDGE_EVIDENCE.name: to_frame(JUDGE_EVIDENCE, list(evidence_rows(asked, readings, judge))),
        JUDGE_AGREEMENT.name: to_frame(JUDGE_AGREEMENT, list(agreement_rows(asked, readings, judge, rules))),
        JUDGE_REJECTED.name: to_frame(JUDGE_REJECTED, list(rejected_rows(asked, readings, judge))),
    }


def evidence_rows(asked: Sequence[Asked], readings: Mapping[Question, Reading], judge: Judge) -> Iterator[Row]:
    """A row per claim of a message."""
    for game, event, question in asked:
        for place, claim in enumerate(readings[question].claims):
            yield game, event, *claim, place, judge.name


def rejected_rows(asked: Sequence[Asked], readings: Mapping[Question, Reading], judge: Judge) -> Iterator[Row]:
    """A row per refused reply or claim of a message."""
    for game, event, question in asked:
        reading = readings[question]
        for refused in reading.refused:
            place = WHOLE_REPLY if refused.place is None else refused.place
            yield game, event, place, refused.reason, reading.reply[:REPLY_CHARS], judge.name


def agreement_rows(
    asked: Sequence[Asked], readings: Mapping[Question, Reading], judge: Judge, rules: RuleSet
) -> Iterator[Row]:
    """A row per class, over the messages whose reply could be read."""
    read = {question: reading.claims for question, reading in readings.items() if reading.whole}
    counts = by_game(asked, read, rules)
    messages = sum(each.question in read for each in asked)
    prompt = judge.prompt
    told = (judge.name, judge.simulated, f"{prompt.name}.v{prompt.version}", prompt.sha256)
    for row, name in enumerate(rows_of(rules)):
        found = agreement(counts[:, row], RESAMPLING)
        cells = (found.both, found.first_only, found.second_only, found.neither)
        yield name, sum(cells), *cells, found.observed, found.kappa, found.low, found.high, messages, len(counts), *told


def write_frames(frames: Frames, out: Path) -> None:
    """Write the tables as Parquet and CSV, all of them or none."""
    with scratch_in(out) as scratch:
        finished = scratch / "finished"
        for table in JUDGE_TABLES:
            write_table(frames[table.name], table, finished)
        publish(finished, out)
