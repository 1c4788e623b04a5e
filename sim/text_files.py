"""Text and YAML files of a user's: the same content on every machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.resolver import BaseResolver

# What a YAML file may hold: bytes, values, and lists within lists.
MOST_BYTES, MOST_VALUES, DEEPEST = 200_000, 100_000, 50
SURROGATE = re.compile(r"[\ud800-\udfff]")


class Resolver(BaseResolver):
    """Which words without quotes are no text: those of YAML 1.2's core schema. A number that begins with a needless 0
    stays text."""

    processing_version = (1, 2)

    def __init__(self, version: Any = None, loader: Any = None, loadumper: Any = None) -> None:
        super().__init__(loader or loadumper)


DIGITS = "-+.0123456789"
for name, pattern, first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+", DIGITS),
    ("float", r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", DIGITS),
    ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", DIGITS),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("merge", "<<", "<"),
):
    Resolver.add_implicit_resolver_base(f"tag:yaml.org,2002:{name}", re.compile(f"^(?:{pattern})$"), list(first))


def read_text(path: Path, most: int | None = None) -> str:
    """The text of the file in UTF-8, without a byte order mark and with the line ends of Unix.

    most: the most bytes that are read, None for any number. Raises OSError, and ValueError where there are more or they
    are no UTF-8.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(None, "no file")
    with path.open("rb") as file:
        content = file.read(-1 if most is None else most + 1)
    if most is not None and len(content) > most:
        raise ValueError(f"more than {most} bytes")
    return content.decode("utf-8-sig").replace("\r\n", "\n")


def read_yaml(path: Path) -> Any:
    """The JSON value of the YAML 1.2 file; whole numbers that are keys become text.

    Raises OSError, and ValueError, with the line or the place in the value but never its text, where the file is no
    YAML, repeats a key, or holds what JSON has not or more than a user writes.
    """
    yaml = YAML(typ="safe", pure=True)
    yaml.Resolver = Resolver
    text = read_text(path, MOST_BYTES)
    try:
        value = yaml.load(text)
    except DuplicateKeyError as error:
        raise ValueError(f"a key comes twice, in line {error.problem_mark.line + 1}; keep one") from None
    except MarkedYAMLError as error:
        where = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ValueError(f"{' '.join(str(error.problem).split())}{where}") from None
    except YAMLError as error:
        raise ValueError(f"no YAML: {getattr(error, 'reason', type(error).__name__)}") from None
    except RecursionError:
        raise ValueError(f"nested more than {DEEPEST} deep") from None
    except (ValueError, LookupError, AttributeError, TypeError):  # of a scalar that its kind does not fit
        raise ValueError("a number is too long, or a tag does not fit its value; write the value in quotes") from None
    return as_json(value, "", 0, iter(range(MOST_VALUES)))


def as_json(value: Any, place: str, depth: int, left: Iterator[int]) -> Any:
    """A copy of the value as JSON has it; what is referred to again counts again, and each value takes one of `left`.

    Raises ValueError, with the place, where there are too many and for what JSON has not.
    """
    if next(left, None) is None:
        raise ValueError(f"more than {MOST_VALUES} values")
    if depth > DEEPEST:
        raise ValueError(f"nested more than {DEEPEST} deep")
    if isinstance(value, list):
        return [as_json(inner, f"{place}[{i}]", depth + 1, left) for i, inner in enumerate(value)]
    if isinstance(value, dict):
        items = [(as_key(key, place), inner) for key, inner in value.items()]
        if len({key for key, _ in items}) < len(items):
            raise ValueError(f"{after(place)}a key comes twice, as a number and as text; keep one")
        return {key: as_json(inner, f"{place}.{key}".lstrip("."), depth + 1, left) for key, inner in items}
    return scalar(value, place)


def as_key(key: Any, place: str) -> str:
    """The key as text. Raises ValueError for one that is neither text nor a whole number."""
    if isinstance(key, str) or type(key) is int:
        return str(scalar(key, place))
    raise ValueError(f"{after(place)}a key is of the kind {type(key).__name__}; write it as text, in quotes")


def scalar(value: Any, place: str) -> Any:
    """The value, each pair of surrogates in a text joined. Raises ValueError where JSON has no such value."""
    if isinstance(value, str):
        with suppress(UnicodeDecodeError):
            value = value.encode("utf-16", "surrogatepass").decode("utf-16")
        problem = "a text holds half a character, like \\ud83d; write it whole" if SURROGATE.search(value) else None
    elif isinstance(value, float):
        problem = None if isfinite(value) else f"a number is {value}; write a finite one"
    elif isinstance(value, int):
        problem = None if abs(value) < 2**63 else "a number has more than 64 bits; write a smaller one"
    else:
        problem = (
            None if value is None else f"a value is of the kind {type(value).__name__}; write it as text, in quotes"
        )
    if problem:
        raise ValueError(f"{after(place)}{problem}")
    return value


def after(place: str) -> str:
    """The place in words, before what is wrong there."""
    return f"at {place}, " if place else ""
