"""Buckets of object stores (s3, gs, az), asked for what fsspec's file systems are asked for, by the same names.

Through obstore's functions that wait: those that don't, which its own file system for fsspec calls, may end the process
by an abort when it ends soon after.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import obstore

from machine.stores import send_file, store_of

PIECE = 1 << 20


class Bucket:
    """One bucket. Paths begin with its name; a folder is but the beginning of names."""

    def __init__(self, protocol: str, name: str) -> None:
        self.name = name
        self.store = store_of(f"{protocol}://{name}")

    def _key(self, path: str) -> str:
        return path.removeprefix(self.name).strip("/")

    def find(self, path: str, detail: bool = False) -> dict[str, dict[str, Any]]:
        """Path → size of each file in the folder at any depth, or of the file itself: a thousand files a request."""
        key = self._key(path)
        found = {f"{self.name}/{each['path']}": {"size": each["size"]} for each in self._listed(key)}
        return found if found or not key else {f"{self.name}/{key}": {"size": self.size(path)}}

    def _listed(self, key: str) -> Iterator[Any]:
        for page in obstore.list(self.store, key or None):
            yield from page

    def size(self, path: str) -> int:
        """Bytes of the file. Raises FileNotFoundError."""
        return obstore.head(self.store, self._key(path))["size"]

    def isfile(self, path: str) -> bool:
        """Whether there is a file of just that name."""
        try:
            return bool(self._key(path)) and self.size(path) >= 0
        except FileNotFoundError:
            return False

    def exists(self, path: str) -> bool:
        """Whether there is such a file, or one in such a folder."""
        return next(self._listed(self._key(path)), None) is not None or self.isfile(path)

    def open(self, path: str, mode: str = "rb", size: int | None = None) -> io.RawIOBase:
        """The file's bytes, from the store as they are asked for. Raises FileNotFoundError, now or when it is read."""
        return Reader(obstore.open_reader(self.store, self._key(path), buffer_size=PIECE, size=size))

    def pipe_file(self, path: str, data: bytes) -> None:
        """Write the file, whole."""
        obstore.put(self.store, self._key(path), data)

    def put_file(self, local: str, path: str) -> None:
        """Write the file from one of this machine: it appears when all of it is there."""
        send_file(self.store, self._key(path), Path(local))

    def rm_file(self, path: str) -> None:
        """Remove the file, if it is there."""
        obstore.delete(self.store, self._key(path))


class Reader(io.RawIOBase):
    """A file of a bucket."""

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
