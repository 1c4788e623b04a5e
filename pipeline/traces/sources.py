"""The JSON text of each trace in files, folders and URLs, decompressed piece by piece and within limits."""

import gzip
import io
import os
import stat
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path

from machine.cores import TOO_MANY_ERRNOS
from machine.files import file_version
from machine.manifests import MANIFEST_SUFFIX
from machine.stores import Unreachable, is_url, list_files, open_file, plain_read_error
from pipeline.traces import inspect_logs, limits
from pipeline.traces.trace import TraceError, is_other_kind

TRACE_SUFFIXES = (".json", ".json.gz", ".json.zst")
PACK_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")
SUFFIXES = (*TRACE_SUFFIXES, *PACK_SUFFIXES, inspect_logs.SUFFIX)
# What stands beside traces: a run's failed calls, what commands write of their own, and what the public harness does.
NO_TRACES = (
    "failures.jsonl",
    MANIFEST_SUFFIX,
    "/metrics.json",
    "/made.json",
    ".metadata.json",
    "_run_manifest.jsonl",
)

# What a file in a folder is by its name.
TRACE, OTHER, HIDDEN = "trace", "other", "hidden"
HIDDEN_NAMES = "names that begin with a dot, and __MACOSX"

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
ZSTD_SKIPPABLE = b"\x2a\x4d\x18"  # the last three bytes of a skippable frame's four

Stream = io.BufferedReader | gzip.GzipFile

PIECE = 1 << 18  # bytes read at once
# Compressed bytes read at once: a byte of zstd decompresses to at most 32 KiB, so what it gives fits in memory.
PACKED_PIECE = 1 << 12


class Replaced(Unreachable):
    """A pack is another one than when its reading in pieces began; the message says which, and what to do."""


@dataclass(frozen=True, order=True)
class Source:
    """One file with a trace or a pack of traces, or a piece of a pack.

    name: the path or URL as the user gave it. size: bytes, compressed. A piece of a pack has the lines for which the
    reader stands between byte `first` and byte `last` of the file (see `_lines_before`); `version` tells the file when
    it was divided from any other that takes its place.
    """

    name: str
    size: int
    first: int = 0
    last: int | None = None
    version: str | None = None

    @property
    def display_name(self) -> str:
        """The name as text: bytes that are no UTF-8 as \\xff."""
        return os.fsencode(self.name).decode("utf-8", "backslashreplace")


def find_sources(inputs: Iterable[Path | str]) -> list[Source]:
    """One source for each file: those named, and every trace file in the folders and URLs named. Sorted by name.

    Raises FileNotFoundError for an input that does not exist, ValueError for a URL that cannot be read, and Unreachable
    for a store that does not answer.
    """
    return find_sources_and_others(inputs)[0]


def find_sources_and_others(inputs: Iterable[Path | str]) -> tuple[list[Source], int]:
    """The sources of `find_sources`, and how many other files by their names the folders have, but for manifests and
    the public harness's sidecars. A line on stderr counts the hidden names that are passed over."""
    sources: dict[str, Source] = {}
    others, hidden = set[str](), 0
    for name in inputs:
        for path, source, kind in _remote_files(str(name)) if is_url(str(name)) else _local_files(Path(name)):
            if kind == TRACE:
                sources.setdefault(path, source)
            elif kind == OTHER and not path.endswith(NO_TRACES[1:]):
                others.add(path)
            hidden += kind == HIDDEN
    if hidden:
        _say(f"{hidden} hidden file{'s' * (hidden > 1)} or folder{'s' * (hidden > 1)} passed over: {HIDDEN_NAMES}")
    return sorted(sources.values()), len(others - sources.keys())


@cache
def _say(line: str) -> None:
    """Print the line on stderr, once a process."""
    print(line, file=sys.stderr)


def is_hidden(name: str) -> bool:
    """Whether a file or folder of that name is a tool's own, as a trash or a snapshot is."""
    return name.startswith(".") or name == "__MACOSX"


def _kind(name: str) -> str:
    return TRACE if is_trace_name(name) else OTHER


def _remote_files(folder: str) -> Iterator[tuple[str, Source, str]]:
    """(URL, source, kind) of each file at a URL."""
    for url, size in list_files(folder):
        hidden = any(map(is_hidden, url.removeprefix(folder).split("/")))
        yield url, Source(url, size), TRACE if url == folder else HIDDEN if hidden else _kind(url)


