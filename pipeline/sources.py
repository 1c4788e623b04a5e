"""Where traces are: files and folders to texts, one JSON text a trace."""

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.traces import TraceError

SINGLES = (".json", ".json.gz", ".json.zst")
PACKS = (".jsonl", ".jsonl.gz", ".jsonl.zst")


@dataclass(frozen=True, order=True)
class Source:
    """One file that holds a trace, or a pack of them; `name` is its path as the user reached it."""

    name: str
    size: int


def find(inputs: Iterable[Path]) -> list[Source]:
    """One source per file, sorted by name: the files named, and every trace file in the folders named.

    Raises FileNotFoundError for an input that does not exist.
    """
    names: dict[str, Source] = {}
    for given in inputs:
        if not given.exists():
            raise FileNotFoundError(given)
        for path in _files(given):
            names.setdefault(str(path.resolve()), Source(path.as_posix(), _size(path)))
    return sorted(names.values())


def _files(given: Path) -> Iterator[Path]:
    if given.is_dir():
        yield from (path for path in given.rglob("*") if path.name.endswith(SINGLES + PACKS) and not path.is_dir())
    else:
        yield given


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def is_pack(source: Source) -> bool:
    """Whether the file holds one trace a line."""
    return source.name.endswith(PACKS)


def texts(source: Source) -> Iterator[tuple[str, bytes | TraceError]]:
    """(trace_path, JSON text) of every trace of a file, or what is wrong with it.

    A pack's traces are called by the file's name and their line, `pack.jsonl.zst#12` (lines count from 1).
    """
    lines = enumerate(_lines(source), start=1) if is_pack(source) else None
    if lines is None:
        yield source.name, _whole(source)
        return
    for number, line in lines:
        if isinstance(line, TraceError):
            yield source.name, line
        elif line.strip():
            yield f"{source.name}#{number}", line


def _whole(source: Source) -> bytes | TraceError:
    """The unpacked content of a file that holds one trace."""
    try:
        data = Path(source.name).read_bytes()
        if source.name.endswith(".gz"):
            return gzip.decompress(data)
        return _unzstd(data) if source.name.endswith(".zst") else data
    except Exception as error:
        return _unreadable(error)


def _unzstd(data: bytes) -> bytes:
    import zstandard

    reader = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True)
    text: bytes = reader.read()
    if not text:
        raise EOFError("empty or cut off")
    return text


def _lines(source: Source) -> Iterator[bytes | TraceError]:
    """The lines of a pack; an unreadable rest ends it with the error."""
    try:
        with _opened(source) as stream:
            yield from stream
    except Exception as error:
        yield _unreadable(error)


def _opened(source: Source) -> io.BufferedIOBase:
    path = Path(source.name)
    if source.name.endswith(".gz"):
        return gzip.open(path, "rb")
    if source.name.endswith(".zst"):
        import zstandard

        return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(path.open("rb"), read_across_frames=True))
    return path.open("rb")


def _unreadable(error: Exception) -> TraceError:
    if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
        return TraceError(f"cannot be opened: {error.strerror or error}", "file")
    cut = isinstance(error, EOFError | zlib.error)
    return TraceError(f"{'cut off or damaged' if cut else 'damaged'} compression: {error}", "file")
