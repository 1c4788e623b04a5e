from collections import Counter

import msgspec
import pytest

from sim.tasks.lists import (
    Cell,
    Choice,
    cells,
    choose,
    graded,
    moved_thirds,
    ranked,
    read_list,
    select_cell,
    write_list,
)
from sim.tasks.scenario import generate
from sim.tasks.suite import make_listed_task, make_task
from tests.sim.test_suite import PAPER72
from tests.sim.worlds import tiny_task

SMALL = Cell(2, 2, 2, 0.6)


def test_cells_run_over_shapes_then_densities():
    found = [(c.number, c.num_agents, c.num_participants, c.density) for c in cells()]
    assert found == [
        (0, 2, 2, 0.6), (1, 2, 2, 0.8), (2, 2, 2, 1.0),
        (3, 5, 3, 0.6), (4, 5, 3, 0.8), (5, 5, 3, 1.0),
        (6, 5, 5, 0.6), (7, 5, 5, 0.8), (8, 5, 5, 1.0),
    ]  # fmt: skip


def scored(scores):
    """Tasks with these (difficulty, displaced errands), their seeds counting up."""
    task = tiny_task()
    return [
        msgspec.structs.replace(task, seed=seed, difficulty_score=difficulty, displaced_errands=displaced)
        for seed, (difficulty, displaced) in enumerate(scores)
    ]


def test_candidates_rank_by_difficulty_then_displaced_errands_then_seed():
    tasks = scored([(0.5, 0), (0.2, 3), (0.2, 1), (0.2, 3), (0.0, 9)])
    assert [t.seed for t in ranked(tasks)] == [4, 2, 1, 3, 0]


# One row a choice: candidates, tasks a third, and the ranks that are chosen (thirds start at n // 3 and 2n // 3).
THIRDS = [
    (9, 1, [0, 3, 6]),
    (10, 2, [0, 1, 3, 4, 6, 7]),
    (100, 1, [0, 33, 66]),
]


@pytest.mark.parametrize(("number", "per_third", "chosen"), THIRDS)
def test_each_third_gives_its_first(number, per_third, chosen):
    tasks = scored([(n / 10, 0) for n in range(number)])
    found = choose(tasks[::-1], per_third)
    assert [task.seed for _, task in found] == chosen
    assert [d for d, _ in found] == [d for d in ("easy", "medium", "hard") for _ in range(per_third)]


def test_a_selection_is_a_function_of_the_seed_alone():
    once = select_cell(SMALL, Choice("uniform", 5000, 9, 2))
    assert select_cell(SMALL, Choice("uniform", 5000, 9, 2)) == once
    assert {row["seed"] for row in once} <= set(range(7000, 7009))
    assert select_cell(SMALL, Choice("uniform", 6000, 9, 2)) != once


def test_chosen_tasks_are_named_by_number_difficulty_and_cell():
    names = [row["task_id"] for row in select_cell(SMALL, Choice("varied", 5000, 9, 2))]
    assert names == [
        "b013_easy_2a_2p_d0p6_c3_1",
        "b014_easy_2a_2p_d0p6_c3_2",
        "b015_medium_2a_2p_d0p6_c3_1",
        "b016_medium_2a_2p_d0p6_c3_2",
        "b017_hard_2a_2p_d0p6_c3_1",
        "b018_hard_2a_2p_d0p6_c3_2",
    ]
    assert select_cell(Cell(0, 2, 2, 1.0), Choice("uniform", 5000, 3, 1))[2]["task_id"] == "b003_hard_2a_2p_d1p0_c1_1"


def test_a_selection_is_a_list_whose_tasks_come_out_the_same(tmp_path):
    rows = select_cell(SMALL, Choice("varied", 5000, 6, 1))
    write_list(rows, tmp_path / "list.csv")
    for entry, row in zip(read_list(tmp_path / "list.csv"), rows, strict=True):
        task = make_task(entry)
        assert (task.task_id, task.difficulty, task.optimal.cost) == (
            row["task_id"], row["difficulty"], row["optimal_cost"],
        )  # fmt: skip
        assert task.calendars == generate(entry.parameters).calendars


def test_a_selection_may_be_of_another_size_and_of_other_costs(tmp_path):
    sizes, costs = {"num_slots": 10, "num_meetings": 2}, (2, 5)
    rows = select_cell(SMALL, Choice("varied", 5000, 6, 1, sizes, costs))
    write_list(rows, tmp_path / "list.csv")
    for entry in read_list(tmp_path / "list.csv"):
        p = entry.parameters
        assert (p.num_slots, p.num_meetings, p.errand_cost_values) == (10, 2, (2, 5))
    assert [row["task_id"][-4:] for row in rows] == ["c2_1"] * 3


def test_a_task_s_own_difficulty_is_its_third_of_its_cell():
    tasks = scored([(0.5, 0), (0.2, 0), (0.9, 0), (0.1, 0), (0.6, 0), (0.7, 0)])
    named = [msgspec.structs.replace(t, task_id=str(t.seed), difficulty="hard") for t in tasks]
    assert [t.difficulty for t in graded(named)] == ["medium", "easy", "hard", "easy", "medium", "hard"]
    assert moved_thirds(named) == 4
    assert [t.difficulty for t in graded(named[:2])] == ["hard", "hard"]
    assert moved_thirds([msgspec.structs.replace(t, difficulty="unranked") for t in named]) == 0


@pytest.mark.slow
def test_the_paper_s_tasks_lie_in_the_third_that_their_list_says_and_their_blocked_forms_often_don_t():
    listed = read_list(PAPER72)
    standard, blocked = ([make_listed_task(e, are_blocked) for e in listed] for are_blocked in (False, True))
    assert moved_thirds(standard) == 0
    assert moved_thirds(blocked) == 23
    assert Counter(t.difficulty for t in graded(blocked)) == {"easy": 24, "medium": 24, "hard": 24}
