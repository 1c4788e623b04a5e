"""Where the time of the three hottest paths goes: the functions of ours with the largest shares, from cProfile.

A profile slows small functions down more than large ones: shares say where to look, not how long it takes.
"""

import cProfile
import pstats
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import inputs

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
    from pipeline.traces.sources import find

    # Once before: what is loaded and remembered on the first call is no part of it.
    derive_sources(find(paths[:4]), folder / "profiled", Recipe(), 1)
    return _hottest(lambda: derive_sources(find(paths), folder / "profiled", Recipe(), 1))


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
