"""The site: a page and a data file for every game that changed, then the pages that list them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from machine.processes import cores
from pipeline.reports.site.changes import Made, begin, code_digest, finish, game_digests, is_site, read_made
from pipeline.reports.site.figures import figures, ranks, read_metrics, with_ranks
from pipeline.reports.site.games import CUTS, PAGE_BYTES, compact
from pipeline.reports.site.leaderboard import board, listed_games, listing, reported_rows, write_downloads
from pipeline.reports.site.pages import (
    copy_static,
    keep_only,
    page_names,
    script,
    write_notebooks,
    write_page,
    write_reports,
    write_text,
)
from pipeline.reports.views.game import game_views
from pipeline.statistics.resampling import Resampling
from pipeline.tables.shards import table_executor

AT_ONCE = 64  # games that a worker makes from one reading of the tables
FILES = (".html", ".js")
FIGURES = ("leaderboard.js", "leaderboard.csv", "leaderboard.parquet")

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Origins:
    """Where the site's content comes from: tables; results with ranks, the paper's figures, reports and notebooks."""

    tables: Path
    results: Path | None = None
    numbers: Path | None = None
    reports: Path | None = None
    notebooks: Path | None = None


@dataclass(frozen=True)
class Built:
    """What was done: games of the site, those whose pages were made, those whose pages were removed."""

    games: int
    made: int
    removed: int


def build(
    origins: Origins, out: Path, resampling: Resampling, workers: int | None = None, progress: Progress | None = None
) -> Built:
    """Make the site in `out`, or bring it up to date; the same tables give the same bytes, whatever the workers.

    Raises FileExistsError when `out` holds something else than a site, FileNotFoundError when tables are missing.
    """
    check_folder(out)
    begin(out)
    before, digests = read_made(out), game_digests(origins.tables)
    names = page_names(sorted(digests))
    now = Made(code_digest(), {names[game]: digest for game, digest in digests.items()})
    copy_static(out)
    wanted = [game for game, name in names.items() if _changed(name, before, now, out)]
    write_games(wanted, names, origins.tables, out, workers, progress or (lambda done, total: None))
    write_lists(origins, out, resampling)
    finish(out, now)
    gone = keep_only(out / "games", {f"{name}{suffix}" for name in names.values() for suffix in FILES})
    return Built(len(names), len(wanted), len({Path(name).stem for name in gone}))


def check_folder(out: Path) -> None:
    """Raise FileExistsError unless the folder is new, empty, or a site: other files would be in the way, or lost."""
    if out.exists() and (not out.is_dir() or (_holds_files(out) and not is_site(out))):
        raise FileExistsError(f"{out} holds something else than a site; name another folder, or empty it")


def _holds_files(folder: Path) -> bool:
    """Whether the folder holds anything but another run's drafts."""
    return any(not path.name.startswith(".") for path in folder.iterdir())


def _changed(name: str, before: Made, now: Made, out: Path) -> bool:
    same = before.code == now.code and before.games.get(name) == now.games[name]
    return not same or not all((out / "games" / f"{name}{suffix}").is_file() for suffix in FILES)


def write_games(
    games: Sequence[str], names: dict[str, str], tables: Path, out: Path, workers: int | None, progress: Progress
) -> None:
    """Write page and data of each game, on all cores."""
    named = [(game, names[game]) for game in games]
    calls = [(named[i : i + AT_ONCE], tables, out) for i in range(0, len(named), AT_ONCE)]
    done = 0
    progress(0, len(games))
    with table_executor(min(workers or cores(), max(1, len(calls)))) as run:
        for _, made in run(write_run, calls):
            done += made
            progress(done, len(games))


def write_run(run: Sequence[tuple[str, str]], tables: Path, out: Path) -> int:
    """Write page and data of some games, (id, page's name) each; returns how many."""
    for (_, name), view in zip(run, game_views(tables, [game for game, _ in run]), strict=True):
        told, text = light_enough(name, view)
        write_text(out / "games" / f"{name}.js", text)
        write_page(out / "games" / f"{name}.html", "game.html", game=told["game"], name=name, root="../")
    return len(run)


def light_enough(name: str, view: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The game's data and its file's text, with as much of long messages as keeps the page light."""
    for cut in CUTS:
        told = compact(view, cut)
        text = script("game", name, told)
        if len(text.encode()) <= PAGE_BYTES:
            break
    return told, text


def write_lists(origins: Origins, out: Path, resampling: Resampling) -> None:
    """Write the leaderboard, the list of games and the page for two games, with their data."""
    metrics = read_metrics()
    games = listed_games(origins.tables)
    parts = {f"games-{part['part']}.js": part for part in listing(games)}
    for name, part in parts.items():
        write_text(out / "data" / name, script("games", part))
    keep_only(out / "data", [*parts, *FIGURES])
    keys = [metric.key for metric in metrics]
    ranked = ranks(origins.tables, origins.results, metrics, resampling)
    found = with_ranks(figures(origins.tables, keys, resampling), ranked)
    write_downloads(found, out / "data")
    reported = reported_rows(origins.numbers) if origins.numbers else []
    links = {"reports": write_reports(origins.reports, out), "notebooks": write_notebooks(origins.notebooks, out)}
    write_text(out / "data" / "leaderboard.js", script("leaderboard", board(found, metrics, reported, links)))
    counts = {"games": games.height, "stopped": int(games["stopped"].sum()), "level": resampling.level}
    for page in ("index", "games", "compare"):
        write_page(out / f"{page}.html", f"{page}.html", root="", **counts)
