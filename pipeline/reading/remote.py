"""Traces that are not on this machine's disk: any place that fsspec reaches by its URL, `s3://bucket/traces`.

`file://` and `memory://` come with fsspec; `s3://`, `gs://` and others by obstore, of the extra `cluster`, which takes
keys, regions and endpoints from the environment, as AWS's own tools do.
"""

import io
from collections.abc import Iterator
from typing import Any, cast

PIECE = 1 << 20


def is_remote(name: str) -> bool:
    """Whether the name is a URL."""
    return "://" in name


def _system(url: str) -> tuple[Any, str]:
    """The file system that a URL names, and the path in it."""
    import fsspec

    protocol = url.partition("://")[0]
    if protocol not in ("file", "local", "memory"):
        import obstore.fsspec

        obstore.fsspec.register(protocol)
    return cast(tuple[Any, str], fsspec.core.url_to_fs(url))


def files(url: str) -> Iterator[tuple[str, int]]:
    """(URL, bytes) of the file, or of every file in the folder, at any depth.

    Raises FileNotFoundError where there is nothing, ValueError for a URL that cannot be read.
    """
    try:
        system, path = _system(url)
        found = system.find(path, detail=True)
    except (ImportError, ValueError) as error:
        raise ValueError(f"{url} cannot be read: {error}") from error
    if not found:
        raise FileNotFoundError(url)
    for name in sorted(found):
        yield f"{url.partition('://')[0]}://{system._strip_protocol(name)}", int(found[name].get("size") or 0)


def opened(url: str) -> io.BufferedReader:
    """The file's bytes."""
    system, path = _system(url)
    return io.BufferedReader(system.open(path, "rb"), PIECE)
