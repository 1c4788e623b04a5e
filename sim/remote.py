"""Traces in an object store (s3, gs, az): each one object, or a pack, that appears whole or not at all.

Through obstore, of the extra `cluster`, which takes keys, regions and endpoints from the environment (docs/scale.md).
Its functions that wait are used: the others may end a process by an abort when it ends soon after.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

PROTOCOLS = ("s3", "s3a", "gs", "az", "adl", "abfs", "abfss", "azure")

# Who does not answer is asked again for so long; one question takes at most 30 seconds, or AWS_TIMEOUT.
PATIENCE = timedelta(seconds=20)
LONGEST_PAUSE = timedelta(seconds=3)

# A pack is sent in pieces, of which a store takes ten thousand at most.
PIECE = 8 << 20
MOST_PIECES = 9_000

# What is written and removed again before the games begin, to know that it can be.
TRIAL = ".calbench"

# What a store says in its own words, and what is meant.
MEANT = {
    "builder error": "the endpoint is not https, which AWS_ALLOW_HTTP=true allows",
    "error sending request": "no answer",
    "169.254.169.254": "there are no keys in the environment",
    "Unable to recognise URL": "not the name of a bucket",
    "invalid domain character": "not the name of a bucket",
}
CODE = re.compile(r"<Code>(\w+)</Code>")
ADVICE = "check the bucket's name, the network, and keys, region and endpoint in the environment (docs/scale.md)"


class Unreachable(OSError):
    """A store that does not answer or refuses: in plain words, with what to do."""

    def __init__(self, told: str) -> None:
        # With a number, as the system's own errors have: they go through a cluster as they are.
        super().__init__(errno.EIO, told)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.strerror,)

    def __str__(self) -> str:
        return str(self.strerror)


@cache
def _store(bucket: str) -> Any:
    """A bucket's connections, which all work of this process shares."""
    from obstore.store import from_url

    pauses: Any = {"init_backoff": timedelta(milliseconds=100), "max_backoff": LONGEST_PAUSE, "base": 2}
    return from_url(bucket, retry_config={"max_retries": 10, "retry_timeout": PATIENCE, "backoff": pauses})


@contextmanager
def reached(url: str) -> Iterator[tuple[Any, str]]:
    """The bucket of a URL and the rest of it. Raises Unreachable for whatever a store has to say, but
    FileNotFoundError where there is no such file."""
    protocol, _, path = url.partition("://")
    bucket, _, key = path.partition("/")
    try:
        yield _store(f"{protocol}://{bucket}"), key
    except ImportError as error:
        raise Unreachable(f"{url}: {error.name} is not installed; install calbench-lab[cluster]") from error
    except Exception as error:
        if isinstance(error, FileNotFoundError) and "NoSuchBucket" not in str(error):
            raise FileNotFoundError(errno.ENOENT, "no such file", url) from error
        if not isinstance(error, ValueError | FileNotFoundError) and not type(error).__module__.startswith("obstore"):
            raise
        raise Unreachable(f"{url}: {_reason(error)}; {ADVICE}") from error


def _reason(error: Exception) -> str:
    """What a store says, in a few words: its own are a page."""
    text = str(error)
    if code := CODE.search(text):
        return code[1]
    meant = next((plain for said, plain in MEANT.items() if said in text), None)
    return meant or text.partition("\n")[0].rpartition(" - ")[2].rstrip(": ")


def check_writable(url: str, is_file: bool) -> None:
    """Raise Unreachable where neither the file nor, if it is none, a file in the folder at the URL can be written."""
    with reached(url) as (store, key):
        import obstore

        trial = f"{key}{TRIAL}" if is_file else f"{key}/{TRIAL}"
        obstore.put(store, trial, b"")
        obstore.delete(store, trial)


def put(url: str, parts: Iterable[bytes]) -> None:
    """Write the file. What comes bit by bit waits on this machine's disk until all of it is there."""
    with reached(url) as (store, key):
        import obstore

        if isinstance(parts, list):
            obstore.put(store, key, b"".join(parts))
            return
        import tempfile

        with tempfile.NamedTemporaryFile(prefix="calbench-") as whole:
            whole.writelines(parts)
            whole.flush()
            piece = max(PIECE, Path(whole.name).stat().st_size // MOST_PIECES)
            obstore.put(store, key, Path(whole.name), chunk_size=piece, max_concurrency=4)


def get(url: str) -> bytes:
    """The file's bytes."""
    with reached(url) as (store, key):
        import obstore

        return bytes(obstore.get(store, key).bytes())


def there(url: str) -> set[str]:
    """The URLs of all files in the folder at the URL, at any depth."""
    with reached(url) as (store, key):
        import obstore

        bucket = url.removesuffix(key).rstrip("/")
        return {f"{bucket}/{each['path']}" for page in obstore.list(store, key or None) for each in page}
