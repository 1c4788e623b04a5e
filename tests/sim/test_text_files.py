from pathlib import Path
from typing import Any

import pytest

from sim.text_files import MOST_BYTES, read_text, read_yaml

# A million values in a few lines.
BOMB = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcde", "bcdef", strict=True)
)
READ: list[tuple[str, Any]] = [
    ("[0123, off, no, YES, 1_000, 12:30, 2026-11-22]", ["0123", "off", "no", "YES", "1_000", "12:30", "2026-11-22"]),
    ("[1e-2, 1E5, .5, -1.5, +12, 0, -0, 0o17, 0x1F]", [0.01, 1e5, 0.5, -1.5, 12, 0, 0, 15, 31]),
    ("[true, FALSE, ~, null, ]", [True, False, None, None]),
    ("%YAML 1.1\n---\n[off]", ["off"]),
    ("x: &x {a: 1}\ny: {<<: *x, b: 2}", {"x": {"a": 1}, "y": {"a": 1, "b": 2}}),
    ("\ufeff0: |\r\n  one\r\n  two\r\n", {"0": "one\ntwo\n"}),
    (r'"\ud83d\ude00"', "\N{GRINNING FACE}"),
    ("", None),
]
REFUSED = [
    ("a: 1\nb: {c: 1,\n d: 2, c: 3}", "^a key comes twice, in line 3; keep one$"),
    ('{1: 1, "1": 2}', "^a key comes twice, as a number and as text; keep one$"),
    ("a: [1, {b: .nan}]", r"^at a\[1\]\.b, a number is nan; write a finite one$"),
    ("-.inf", "^a number is -inf"),
    ("99999999999999999999", "more than 64 bits"),
    ("9" * 6000, "^a number is too long"),
    ("a: !!bool maybe", "a tag does not fit its value"),
    ("a: !!binary aGVsbG8=", "^at a, a value is of the kind bytes; write it as text"),
    ("a: !!set {}", "^at a, a value is of the kind set; write it as text"),
    ("true: 1", "^a key is of the kind bool; write it as text"),
    (r'"\ud83d"', "half a character"),
    ("a: [", "in line 1$"),
    ("a: 1\n---\nb: 2", "found another document in line 2$"),
    ("a: \x01", "^no YAML: special characters"),
    ("[" * 60 + "]" * 60, "^nested more than 50 deep$"),
    ("[" * 9000 + "]" * 9000, "^nested more than 50 deep$"),
    ("&a [*a]", "^nested more than 50 deep$"),
    (BOMB, "^more than 100000 values$"),
    ("#" * (MOST_BYTES + 1), "^more than 200000 bytes$"),
]


def written(folder: Path, text: str) -> Path:
    path = folder / "file.yaml"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(("text", "value"), READ)
def test_yaml_is_read_by_its_version_1_2_as_json_has_it(tmp_path: Path, text: str, value: Any) -> None:
    assert read_yaml(written(tmp_path, text)) == value


@pytest.mark.parametrize(("text", "problem"), REFUSED)
def test_a_file_that_json_could_not_hold_is_refused_with_the_place(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_yaml(written(tmp_path, text))


def test_a_text_is_the_same_with_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeffBe brief.\r\nAsk once.\r\n")
    assert read_text(path) == "Be brief.\nAsk once.\n"
    with pytest.raises(OSError, match="Is a directory"):
        read_text(tmp_path)
