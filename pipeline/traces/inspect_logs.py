"""Traces out of logs of Inspect, whose samples hold one game each (sim/runs/inspect_task.py)."""

import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import zstandard

from pipeline.traces import limits
from pipeline.traces.trace import TraceError

SUFFIX = ".eval"
# Of an archive: a kind of compression, and where a member's header has the lengths of its name and of what follows it.
ZIP_ZSTD, NAME_LENGTHS = 93, 26
PIECE = 1 << 12
# Where a sample keeps its game's trace.
TRACE = "calbench_trace"


def read_log(path: Path) -> Iterator[tuple[str, bytes | TraceError]]:
    """(sample and epoch, JSON text of its trace or why there is none) of each sample of a log.

    Raises TraceError where the file is no log, holds more than a file may, or Inspect is not installed.
    """
    try:
        if not path.is_file():
            raise TraceError("cannot be opened: not a regular file", "file")
        if unpacked_bytes(path, limits.FILE_BYTES) > limits.FILE_BYTES:
            raise TraceError(
                f"larger than the {limits.FILE_BYTES} bytes that a file may have when it is unpacked", "file"
            )
        from inspect_ai.log import read_eval_log_samples

        samples = list(read_eval_log_samples(path.as_posix(), all_samples_required=False, resolve_attachments=True))
    except ModuleNotFoundError as error:
        raise TraceError("a log of Inspect; install calbench-lab[inspect] to read it", "file") from error
    except TraceError:
        raise
    except Exception as error:  # whatever Inspect raises over a file, it is no log then
        raise TraceError(f"no log of Inspect that can be read: {type(error).__name__}", "file") from error
    for sample in samples:
        name, trace = f"{sample.id}.{sample.epoch}", sample.store.get(TRACE)
        if trace is None:
            yield name, TraceError("the sample holds no game; it was not finished, or is another task's", "store")
        else:
            yield name, msgspec.json.encode(trace)


def unpacked_bytes(path: Path, most: int) -> int:
    """The bytes of all members of an archive, unpacked piece by piece, as what it says of itself may be false; those up
    to the first piece beyond `most`. Raises TraceError for a compression that logs do not have."""
    unpackers: dict[int, Callable[[], Any]] = {
        zipfile.ZIP_STORED: lambda: None,
        zipfile.ZIP_DEFLATED: lambda: zlib.decompressobj(-zlib.MAX_WBITS),
        ZIP_ZSTD: lambda: zstandard.ZstdDecompressor().decompressobj(),
    }
    size = 0
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        for member in archive.infolist():
            if member.compress_type not in unpackers:
                raise TraceError("no log of Inspect that can be read: an unknown compression", "file")
            unpacker = unpackers[member.compress_type]()
            for piece in pieces(file, member):
                size += len(unpacker.decompress(piece) if unpacker else piece)
                if size > most:
                    return size
    return size


def pieces(file: BinaryIO, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """The compressed bytes of a member, a few at a time: each may unpack to a thousand times as many."""
    file.seek(member.header_offset + NAME_LENGTHS)
    file.seek(sum(int.from_bytes(file.read(2), "little") for _ in range(2)), 1)
    left = member.compress_size
    while left > 0 and (piece := file.read(min(left, PIECE))):
        left -= len(piece)
        yield piece
