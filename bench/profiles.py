"""Where time goes: profiles of a stage, and its work on one core."""

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


def told(work: str) -> None:
    """Print the seconds of CPU that the work takes on the folder that the command line names."""
    from pipeline.traces.sources import find_sources

    sources = find_sources([Path(sys.argv[1])])
    with tempfile.TemporaryDirectory() as out:
        works: dict[str, Callable[[Sequence[Source]], None]] = {
            "standard": standard,
            "objects": objects,
            "records": records,
            "scoring": partial(scoring, out=Path(out)),
        }
        # Once before: what is loaded on the first call is no part of it.
        works[work](sources[:4])
        print(cpu_seconds(lambda: works[work](sources)))


def standard(sources: "Sequence[Source]") -> None:
    """Decode every trace with Python's own json, and keep nothing."""
    import json

    from pipeline.traces.sources import read_texts

    for source in sources:
        for _, text in read_texts(source):
            json.loads(text if isinstance(text, bytes) else b"null")


def objects(sources: "Sequence[Source]") -> None:
    """Decode every trace to dictionaries and lists, and keep nothing."""
    import msgspec

    from pipeline.traces.sources import read_texts

    for source in sources:
        for _, text in read_texts(source):
            msgspec.json.decode(text if isinstance(text, bytes) else b"null")


def records(sources: "Sequence[Source]") -> None:
    """Decode every trace to the records that tables are made of, and keep nothing."""
    from pipeline.traces.sources import read_texts
    from pipeline.traces.trace import decode_trace

    for source in sources:
        for _, text in read_texts(source):
            decode_trace(text if isinstance(text, bytes) else b"null")


def scoring(sources: "Sequence[Source]", out: Path) -> None:
    """Every trace's four privacy tables, to Parquet."""
    from machine.processes import no_garbage_collection
    from pipeline.privacy.evidence import PRIVACY

    with no_garbage_collection():
        # All rows are gone on its return: what looks for garbage afterwards does not meet them.
        _score(sources, out)
    assert set(PRIVACY) == {path.stem for path in out.glob("*.parquet")}


def _score(sources: "Sequence[Source]", out: Path) -> None:
    from pipeline.derive.rows import ingested_frames, read_traces
    from pipeline.privacy.evidence import privacy_frames
    from pipeline.privacy.rules import RULES, Weighing
    from pipeline.tables import io
    from pipeline.tables.schemas.base import TABLES

    for rows, _ in read_traces(sources):
        frames = ingested_frames(rows)
        for name, frame in privacy_frames(frames, RULES["paper"], Weighing()).items():
            io.write_table(frame, TABLES[name], out, csv=False)


SHOWN = 12
GAMES = 256

Lines = list[dict[str, Any]]


def profiles(folder: Path) -> dict[str, Lines]:
    """Path → its hottest functions: name and share of the time spent in the function itself."""
    return {"derive": _derive(folder), "english": _english(folder), "play": _play(folder)}


def _derive(folder: Path) -> Lines:
    paths = inputs.baselines(folder)
    return _derived(paths[:: len(paths) // GAMES], folder)


def _english(folder: Path) -> Lines:
    return _derived(sorted(inputs.negotiators(folder).rglob("*.zst"))[::25], folder)


def _derived(paths: list[Path], folder: Path) -> Lines:
    from pipeline.derive.parallel import Recipe, derive_sources
    from pipeline.traces.sources import find_sources

    # Once before: what is loaded and remembered on the first call is no part of it.
    derive_sources(find_sources(paths[:4]), folder / "profiled", Recipe(), 1)
    return _hottest(lambda: derive_sources(find_sources(paths), folder / "profiled", Recipe(), 1))


def _play(folder: Path) -> Lines:
    from sim.game.game import Limits
    from sim.runs.runner import jobs_for, play_all
    from sim.runs.teams import load_team
    from sim.tasks.suite import read_tasks

    teams = [load_team(name) for name in inputs.PROTOCOLS]
    jobs = jobs_for(read_tasks(inputs.tasks(folder)), teams, Limits(), 1, folder / "profiled-games")
    list(play_all(jobs[:4], 1))
    return _hottest(lambda: list(play_all(jobs, 1)))


def _hottest(work: Callable[[], object]) -> Lines:
    profile = cProfile.Profile()
    profile.runcall(work)
    table: dict[tuple[str, int, str], tuple[int, int, float, float, Any]] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    whole = sum(entry[2] for entry in table.values())
    hottest = sorted(table.items(), key=lambda item: -item[1][2])[:SHOWN]
    return [
        {"function": _name(*where), "calls": entry[1], "share": round(entry[2] / whole, 4)} for where, entry in hottest
    ]


def _name(file: str, line: int, function: str) -> str:
    """A function as it is called, without this machine's paths."""
    if file == "~":
        return function.strip("<>").replace("built-in method ", "").replace("method ", "").replace("'", "")
    parts = Path(file).parts
    ours = next((i for i, part in enumerate(parts) if part in ("sim", "pipeline", "site-packages")), len(parts) - 1)
    return f"{'/'.join(parts[ours + (parts[ours] == 'site-packages') :])}:{function}"
