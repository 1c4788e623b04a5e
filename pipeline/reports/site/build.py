"""The site: a page and a data file for every game that changed, then the pages that list them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from machine.cores import cores, map_unordered
from machine.files import file_digest
from machine.manifests import combined_digest
from machine.output import Staged
from pipeline.reports.measures import reading_of, scale_note
from pipeline.reports.site.changes import (
    Manifest,
    code_digest,
    game_digests,
    read_manifest,
    write_manifest,
)
from pipeline.reports.site.figures import figures, ranks, read_metrics, with_ranks
from pipeline.reports.site.folder import PAGES
from pipeline.reports.site.games import CUTS, PAGE_BYTES, compact_view
from pipeline.reports.site.leaderboard import leaderboard, listed_games, listing_parts, reported_rows, write_downloads
from pipeline.reports.site.pages import (
    copy_static,
    page_names,
    script,
    write_book,
    write_notebooks,
    write_page,
    write_reports,
    write_text,
)
from pipeline.reports.views.game import game_views, tables_prior
from pipeline.statistics.caveats import caveats
from pipeline.statistics.resampling import Resampling, fewest_clusters
from pipeline.tables.io import read_table

GAMES_AT_ONCE = 64  # games whose tables a worker reads at once
FILES = (".html", ".js")

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Origins:
    """Where the site's content comes from: tables, results, the paper's figures, reports, notebooks, the book; and how
    English was read, where the tables do not record it."""

    tables: Path
    results: Path | None = None
    numbers: Path | None = None
    reports: Path | None = None
    notebooks: Path | None = None
    book: Path | None = None
    english: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class SiteCounts:
    """How many games the site has, and for how many of them pages were made, and removed."""

    games: int
    made: int
    removed: int


def build(
    origins: Origins,
    work: Staged,
    site: Path,
    resampling: Resampling,
    workers: int | None = None,
    progress: Progress | None = None,
) -> SiteCounts:
    """Make, in a staged folder, what the site lacks or has of other tables; the same tables give the same bytes,
    whatever the workers.

    Raises FileNotFoundError when tables are missing.
    """
    out, previous, digests = work.folder, read_manifest(site), game_digests(origins.tables)
    names = page_names(sorted(digests))
    manifest = Manifest(code_digest(), {names[game]: digest for game, digest in digests.items()})
    copy_static(out)
    changed = [game for game, name in names.items() if is_changed(name, previous, manifest, site)]
    write_games(changed, names, origins.tables, out, workers, progress or (lambda done, total: None))
    write_lists(origins, out, site, resampling)
    made = {names[game] for game in changed}
    manifest.pages = {name: page_digest(out if name in made else site, name) for name in names.values()}
    write_manifest(out, manifest)
    work.keep = {f"games/{name}{suffix}" for name in names.values() for suffix in FILES}
    return SiteCounts(len(names), len(changed), len(previous.games.keys() - manifest.games.keys()))


def is_changed(name: str, previous: Manifest, manifest: Manifest, site: Path) -> bool:
    """Whether the game's page is of other code or rows, or not as it was written."""
    same = previous.code == manifest.code and previous.games.get(name) == manifest.games[name]
    return not same or page_digest(site, name) != previous.pages.get(name)


def page_digest(out: Path, name: str) -> str:
    """A digest of a game's page and its data; empty where one of them is missing."""
    files = [out / "games" / f"{name}{suffix}" for suffix in FILES]
    return combined_digest(map(file_digest, files)) if all(path.is_file() for path in files) else ""


def write_games(
    games: Sequence[str], names: dict[str, str], tables: Path, out: Path, workers: int | None, progress: Progress
) -> None:
    """Write page and data of each game, on all cores."""
    named = [(game, names[game]) for game in games]
    batches = [named[i : i + GAMES_AT_ONCE] for i in range(0, len(named), GAMES_AT_ONCE)]
    done = 0
    progress(0, len(games))
    for _, written in map_unordered(partial(write_batch, tables=tables, out=out), batches, workers or cores()):
        done += written
        progress(done, len(games))


def write_batch(batch: Sequence[tuple[str, str]], tables: Path, out: Path) -> int:
    """Write page and data of some games, each (id, page's name); returns how many."""
    for (_, name), view in zip(batch, game_views(tables, [game for game, _ in batch]), strict=True):
        data, text = fit_page(name, view)
        write_text(out / "games" / f"{name}.js", text)
        write_page(out / "games" / f"{name}.html", "game.html", game=data["game"], name=name, root="../")
    return len(batch)


def fit_page(name: str, view: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The game's data and its file's text, long messages cut until that is within PAGE_BYTES, or as short as may be."""
    for cut in CUTS:
        data = compact_view(view, cut)
        text = script("game", name, data)
        if len(text.encode()) <= PAGE_BYTES:
            break
    return data, text


def write_lists(origins: Origins, out: Path, site: Path, resampling: Resampling) -> None:
    """Write the leaderboard, the list of games and the page for two games, with their data."""
    reading = reading_of(origins.tables, origins.english)
    metrics = read_metrics(tables_prior(origins.tables), reading)
    games = listed_games(origins.tables)
    parts = {f"games-{part['part']}.js": part for part in listing_parts(games)}
    for name, part in parts.items():
        write_text(out / "data" / name, script("games", part))
    keys = [metric.key for metric in metrics]
    rank_rows = ranks(origins.tables, origins.results, metrics, resampling)
    ranked_figures = with_ranks(figures(origins.tables, keys, resampling), rank_rows)
    write_downloads(ranked_figures, out / "data")
    reported = reported_rows(origins.numbers) if origins.numbers else []
    links = {"reports": write_reports(origins.reports, out), "notebooks": write_notebooks(origins.notebooks, out, site)}
    board = leaderboard(ranked_figures, metrics, reported, links)
    write_text(out / "data" / "leaderboard.js", script("leaderboard", board))
    said = [scale_note(reading), *caveats(read_table(origins.tables, "games"), origins.tables)]
    shown: dict[str, Any] = {"games": games.height, "stopped": int(games["stopped"].sum()), "caveats": said}
    shown |= {"level": resampling.level, "fewest": fewest_clusters(resampling.level)}
    book = write_book(origins.book, out)
    for page in PAGES:
        write_page(out / page, page, root="", book=book, **shown)
