"""Servers of other people's kinds, real ones on this machine alone: an object store, and a cluster."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import fsspec
import pytest

# Nothing here takes so long, on no machine however busy: what takes longer hangs.
SECONDS = 300

S3 = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""


@dataclass
class Store:
    """An S3 server and its process."""

    process: subprocess.Popen[str]
    address: str
    numbers: Iterator[int] = field(default_factory=count)

    def bucket(self) -> str:
        """The URL of a new bucket."""
        name = f"bucket-{next(self.numbers)}"
        asked = urllib.request.Request(f"{self.address}/{name}", method="PUT")
        urllib.request.urlopen(asked, timeout=SECONDS).close()
        return f"s3://{name}"

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def s3_server() -> Iterator[Store]:
    """A store that this process and those it starts reach by the environment, as anyone does."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, "-c", S3], text=True, **pipes)
    assert process.stdout
    store = Store(process, f"http://127.0.0.1:{process.stdout.readline().strip()}")
    keys = {"AWS_ACCESS_KEY_ID": "anyone", "AWS_SECRET_ACCESS_KEY": "anything", "AWS_REGION": "us-east-1"}
    try:
        with environment({"AWS_ENDPOINT_URL": store.address, "AWS_ALLOW_HTTP": "true", **keys}):
            yield store
    finally:
        store.stop()


@contextmanager
def environment(values: dict[str, str | None]) -> Iterator[None]:
    """What stores are reached by, and nothing else of theirs."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_") and name not in values]:
            patch.delenv(name)
        for name, value in values.items():
            patch.delenv(name, raising=False) if value is None else patch.setenv(name, value)
        forget_stores()
        yield
    forget_stores()


def forget_stores() -> None:
    """Let go of all connections: they keep the keys and endpoint with which they were made."""
    for protocol in ("s3", "s3a"):
        fsspec.get_filesystem_class(protocol).clear_instance_cache()


@contextmanager
def dask_cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler's address, and its two workers, who are there."""
    from distributed import Client

    # The scheduler takes a port that is free, and says which in the file.
    address_file = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    dask, here = [sys.executable, "-m", "dask"], ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen([*dask, "scheduler", *here, "--scheduler-file", str(address_file)], **quiet)
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
    connect = ["--scheduler-file", str(address_file), "--death-timeout", str(SECONDS)]
    workers = [subprocess.Popen([*dask, "worker", *connect, *options], **quiet) for _ in range(2)]
    try:
        end = time.monotonic() + SECONDS
        while not address_file.exists():
            assert scheduler.poll() is None and time.monotonic() < end, "the scheduler does not begin"
            time.sleep(0.05)
        with Client(scheduler_file=str(address_file), timeout=SECONDS) as client:
            client.wait_for_workers(2, timeout=SECONDS)
            address = client.scheduler.address
        yield address, workers
    finally:
        for process in [*workers, scheduler]:
            process.kill()
            process.wait()
