"""Files by URL: buckets of object stores (s3, gs, az) through obstore, everything else through fsspec.

obstore comes with the extra `cluster`, and takes keys, regions and endpoints from the environment (docs/scale.md).
Only its blocking functions are called: a process that used its asynchronous ones may abort when it ends soon after.
"""

from __future__ import annotations

import errno
import io
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, cast

PROTOCOLS = ("s3", "s3a", "gs", "az", "adl", "abfs", "abfss", "azure")

# How long a request without an answer is repeated; a single one takes at most 30 seconds, or AWS_TIMEOUT.
RETRY_TIME = timedelta(seconds=20)
LONGEST_PAUSE = timedelta(seconds=3)

READ_BUFFER = 1 << 20
# A large file is uploaded in pieces; a store takes at most ten thousand.
PIECE = 8 << 20
MOST_PIECES = 9_000
PIECES_AT_ONCE = 4

# Written and removed before work begins, to know that the destination is writable.
TRIAL_FILE = ".calbench"

# Part of a store's message → the same in plain words.
PLAIN_WORDS = {
    "builder error": "the endpoint is not https, which AWS_ALLOW_HTTP=true allows",
    "error sending request": "no answer",
    "169.254.169.254": "there are no keys in the environment",
    "Unable to recognise URL": "not the name of a bucket",
    "invalid domain character": "not the name of a bucket",
}
CODE = re.compile(r"<Code>(\w+)</Code>")
DENIED = "403 Forbidden"
ADVICE = "check the bucket's name, the network, and keys, region and endpoint in the environment (docs/scale.md)"
# What obstore says when a listing has a name that it refuses: with a folder called . or .. or nothing.
INVALID_NAME, RENAME = "Encountered object with invalid path", "rename that file, or name a folder beside it"


class Unreachable(OSError):
    """A store does not answer or refuses; the message says why and what to do."""

    def __init__(self, message: str) -> None:
        # `executor.cluster` passes on errors with an errno as they are.
        super().__init__(errno.EIO, message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.strerror,)

    def __str__(self) -> str:
        return str(self.strerror)


@cache
def bucket_store(bucket: str) -> Any:
    """obstore's connections to the bucket at a URL, shared by the whole process. Raises ImportError without obstore."""
    import obstore  # noqa: F401
    from obstore.store import from_url

    pauses: Any = {"init_backoff": timedelta(milliseconds=100), "max_backoff": LONGEST_PAUSE, "base": 2}
    return from_url(bucket, retry_config={"max_retries": 10, "retry_timeout": RETRY_TIME, "backoff": pauses})


