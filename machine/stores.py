"""Files by URL: buckets and all else that fsspec reaches.

s3fs comes with the extra `cluster`; it takes keys, region and endpoint from the environment (docs/scale.md).
"""

from __future__ import annotations

import errno
import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from machine.errors import UserError

# Protocols that can be written to.
PROTOCOLS = ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "memory")
# fsspec's protocols for this machine's disk.
LOCAL = ("file", "local")

# A request is made three times, and waits so many seconds for an answer; listings are always asked for anew.
REQUESTS = {"connect_timeout": 10, "read_timeout": 30, "retries": {"total_max_attempts": 3, "mode": "standard"}}
OPTIONS: dict[str, dict[str, Any]] = {
    protocol: {"use_listings_cache": False, "config_kwargs": REQUESTS} for protocol in ("s3", "s3a")
}

READ_BUFFER = 1 << 20
# A file up to this size is fetched in one request.
AT_ONCE = 1 << 24

# Part of a client's message → the same in plain words.
PLAIN_WORDS = {
    "Could not connect": "no answer",
    "Connect timeout": "no answer",
    "Read timeout": "no answer",
    "Connection was closed": "no answer",
    "Unable to locate credentials": "there are no keys in the environment",
    "Partial credentials": "there are not all keys in the environment",
}
ADVICE = "check the bucket's name, the network, and keys, region and endpoint in the environment (docs/scale.md)"
# The packages whose errors are a store's, beside OSError.
CLIENTS = ("aiobotocore", "aiohttp", "botocore", "gcsfs", "azure", "adlfs")


class Unreachable(UserError):
    """A store does not answer or refuses."""


def is_url(name: str) -> bool:
    """Whether the name is a URL rather than a path."""
    return "://" in name


def file_system(url: str) -> tuple[Any, str]:
    """fsspec's file system of a URL, and the path in it. Raises UserError."""
    import fsspec

    protocol, _, path = url.partition("://")
    if protocol not in fsspec.available_protocols():
        raise UserError(f"{url}: that is no protocol; known are s3://, gs://, az://, file:// and others of fsspec", 2)
    if protocol in PROTOCOLS and not path.partition("/")[0] and protocol != "memory":
        raise UserError(f"{url} names no bucket; write {protocol}://BUCKET/FOLDER", 2)
    try:
        return fsspec.url_to_fs(url, **OPTIONS.get(protocol, {}))  # type: ignore[no-any-return]
    except ImportError as error:
        raise UserError(f"{url}: {error}; install calbench-lab[cluster]", 2) from error


@contextmanager
def plain_errors(url: str, verb: str) -> Iterator[None]:
    """Turn a store's own errors in the block into Unreachable: "{url} cannot be {verb}: …". FileNotFoundError passes
    as it is."""
    try:
        yield
    except FileNotFoundError:
        raise
    except Exception as error:
        if not is_store_error(error):
            raise
        raise _unreachable(url, verb, error) from error


def _unreachable(url: str, verb: str, error: Exception) -> Unreachable:
    text = str(error)
    reason = next((plain for part, plain in PLAIN_WORDS.items() if part in text), text.partition("\n")[0].rstrip(": "))
    return Unreachable(f"{url} cannot be {verb}: {reason}; {ADVICE}")


def is_store_error(error: Exception) -> bool:
    """Whether the error is of a store, or of the network on the way to it."""
    return isinstance(error, OSError) or type(error).__module__.partition(".")[0] in CLIENTS


def plain_read_error(url: str, error: Exception) -> Exception:
    """An error of reading a file, in plain words: Unreachable where no other file could be read either."""
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(errno.ENOENT, "no such file")
    if isinstance(error, PermissionError):
        return PermissionError(errno.EACCES, "access denied")
    return _unreachable(url, "read", error) if is_store_error(error) else error


def list_files(url: str) -> Iterator[tuple[str, int]]:
    """(URL, bytes) of the file, or of every file in the folder at any depth, sorted by URL.

    Raises FileNotFoundError where there is nothing, UserError for a URL that cannot be read.
    """
    system, path = file_system(url)
    entries: dict[str, Any] = {}
    with suppress(FileNotFoundError), plain_errors(url, "read"):
        entries = system.find(path, detail=True)
    if not entries:
        raise FileNotFoundError(url)
    for name, entry in sorted(entries.items()):
        yield url.rstrip("/") + name.removeprefix(path.rstrip("/")), int(entry["size"] or 0)


def open_file(url: str, size: int | None = None) -> io.BufferedReader:
    """The file, open for reading. A small one of known size is fetched in one request."""
    system, path = file_system(url)
    if size is not None and size <= AT_ONCE:
        return io.BufferedReader(io.BytesIO(system.cat_file(path)), READ_BUFFER)
    return io.BufferedReader(system.open(path, "rb"), READ_BUFFER)


def read_file(url: str) -> bytes:
    """All bytes of a file. Raises FileNotFoundError and Unreachable."""
    system, path = file_system(url)
    with plain_errors(url, "read"):
        return bytes(system.cat_file(path))


def check_writable(url: str) -> None:
    """Write and remove an empty file of a random name at the URL. Raises Unreachable where that cannot be."""
    system, path = file_system(url)
    trial = f"{path}/.calbench-{uuid4().hex}"
    try:
        with plain_errors(url, "written to"):
            system.pipe_file(trial, b"")
            system.rm_file(trial)
    except FileNotFoundError as error:
        raise _unreachable(url, "written to", error) from error
