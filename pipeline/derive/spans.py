"""Tables computed from other tables, a span of games at a time, on all cores."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.cores import cores, map_unordered, no_garbage_collection
from machine.output import staged_files
from pipeline.tables.parts import put_together, write_parts
from pipeline.tables.schemas.base import TABLES

if TYPE_CHECKING:
    import polars as pl

GAMES_PER_SPAN = 64

Frames = dict[str, "pl.DataFrame"]
Compute = Callable[[Frames], Frames]


def derive_spans(
    tables: Path, read: Sequence[str], names: Sequence[str], compute: Compute
) -> dict[str, dict[str, Any]]:
    """Compute the tables `names` from the tables `read` of a folder, write them there, and return their shapes.

    compute: frames of the tables `read` to frames of the tables `names`, for any set of games, each by itself.
    """
    from pipeline.tables import io

    games = io.read_table(tables, "games")["game_id"].to_list()
    firsts = range(0, len(games), GAMES_PER_SPAN)
    spans = [(number, games[i], games[i : i + GAMES_PER_SPAN][-1]) for number, i in enumerate(firsts)]
    with staged_files(tables) as work:
        derive = partial(derive_span, tables=tables, folder=work.scratch, read=read, compute=compute)
        for _ in map_unordered(derive, spans, cores()):
            pass
        return put_together(names, range(len(spans)), (work.scratch, work.folder), cores(), csv=False)


def derive_span(span: tuple[int, str, str], tables: Path, folder: Path, read: Sequence[str], compute: Compute) -> None:
    """Compute the tables of the games from the first to the last of a numbered span, and write their parts."""
    import polars as pl

    from pipeline.tables import io

    number, first, last = span
    wanted = pl.col("game_id").is_between(pl.lit(first), pl.lit(last))
    files = {name: pl.scan_parquet(tables / f"{name}.parquet", glob=False) for name in read}
    frames = {name: rows.filter(wanted).collect() for name, rows in files.items()}
    with no_garbage_collection():
        computed = {name: io.conform(frame, TABLES[name]) for name, frame in compute(frames).items()}
        write_parts(computed, folder, number)
