"""Profiles of the hottest paths, and single steps timed on one core."""

import cProfile
import pstats
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import inputs
from bench.measure import cpu_seconds

if TYPE_CHECKING:
    from pipeline.traces.sources import Source

SHOWN = 12  # functions of a profile
GAMES = 256

Profile = list[dict[str, Any]]


def print_cpu_seconds(work: str) -> None:
    """Print the seconds of CPU that the work takes on the traces in the folder that the command line names.

    work: `standard`, `objects` or `records`, ways to decode them (bench.work.typed), or `scoring`.
    """
    import json

    import msgspec

    from pipeline.traces.sources import find_sources
    from pipeline.traces.trace import decode_trace

    sources = find_sources([Path(sys.argv[1])])
    with tempfile.TemporaryDirectory() as out:
        works: dict[str, Callable[[Sequence[Source]], None]] = {
            "standard": partial(decode_all, decode=json.loads),
            "objects": partial(decode_all, decode=msgspec.json.decode),
            "records": partial(decode_all, decode=decode_trace),
            "scoring": partial(scoring, out=Path(out)),
        }
        # A first call that is not measured: it imports and fills caches.
        works[work](sources[:4])
        print(cpu_seconds(lambda: works[work](sources)))


def decode_all(sources: "Sequence[Source]", decode: Callable[[bytes], object]) -> None:
    """Decode every trace, and keep nothing."""
    from pipeline.traces.sources import read_texts

    for source in sources:
        for _, text in read_texts(source):
            decode(text if isinstance(text, bytes) else b"null")


def scoring(sources: "Sequence[Source]", out: Path) -> None:
    """Write the four privacy tables of every trace as Parquet."""
    from machine.cores import no_garbage_collection
    from pipeline.privacy.evidence import PRIVACY_TABLES

    with no_garbage_collection():
        # Separate function: its rows are freed when it returns, before garbage collection resumes.
        _score(sources, out)
    assert set(PRIVACY_TABLES) == {path.stem for path in out.glob("*.parquet")}


def _score(sources: "Sequence[Source]", out: Path) -> None:
    from pipeline.derive.rows import ingested_frames, read_traces, with_inputs
    from pipeline.privacy.evidence import PRIVACY_TABLES, privacy_frames
    from pipeline.privacy.rules import RULES, Weighing
    from pipeline.tables import io
    from pipeline.tables.schemas.base import TABLES

    for rows, _ in read_traces(sources, with_inputs(PRIVACY_TABLES)):
        frames = ingested_frames(rows)
        for name, frame in privacy_frames(frames, RULES["paper"], Weighing()).items():
            io.write_table(frame, TABLES[name], out, csv=False)


def profiles(folder: Path) -> dict[str, Profile]:
    """derive, english, play → the hottest functions: name, calls, and share of the time spent in it alone."""
    baselines = inputs.baselines(folder)
    english = sorted(inputs.negotiators(folder).rglob("*.zst"))[::25]
    return {
        "derive": _profile_derive(baselines[:: len(baselines) // GAMES], folder),
        "english": _profile_derive(english, folder),
        "play": _profile_play(folder),
    }


def _profile_derive(paths: list[Path], folder: Path) -> Profile:
    from pipeline.derive.parallel import Recipe, derive_sources
    from pipeline.traces.sources import find_sources

    # A first call that is not measured: it imports and fills caches.
    derive_sources(find_sources(paths[:4]), folder / "profiled", Recipe(), 1)
    return _hottest(lambda: derive_sources(find_sources(paths), folder / "profiled", Recipe(), 1))


def _profile_play(folder: Path) -> Profile:
    from sim.game.game import Limits
    from sim.runs.runner import jobs_for, play_all
    from sim.runs.teams import load_team
    from sim.tasks.suite import read_tasks

    teams = [load_team(name) for name in inputs.PROTOCOLS]
    jobs = jobs_for(read_tasks(inputs.tasks(folder)), teams, Limits(), 1, folder / "profiled-games")
    list(play_all(jobs[:4], 1))
    return _hottest(lambda: list(play_all(jobs, 1)))


def _hottest(work: Callable[[], object]) -> Profile:
    profile = cProfile.Profile()
    profile.runcall(work)
    table: dict[tuple[str, int, str], tuple[int, int, float, float, Any]] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    whole = sum(entry[2] for entry in table.values())
    hottest = sorted(table.items(), key=lambda item: -item[1][2])[:SHOWN]
    return [
        {"function": _name(*where), "calls": entry[1], "share": round(entry[2] / whole, 4)} for where, entry in hottest
    ]


def _name(file: str, line: int, function: str) -> str:
    """The name of a function with its file, from the package on."""
    if file == "~":
        return function.strip("<>").replace("built-in method ", "").replace("method ", "").replace("'", "")
    parts = Path(file).parts
    ours = next((i for i, part in enumerate(parts) if part in ("sim", "pipeline", "site-packages")), len(parts) - 1)
    return f"{'/'.join(parts[ours + (parts[ours] == 'site-packages') :])}:{function}"
