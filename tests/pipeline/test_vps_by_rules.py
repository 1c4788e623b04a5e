"""One set of games under several rule sets."""

import json
from pathlib import Path

import pytest
from trace_builder import toy_game

from pipeline.derive.parallel import derive
from pipeline.privacy.evidence import vps_by_rules
from pipeline.tables.io import read_table


def test_the_release_s_weaker_proposals_move_beliefs_by_so_much_less(tmp_path: Path) -> None:
    content = {"sd": "propose", "meeting_id": 1, "slot": 1, "initiator": 0}
    game = toy_game(team="sd").dm(1, 0, 1, content)
    (tmp_path / "game.json").write_text(json.dumps(game.content))
    derive([tmp_path / "game.json"], tmp_path / "tables", workers=1)
    frames = {name: read_table(tmp_path / "tables", name) for name in ("games", "rounds", "messages", "calendars")}
    alone = frames | {"messages": frames["messages"].filter(typed="sd", round=1)}
    found = vps_by_rules(alone)
    assert found.select("rules", "setting", "games").rows() == [("paper", "uniform", 1), ("release", "uniform", 1)]
    assert found["vps"].to_list() == pytest.approx([0.35, 0.70 * 0.35])
