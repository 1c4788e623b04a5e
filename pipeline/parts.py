"""Tables made in parts: workers leave each part sorted in a scratch folder, and parts are merged by ranges of games.

So memory does not grow with the study, and what is written depends on the rows alone, not on parts or workers.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.crew import Run
from machine.locks import locked
from machine.processes import cores
from machine.work import Workers, at_work
from pipeline.schemas.base import TABLES, Table

if TYPE_CHECKING:
    import polars as pl

GAMES_AT_ONCE = 2048
SCRATCH = ".parts-"

# Workers of a cluster may come and go: chunks are cut small enough for so many.
CLUSTER_CAPACITY = 64


@contextmanager
def at_work_on_tables(workers: Workers) -> Iterator[Run]:
    """A function that has work done by so many workers, or those of a cluster, who share out the cores."""
    prepare = partial(share_cores, workers) if isinstance(workers, int) else None
    with at_work(workers, prepare) as run:
        yield run


def share_cores(workers: int) -> None:
    """Share the cores out between the workers, before polars starts its threads."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(max(1, cores() // workers)))


@contextmanager
def scratch_in(out: Path) -> Iterator[Path]:
    """A folder within `out` for what is not finished; it goes with the process, or when the next one starts."""
    out.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        with locked(out):
            for left in out.glob(f"{SCRATCH}*"):
                with suppress(OSError), locked(left, wait=False):
                    shutil.rmtree(left, ignore_errors=True)
            scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=out))
            held.callback(shutil.rmtree, scratch, ignore_errors=True)
            held.enter_context(locked(scratch))
        yield scratch


def publish(finished: Path, out: Path) -> None:
    """Move all finished files to `out` at once: of two runs that end together, one's files stand there, all of them."""
    with locked(out):
        for path in sorted(finished.iterdir()):
            if (out / path.name).is_dir():
                shutil.rmtree(out / path.name)
            path.replace(out / path.name)


def part_path(scratch: Path, table: str, number: int) -> Path:
    return scratch / f"{table}.{number:05d}.arrow"


def leave_parts(frames: Mapping[str, "pl.DataFrame"], scratch: Path, number: int) -> None:
    """Leave each table's rows, sorted by its key, in the scratch folder."""
    from pipeline import io

    leave_shaped({name: io.shaped(frame, TABLES[name]) for name, frame in frames.items()}, scratch, number)


def leave_shaped(frames: Mapping[str, "pl.DataFrame"], scratch: Path, number: int) -> None:
    """Leave each table's rows, in its shape already, in the scratch folder."""
    from pipeline import io

    for name, ready in frames.items():
        io.write_part(ready, part_path(scratch, name, number))


def remove_parts(scratch: Path, table: str, numbers: Sequence[int]) -> None:
    """Give back the disk that a table's parts take, once it is written."""
    for number in numbers:
        part_path(scratch, table, number).unlink(missing_ok=True)


def ranges_of(games: Sequence[str]) -> list[tuple[str, str]]:
    """First and last game_id of each run of games that is written at once."""
    runs = [games[i : i + GAMES_AT_ONCE] for i in range(0, len(games), GAMES_AT_ONCE)]
    return [(run[0], run[-1]) for run in runs]


def assemble_table(
    table: Table,
    numbers: Sequence[int],
    unwanted: dict[int, tuple[str, ...]],
    ranges: Sequence[tuple[str, str]],
    scratch: Path,
    out: Path,
    csv: bool = True,
) -> dict[str, Any]:
    """Write one table from its parts, a range of games at a time, and return its shape."""
    from pipeline import io

    return io.write_parts(_ranges(table.name, numbers, unwanted, ranges, scratch), table, out, csv)


def partition_table(
    table: Table,
    numbers: Sequence[int],
    unwanted: dict[int, tuple[str, ...]],
    ranges: Sequence[tuple[str, str]],
    scratch: Path,
    out: Path,
) -> dict[str, Any]:
    """The same in folders by team and condition."""
    from pipeline.partitions import write_partitions

    frames, games = (_ranges(name, numbers, unwanted, ranges, scratch) for name in (table.name, "games"))
    return write_partitions(zip(frames, games, strict=True), table, out)


def _ranges(
    name: str,
    numbers: Sequence[int],
    unwanted: dict[int, tuple[str, ...]],
    ranges: Sequence[tuple[str, str]],
    scratch: Path,
) -> Iterator["pl.DataFrame"]:
    """The rows of a table's parts, a range of games at a time."""
    from pipeline import io

    frames = [_wanted(io.map_part(part_path(scratch, name, n)), unwanted[n]) for n in numbers]
    return (_range(frames, span) for span in ranges)


def _wanted(frame: "pl.DataFrame", unwanted: tuple[str, ...]) -> "pl.DataFrame":
    """A part without the games that an earlier part has told of."""
    import polars as pl

    return frame.filter(~pl.col("game_id").is_in(unwanted)) if unwanted else frame


def _range(frames: Sequence["pl.DataFrame"], span: tuple[str, str]) -> "pl.DataFrame":
    """The rows of sorted parts for the games from the first to the last of a span."""
    import polars as pl

    cuts = []
    for frame in frames:
        games = frame["game_id"]
        cuts.append(frame[games.search_sorted(span[0], "left") : games.search_sorted(span[1], "right")])
    # A game is in one part, and sorted there: sorting by one column is a fraction of sorting by a key.
    return pl.concat(cuts).sort("game_id", maintain_order=True)
