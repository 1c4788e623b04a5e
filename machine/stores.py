"""Object stores (s3, gs, az), by URL, and what they have to say in plain words.

Through obstore, of the extra `cluster`, which takes keys, regions and endpoints from the environment, as AWS's own
tools do (docs/scale.md). Its functions that wait are used: the others may end a process by an abort when it ends soon
after.
"""

from __future__ import annotations

import errno
import re
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

PROTOCOLS = ("s3", "s3a", "gs", "az", "adl", "abfs", "abfss", "azure")
# What fsspec calls this machine's disk.
LOCAL = ("file", "local")

# Who does not answer is asked again for so long; one question takes at most 30 seconds, or AWS_TIMEOUT.
PATIENCE = timedelta(seconds=20)
LONGEST_PAUSE = timedelta(seconds=3)

# A large file is sent in pieces, of which a store takes ten thousand at most.
PIECE = 8 << 20
MOST_PIECES = 9_000
PIECES_AT_ONCE = 4

# What is written and removed again before work begins, to know that it can be.
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
def store_of(bucket: str) -> Any:
    """The connections to the bucket at a URL, which all work of this process shares. Raises ImportError without
    obstore."""
    from obstore.store import from_url

    pauses: Any = {"init_backoff": timedelta(milliseconds=100), "max_backoff": LONGEST_PAUSE, "base": 2}
    return from_url(bucket, retry_config={"max_retries": 10, "retry_timeout": PATIENCE, "backoff": pauses})


def send_file(store: Any, key: str, local: Path) -> None:
    """Write a file of this machine to the store, where it appears when all of it is there."""
    import obstore

    piece = max(PIECE, local.stat().st_size // MOST_PIECES)
    obstore.put(store, key, local, chunk_size=piece, max_concurrency=PIECES_AT_ONCE)


def is_of_a_store(error: Exception) -> bool:
    """Whether the error is one of obstore's own."""
    return type(error).__module__.startswith("obstore")


def reason(error: Exception) -> str:
    """What a store says, in a few words: its own are a page."""
    text = str(error)
    if code := CODE.search(text):
        return code[1]
    meant = next((plain for said, plain in MEANT.items() if said in text), None)
    return meant or text.partition("\n")[0].rpartition(" - ")[2].rstrip(": ")


def place_to_write(out: str, *also: str) -> Path | str:
    """Where output goes: a path of this machine, or a URL of an object store or of one of the protocols `also`.

    Raises ValueError, in plain words, for a URL that nothing can be written to.
    """
    protocol, is_url, path = out.partition("://")
    if not is_url:
        return Path(out)
    if protocol in LOCAL:
        return Path(path)
    if protocol not in (*PROTOCOLS, *also):
        raise ValueError(f"{out}: {protocol}:// cannot be written to; name a folder, or s3://, gs:// or az://")
    names = (path.strip("/") if protocol in also else path.rstrip("/")).split("/")
    if not names[0]:
        raise ValueError(f"{out} names no bucket; write {protocol}://BUCKET/FOLDER")
    if any(name in ("", ".", "..") for name in names):
        raise ValueError(f"{out}: a folder in it is called . or .. or nothing; write names with one / between them")
    return out.rstrip("/")
