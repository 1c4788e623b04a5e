"""Traces in an object store: each one object, or a pack, that appears whole or not at all."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from machine.stores import ADVICE, TRIAL, Unreachable, is_of_a_store, reason, send_file, store_of


@contextmanager
def reached(url: str) -> Iterator[tuple[Any, str]]:
    """The bucket of a URL and the rest of it. Raises Unreachable for whatever a store has to say, but
    FileNotFoundError where there is no such file."""
    protocol, _, path = url.partition("://")
    bucket, _, key = path.partition("/")
    try:
        yield store_of(f"{protocol}://{bucket}"), key
    except ImportError as error:
        raise Unreachable(f"{url}: {error.name} is not installed; install calbench-lab[cluster]") from error
    except Exception as error:
        if isinstance(error, FileNotFoundError) and "NoSuchBucket" not in str(error):
            raise FileNotFoundError(errno.ENOENT, "no such file", url) from error
        if not isinstance(error, ValueError | FileNotFoundError) and not is_of_a_store(error):
            raise
        raise Unreachable(f"{url}: {reason(error)}; {ADVICE}") from error


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
            send_file(store, key, Path(whole.name))


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
