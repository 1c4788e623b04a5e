"""Tables in Hive partitions, one folder for each team and condition: `games/team=imap/condition=standard/part.parquet`.

DuckDB and Polars read such folders as one table, and skip those that a query does not need (docs/scale.md).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import blake2s
from pathlib import Path
from string import ascii_lowercase, digits
from typing import TYPE_CHECKING, Any
from unicodedata import is_normalized

from pipeline.tables.schemas.base import Table

if TYPE_CHECKING:
    import polars as pl

BY = ("team", "condition")
FOLDER_PREFIXES = tuple(f"{name}=" for name in BY)
FILE = "part.parquet"
# Hive's name for the value null.
NULL = "__HIVE_DEFAULT_PARTITION__"

# What a folder's name holds as it is, whatever stands beside it.
PLAIN = frozenset(ascii_lowercase + digits + "_-.")

# Bytes of a name. A disk takes 255; a suffix and the name of an unfinished file need some of them.
MOST_BYTES = 200
# What no name has that is kept as it is, so that none looks like one with a digest.
BEFORE_DIGEST = "~"
DIGEST_BYTES = 8


def partition_folder(values: Iterable[str | None]) -> Path:
    """The folder of a team and a condition, each named as `folder_value` says."""
    return Path(*(f"{name}={NULL if v is None else folder_value(v)}" for name, v in zip(BY, values, strict=True)))


def folder_value(value: str) -> str:
    """A value as a folder's name holds it: letters and digits of any script, and all else percent-encoded, capitals
    too: some disks do not tell cases apart, nor composed letters from those that are not.

    One too long for a folder is cut, and ends in `~` and a digest, which no other value's name does.
    """
    composed = is_normalized("NFC", value)
    pieces = [c if c in PLAIN or (composed and c.isalnum() and c == c.casefold()) else encoded(c) for c in value]
    whole = "".join(pieces).replace(NULL.casefold(), encoded("_") + NULL.casefold()[1:])
    return whole if len(whole.encode()) <= MOST_BYTES else with_digest(pieces, [value])


def encoded(character: str) -> str:
    """A character percent-encoded, whatever it is."""
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def with_digest(pieces: Iterable[str], texts: Sequence[str], room: int = MOST_BYTES) -> str:
    """As many of a name's pieces as fit into `room` bytes with a digest of the texts that it stands for."""
    # Each text's length is before it, so that ("a", "bc") and ("ab", "c") differ.
    digested = "".join(f"{len(text)}:{text}" for text in texts).encode("utf-8", "surrogatepass")
    ending = BEFORE_DIGEST + blake2s(digested, digest_size=DIGEST_BYTES).hexdigest()
    room -= len(ending)
    kept = []
    for piece in pieces:
        room -= len(piece.encode())
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept) + ending


def is_partition(name: str) -> bool:
    """Whether a file's path, relative to a folder of tables, is that of a partition."""
    names = name.split("/")
    return len(names) == 2 + len(BY) and names[-1] == FILE and all(map(str.startswith, names[1:], FOLDER_PREFIXES))


def write_partitions(
    frames: Iterable[tuple["pl.DataFrame", "pl.DataFrame"]], table: Table, out: Path
) -> dict[str, Any]:
    """Write one table to the partitions in `out/{table}`, and return its shape.

    frames: pairs of the table's rows and the rows of `games` that they belong to. Each pair has greater keys than the
    one before, and only one pair is in memory at a time. A file's rows are sorted by the table's key; team and
    condition are left out, as the folder names them.
    """
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    from pipeline.tables import io

    rows = 0
    # Made even without rows: it will replace the folder that an earlier run left.
    (out / table.name).mkdir(parents=True, exist_ok=True)
    writers: dict[Path, Any] = {}
    with ExitStack() as stack:
        for frame, games in frames:
            ordered = io.conform(frame, table)
            rows += ordered.height
            for folder, partition in _split_by_folder(ordered, games):
                data = partition.to_arrow()
                if folder not in writers:
                    (out / table.name / folder).mkdir(parents=True, exist_ok=True)
                    path = out / table.name / folder / FILE
                    writers[folder] = stack.enter_context(pq.ParquetWriter(path, data.schema, **io.PARQUET))
                writers[folder].write_table(data, io.ROW_GROUP)
    return io.table_shape(table, rows)


def _split_by_folder(rows: "pl.DataFrame", games: "pl.DataFrame") -> Iterator[tuple[Path, "pl.DataFrame"]]:
    """(folder, rows) of each team and condition, in the order in which they first appear."""
    by = games.select("game_id", *BY).rename({name: f"_{name}" for name in BY})
    joined = rows.join(by, on="game_id", how="left", maintain_order="left")
    partitions = joined.partition_by([f"_{name}" for name in BY], as_dict=True, include_key=False)
    for values, partition in partitions.items():
        yield partition_folder(values), partition.drop(BY, strict=False)
