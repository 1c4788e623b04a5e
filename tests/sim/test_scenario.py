from random import Random

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sim.calendar import Errand
from sim.tasks import scenario
from sim.tasks.scenario import (
    Parameters,
    ScenarioError,
    draw_calendar,
    draw_participants,
    draw_speaker_orders,
    generate,
)
from sim.tasks.schedules import replay
from sim.tasks.suite import prior_meetings


def parameters(**given):
    small = {"seed": 7, "num_agents": 3, "num_participants": 2, "density": 0.5, "num_slots": 8, "num_meetings": 3}
    return Parameters(**(small | given))


def errands(calendar):
    return [item for item in calendar.slots if item is not None]


def reserved(scenario, agent):
    return [s for m, s in zip(scenario.meetings, scenario.witness, strict=True) if agent in m.participants]


# One row a rule that parameters can break, and the words that name it.
BROKEN = [
    ({"num_agents": 0}, "num_agents is at least 1"),
    ({"num_participants": 4}, "num_participants lies between 1 and num_agents"),
    ({"num_slots": 0}, "num_slots is at least 1"),
    ({"num_meetings": 0}, "num_meetings is at least 1"),
    ({"density": 1.01}, "every density lies between 0 and 1"),
    ({"density": float("nan")}, "every density lies between 0 and 1"),
    ({"agent_densities": (0.5, 2.0, 0.5)}, "every density lies between 0 and 1"),
    ({"agent_densities": (0.5, 0.5)}, "agent_densities has one entry an agent"),
    ({"pref_level": 0}, "cost levels are at least 1"),
    ({"errand_cost_values": (1, -1)}, "errand_cost_values are whole numbers of at least 0"),
    ({"participant_lists": ((0, 1), (1, 2))}, "participant_lists has one list of distinct agents a meeting"),
    ({"participant_lists": ((0, 1), (1, 1), (0, 2))}, "participant_lists has one list of distinct agents a meeting"),
    ({"duration": 2}, "duration is 1"),
    ({"prior_meetings": -1}, "prior_meetings lie between 0 and 200"),
    ({"blocked_errands": -1}, "blocked_errands is at least 0"),
    ({"num_participants": 3, "num_slots": 2}, "every meeting has a witness slot"),
    ({"seed": -(2**63) - 1}, "the seed has at most 64 bits"),
    ({"errand_cost_values": (1, 10**6 + 1)}, "no cost is above 1000000"),
    ({"num_agents": 101}, "num_agents is at most 100"),
    ({"num_slots": 5000}, "num_slots is at most 1024"),
    ({"num_meetings": 201}, "num_meetings is at most 200"),
]


@pytest.mark.parametrize(("given", "rule"), BROKEN)
def test_parameters_that_give_no_scenario_name_the_rule_they_break(given, rule):
    with pytest.raises(ScenarioError, match=f"the rule '{rule}' fails"):
        generate(parameters(**given))


def test_the_same_seed_gives_the_same_scenario_and_another_seed_another():
    assert generate(parameters()) == generate(parameters())
    assert len({repr(generate(parameters(seed=s))) for s in range(20)}) == 20


@pytest.mark.parametrize(("density", "filled"), [(0.0, 0), (0.3, 2), (0.5, 4), (0.5625, 4), (0.6875, 6), (1.0, 6)])
def test_density_fills_slots_by_python_s_rounding_but_leaves_one_for_each_meeting(density, filled):
    scenario = generate(parameters(density=density))
    assert {len(errands(c)) for c in scenario.calendars} == {filled}  # two meetings an agent, eight slots


def test_densities_of_each_agent_replace_the_density():
    scenario = generate(parameters(density=1.0, agent_densities=(0.0, 0.25, 0.5)))
    assert [len(errands(c)) for c in scenario.calendars] == [0, 2, 4]


@pytest.mark.parametrize(
    ("given", "costs"),
    [
        ({}, {1}),
        ({"pref_level": 3}, {1, 2, 3}),
        ({"pref_level": 3, "errand_cost_level": 2}, {1, 2}),
        ({"errand_cost_values": (5,)}, {5}),
        ({"errand_cost_values": (1, 100, 1000), "errand_cost_level": 7}, {1, 100, 1000}),
    ],
)
def test_errand_costs_come_from_their_level_or_their_list(given, costs):
    found = [generate(parameters(seed=s, **given)) for s in range(30)]
    assert {e.cost for scenario in found for c in scenario.calendars for e in errands(c)} == costs


def test_listed_costs_are_cycled_over_each_agent_s_errands():
    calendars = generate(parameters(density=0.6, errand_cost_values=(1, 100, 1000))).calendars
    assert [sorted(e.cost for e in errands(c)) for c in calendars] == [[1, 1, 100, 100, 1000]] * 3
    cycled = [1, 100, 1000, 1, 100]
    Random(7 + 2).shuffle(cycled)
    assert [e.cost for e in errands(calendars[2])] == cycled


