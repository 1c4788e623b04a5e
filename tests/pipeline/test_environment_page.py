"""What docs/environment.md quotes, and how it changes with the figures that it comes from."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.paper.compare import read_numbers
from pipeline.paper.figures import Figures, figure_values, own_difficulty
from pipeline.reports.documents.environment import disclosed, exceeding

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def printed() -> Figures:
    return figure_values(read_numbers(ROOT / "data/paper/numbers.csv"))


def test_models_exceed_the_dearer_baselines_seldom_and_the_cheapest_often(printed: Figures) -> None:
    found = {(r.setting, r.baseline): (r.above, r.far_above) for r in exceeding(printed)}
    assert found == {
        ("uniform", "IMAP"): (7, 2),
        ("varied", "IMAP"): (6, 5),
        ("varied", "DSM-Welfare"): (2, 2),
        ("varied", "DSM-Private"): (0, 0),
        ("varied", "SD-MAP"): (0, 0),
    }


def test_probed_models_disclosed_little(printed: Figures) -> None:
    *_, both = disclosed(printed)
    assert (both.messages, both.leaks, both.sensitive) == (13_843, 22, 12)


def task(seed: int, difficulty: str, score: float, **more: Any) -> dict[str, Any]:
    fields = {"condition": "standard", "setting": "uniform", "density": 0.5, "displaced_errands": 0}
    board = [[{"errand_id": 1, "cost": 1}, None, {"meeting_id": 9, "cost": 1, "participants": [0]}]]
    rest = {"calendars": board, "optimal": {"cost": int(score * 10)}, "feasible_assignments": 200}
    return {**fields, **rest, "seed": seed, "difficulty": difficulty, "difficulty_score": score, **more}


def test_a_task_s_own_third_is_by_score_then_errands_then_seed(tmp_path: Path) -> None:
    listed = [task(1, "hard", 0.1), task(2, "easy", 0.2), task(3, "medium", 0.2, displaced_errands=1)]
    blocked = [task(1, "hard", 0.3, condition="blocked", feasible_assignments=50)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(t) + "\n" for t in [*listed, *blocked]))
    found = own_difficulty([tmp_path / "a.jsonl"])
    assert found.select("condition", "difficulty", "own_easy", "own_medium", "own_hard", "errands").rows() == [
        ("blocked", "hard", 1, 0, 0, 1),
        ("standard", "easy", 0, 1, 0, 1),
        ("standard", "medium", 0, 0, 1, 1),
        ("standard", "hard", 1, 0, 0, 1),
    ]
    assert found["feasible_pct"].to_list() == [25.0, 100.0, 100.0, 100.0]
