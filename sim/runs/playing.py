"""Playing the games of a run, and saying what became of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sim.runs.options import INTERRUPTED, RunOptions, fail, is_pack, say, worker_count
from sim.runs.progress import counting, failure_log, progress, so_far, telling

if TYPE_CHECKING:
    from sim.models.cache import Cache
    from sim.models.money import Ledger, Reserve
    from sim.runs.runner import Outcomes
    from sim.runs.standing import Job

STOPPED = 4
# The command, as its manifest names it.
RUN = "run"


def missing(o: RunOptions, jobs: Sequence[Job]) -> list[Job]:
    """The games that are left to play. Raises InTheWay where to play them, and not only to estimate that, would replace
    what nobody asked to replace."""
    from sim.runs.standing import check_pack, left_to_play

    may_replace = o.overwrite or o.dry_run
    if not is_pack(o.out):
        return left_to_play(jobs, o.out, o.resume, may_replace)
    if not may_replace:
        check_pack(jobs, o.out)
    return list(jobs)


def at_hand(o: RunOptions, jobs: Sequence[Job]) -> list[Job]:
    """The jobs, each where its game is in a folder already, whichever run wrote it."""
    from sim.runs.standing import where_they_are

    return list(jobs) if is_pack(o.out) else where_they_are(jobs, o.out)


def check_only(o: RunOptions, jobs: Sequence[Job]) -> None:
    """Ask each model its first question once, and say what came of it; exit code 4 where one gave no answer."""
    from sim.models.checks import check_models
    from sim.runs.check import check, first_questions, keep, lines, request_text

    questions, folder, failed = first_questions(jobs), checks_folder(o), False
    if not questions:
        say("nothing to check: no team has a language model")
    check_models(p for p, _ in questions)
    for p, ask in questions:
        say(f"{p.model} is asked:")
        typer.echo(request_text(p, ask))
        result = check(p, ask)
        for line in lines(result):
            say(line)
        failed = failed or result.problem is not None
        if folder is not None and result.problem is None:
            keep(folder, p, result)
    if failed:
        raise typer.Exit(STOPPED)


def checks_folder(o: RunOptions) -> Path | None:
    """Where checks of models are kept, beside the answers."""
    folder = cache_of(o)
    return folder.folder / "checks" if folder else None


def estimate_only(o: RunOptions, jobs: Sequence[Job]) -> None:
    """Say what the games that are left would take."""
    from sim.runs.estimate import estimate, lines
    from sim.runs.play import is_waiting

    jobs = at_hand(o, jobs)
    left = missing(o, jobs)
    later = [job for job in left if is_waiting(job.play)]
    say(f"{len(left)} games to play, {len(later)} of them with language models")
    for line in lines(estimate(later, checks_folder(o))) if later else ["nothing to pay: no team has a language model"]:
        say(line)


def play_all_of(o: RunOptions, jobs: Sequence[Job]) -> None:
    """Play the games that are left, and say what became of them."""
    from sim.runs.play import is_waiting
    from sim.runs.runner import Outcomes

    jobs = at_hand(o, jobs)
    left = missing(o, jobs)
    later = [job for job in left if is_waiting(job.play)]
    ledger, outcomes = provider_ledger(o, later) if later else None, Outcomes()
    unlist_traces(o.out, jobs, left)
    play_now([job for job in left if not is_waiting(job.play)], o, outcomes)
    if ledger is not None:
        play_later(later, o, ledger, outcomes)
    list_traces(o.out, jobs, left)
    kept = f", {len(jobs) - len(left)} were there already" if o.resume else ""
    say(f"{outcomes.ended} games played{kept}; traces in {o.out}")
    report(outcomes, ledger, o)


def unlist_traces(out: Path | str, jobs: Sequence[Job], left: Sequence[Job]) -> None:
    """Take off the list of traces, before any is replaced, those that are left to play, as a run that is killed lists
    nothing; and those that are gone where their game lies beside them under another name."""
    from machine.manifests import any_manifest, manifest_path
    from machine.output import write_manifest
    from sim.runs.standing import other_paths

    if is_pack(out) or not isinstance(out, Path):
        return
    played, listed = {job.path for job in left}, any_manifest(manifest_path(out, RUN)).files
    others = [(job.path, other) for job in jobs if job.path not in played for other in other_paths(job, out)]
    renamed = {other for path, other in others if Path(other).parent == Path(path).parent and not Path(other).is_file()}
    kept = {name: digest for name, digest in listed.items() if out / name not in played | renamed}
    if kept and kept != listed:
        write_manifest(out, RUN, [], {}, kept)
    elif listed and not kept:
        manifest_path(out, RUN).unlink()


def list_traces(out: Path | str, jobs: Sequence[Job], left: Sequence[Job]) -> None:
    """Write, last, which traces the runs into the folder wrote, if any. Of those that were kept, and of other runs, it
    says what it said before; a pack is one file, and appears whole."""
    from machine.manifests import any_manifest, manifest_path
    from machine.output import write_manifest

    if is_pack(out) or not isinstance(out, Path) or not out.is_dir():
        return
    kept = any_manifest(manifest_path(out, RUN)).files
    played = {job.path for job in left}
    paths = {job.path for job in jobs if isinstance(job.path, Path)}
    new = [p for p in paths if p.is_file() and (p in played or p.relative_to(out).as_posix() not in kept)]
    if new or kept:
        write_manifest(out, RUN, new, {}, kept)


def provider_ledger(o: RunOptions, later: Sequence[Job]) -> Ledger:
    """The run's account, after checking that the models can be asked and the budget kept, before any game begins."""
    from sim.models.checks import check_models
    from sim.models.library import litellm
    from sim.models.money import Ledger
    from sim.models.prices import check_prices
    from sim.models.spans import tracer
    from sim.runs.runner import models_of

    if later and is_pack(o.out):
        fail(f"{o.out}: answers that are paid for must not wait for a whole pack; name a folder")
    models = models_of(later)
    if o.offline and o.no_cache:
        fail("--offline takes answers from the cache, and --no-cache has none; leave out one of them")
    tracer()
    if not o.offline:
        check_models(models)
    if models and o.max_cost is not None and not o.allow_unknown_prices:
        check_prices(models, litellm())
    return Ledger(o.max_cost)


