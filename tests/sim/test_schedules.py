import pytest

from sim.tasks.oracle import NoSchedule
from sim.tasks.schedules import greedy, replay, replay_optimum
from tests.sim.worlds import calendars, meetings, tiny_task

# One row a greedy schedule: calendars, meetings, the slots it takes and what each agent pays.
GREEDY = [
    ([". .", ". ."], [(0, 1)], (0,), (0, 0)),
    (["3 .", ". ."], [(0, 1)], (0,), (3, 0)),
    # the second meeting displaces the first on agent 0's calendar only, at the meeting's cost
    (["3 . .", ". . ."], [(0, 1), (0,)], (0, 0), (4, 0)),
    # a blocked item, and a participant without a free slot, rule a slot out
    (["x3 .", ". 5"], [(0, 1)], (1,), (0, 5)),
    (["3 4", ". ."], [(1,)], (0,), (0, 0)),
    # a meeting in the only free slot leaves nowhere to go for what stands elsewhere
    ([". 2", ". ."], [(0,), (1,)], (0, 0), (0, 0)),
]


@pytest.mark.parametrize(("texts", "lists", "slots", "costs"), GREEDY)
def test_greedy_takes_the_first_possible_slot(texts, lists, slots, costs):
    found = greedy(calendars(texts), meetings(lists))
    assert (found.slots, found.per_agent_cost, found.cost) == (slots, costs, sum(costs))


@pytest.mark.parametrize(("texts", "lists"), [(["x1 x1"], [(0,)]), (["1 2"], [(0,)]), ([". x1"], [(0,), (0,)])])
def test_greedy_says_which_meeting_finds_no_slot(texts, lists):
    with pytest.raises(NoSchedule, match=f"the greedy schedule finds no slot for meeting {len(lists)}"):
        greedy(calendars(texts), meetings(lists))


@pytest.mark.parametrize("seed", range(4))
def test_greedy_puts_every_meeting_of_an_unblocked_task_into_slot_0(seed):
    assert set(tiny_task(seed).greedy.assignments.values()) == {0}


def test_a_replay_moves_a_displaced_errand_to_the_first_free_slot_even_twice():
    boards, stream = calendars(["3 . 9 ."]), meetings([(0,), (0,)])
    assert replay(boards, stream, (0, 1)).per_agent_cost == (6,)  # the errand lands on slot 1, and must leave it
    assert replay_optimum(boards, stream, (0, 1)).per_agent_cost == (3,)


def test_the_optimum_s_replay_says_where_it_finds_no_landing():
    with pytest.raises(NoSchedule, match="nothing is free for the item displaced from slot 0"):
        replay_optimum(calendars(["3 ."]), meetings([(0,), (0,)]), (0, 1))