def test_errands_cover_the_witness_slots_in_the_order_of_a_set():
    calendar = draw_calendar(Random(1), parameters(num_slots=16), agent=2, reserved=[2, 9])
    assert (calendar[9].errand_id, calendar[2].errand_id) == (33, 34)


def test_errands_keep_to_their_own_places_where_none_is_forced():
    def covered(force):
        found = [generate(parameters(seed=s, density=0.4, force_witness_errand=force)) for s in range(20)]
        return all(c[slot] for f in found for a, c in enumerate(f.calendars) for slot in reserved(f, a))

    assert covered(True)
    assert not covered(False)


def test_one_meeting_or_shares_that_do_not_divide_are_sampled():
    rng = Random(11)
    assert draw_participants(11, 5, 3, 1) == (tuple(sorted(rng.sample(range(5), 3))),)
    rng = Random(11)
    assert draw_participants(11, 5, 3, 4) == tuple(tuple(sorted(rng.sample(range(5), 3))) for _ in range(4))


@pytest.mark.parametrize(("agents", "size", "meetings"), [(5, 3, 5), (4, 2, 6), (6, 3, 4), (50, 10, 50), (50, 3, 50)])
def test_shares_that_divide_are_balanced(agents, size, meetings):
    lists = draw_participants(7, agents, size, meetings)
    assert {sum(a in members for members in lists) for a in range(agents)} == {size * meetings // agents}
    assert all(len(set(m)) == size and list(m) == sorted(m) for m in lists)


def test_a_search_that_is_given_up_leaves_equal_shares(monkeypatch):
    searched = draw_participants(7, 6, 3, 6)
    monkeypatch.setattr(scenario, "MOST_LOOKED_AT", 119)
    given_up = draw_participants(7, 6, 3, 6)
    assert given_up != searched
    assert [sum(a in m for m in given_up) for a in range(6)] == [3] * 6


@pytest.mark.parametrize("seed", range(5))
def test_first_speakers_are_balanced_and_the_others_follow_in_order(seed):
    lists = draw_participants(seed, 5, 3, 5)
    orders = draw_speaker_orders(seed, 5, lists)
    assert sorted(order[0] for order in orders) == [0, 1, 2, 3, 4]
    assert all(list(order[1:]) == sorted(set(m) - {order[0]}) for order, m in zip(orders, lists, strict=True))


def test_first_speakers_take_turns_where_they_can_t_be_balanced():
    orders = draw_speaker_orders(5, 4, [(0, 1), (0, 1), (0, 1, 2)])
    assert {orders[0][0], orders[1][0]} == {0, 1}
    assert orders[2][0] == 2


SHAPES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10**6),
        "num_agents": st.integers(1, 5),
        "num_participants": st.integers(1, 5),
        "density": st.floats(0, 1),
        "num_slots": st.integers(1, 12),
        "num_meetings": st.integers(1, 5),
        "errand_cost_level": st.integers(1, 4),
        "force_witness_errand": st.booleans(),
    }
)


@given(SHAPES)
def test_every_scenario_leaves_room_for_its_witness(shape):
    assume(shape["num_participants"] <= shape["num_agents"])
    try:
        scenario = generate(Parameters(**shape))
    except ScenarioError as error:
        assert "witness slot" in str(error)
        return
    slots, level = shape["num_slots"], shape["errand_cost_level"]
    for agent, calendar in enumerate(scenario.calendars):
        own = reserved(scenario, agent)
        assert len(set(own)) == len(own)
        assert len(calendar.free) >= len(own)
        held = errands(calendar)
        assert all(isinstance(e, Errand) and not e.blocked and 1 <= e.cost <= level for e in held)
        assert sorted(e.errand_id for e in held) == [agent * slots + n for n in range(1, len(held) + 1)]
    assert all(sorted(m.speaker_order) == sorted(m.participants) for m in scenario.meetings)
    assert all(0 <= s < slots for s in scenario.witness)
    assert replay(scenario.calendars, scenario.meetings, scenario.witness).slots == scenario.witness


def test_meetings_that_stand_from_the_start_are_on_all_their_participants_calendars_beside_the_witness():
    scenario = generate(parameters(seed=5, num_agents=4, num_slots=20, num_meetings=4, prior_meetings=3))
    held = prior_meetings(scenario.calendars)
    assert [m.id for m in held] == [5, 6, 7]
    for meeting in held:
        places = {c.slot_of_meeting(meeting.id) for a, c in enumerate(scenario.calendars) if a in meeting.participants}
        assert len(places) == 1
        (place,) = places
        for member, start in zip(scenario.meetings, scenario.witness, strict=True):
            shared = set(member.participants) & set(meeting.participants)
            assert not shared or start != place


def test_a_parameter_that_is_unset_is_no_part_of_a_record():
    plain, longer = (msgspec.to_builtins(parameters(**more)) for more in ({}, {"duration": 1}))
    assert not {"duration", "prior_meetings", "blocked_errands"} & set(plain)
    assert longer == plain | {"duration": 1}
    assert generate(parameters(duration=1, prior_meetings=0)) == generate(parameters())