def play_now(jobs: Sequence[Job], o: RunOptions, outcomes: Outcomes) -> None:
    """Play the games whose agents answer at once, on all cores; when interrupted, count those that are there."""
    from machine.cores import map_ordered
    from machine.output import write_atomically
    from sim.runs.runner import play_all, play_packed

    workers, done, before = o.cluster or worker_count(o.workers), 0, there(jobs)
    try:
        if is_pack(o.out):
            frames = map_ordered(play_packed, [job.play for job in jobs], workers)
            write_atomically(o.out, progress(frames, "playing", len(jobs)))
        else:
            with closing(play_all(jobs, workers)) as played:
                for more in progress(played, "playing", len(jobs)):
                    done += more
        outcomes.ended += len(jobs)
    except KeyboardInterrupt:
        outcomes.ended += max(done, there(jobs) - before)
        outcomes.interrupted(len(jobs) - outcomes.ended)


def there(jobs: Sequence[Job]) -> int:
    """How many of the jobs' files are in a folder of this machine."""
    return sum(isinstance(job.path, Path) and job.path.exists() for job in jobs)


def play_later(jobs: Sequence[Job], o: RunOptions, ledger: Ledger, outcomes: Outcomes) -> None:
    """Play the games with a provider, none of them after an interruption."""
    import asyncio

    if outcomes.causes[INTERRUPTED]:
        outcomes.interrupted(len(jobs))
        return
    before, reserve = outcomes.accounted_for, reserve_for(o, jobs, ledger)
    try:
        from sim.models.provider import Provider
        from sim.runs.runner import models_of, play_waiting

        check_room(o.out)
        models, cache = list(models_of(jobs)), cache_of(o)
        if cache and not o.offline and any(map(cache.keeps, models)):
            cache.check_writable("name another folder with --cache, or keep none with --no-cache")

        async def play() -> None:
            provider = Provider(models, ledger, cache, failure_log(o.out), o.offline)
            async with telling(lambda: so_far(outcomes, ledger, outcomes.accounted_for - before, len(jobs))):
                await play_waiting(jobs, provider, reserve, o.concurrency, outcomes, count)

        with counting("playing", len(jobs)) as count:
            asyncio.run(play())
    except KeyboardInterrupt:
        outcomes.interrupted(len(jobs) - (outcomes.accounted_for - before))


def check_room(out: Path | str) -> None:
    """Raise Unwritable where the folder of traces takes none: a game would be paid for and lost."""
    from machine.output import check_room
    from sim.models.cache import Unwritable

    try:
        if isinstance(out, Path):
            check_room(out)
    except OSError as error:
        raise Unwritable(f"no trace can be written in {out} ({error.strerror}): make room, or name another") from None


def reserve_for(o: RunOptions, jobs: Sequence[Job], ledger: Ledger) -> Reserve:
    """The run's budget with what a game of each team would cost by estimate; where nothing limits it, with none."""
    from sim.models.money import Reserve
    from sim.runs.estimate import estimate

    one_each = {job.play.team.team: job for job in jobs} if ledger.max_cost is not None else {}
    checks = checks_folder(o)
    usd = {team: sum(row.usd or 0.0 for row in estimate([job], checks)) for team, job in one_each.items()}
    return Reserve(ledger, usd)


def cache_of(o: RunOptions) -> Cache | None:
    """Where answers are kept: in the folder that was named, else in the user's own, what providers charge for."""
    from sim.models.cache import Cache, users_folder

    if o.no_cache:
        return None
    return Cache(o.cache) if o.cache else Cache(users_folder(), paid_only=True)


def report(outcomes: Outcomes, ledger: Ledger | None, o: RunOptions) -> None:
    """What the models took, and which games did not end and why; exit code 4 where there are any."""
    for model, tally in sorted(ledger.tallies.items()) if ledger else ():
        say(f"{model}: {tally.text}")
    if not outcomes.causes:
        return
    say(f"{outcomes.stopped} games stopped, {outcomes.not_begun} not begun or lost:", sys.stderr)
    say("games  cause", sys.stderr)
    for cause, number in outcomes.causes.most_common():
        say(f"{number:>5}  {cause}", sys.stderr)
    if outcomes.not_written:
        say(f"{outcomes.not_written} of them left no trace: the one that was there had come further", sys.stderr)
    again = "run the same command again" if is_pack(o.out) else "run the same command with --resume"
    say(f"{again} to play them", sys.stderr)
    raise typer.Exit(STOPPED)
