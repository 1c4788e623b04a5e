"""Files that hold no JSON, or too much of it."""

import os

from hostile import deep, half, packed, special, text, toy

# Not even JSON.
UNREADABLE = (
    text("an empty file", "x.json", b"", "empty", "file"),
    text("not JSON", "x.json", b"hello", "not JSON: JSON is malformed: invalid character", "byte 0"),
    text("JSON cut off in the middle", "x.json", half(toy), "not JSON: Input data was truncated", "byte 1379"),
    text(
        "NaN",
        "x.json",
        lambda game: toy(game).replace(b'"optimal_cost": 1', b'"optimal_cost": NaN'),
        "not JSON: JSON is malformed: invalid character",
        "byte 210",
    ),
    text(
        "invalid UTF-8 in a message",
        "x.json",
        lambda game: toy(game).replace(b"works", b"w\xffrks"),
        "not UTF-8: invalid start byte",
        ".events[13].data byte 76",
    ),
    text("arrays nested 100,000 deep", "x.json", deep, "not a trace: nested too deeply", "top level"),
    text(
        "a pack called .json",
        "x.json",
        lambda game: toy(game) + b"\n" + toy(game),
        "not JSON: JSON is malformed: trailing characters",
        "byte 2761",
    ),
    text(
        "a .zst cut off",
        "x.json.zst",
        half(packed(".zst", toy)),
        "cut off or damaged compression: it ends in the middle of a frame",
        "file",
    ),
    text(
        "a .zst and something behind it",
        "x.json.zst",
        lambda game: packed(".zst", toy)(game) + b"more",
        "damaged compression: zstd decompressor error: Unknown frame descriptor",
        "file",
    ),
    text(
        "a bad line in a pack",
        "x.jsonl",
        lambda game: b"oops\n" + toy(game),
        "not JSON: JSON is malformed: invalid character",
        "byte 0",
        "#1",
    ),
    text(
        "a pack cut off in a line",
        "x.jsonl",
        lambda game: toy(game) + b"\n" + half(toy)("b"),
        "not JSON: Input data was truncated",
        "byte 1374",
        "#2",
    ),
    text(
        "a pack cut off in a frame",
        "x.jsonl.zst",
        half(packed(".zst", toy)),
        "cut off or damaged compression: it ends in the middle of a frame",
        "file",
    ),
    text(
        "an archive bomb .zst",
        "x.json.zst",
        packed(".zst", lambda game: b" " * 9_000_000),
        "larger than the {TRACE_BYTES} bytes that a trace may have when it is unpacked",
        "file",
    ),
    text(
        "a line of a pack that is too long",
        "x.jsonl",
        lambda game: b" " * 4_000_000 + b"\n" + toy(game),
        "larger than the {TRACE_BYTES} bytes that a trace may have when it is unpacked",
        "file",
        "#1",
    ),
    text(
        "too many lines in a pack",
        "x.jsonl",
        b"\n" * 41,
        "more than {LINES} lines; what follows was not read",
        "line 41",
    ),
    text(
        "too many bad lines in a pack",
        "x.jsonl",
        b"oops\n" * 12,
        "more than {BAD_LINES} of its traces are rejected; what follows was not read",
        "#9",
    ),
    special("a pipe", os.mkfifo, "cannot be opened: not a regular file"),
    special(
        "a link to nothing", lambda path: path.symlink_to("nowhere"), "cannot be opened: No such file or directory"
    ),
)
