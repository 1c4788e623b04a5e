"""Tables made from tables, a span of games at a time, on all cores."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.processes import cores, no_garbage_collection
from pipeline.tables.schemas.base import TABLES
from pipeline.tables.shards import game_ranges, merge_table, scratch_in, table_executor, write_shards

if TYPE_CHECKING:
    import polars as pl

GAMES_A_SPAN = 64

Frames = dict[str, "pl.DataFrame"]
Make = Callable[[Frames], Frames]


def derive_spans(tables: Path, read: Sequence[str], names: Sequence[str], make: Make) -> dict[str, dict[str, Any]]:
    """Write the tables `names` that `make` makes of the tables `read`, game by game independent; their shapes."""
    from pipeline.tables import io

    games = io.read_table(tables, "games")["game_id"].to_list()
    spans = [games[i : i + GAMES_A_SPAN] for i in range(0, len(games), GAMES_A_SPAN)]
    with scratch_in(tables) as scratch, table_executor(cores()) as run:
        pieces = [(n, (span[0], span[-1]), tables, scratch, tuple(read), make) for n, span in enumerate(spans)]
        numbers = sorted(number for _, number in run(leave_span, pieces))
        ranges, unwanted = game_ranges(games), dict.fromkeys(numbers, ())
        calls = [(TABLES[name], numbers, unwanted, ranges, scratch, tables, False) for name in names]
        shapes = {shape["table"]: shape for _, shape in run(merge_table, calls)}
    return dict(sorted(shapes.items()))


def leave_span(number: int, span: tuple[str, str], tables: Path, scratch: Path, read: Sequence[str], make: Make) -> int:
    """Write the shards of the games from the first to the last of a span; return the number of the shards."""
    import polars as pl

    wanted = pl.col("game_id").is_between(pl.lit(span[0]), pl.lit(span[1]))
    files = {name: pl.scan_parquet(tables / f"{name}.parquet", glob=False) for name in read}
    frames = {name: rows.filter(wanted).collect() for name, rows in files.items()}
    with no_garbage_collection():
        write_shards(make(frames), scratch, number)
    return number
