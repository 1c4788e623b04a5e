"""The command `python -m pipeline judge`: price it, ask, and set the judge's reading beside the parser's."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from machine.manifests import held_origins
from machine.output import check_free
from machine.terminal import escaped
from pipeline.privacy import rules

if TYPE_CHECKING:
    from pipeline.beyond.judge.agreement import Frames
    from pipeline.beyond.judge.model import Answered, Answers, Judge
    from pipeline.beyond.judge.replies import Asked

# The judge is held against the study's reading of English.
RULES = rules.RULES["paper"]

ALL_USED, NOT_WRITTEN, BAD_USAGE, SOME_REJECTED, STOPPED = 0, 1, 2, 3, 4

EXAMPLES = """
Examples:

  calbench serve --style judge --port 8123

  calbench judge data/tables --model openai/simulated-judge --api-base http://127.0.0.1:8123/v1 --out judged

  calbench judge tables --model data/teams/gpt-5.4-mini.yaml --out judged --sample 1000 --dry-run

Exit code: 0 when all of every reply could be used, 3 when some could not (judge_rejected.csv says what and why), 2 for
bad usage, 1 when a file could not be read or written, 4 when it stopped before its end: after both the same command
goes on from the answers that are kept.
"""


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """What the command was asked for; `judge` documents each."""

    tables: Path
    model: str
    out: Path
    api_base: str | None
    api_key_env: str | None
    sample: int | None
    seed: str
    cache: Path | None
    dry_run: bool
    max_cost: float | None
    allow_unknown_prices: bool


def judge(
    tables: Annotated[Path, typer.Argument(help="Folder of tables, derived before.")],
    model: Annotated[str, typer.Option(help="LiteLLM's name of a model, or a team's YAML with its parameters.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the judge's tables.")],
    api_base: Annotated[str | None, typer.Option(metavar="URL", help="Another address than the provider's.")] = None,
    api_key_env: Annotated[str | None, typer.Option(metavar="NAME", help="The variable that holds the key.")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Only so many messages.", show_default="all")] = None,
    seed: Annotated[str, typer.Option(help="The name that a sample is drawn by.")] = "judge sample",
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where answers are kept.", show_default="answers in DIR")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would take.")] = False,
    max_cost: Annotated[
        float | None,
        typer.Option(metavar="USD", min=0, help="Stop before it costs more; nothing begins if the estimate is above."),
    ] = None,
    allow_unknown_prices: Annotated[
        bool, typer.Option("--allow-unknown-prices", help="Let --max-cost pass a model without known prices.")
    ] = False,
) -> None:
    """Let a language model read the English messages of TABLES, and say how far it agrees with the parser."""
    carry_out(JudgeOptions(**locals()))


def carry_out(o: JudgeOptions) -> None:
    """Price the questions, ask those that are open, write the tables, and say how far the two readers agree."""
    from pipeline.beyond.judge.agreement import JUDGE_FILES, JUDGED
    from pipeline.beyond.judge.model import Answers, Unfinished, load_judge
    from pipeline.beyond.judge.replies import read_messages

    folder = o.cache or o.out / "answers"
    try:
        check_free(o.out, JUDGED, JUDGE_FILES)
        answers = Answers(load_judge(o.model, o.api_base, o.api_key_env), folder, o.max_cost)
        with held_origins({"tables": sorted(o.tables.glob("*.parquet"))}) as origins:
            asked = read_messages(o.tables, o.sample, o.seed)
    except (ValueError, FileNotFoundError, FileExistsError) as error:
        fail(error)
    if not asked:
        fail(f"no English message in {o.tables}: a protocol's JSON is never judged")
    try:
        replies = all_answers(asked, answers, o)
        code = ALL_USED if replies is None else publish(asked, replies, answers.judge, o.out, origins)
    except ValueError as error:
        fail(error)
    except OSError as error:
        fail(f"{error}; once that is mended, the same command goes on from the answers in {folder}", NOT_WRITTEN)
    except (Unfinished, KeyboardInterrupt) as stopped:
        say(f"stopped: {str(stopped) or 'interrupted'}; no table was written")
        if folder.is_dir():
            say(f"the answers so far are kept in {folder}: the same command goes on from them")
        raise typer.Exit(STOPPED) from None
    raise typer.Exit(code)


def all_answers(asked: Sequence[Asked], answers: Answers, o: JudgeOptions) -> Answered | None:
    """The answer to every question, once it is said what those that are not kept will take; None for a dry run.

    Ends with a message where they would cost more than they may. Raises ValueError where they can't be asked or kept.
    """
    from machine.output import no_empty_folders
    from machine.terminal import progress_bar
    from pipeline.beyond.judge.model import estimate
    from pipeline.privacy.language.messages import language_claims

    questions = list(dict.fromkeys(each.question for each in asked))
    kept = answers.kept(questions)
    left = [q for q in questions if q not in kept]
    say(f"{len(asked)} messages, {len(questions)} of them different, {len(kept)} answered already")
    if not left:
        return None if o.dry_run else dict(kept)
    expected = estimate(answers.judge, [(q, language_claims(q.message, q.sender, RULES)) for q in left])
    say(expected.text)
    if o.dry_run:
        return None
    answers.check(unpriced=o.allow_unknown_prices)
    if o.max_cost is not None and (expected.usd or 0) > o.max_cost:
        fail(f"that is more than --max-cost {o.max_cost:.2f}: allow more, or read fewer messages with --sample")
    # What is asked before it is known that an answer can be kept is paid for, and lost.
    with no_empty_folders([answers.store.folder]):
        answers.store.check_writable(f"name another folder with {'--cache' if o.cache else '--out'}")
        try:
            with progress_bar("asking the judge") as show:
                return kept | answers.ask(left, show)
        finally:
            say(answers.took)


def publish(asked: Sequence[Asked], answers: Answered, judge: Judge, out: Path, made_from: Mapping[str, str]) -> int:
    """Write the tables, print how far the two readers agree, and return the exit code."""
    from pipeline.beyond.judge.agreement import judge_frames, write_frames
    from pipeline.beyond.judge.model import read_answer

    readings = {question: read_answer(answer, question, RULES) for question, answer in answers.items()}
    frames = judge_frames(asked, readings, judge, RULES)
    write_frames(frames, out, made_from)
    for line in report(frames, judge):
        print(escaped(line))
    say(f"tables in {out}")
    return SOME_REJECTED if len(frames["judge_rejected"]) else ALL_USED


def report(frames: Frames, judge: Judge) -> Iterator[str]:
    """Agreement by class, a line each, and how much could not be used."""
    from pipeline.beyond.judge.agreement import WHOLE_REPLY
    from pipeline.beyond.judge.replies import UNLOCATED

    agreement, rejected = frames["judge_agreement"], frames["judge_rejected"]
    mark = " (simulated: this proves the path and says nothing about any model)" if judge.simulated else ""
    yield f"parser and {judge.name}{mark}, {agreement['messages'][0]} messages of {agreement['games'][0]} games"
    yield f"{'class':<9}{'units':>8}{'both':>8}{'parser':>8}{'judge':>8}{'neither':>8}{'agree':>8}{'kappa':>8}  95 %"
    for row in agreement.iter_rows(named=True):
        counts = "".join(f"{row[n]:>8}" for n in ("n", "both", "parser_only", "judge_only", "neither"))
        shares = "".join(f"{figure(row[n]):>8}" for n in ("observed_agreement", "kappa"))
        yield f"{row['class']:<9}{counts}{shares}  {figure(row['kappa_low'])} to {figure(row['kappa_high'])}"
    whole = rejected["place"] == WHOLE_REPLY
    lost = rejected["reason"].str.starts_with(UNLOCATED)
    yield (
        f"{whole.sum()} messages unread; {len(rejected) - whole.sum()} claims dropped, {lost.sum()} of them unlocated"
    )


def figure(value: float | None) -> str:
    """A share or kappa in three decimals; a dash where there is none."""
    return "-" if value is None else f"{value:.3f}"


def say(text: str) -> None:
    """Tell how the work goes, apart from its result, in a line in which nothing controls the terminal."""
    print(escaped(text), file=sys.stderr)


def fail(problem: object, code: int = BAD_USAGE) -> NoReturn:
    """End with one line that says what is wrong."""
    say(f"error: {problem}")
    raise typer.Exit(code)
