"""A message runs through few files, and docs/a-messages-way.md names them."""

import pytest

from tests.follow import PAGE, page, ways

pytestmark = pytest.mark.slow

# The most files of ours that one message may run through; 45 and 55 are wanted.
MOST = {"imap": 57, "candid": 74}


def test_a_message_runs_through_few_files_and_the_page_names_them() -> None:
    found = ways()
    counts = {team: len(files) for team, files in found.items()}
    assert [team for team, most in MOST.items() if counts[team] > most] == [], counts
    assert PAGE.read_text(encoding="utf-8") == page(found), "run `python -m tests.follow --write`"
