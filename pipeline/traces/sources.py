"""Files, folders and URLs to the JSON text of each trace, unpacked piece by piece and within bounds."""

import gzip
import io
import os
import stat
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from machine.processes import TOO_MANY_ERRNOS
from machine.stores import Unreachable, is_url, list_files, open_file, plain_read_error
from pipeline.traces import limits
from pipeline.traces.trace import TraceError

TRACE_SUFFIXES = (".json", ".json.gz", ".json.zst")
PACK_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
ZSTD_SKIPPABLE = b"\x2a\x4d\x18"  # after a first byte of any kind

Stream = io.BufferedReader | gzip.GzipFile

PIECE = 1 << 18
# A byte of zstd unpacks to at most 32 KiB: what a piece unpacks to stays in memory.
PACKED_PIECE = 1 << 12


@dataclass(frozen=True, order=True)
class Source:
    """One file that holds a trace, or a pack of them; `name` is its path or URL as the user reached it.

    A piece of a pack has the lines that begin to be read between byte `first` of the file and byte `last`.
    """

    name: str
    size: int
    first: int = 0
    last: int | None = None

    @property
    def shown(self) -> str:
        """The name as text: bytes that are no UTF-8 as \\xff."""
        return os.fsencode(self.name).decode("utf-8", "backslashreplace")


def find_sources(inputs: Iterable[Path | str]) -> list[Source]:
    """One source per file, sorted by name: the files named, and every trace file in the folders and URLs named.

    Raises FileNotFoundError for an input that does not exist.
    """
    return find_sources_and_others(inputs)[0]


def find_sources_and_others(inputs: Iterable[Path | str]) -> tuple[list[Source], int]:
    """What `find` finds, and how many files of the folders are not traces by their names."""
    sources: dict[str, Source] = {}
    others: set[str] = set()
    for name in inputs:
        for path, source, is_trace in _remote(str(name)) if is_url(str(name)) else _local(Path(name)):
            if is_trace:
                sources.setdefault(path, source)
            else:
                others.add(path)
    return sorted(sources.values()), len(others - sources.keys())


def _remote(named: str) -> Iterator[tuple[str, Source, bool]]:
    """(URL, source, whether it is to be read) of each file at a URL."""
    for url, size in list_files(named):
        yield url, Source(url, size), url == named or url.endswith(TRACE_SUFFIXES + PACK_SUFFIXES)


def _local(named: Path) -> Iterator[tuple[str, Source, bool]]:
    """(real path, source, whether it is to be read) of each file. Linked folders are entered, each folder once.

    A folder that cannot be listed is a source, too: reading it says why. Raises FileNotFoundError where there is
    nothing.
    """
    if not os.path.lexists(named):
        raise FileNotFoundError(named)
    if not named.is_dir():
        yield os.path.realpath(named), _source(named), True
        return
    entered: set[str] = set()
    failed: list[OSError] = []
    for folder, folders, names in os.walk(named, onerror=failed.append, followlinks=True):
        real = os.path.realpath(folder)
        if real in entered:
            folders.clear()
            continue
        entered.add(real)
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            real_path = os.path.realpath(path) if path.is_symlink() else f"{real}/{name}"
            yield real_path, _source(path), name.endswith(TRACE_SUFFIXES + PACK_SUFFIXES)
    for error in failed:
        yield os.path.realpath(error.filename), _source(Path(error.filename)), True


def _source(path: Path) -> Source:
    return Source(path.as_posix(), _size(path))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def is_pack(source: Source) -> bool:
    """Whether the file holds one trace a line."""
    return source.name.endswith(PACK_SUFFIXES)


