"""A label bank of one's own: what is read, and what is refused in one line that names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from sim.tasks.labels import TIERS, Label, LabelError, draw, load_bank
from tests.sim.worlds import calendars_of, meetings_of

FIRST: dict[str, Any] = {
    "label": "Kazoo duel in Upper Wimsey",
    "tier": "sensitive",
    "terms": ["kazoo"],
    "paraphrase": "a plan",
}
REST: list[dict[str, Any]] = [
    {"label": "Moth census by torchlight", "tier": "neutral", "terms": ["moth census"], "paraphrase": "a plan"},
    {"label": "Dust the brass trombone", "tier": "public", "terms": ["trombone"], "paraphrase": "a plan"},
]
MEETINGS = [
    {"label": f"Pact about {word}", "tier": tier, "terms": [word], "paraphrase": "a talk"}
    for word, tier in zip(("gargoyles", "zeppelins", "marzipan"), TIERS, strict=True)
]

BROKEN_ENTRIES: dict[str, tuple[dict[str, Any], str]] = {
    "unknown tier": ({"tier": "secret"}, "Invalid enum value 'secret' - at `$[0].tier`"),
    "unknown field": ({"owner": 1}, "unknown field `owner`"),
    "no terms": ({"terms": []}, "'Kazoo duel in Upper Wimsey': 0 terms; give one to four"),
    "five terms": ({"terms": ["kazoo", "duel", "upper", "wimsey", "kazoo duel"]}, "5 terms; give one to four"),
    "a term twice": ({"terms": ["kazoo", "kazoo"]}, "2 terms; give one to four different ones"),
    "upper case": ({"terms": ["Kazoo"]}, "the term 'Kazoo' is not part of it in lower case"),
    "not in the label": ({"terms": ["tuba"]}, "the term 'tuba' is not part of it"),
    "an empty term": ({"terms": [" "]}, "the term ' ' is not part of it"),
    "a scheduling word": ({"label": "Kazoo meeting", "terms": ["meeting"]}, "'meeting' is made of scheduling words"),
    "only such words": ({"label": "Kazoo slot move", "terms": ["slot move"]}, "'slot move' is made of scheduling"),
    "another's term": ({"label": "Kazoo and trombone"}, "the term 'trombone' of 'Dust the brass trombone' is also in"),
    "a label twice": ({"label": REST[0]["label"], "terms": ["torch"]}, "'Moth census by torchlight' comes twice"),
    "a telling paraphrase": ({"paraphrase": "Kazoo time"}, "the paraphrase 'Kazoo time' contains the term 'kazoo'"),
    "an empty paraphrase": ({"paraphrase": ""}, "the paraphrase is empty"),
    "a missing tier": ({"tier": "public"}, "errands.yaml has no sensitive label"),
}


def write_bank(folder: Path, first: dict[str, Any]) -> Path:
    """A bank of six labels whose first errand is given."""
    for name, entries in {
        "errands": [first, *REST],
        "meetings": MEETINGS,
        "scheduling_words": ["meeting", "slot", "move"],
    }.items():
        (folder / f"{name}.yaml").write_bytes(msgspec.yaml.encode(entries))
    return folder


def message_of(folder: Path) -> str:
    with pytest.raises(LabelError) as raised:
        load_bank(folder)
    return str(raised.value)


def test_a_small_bank_of_ones_own_is_read(tmp_path: Path) -> None:
    bank = load_bank(write_bank(tmp_path, FIRST))
    assert bank.errands[0] == Label("Kazoo duel in Upper Wimsey", "sensitive", ("kazoo",), "a plan")
    assert len(draw(bank, calendars_of(7), meetings_of(4), 0).errands) == 7


@pytest.mark.parametrize(("change", "expected"), BROKEN_ENTRIES.values(), ids=BROKEN_ENTRIES.keys())
def test_a_broken_entry_is_named_in_one_line(tmp_path: Path, change: dict[str, Any], expected: str) -> None:
    message = message_of(write_bank(tmp_path, FIRST | change))
    assert expected in message
    assert message.startswith(str(tmp_path))
    assert "\n" not in message


@pytest.mark.parametrize("content", [b"- label: [", b"label: x", b"", b"\xff\xfe\x00", b"- 1", b"- @"])
def test_a_file_that_holds_something_else_is_named_in_one_line(tmp_path: Path, content: bytes) -> None:
    (write_bank(tmp_path, FIRST) / "meetings.yaml").write_bytes(content)
    message = message_of(tmp_path)
    assert message.startswith(f"{tmp_path / 'meetings.yaml'}: not as expected (")
    assert "\n" not in message


@pytest.mark.parametrize("name", ["errands.yaml", "meetings.yaml", "scheduling_words.yaml"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (write_bank(tmp_path, FIRST) / name).unlink()
    assert message_of(tmp_path) == (
        f"{tmp_path / name}: can't be read (No such file or directory); restore it from the repository"
    )