def _local_files(top: Path) -> Iterator[tuple[str, Source, str]]:
    """(real path, source, kind) of each file. Links to folders are followed, each folder once.

    A folder that cannot be listed is a source as well: reading it says why. A hidden folder is not looked into. Raises
    FileNotFoundError where there is nothing.
    """
    if not os.path.lexists(top):
        raise FileNotFoundError(top)
    if not top.is_dir():
        yield os.path.realpath(top), _source(top), TRACE
        return
    visited, failed = set[str](), list[OSError]()
    for folder, folders, names in os.walk(top, onerror=failed.append, followlinks=True):
        real = os.path.realpath(folder)
        names += filter(is_hidden, folders)
        folders[:] = [] if real in visited else sorted(name for name in folders if not is_hidden(name))
        for name in sorted(names) if real not in visited else ():
            path = Path(folder, name)
            if is_hidden(name):
                yield f"{real}/{name}", Source(path.as_posix(), 0), HIDDEN
            elif not is_other_kind(path):
                real_path = os.path.realpath(path) if path.is_symlink() else f"{real}/{name}"
                yield real_path, _source(path), _kind(path.as_posix())
        visited.add(real)
    for error in failed:
        yield os.path.realpath(error.filename), _source(Path(error.filename)), TRACE


def _source(path: Path) -> Source:
    try:
        size = path.stat().st_size
    except OSError:
        size = 0
    return Source(path.as_posix(), size)


def is_trace_name(name: str) -> bool:
    """Whether a file of that path in a folder holds traces."""
    return name.endswith(SUFFIXES) and not name.endswith(NO_TRACES)


def local_files(sources: Iterable[Source]) -> list[Path]:
    """The files of the sources on this machine; none where one is at a URL or cannot be read."""
    paths = [Path(source.name) for source in sources]
    return paths if all(path.is_file() and os.access(path, os.R_OK) for path in paths) else []


def is_pack(source: Source) -> bool:
    """Whether the file holds one trace a line."""
    return source.name.endswith(PACK_SUFFIXES)


