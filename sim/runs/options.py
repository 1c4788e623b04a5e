"""What a run is asked for: its options, where its traces go, and what it says on the terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, TextIO

import typer

from machine.errors import UserError
from machine.output import exclusive_access, output_destination
from machine.stores import check_writable
from machine.terminal import escaped
from sim.game.trace import PACK_SUFFIX

# The cause of a game that an interruption kept from its end.
INTERRUPTED = "interrupted"


# What a file of a team may hold, far beyond any team: bytes, values, and lists within lists.
MOST_BYTES, MOST_VALUES, DEEPEST = 1_000_000, 100_000, 50
SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What the command was asked for; `run` documents each."""

    tasks: Path
    team: list[str]
    out: Path | str
    repeats: int
    workers: int | None
    resume: bool
    overwrite: bool
    limit: int | None
    max_turns: int
    decision_retries: int
    dm_cap: int | None
    channels: str
    adversary: int | None
    concurrency: int
    cache: Path | None
    no_cache: bool
    offline: bool
    preset: str | None
    prompts: Path | None
    check: bool
    dry_run: bool
    max_cost: float | None
    allow_unknown_prices: bool
    shard: str | None
    cluster: str | None


def worker_count(workers: int | None) -> int:
    """The number of processes asked for, or one a core."""
    from machine.cores import cores

    return workers or cores()


def fail(problem: object, code: int = 2) -> NoReturn:
    """End with one line that says what is wrong."""
    say(f"error: {problem}", sys.stderr)
    raise typer.Exit(code)


def say(line: str, where: TextIO | None = None) -> None:
    """Print a line, on standard output if nowhere else. Names and messages in it can't steer the terminal: what is not
    printable is escaped."""
    print(escaped(line), file=where)


def read_channels(text: str) -> tuple[str, ...]:
    """The channels that a list with commas names."""
    from sim.game.game import CHANNELS

    names = tuple(part.strip() for part in text.split(",") if part.strip())
    wrong = next((n for n in names if n not in CHANNELS), None)
    if wrong:
        fail(f"there is no channel {wrong!r}; known channels: {', '.join(CHANNELS)}")
    if not names:
        fail(f"no channel is open; name at least one of {', '.join(CHANNELS)}")
    return tuple(dict.fromkeys(names))


def read_shard(text: str | None) -> tuple[int, int]:
    """(which, of how many) of a shard written as 2/8; 1/1, the whole, where there is none."""
    if text is None:
        return 1, 1
    which, _, of = text.partition("/")
    if not (which.isdecimal() and of.isdecimal() and 1 <= int(which) <= int(of)):
        fail(f"the shard {text!r} is not written as I/N with I from 1 to N, like 2/8")
    return int(which), int(of)


# Names of files that are no folder's: what would be played into one would lie beside the file.
FILES = (".json", ".jsonl", ".zst", ".gz", ".csv", ".txt", ".parquet")


def destination_of(out: str) -> Path | str:
    """A path of this machine, or the URL of a folder or pack. Raises UserError for any other."""
    place = output_destination(out)
    if isinstance(place, str) and place.endswith(FILES) and not is_pack(place):
        raise UserError(f"{out} is called as a file is; name a folder, or a pack, {PACK_SUFFIX}", 2)
    return place


def is_pack(place: Path | str) -> bool:
    """Whether all traces go to one file."""
    return str(place).endswith(PACK_SUFFIX)


@contextmanager
def alone(place: Path | str, folders: Iterable[Path] = ()) -> Iterator[None]:
    """Keep other runs out of the folder of traces and of those within it that traces go to.

    Packs appear whole, side by side: of two runs that write the same one, the last one's stays. So does each trace in a
    store, which has no locks. Raises UserError where another run is at work, or nothing can be written.
    """
    packed = is_pack(place)
    if isinstance(place, str):
        check_writable(place.rpartition("/")[0] if packed else place)
        yield
        return
    held = set() if packed else {place, *folders}
    made = sorted((folder for folder in held if not folder.exists()), reverse=True)
    with ExitStack() as locks:
        for folder in sorted(held):
            locks.enter_context(exclusive_access(folder))
        try:
            yield
        finally:
            for folder in made:
                with suppress(OSError):
                    folder.rmdir()  # where nothing was written


def read_yaml(path: Path) -> Any:
    """What the YAML file holds, as JSON has it, no more of it than a team needs.

    Raises ValueError, in plain words, where it holds more or what JSON has not, yaml.YAMLError where it is no YAML, and
    OSError.
    """
    import yaml

    if not path.is_file() and path.exists():
        raise OSError("no file")
    with path.open("rb") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES} bytes")
    try:
        value = yaml.safe_load(text.decode("utf-8"))
    except RecursionError:
        raise ValueError(f"nested more than {DEEPEST} deep") from None
    except (LookupError, AttributeError):  # of a value that its tag does not fit, like `!!bool maybe`
        raise ValueError("a value is not what its tag says; leave out the tag, its word with !!") from None
    return as_json(value, (), iter(range(MOST_VALUES)))


def as_json(value: Any, place: tuple[str | int, ...], left: Iterator[int]) -> Any:
    """A copy of the value in which dates, and whole numbers that are keys, are the text that JSON has for them.

    Values that it refers to again count again; each takes one of `left`. Raises ValueError, with the place and what to
    do, where there are too many and for what JSON has not.
    """
    if next(left, None) is None:
        raise ValueError(f"more than {MOST_VALUES} values")
    if len(place) > DEEPEST:
        raise ValueError(f"nested more than {DEEPEST} deep")
    if isinstance(value, list):
        return [as_json(inner, (*place, number), left) for number, inner in enumerate(value)]
    if isinstance(value, dict):
        inside = zip(text_keys(value, place), value.values(), strict=True)
        return {key: as_json(inner, (*place, key), left) for key, inner in inside}
    if type(value) is date:
        return value.isoformat()
    if isinstance(value, str):
        value = with_pairs_joined(value)
    if problem := oddity(value):
        raise ValueError(f"{where(place)}{problem}")
    return value


def with_pairs_joined(text: str) -> str:
    """The text with each pair of surrogates, as JSON writes what is beyond 16 bits, as the character that it stands
    for, where all are of pairs."""
    with suppress(UnicodeDecodeError):
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    return text


def text_keys(value: dict[Any, Any], place: tuple[str | int, ...]) -> list[str]:
    """The keys as text, whole numbers too. Raises ValueError for others."""
    keys = [str(key) if type(key) is int else key for key in value]
    for key in keys:
        if not isinstance(key, str):
            raise ValueError(f"{where(place)}a key is of the kind {type(key).__name__}; write it as text, in quotes")
        if problem := oddity(key):
            raise ValueError(f"{where(place)}{problem}")
    if len(set(keys)) < len(keys):
        raise ValueError(f"{where(place)}a key comes twice, as a number and as text; keep one")
    return keys


def oddity(value: Any) -> str | None:
    """Why JSON has no such value, and what to do, or None."""
    if isinstance(value, float):
        return None if isfinite(value) else f"a number is {value}; write a finite one"
    if isinstance(value, int):
        return None if abs(value) < 2**63 else "a number has more than 64 bits; write a smaller one"
    if isinstance(value, str):
        return "a text holds half a character, like \\ud83d; write it whole" if SURROGATE.search(value) else None
    return None if value is None else f"a value is of the kind {type(value).__name__}; write it as text, in quotes"


def where(place: tuple[str | int, ...]) -> str:
    """The place in words, to stand before what is wrong: at agents[0].parameters."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return f"at {''.join(steps).lstrip('.')}, " if place else ""