def split_pack(source: Source, number: int) -> list[Source]:
    """A pack in so many pieces. Each is unpacked from the file's start on, which takes a fraction of deriving it."""
    ends = [source.size * i // number for i in range(1, number)]
    spans = zip([0, *ends], [*ends, None], strict=True)
    return [Source(source.name, (source.size if last is None else last) - first, first, last) for first, last in spans]


def read_texts(source: Source) -> Iterator[tuple[str, bytes | TraceError]]:
    """(trace_path, JSON text or what is wrong with it) of every trace of a file.

    A pack's traces are called by the file's name and their line, `pack.jsonl.zst#12` (lines count from 1). Raises
    Unreachable where a store is gone, which is no fault of a trace.
    """
    try:
        with _opened(source) as file, _unpacked(file, source.name) as stream:
            if is_pack(source):
                yield from _lines(source, file, stream)
            else:
                yield source.shown, _whole(stream)
    except Exception as error:
        plain = plain_read_error(source.name, error) if is_url(source.name) else error
        if isinstance(plain, Unreachable):
            raise plain from error
        yield source.shown, _unreadable(plain)


def _opened(source: Source) -> io.BufferedReader:
    """The file, open for reading. Raises TraceError unless it is a regular file: a pipe or a device might never end."""
    if is_url(source.name):
        return open_file(source.name, None if source.first or source.last else source.size)
    # O_NONBLOCK, as opening a pipe blocks until someone writes to it.
    number = os.open(source.name, os.O_RDONLY | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(number).st_mode):
        return open(number, "rb")
    os.close(number)
    raise TraceError("cannot be opened: not a regular file", "file")


def _unpacked(file: io.BufferedReader, name: str) -> Stream:
    """The content without its compression, which is told by its first bytes and not by the file's name."""
    head = file.peek(4)[:4]
    if head[:2] == GZIP:
        return gzip.GzipFile(fileobj=file)
    if head == ZSTD or head[1:] == ZSTD_SKIPPABLE:
        return io.BufferedReader(ZstdReader(file), PIECE)
    if name.endswith((".gz", ".zst")) and head.removeprefix(BOM_UTF8).lstrip()[:1] not in (b"{", b""):
        raise TraceError("damaged compression: neither gzip nor zstd, nor plain JSON", "byte 0")
    return file


class ZstdReader(io.RawIOBase):
    """A zstd file's content. Unlike zstandard's own reader, it raises EOFError for a file that is cut off."""

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
            if self.frame.eof:
                self.frame = None
        size = min(len(buffer), len(self.unpacked))
        buffer[:size] = self.unpacked[:size]
        self.unpacked = self.unpacked[size:]
        return size


def _whole(stream: Stream) -> bytes:
    """The content of a file that holds one trace."""
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


def _lines(source: Source, file: io.BufferedReader, stream: Stream) -> Iterator[tuple[str, bytes | TraceError]]:
    """The lines of a pack, or of a piece of one, that are not blank."""
    size = 0
    blank = True
    for number, (at, line) in enumerate(_lines_until(file, stream, source.last), start=1):
        size += len(line)
        if number > limits.LINES:
            raise TraceError(f"more than {limits.LINES} lines; what follows was not read", f"line {number}")
        too_long = len(line) > limits.TRACE_BYTES
        if too_long or line.strip():
            blank = False
            if at >= source.first:
                yield f"{source.shown}#{number}", _too_large("trace", limits.TRACE_BYTES) if too_long else line
        while too_long and line and not line.endswith(b"\n") and size <= limits.FILE_BYTES:
            line = stream.readline(PIECE)
            size += len(line)
        if size > limits.FILE_BYTES:
            raise _too_large("file", limits.FILE_BYTES, f"line {number}")
    if blank and source.last is None:
        raise TraceError("empty", "file")


def _lines_until(file: io.BufferedReader, stream: Stream, last: int | None) -> Iterator[tuple[int, bytes]]:
    """(how far the file had been read before it, line) of each line that begins to be read before byte `last`.

    Every reader is as far in the file at the same line, so that each line belongs to exactly one piece.
    """
    while last is None or file.tell() < last:
        at = file.tell()
        line = stream.readline(limits.TRACE_BYTES + 1)
        if not line:
            return
        yield at, line


def _too_large(what: str, most: int, place: str = "file") -> TraceError:
    rest = "; what follows was not read" if what == "file" else ""
    return TraceError(f"larger than the {most} bytes that a {what} may have when it is unpacked{rest}", place)


def _unreadable(error: Exception) -> TraceError:
    """What is wrong with a file. Raises OSError where it is not the file that is at fault."""
    if isinstance(error, TraceError):
        return error
    if isinstance(error, OSError) and error.errno in TOO_MANY_ERRNOS:
        raise error
    if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
        return TraceError(f"cannot be opened: {error.strerror or error}", "file")
    cut = isinstance(error, EOFError | zlib.error)
    return TraceError(f"{'cut off or damaged' if cut else 'damaged'} compression: {error}", "file")
