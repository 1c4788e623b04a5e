"""Which games have changed since the site was last made, by a digest of each game's rows in its page's tables."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import polars as pl

from pipeline.reports.site.folder import MANIFEST
from pipeline.reports.views.game import COLUMNS, OPTIONAL_TABLES

CODE = (Path(__file__).parent, Path(__file__).parents[1] / "views")
SUFFIXES = (".py", ".js", ".css", ".html", ".yaml")


@dataclass
class Manifest:
    """What a site was made from, the digest of the code and that of each game by its page's name, and that of the page
    and its data themselves."""

    code: str = ""
    games: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)


def read_manifest(out: Path) -> Manifest:
    """The site's manifest; an empty one where it cannot be read, so that all pages are made anew."""
    try:
        values = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
        games, pages = ({str(n): str(digest) for n, digest in values[key].items()} for key in ("games", "pages"))
        return Manifest(str(values["code"]), games, pages)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Manifest()


def write_manifest(out: Path, manifest: Manifest) -> None:
    """Write the manifest."""
    from pipeline.tables.io import write_json

    digests = {key: dict(sorted(getattr(manifest, key).items())) for key in ("games", "pages")}
    write_json({"code": manifest.code} | digests, out / MANIFEST)


def code_digest() -> str:
    """A digest of all code that makes games' pages: when it changes, all of them are made anew."""
    files = sorted(path for folder in CODE for path in folder.rglob("*") if path.suffix in SUFFIXES)
    digest = sha256(pl.__version__.encode())
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def game_digests(tables: Path) -> dict[str, str]:
    """game_id → a digest of its rows, in order, in every table that its page shows."""
    digests: dict[str, list[str]] = {}
    for name, columns in {"games": ("*",), **COLUMNS}.items():
        path = tables / f"{name}.parquet"
        if name in OPTIONAL_TABLES and not path.is_file():
            continue
        for game, digest in table_digests(path, columns):
            digests.setdefault(game, []).append(f"{name} {digest}")
    return {game: sha256("\n".join(values).encode()).hexdigest() for game, values in digests.items()}


def table_digests(path: Path, columns: Iterable[str]) -> Iterable[tuple[str, str]]:
    """(game_id, digest of its rows) for each game of a table, which is sorted by game."""
    rows = pl.read_parquet(path, glob=False)
    shown = rows if "*" in columns else rows.select("game_id", *columns)
    hashes = shown.hash_rows().to_numpy()
    spans = rows.select("game_id").with_row_index().group_by("game_id", maintain_order=True).agg(pl.len())
    start = 0
    for game, length in spans.iter_rows():
        yield game, sha256(hashes[start : start + length].tobytes()).hexdigest()
        start += length