def split_pack(source: Source, number: int) -> list[Source]:
    """A pack in so many pieces. Reading one decompresses the file from its start, which is cheap beside deriving."""
    ends = [source.size * i // number for i in range(1, number)]
    spans = zip([0, *ends], [*ends, None], strict=True)
    version = file_version(source.name) if ends else None
    end = source.size
    return [Source(source.name, (end if last is None else last) - first, first, last, version) for first, last in spans]


def _check_version(source: Source, descriptor: int | None = None) -> None:
    """Raise Replaced where a piece's file, at its path or open, is not the one that was divided."""
    if source.version is not None and file_version(source.name, descriptor) != source.version:
        raise Replaced(f"{source.display_name} was replaced or written to while it was read; run it again")


def read_texts(source: Source) -> Iterator[tuple[str, bytes | TraceError]]:
    """(trace_path, JSON text or what is wrong with it) of every trace of a file.

    The trace_path of a pack's trace ends in its line, from 1: `pack.jsonl.zst#12`. Raises Unreachable where a store
    does not answer, Replaced where a pack's pieces would not be of one file, and OSError where the process has too many
    open files: no trace is at fault then.
    """
    try:
        if source.name.endswith(inspect_logs.SUFFIX):
            if is_url(source.name):
                raise TraceError("a log of Inspect is read from a disk alone", "file")
            samples = inspect_logs.read_log(Path(source.name))
            yield from ((f"{source.display_name}#{sample}", text) for sample, text in samples)
            return
        with _open_regular(source) as file, _decompressed(file, source.name) as stream:
            if is_pack(source):
                descriptor = None if is_url(source.name) else file.fileno()
                _check_version(source, descriptor)
                yield from _read_lines(source, file, stream)
                _check_version(source, descriptor)
            else:
                text = _read_trace(stream)
                is_log = inspect_logs.BEGINNING.match(text)
                samples = inspect_logs.read_json_log(text) if is_log else iter([("", text)])
                yield from ((f"{source.display_name}#{place}".rstrip("#"), each) for place, each in samples)
    except Exception as error:
        cause = plain_read_error(source.name, error) if is_url(source.name) else error
        if isinstance(cause, Unreachable):
            raise cause from error
        _check_version(source)
        yield source.display_name, _explain_failure(cause)


def _open_regular(source: Source) -> io.BufferedReader:
    """The file, open for reading. Raises TraceError for a pipe or a device, which might never end."""
    if is_url(source.name):
        return open_file(source.name, None if source.first or source.last else source.size)
    # O_NONBLOCK: opening a pipe would block until someone writes to it.
    descriptor = os.open(source.name, os.O_RDONLY | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return open(descriptor, "rb")
    os.close(descriptor)
    raise TraceError("cannot be opened: not a regular file", "file")


def _decompressed(file: io.BufferedReader, name: str) -> Stream:
    """The file's content, decompressed by what its first bytes say. Raises TraceError where they are damaged."""
    head = file.peek(4)[:4]
    if head[:2] == GZIP:
        return gzip.GzipFile(fileobj=file)
    if head == ZSTD or head[1:] == ZSTD_SKIPPABLE:
        return io.BufferedReader(ZstdReader(file), PIECE)
    if name.endswith((".gz", ".zst")) and head.removeprefix(BOM_UTF8).lstrip()[:1] not in (b"{", b""):
        raise TraceError("damaged compression: neither gzip nor zstd, nor plain JSON", "byte 0")
    return file


class ZstdReader(io.RawIOBase):
    """The content of a zstd file. Unlike zstandard's own reader it raises EOFError where the file is cut off."""

    def __init__(self, packed: io.BufferedReader) -> None:
        import zstandard

        super().__init__()
        self.packed = packed
        self.frames = zstandard.ZstdDecompressor()
        self.frame: zstandard.ZstdDecompressionObj | None = None
        self.packed_bytes = b""
        self.unpacked = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self.unpacked:
            self.packed_bytes = self.packed_bytes or self.packed.read(PACKED_PIECE)
            if not self.packed_bytes:
                if self.frame:
                    raise EOFError("it ends in the middle of a frame")
                return 0
            self.frame = self.frame or self.frames.decompressobj()
            self.unpacked = memoryview(self.frame.decompress(self.packed_bytes))
            self.packed_bytes = self.frame.unused_data
            self.frame = None if self.frame.eof else self.frame
        size = min(len(buffer), len(self.unpacked))
        buffer[:size] = self.unpacked[:size]
        self.unpacked = self.unpacked[size:]
        return size


def _read_trace(stream: Stream) -> bytes:
    """The content of a file that holds one trace. Raises TraceError where it is too large or empty."""
    pieces, size = [], 0
    while piece := stream.read(PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > limits.TRACE_BYTES:
            raise _too_large("trace", limits.TRACE_BYTES)
    text = b"".join(pieces)
    if not text or text.isspace():
        raise TraceError("empty", "file")
    return text


def _read_lines(source: Source, file: io.BufferedReader, stream: Stream) -> Iterator[tuple[str, bytes | TraceError]]:
    """(trace_path, line or what is wrong with it) of the lines of a pack, or of a piece of one, that are not blank."""
    size, blank = 0, True
    for number, (offset, line) in enumerate(_lines_before(file, stream, source.last), start=1):
        size += len(line)
        if number > limits.LINES:
            raise TraceError(f"more than {limits.LINES} lines; what follows was not read", f"line {number}")
        too_long = len(line) > limits.TRACE_BYTES
        if too_long or line.strip():
            blank = False
            if offset >= source.first:
                yield f"{source.display_name}#{number}", _too_large("trace", limits.TRACE_BYTES) if too_long else line
        while too_long and line and not line.endswith(b"\n") and size <= limits.FILE_BYTES:
            line = stream.readline(PIECE)
            size += len(line)
        if size > limits.FILE_BYTES:
            raise _too_large("file", limits.FILE_BYTES, f"line {number}")
    if blank and source.last is None:
        raise TraceError("empty", "file")


def _lines_before(file: io.BufferedReader, stream: Stream, last: int | None) -> Iterator[tuple[int, bytes]]:
    """(offset of the reader in the compressed file before it, line) of each line whose offset is below `last`.

    Every reader has the same offset at the same line, so each line belongs to exactly one piece.
    """
    most = inf if last is None else last
    while (offset := file.tell()) < most and (line := stream.readline(limits.TRACE_BYTES + 1)):
        yield offset, line


def _too_large(what: str, most: int, place: str = "file") -> TraceError:
    rest = "; what follows was not read" if what == "file" else ""
    return TraceError(f"larger than the {most} bytes that a {what} may have when it is unpacked{rest}", place)


def _explain_failure(error: Exception) -> TraceError:
    """What is wrong with a file, as a rejection. Raises OSError where too many files are open: the file is fine."""
    if isinstance(error, TraceError):
        return error
    if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
        if error.errno in TOO_MANY_ERRNOS:
            raise error
        return TraceError(f"cannot be opened: {error.strerror or error}", "file")
    cut = isinstance(error, EOFError | zlib.error)
    return TraceError(f"{'cut off or damaged' if cut else 'damaged'} compression: {error}", "file")
