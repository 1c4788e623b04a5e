"""Traces out of logs of Inspect, archives with a member a sample or JSON: each sample holds a game (sim/runs)."""

import json
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

from pipeline.traces import limits
from pipeline.traces.trace import TraceError

SUFFIX = ".eval"
# How a log in JSON begins, and no trace.
BEGINNING = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"(version|status|eval)"\s*:')
# Where a log says what its run is to play, that of a run which has ended first; and where its samples are.
HEADERS, SAMPLES = ("header.json", "_journal/start.json"), "samples/"
# Of an archive: a kind of compression, and where a member's header has the lengths of its name and of what follows it.
ZIP_ZSTD, NAME_LENGTHS = 93, 26
UNPACKERS: dict[int, Callable[[], Any]] = {
    zipfile.ZIP_STORED: lambda: None,
    zipfile.ZIP_DEFLATED: lambda: zlib.decompressobj(-zlib.MAX_WBITS),
    ZIP_ZSTD: lambda: zstandard.ZstdDecompressor().decompressobj(),
}
PIECE = 1 << 12
# Where a sample keeps its game's trace.
TRACE = "calbench_trace"


class Archive:
    """The members of an archive, within limits.SAMPLE_BYTES each and limits.FILE_BYTES together, whatever it says of
    itself. Raises ValueError where they overlap."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.left = file, limits.FILE_BYTES
        self.members = zipfile.ZipFile(file).infolist()
        if sum(member.compress_size for member in self.members) > file.seek(0, os.SEEK_END):
            raise ValueError("its members overlap")

    def text(self, member: zipfile.ZipInfo) -> bytes:
        """What the member holds. Raises TraceError beyond a limit, and anything where it is damaged."""
        unpacker, parts, least = UNPACKERS[member.compress_type](), [], self.left - limits.SAMPLE_BYTES
        for piece in pieces(self.file, member):
            parts.append(unpacker.decompress(piece) if unpacker else piece)
            self.left -= len(parts[-1])
            if self.left < max(least, 0):
                what, most = ("file", limits.FILE_BYTES) if self.left < 0 else ("sample", limits.SAMPLE_BYTES)
                raise TraceError(f"larger than the {most} bytes that a {what} may have when it is unpacked", what)
        text = b"".join(parts)
        if zlib.crc32(text) != member.CRC:
            raise ValueError("a member is not what was written")
        return text


Traces = Iterator[tuple[str, bytes | TraceError]]


def read_log(path: Path) -> Traces:
    """(place, JSON text of its trace or why there is none) of each sample of an archive, by its place from 1, and one
    at 0 where samples are not there that the run was to play.

    Raises TraceError where the file is no log, or holds more than a file may.
    """
    if not path.is_file():
        raise TraceError("cannot be opened: not a regular file", "file")
    with open(path, "rb") as file, damaged_log():
        archive = Archive(file)
        by_name = {member.filename: member for member in archive.members}
        header = json.loads(archive.text(next(by_name[name] for name in HEADERS if name in by_name)))
        expected = expected_samples(header["eval"])
        members = [member for member in archive.members if member.filename.startswith(SAMPLES)]
        yield from traces_of(expected, (loaded(archive, member) for member in members))


def read_json_log(text: bytes) -> Traces:
    """The same of a log in JSON."""
    with damaged_log():
        log = json.loads(text)
        expected, samples = expected_samples(log["eval"]), log.get("samples") or []
        yield from traces_of(expected, samples)


@contextmanager
def damaged_log() -> Iterator[None]:
    """Raise TraceError for whatever else is wrong: it is no log then."""
    try:
        yield
    except TraceError:
        raise
    except Exception as error:
        raise TraceError(f"no log of Inspect that can be read: {type(error).__name__}", "file") from error


def expected_samples(run: Any) -> int:
    """How many samples the run was to play."""
    return len(run["dataset"]["sample_ids"]) * int(run["config"].get("epochs") or 1)


def traces_of(expected: int, samples: Iterable[Any]) -> Traces:
    """(place, JSON text of its trace or why there is none) of each sample, or of what is wrong with it."""
    names = set()
    for place, sample in enumerate(samples, start=1):
        name, text = trace_of(sample)
        names.add(name or place)
        yield str(place), text
    if lacking := max(0, expected - len(names)):
        yield "0", TraceError(f"of a run that had not ended: {lacking} of its {expected} samples are not there", "file")


def trace_of(sample: Any) -> tuple[str, bytes | TraceError]:
    """(what no other sample is called, JSON text of its trace or why there is none)."""
    if isinstance(sample, TraceError):
        return "", sample
    try:
        name, trace = f"{sample['id']} {sample['epoch']}", sample["store"].get(TRACE)
        if trace is None:
            return name, TraceError("the sample holds no game; it was not finished, or is another task's", "store")
        return name, json.dumps(trace, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (AttributeError, LookupError, TypeError) as error:
        return "", TraceError(f"no sample that can be read: {type(error).__name__}", "file")


def loaded(archive: Archive, member: zipfile.ZipInfo) -> Any:
    """The member's sample, or what is wrong with it. Raises TraceError where the log holds more than a file may."""
    try:
        return json.loads(archive.text(member))
    except Exception as error:  # whatever is wrong with one sample, the others can be read
        if archive.left < 0:
            raise
        unread = TraceError(f"no sample that can be read: {type(error).__name__}", member.filename)
        return error if isinstance(error, TraceError) else unread


def pieces(file: BinaryIO, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """The compressed bytes of a member, a few at a time: each may unpack to a thousand times as many."""
    file.seek(member.header_offset + NAME_LENGTHS)
    file.seek(sum(int.from_bytes(file.read(2), "little") for _ in range(2)), 1)
    left = member.compress_size
    while left > 0 and (piece := file.read(min(left, PIECE))):
        left -= len(piece)
        yield piece
