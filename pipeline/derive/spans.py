"""Tables computed from other tables, a span of games at a time, on all cores."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.processes import cores, no_garbage_collection
from pipeline.tables.schemas.base import TABLES
from pipeline.tables.shards import Shards, game_ranges, merge_table, scratch_folder, table_executor, write_shards

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
    spans = [games[i : i + GAMES_PER_SPAN] for i in range(0, len(games), GAMES_PER_SPAN)]
    with scratch_folder(tables) as scratch, table_executor(cores()) as run:
        calls = [(n, (span[0], span[-1]), tables, scratch, tuple(read), compute) for n, span in enumerate(spans)]
        numbers = sorted(number for _, number in run(derive_span, calls))
        shards = Shards(scratch, numbers, dict.fromkeys(numbers, ()), game_ranges(games))
        merges = [(TABLES[name], shards, tables, False) for name in names]
        shapes = {shape["table"]: shape for _, shape in run(merge_table, merges)}
    return dict(sorted(shapes.items()))


def derive_span(
    number: int, span: tuple[str, str], tables: Path, scratch: Path, read: Sequence[str], compute: Compute
) -> int:
    """Compute and write the shards of the games from the first to the last of a span; return the shards' number."""
    import polars as pl

    from pipeline.tables import io

    wanted = pl.col("game_id").is_between(pl.lit(span[0]), pl.lit(span[1]))
    files = {name: pl.scan_parquet(tables / f"{name}.parquet", glob=False) for name in read}
    frames = {name: rows.filter(wanted).collect() for name, rows in files.items()}
    with no_garbage_collection():
        computed = {name: io.conform(frame, TABLES[name]) for name, frame in compute(frames).items()}
        write_shards(computed, scratch, number)
    return number
