"""Which games have changed since the site was last made: a digest of each game's rows in every table its page shows."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import polars as pl

from pipeline.reports.views.game import OPTIONAL, READ

MADE = "made.json"
BEGUN = ".site-begun"
CODE = (Path(__file__).parent, Path(__file__).parents[1] / "views")
SUFFIXES = (".py", ".js", ".css", ".html", ".yaml")


@dataclass
class Made:
    """What a site holds: the digest of the code that made its pages, and of each game by the name of its page."""

    code: str = ""
    games: dict[str, str] = field(default_factory=dict)


def read_made(out: Path) -> Made:
    """What the site's own note says; nothing where it cannot be read: all pages are then made anew."""
    try:
        told = json.loads((out / MADE).read_text(encoding="utf-8"))
        return Made(str(told["code"]), {str(name): str(digest) for name, digest in told["games"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Made()


def is_site(out: Path) -> bool:
    """Whether a site is in the folder, or the beginnings of one."""
    return (out / MADE).is_file() or (out / BEGUN).is_file()


def begin(out: Path) -> None:
    """Mark the folder before anything else is written: a run that dies leaves what the next one knows for a site."""
    out.mkdir(parents=True, exist_ok=True)
    if not is_site(out):
        (out / BEGUN).touch()


def finish(out: Path, made: Made) -> None:
    """Leave the note for the next time."""
    from pipeline.tables.io import write_json

    write_json({"code": made.code, "games": dict(sorted(made.games.items()))}, out / MADE)
    (out / BEGUN).unlink(missing_ok=True)


def code_digest() -> str:
    """A digest of everything that makes a game's page from its tables: it changes, and all pages are made anew."""
    files = sorted(path for folder in CODE for path in folder.rglob("*") if path.suffix in SUFFIXES)
    told = sha256(pl.__version__.encode())
    for path in files:
        told.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return told.hexdigest()


def game_digests(tables: Path) -> dict[str, str]:
    """game_id → a digest of its rows, in order, in every table that its page shows."""
    digests: dict[str, list[str]] = {}
    for name, columns in {"games": ("*",), **READ}.items():
        path = tables / f"{name}.parquet"
        if name in OPTIONAL and not path.is_file():
            continue
        for game, digest in _of_table(path, columns):
            digests.setdefault(game, []).append(f"{name} {digest}")
    return {game: sha256("\n".join(told).encode()).hexdigest() for game, told in digests.items()}


def _of_table(path: Path, columns: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Each game of a table, which is sorted by game, with a digest of its rows."""
    rows = pl.read_parquet(path)
    shown = rows if "*" in columns else rows.select("game_id", *columns)
    hashes = shown.hash_rows().to_numpy()
    spans = rows.select("game_id").with_row_index().group_by("game_id", maintain_order=True).agg(pl.len())
    start = 0
    for game, length in spans.iter_rows():
        yield game, sha256(hashes[start : start + length].tobytes()).hexdigest()
        start += length