class Bucket:
    """A bucket with the methods of fsspec's file systems that are used here.

    Paths begin with the bucket's name. Stores have no folders: a folder is a common prefix of names.
    """

    def __init__(self, protocol: str, name: str) -> None:
        self.name = name
        self.store = bucket_store(f"{protocol}://{name}")

    def _key(self, path: str) -> str:
        return path.removeprefix(self.name).strip("/")

    def find(self, path: str, detail: bool = False) -> dict[str, dict[str, Any]]:
        """Path → {"size": bytes} of each file in the folder at any depth, or of the file itself; empty for neither."""
        key = self._key(path)
        entries = chain.from_iterable(self.store.list(key or None))
        sizes = {f"{self.name}/{entry['path']}": {"size": entry["size"]} for entry in entries}
        if key and not sizes:
            with suppress(FileNotFoundError):
                sizes[f"{self.name}/{key}"] = {"size": self.size(path)}
        return sizes

    def info(self, path: str) -> dict[str, Any]:
        """What the store tells of the file: size, time, tag of its content. Raises FileNotFoundError."""
        return dict(self.store.head(self._key(path)))

    def size(self, path: str) -> int:
        """Bytes of the file. Raises FileNotFoundError."""
        return int(self.info(path)["size"])

    def isfile(self, path: str) -> bool:
        """Whether there is a file of exactly that name."""
        with suppress(FileNotFoundError):
            return bool(self._key(path)) and self.size(path) >= 0
        return False

    def open(self, path: str, mode: str = "rb", size: int | None = None) -> io.RawIOBase:
        """The file, fetched as it is read. Raises FileNotFoundError, now or while it is read."""
        import obstore

        return Reader(obstore.open_reader(self.store, self._key(path), buffer_size=READ_BUFFER, size=size))

    def cat_file(self, path: str) -> bytes:
        """All bytes of the file. Raises FileNotFoundError."""
        return bytes(self.store.get(self._key(path)).bytes())

    def pipe_file(self, path: str, data: bytes) -> None:
        """Write the file, whole."""
        self.store.put(self._key(path), data)

    def put_file(self, local: str, path: str) -> None:
        """Upload a file of this machine; it appears when all of it is there."""
        piece = max(PIECE, Path(local).stat().st_size // MOST_PIECES)
        self.store.put(self._key(path), Path(local), chunk_size=piece, max_concurrency=PIECES_AT_ONCE)

    def rm_file(self, path: str) -> None:
        """Remove the file, if it is there."""
        self.store.delete(self._key(path))


class Reader(io.RawIOBase):
    """A file of a bucket, open for reading."""

    def __init__(self, file: Any) -> None:
        super().__init__()
        self.file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def tell(self) -> int:
        return int(self.file.tell())


def is_url(name: str) -> bool:
    """Whether the name is a URL rather than a path."""
    return "://" in name


def file_system(url: str) -> tuple[Any, str]:
    """The file system that a URL names, a Bucket or one of fsspec's, and the path in it. Raises ValueError."""
    protocol, _, path = url.partition("://")
    try:
        if protocol in PROTOCOLS:
            if not (name := path.partition("/")[0]):
                raise ValueError(f"it names no bucket; write {protocol}://BUCKET/FOLDER")
            with plain_errors(url, "reached"):
                return Bucket(protocol, name), path.rstrip("/")
        import fsspec

        if protocol not in fsspec.available_protocols():
            raise ValueError("that is no protocol; known are s3://, gs://, az://, file:// and others of fsspec")
        return cast(tuple[Any, str], fsspec.core.url_to_fs(url))
    except ImportError as error:
        raise ValueError(f"{url}: {_missing_package(error)}") from error
    except ValueError as error:
        raise ValueError(f"{url}: {error}") from error


@contextmanager
def bucket_at(url: str) -> Iterator[tuple[Bucket, str]]:
    """The bucket of a URL and the path in it. In the block the store's errors become Unreachable; FileNotFoundError is
    raised as it is, where only the file is missing."""
    protocol, _, path = url.partition("://")
    try:
        with plain_errors(url):
            yield Bucket(protocol, path.partition("/")[0]), path
    except ImportError as error:
        raise Unreachable(f"{url}: {_missing_package(error)}") from error
    except ValueError as error:
        raise Unreachable(f"{error}; {ADVICE}") from error


@contextmanager
def plain_errors(url: str, verb: str = "") -> Iterator[None]:
    """Turn a store's own errors in the block into Unreachable: "{url} cannot be {verb}: …".

    A ValueError, of a name that no file can have, stays one. FileNotFoundError passes, unless the bucket is missing.
    """
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{url}: {short_reason(error)}") from error
    except Exception as error:
        if not _is_store_error(error) and "NoSuchBucket" not in str(error):
            raise
        advice = RENAME if INVALID_NAME in str(error) else ADVICE
        raise Unreachable(f"{url}{verb and f' cannot be {verb}'}: {short_reason(error)}; {advice}") from error


def plain_read_error(url: str, error: Exception) -> Exception:
    """An error of reading a file, in plain words: Unreachable where no other file could be read either."""
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(errno.ENOENT, "no such file")
    # While it reads bytes, obstore raises a bare OSError.
    if not _is_store_error(error) and not (type(error) is OSError and error.errno is None):
        return error
    if DENIED in str(error):
        return PermissionError(errno.EACCES, "access denied")
    return Unreachable(f"{url} cannot be read: {short_reason(error)}; {ADVICE}")


def short_reason(error: Exception) -> str:
    """A store's error in a few words; its own message may be a page long."""
    text = str(error)
    if code := CODE.search(text):
        return code[1]
    plain = next((plain for part, plain in PLAIN_WORDS.items() if part in text), None)
    return plain or text.partition("\n")[0].rpartition(" - ")[2].rstrip(": ")


def _is_store_error(error: Exception) -> bool:
    return type(error).__module__.startswith("obstore")


def _missing_package(error: ImportError) -> str:
    return f"{error.name} is not installed; install calbench-lab[cluster]" if error.name else str(error)


def list_files(url: str) -> Iterator[tuple[str, int]]:
    """(URL, bytes) of the file, or of every file in the folder at any depth, sorted by URL.

    Raises FileNotFoundError where there is nothing, ValueError for a URL that cannot be read, Unreachable for a store
    that does not answer or refuses.
    """
    system, path = file_system(url)
    protocol, entries = url.partition("://")[0], dict[str, Any]()
    with suppress(FileNotFoundError), plain_errors(url, "read"):
        entries = system.find(path, detail=True)
    if not entries:
        raise FileNotFoundError(url)
    for name in sorted(entries):
        size = entries[name]["size"] if entries[name] else system.size(name)
        bare = name if protocol in PROTOCOLS else system._strip_protocol(name)
        yield bare if is_url(bare) else f"{protocol}://{bare}", int(size or 0)


def open_file(url: str, size: int | None = None) -> io.BufferedReader:
    """The file, open for reading. Passing a known size saves a request."""
    system, path = file_system(url)
    known = {"size": size} if url.partition("://")[0] in PROTOCOLS else {}
    return io.BufferedReader(system.open(path, "rb", **known), READ_BUFFER)


def read_file(url: str) -> bytes:
    """All bytes of a file in a bucket, in one request. Raises FileNotFoundError and Unreachable."""
    with bucket_at(url) as (bucket, path):
        return bucket.cat_file(path)


def write_file(url: str, parts: Iterable[bytes]) -> None:
    """Write a file to a bucket; parts that are no list are first collected in a local file. Raises Unreachable."""
    if isinstance(parts, list):
        with bucket_at(url) as (bucket, path):
            bucket.pipe_file(path, b"".join(parts))
        return
    with tempfile.NamedTemporaryFile(prefix="calbench-") as whole:
        whole.writelines(parts)
        whole.flush()
        with bucket_at(url) as (bucket, path):
            bucket.put_file(whole.name, path)


def list_urls(url: str) -> set[str]:
    """The URLs of all files in a bucket's folder, at any depth. Raises Unreachable."""
    with bucket_at(url) as (bucket, path):
        return {f"{url.partition('://')[0]}://{name}" for name in bucket.find(path)}


def check_writable(url: str, is_file: bool) -> None:
    """Raise Unreachable where the file at the URL, or a file in the folder there, cannot be written."""
    with bucket_at(url) as (bucket, path):
        write_trial(bucket, f"{path}{TRIAL_FILE}" if is_file else f"{path}/{TRIAL_FILE}")


def write_trial(system: Any, path: str) -> None:
    """Write and remove an empty file, to see whether the file system raises an error."""
    system.pipe_file(path, b"")
    system.rm_file(path)
