"""What a game's page is called: its id where that can be a file's name anywhere, else a digest of it."""

import re
from collections.abc import Iterable
from hashlib import sha256

# Lower case alone, as some disks don't tell cases apart. static/base.js has the same rule.
PLAIN = re.compile(r"[0-9a-z][0-9a-z-]{0,63}")
DIGITS = 32
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")


def page_name(game_id: str) -> str:
    """The name of the game's files, without a suffix."""
    if PLAIN.fullmatch(game_id) and not RESERVED.fullmatch(game_id):
        return game_id
    return sha256(game_id.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def page_names(game_ids: Iterable[str]) -> dict[str, str]:
    """The page's name of each game."""
    return {game_id: page_name(game_id) for game_id in game_ids}
