"""Where traces are: files, folders and URLs to texts, one JSON text a trace, unpacked piece by piece, within bounds."""

import gzip
import io
import os
import stat
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from machine.processes import TOO_MANY
from machine.stores import Unreachable
from pipeline.reading import limits
from pipeline.reading.remote import as_read, is_remote
from pipeline.reading.remote import files as remote_files
from pipeline.reading.remote import opened as remote_opened
from pipeline.reading.traces import TraceError

SINGLES = (".json", ".json.gz", ".json.zst")
PACKS = (".jsonl", ".jsonl.gz", ".jsonl.zst")

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
ZSTD_SKIPPABLE = b"\x2a\x4d\x18"  # after a first byte of any kind

Stream = io.BufferedReader | gzip.GzipFile

PIECE = 1 << 18
# A byte of zstd unpacks to at most 32 KiB: what a piece unpacks to stays in memory.
PACKED_PIECE = 1 << 12


@dataclass(frozen=True, order=True)
class Source:
    """One file that holds a trace, or a pack of them; `name` is its path as the user reached it.

    Of a pack that is read in pieces: the lines that are met from its byte `first` on and before byte `last`.
    """

    name: str
    size: int
    first: int = 0
    last: int | None = None

    @property
    def shown(self) -> str:
        """The name as text: bytes that are no UTF-8 as \\xff."""
        return os.fsencode(self.name).decode("utf-8", "backslashreplace")


def find(inputs: Iterable[Path | str]) -> list[Source]:
    """One source per file, sorted by name: the files named, and every trace file in the folders and URLs named.

    Raises FileNotFoundError for an input that does not exist.
    """
    return look(inputs)[0]


def look(inputs: Iterable[Path | str]) -> tuple[list[Source], int]:
    """What `find` finds, and how many files of the folders are passed over because of their names."""
    names: dict[str, Source] = {}
    others: set[str] = set()
    for given in inputs:
        for place, source, wanted in _remote(str(given)) if is_remote(str(given)) else _local(Path(given)):
            if wanted:
                names.setdefault(place, source)
            else:
                others.add(place)
    return sorted(names.values()), len(others - names.keys())


def _remote(given: str) -> Iterator[tuple[str, Source, bool]]:
    """Each file that a URL reaches: where it is, and whether it is to be read."""
    for url, size in remote_files(given):
        yield url, Source(url, size), url == given or url.endswith(SINGLES + PACKS)


def _local(given: Path) -> Iterator[tuple[str, Source, bool]]:
    """Each file: where it really is, and whether it is to be read. Linked folders are entered, each folder once.

    A folder that cannot be listed is to be read, too: that says why. Raises FileNotFoundError where there is nothing.
    """
    if not os.path.lexists(given):
        raise FileNotFoundError(given)
    if not given.is_dir():
        yield os.path.realpath(given), _source(given), True
        return
    entered: set[str] = set()
    failed: list[OSError] = []
    for folder, folders, names in os.walk(given, onerror=failed.append, followlinks=True):
        real = os.path.realpath(folder)
        if real in entered:
            folders.clear()
            continue
        entered.add(real)
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            place = os.path.realpath(path) if path.is_symlink() else f"{real}/{name}"
            yield place, _source(path), name.endswith(SINGLES + PACKS)
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
    return source.name.endswith(PACKS)


def pieces(source: Source, number: int) -> list[Source]:
    """A pack in so many pieces. Each is unpacked from the file's start on, which takes a fraction of deriving it."""
    ends = [source.size * i // number for i in range(1, number)]
    spans = zip([0, *ends], [*ends, None], strict=True)
    return [Source(source.name, (source.size if last is None else last) - first, first, last) for first, last in spans]


def texts(source: Source) -> Iterator[tuple[str, bytes | TraceError]]:
    """(trace_path, JSON text) of every trace of a file, or what is wrong with it.

    A pack's traces are called by the file's name and their line, `pack.jsonl.zst#12` (lines count from 1). Raises
    Unreachable where a store is gone: none of its traces is to blame.
    """
    try:
        with _opened(source) as file, _unpacked(file, source.name) as stream:
            if is_pack(source):
                yield from _lines(source, file, stream)
            else:
                yield source.shown, _whole(stream)
    except Exception as error:
        known = as_read(source.name, error) if is_remote(source.name) else error
        if isinstance(known, Unreachable):
            raise known from error
        yield source.shown, _unreadable(known)


def _opened(source: Source) -> io.BufferedReader:
    """The file, if it is one: a pipe or a device would never end."""
    if is_remote(source.name):
        return remote_opened(source.name, None if source.first or source.last else source.size)
    # Without waiting: opening a pipe waits for someone to write to it.
    number = os.open(source.name, os.O_RDONLY | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(number).st_mode):
        return open(number, "rb")
    os.close(number)
    raise TraceError("cannot be opened: not a regular file", "file")


def _unpacked(file: io.BufferedReader, name: str) -> Stream:
    """The content without its compression, which its first bytes tell, whatever the file is called."""
    head = file.peek(4)[:4]
    if head[:2] == GZIP:
        return gzip.GzipFile(fileobj=file)
    if head == ZSTD or head[1:] == ZSTD_SKIPPABLE:
        return io.BufferedReader(Unzstd(file), PIECE)
    if name.endswith((".gz", ".zst")) and head.removeprefix(BOM_UTF8).lstrip()[:1] not in (b"{", b""):
        raise TraceError("damaged compression: neither gzip nor zstd, nor plain JSON", "byte 0")
    return file


class Unzstd(io.RawIOBase):
    """A zstd file's content. Unlike zstandard's own reader, it tells a file that is cut off from one that ends."""

    def __init__(self, packed: io.BufferedReader) -> None:
        import zstandard

        super().__init__()
        self.packed = packed
        self.frames = zstandard.ZstdDecompressor()
        self.frame: zstandard.ZstdDecompressionObj | None = None
        self.waiting = b""
        self.ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self.ready:
            self.waiting = self.waiting or self.packed.read(PACKED_PIECE)
            if not self.waiting:
                if self.frame:
                    raise EOFError("it ends in the middle of a frame")
                return 0
            self.frame = self.frame or self.frames.decompressobj()
            self.ready = memoryview(self.frame.decompress(self.waiting))
            self.waiting = self.frame.unused_data
            if self.frame.eof:
                self.frame = None
        size = min(len(buffer), len(self.ready))
        buffer[:size] = self.ready[:size]
        self.ready = self.ready[size:]
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
    for number, (at, line) in enumerate(_met(file, stream, source.last), start=1):
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


def _met(file: io.BufferedReader, stream: Stream, last: int | None) -> Iterator[tuple[int, bytes]]:
    """(how far in the file it is met, line) of each line before byte `last` of the file.

    Whoever reads the file is as far in it at the same line: of several pieces each line is in one.
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
    if isinstance(error, OSError) and error.errno in TOO_MANY:
        raise error
    if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
        return TraceError(f"cannot be opened: {error.strerror or error}", "file")
    cut = isinstance(error, EOFError | zlib.error)
    return TraceError(f"{'cut off or damaged' if cut else 'damaged'} compression: {error}", "file")
