"""Traces that are not on this machine's disk: any place that fsspec reaches by its URL, `s3://bucket/traces`.

`file://` and `memory://` come with fsspec; `s3://`, `gs://` and others by obstore, of the extra `cluster`, which takes
keys, regions and endpoints from the environment, as AWS's own tools do.
"""

import errno
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from machine.stores import ADVICE, PROTOCOLS, Unreachable, is_of_a_store, reason

PIECE = 1 << 20
# A file that obstore cannot name ends a listing: a folder in its name is called . or .. or nothing.
NAMELESS, RENAME = "Encountered object with invalid path", "rename that file, or name a folder beside it"
DENIED = "403 Forbidden"


def is_remote(name: str) -> bool:
    """Whether the name is a URL."""
    return "://" in name


def system_of(url: str) -> tuple[Any, str]:
    """The file system that a URL names, and the path in it. Raises ValueError where there is none."""
    protocol, _, path = url.partition("://")
    try:
        if protocol in PROTOCOLS:
            name = path.partition("/")[0]
            if not name:
                raise ValueError(f"it names no bucket; write {protocol}://BUCKET/FOLDER")
            from pipeline.reading.stores import Bucket

            with reaching(url, "reached"):
                return Bucket(protocol, name), path.rstrip("/")
        import fsspec

        if protocol not in fsspec.available_protocols():
            raise ValueError("that is no protocol; known are s3://, gs://, az://, file:// and others of fsspec")
        return cast(tuple[Any, str], fsspec.core.url_to_fs(url))
    except ImportError as error:
        missing = f"{error.name} is not installed; install calbench-lab[cluster]" if error.name else str(error)
        raise ValueError(f"{url}: {missing}") from error
    except ValueError as error:
        raise ValueError(f"{url}: {error}") from error


@contextmanager
def reaching(url: str, what: str) -> Iterator[None]:
    """Raise Unreachable, in plain words, for whatever a store has to say: that `url` cannot be `what`.

    Raises ValueError for a name that no file can have; FileNotFoundError passes, unless even the bucket is not there.
    """
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{url}: {reason(error)}") from error
    except Exception as error:
        if not is_of_a_store(error) and "NoSuchBucket" not in str(error):
            raise
        advice = RENAME if NAMELESS in str(error) else ADVICE
        raise Unreachable(f"{url} cannot be {what}: {reason(error)}; {advice}") from error


def as_read(url: str, error: Exception) -> Exception:
    """The error of reading one file: of a store that lets us read no other, Unreachable; else one about this file."""
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(errno.ENOENT, "no such file")
    # While bytes are read, a store's words come as a bare OSError.
    if not is_of_a_store(error) and not (type(error) is OSError and error.errno is None):
        return error
    if DENIED in str(error):
        return PermissionError(errno.EACCES, "access denied")
    return Unreachable(f"{url} cannot be read: {reason(error)}; {ADVICE}")


def files(url: str) -> Iterator[tuple[str, int]]:
    """(URL, bytes) of the file, or of every file in the folder, at any depth.

    Raises FileNotFoundError where there is nothing, ValueError for a URL that cannot be read, Unreachable for a store
    that does not answer or refuses.
    """
    system, path = system_of(url)
    protocol = url.partition("://")[0]
    try:
        with reaching(url, "read"):
            found = system.find(path, detail=True)
    except FileNotFoundError as error:
        raise FileNotFoundError(url) from error
    if not found:
        raise FileNotFoundError(url)
    for name in sorted(found):
        size = found[name]["size"] if found[name] else system.size(name)
        bare = name if protocol in PROTOCOLS else system._strip_protocol(name)
        yield bare if is_remote(bare) else f"{protocol}://{bare}", int(size or 0)


def opened(url: str, size: int | None = None) -> io.BufferedReader:
    """The file's bytes; a store that need not say how many, because they are known, is asked once less."""
    system, path = system_of(url)
    known = {"size": size} if url.partition("://")[0] in PROTOCOLS else {}
    return io.BufferedReader(system.open(path, "rb", **known), PIECE)
