"""Names of files and folders for any text: short enough for a disk, and no two texts with one name."""

from collections.abc import Iterable, Sequence
from hashlib import blake2s

# Bytes of a name. A disk takes 255; a suffix and the name of an unfinished file need some of them.
MOST_BYTES = 200
# What no name has that is kept as it is, so that none looks like one with a digest.
BEFORE_DIGEST = "~"
DIGEST_BYTES = 8


def with_digest(pieces: Iterable[str], texts: Sequence[str], room: int = MOST_BYTES) -> str:
    """As many of a name's pieces as fit into `room` bytes with a digest of the texts that it stands for."""
    # Each text's length is before it, so that ("a", "bc") and ("ab", "c") differ.
    told = "".join(f"{len(text)}:{text}" for text in texts).encode("utf-8", "surrogatepass")
    ending = BEFORE_DIGEST + blake2s(told, digest_size=DIGEST_BYTES).hexdigest()
    room -= len(ending)
    kept = []
    for piece in pieces:
        room -= len(piece.encode())
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept) + ending
