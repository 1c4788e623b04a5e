import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.agents.beyond.poll import Answer, Ask, Decision, Poll, PollParameters, SpokenPoll, Survey, read_english, spoken
from sim.agents.imap import Imap
from tests.sim.worlds import TRIO, calendar, events, new_game, payloads, play, registration, request, said, slots_of


def game_of(boards, lists, limits=None, **parameters):
    return play(new_game((boards, lists), **(limits or {})), [Poll(PollParameters(**parameters)) for _ in boards])


def kinds(game):
    return [(sender, to, p["poll"]) for sender, to, p in payloads(game)]


def test_a_poll_stops_at_the_first_slot_that_nothing_can_beat():
    survey = {"poll": "survey", "meeting_id": 1, "limit": 0}
    first = {"can": {"1": 0, "2": 0}, "cannot": {"0": 0, "3": 0}}
    second = {"can": {"0": 0, "1": 0}, "cannot": {"2": 0, "3": 0}}
    chosen = {"poll": "decision", "meeting_id": 1, "slot": 1}
    assert payloads(game_of(*TRIO)) == [
        (0, 1, survey),
        (0, 2, survey),
        (1, 0, {"poll": "answer", "meeting_id": 1} | first),
        (2, 0, {"poll": "answer", "meeting_id": 1} | second),
        (0, 1, chosen),
        (0, 2, chosen),
    ]


def test_without_a_survey_one_slot_is_asked_of_one_responder_at_a_time():
    game = game_of(["5 . .", ". 1 .", ". . ."], [(0, 1, 2)], survey=0, ladder=(0, 1))
    asks = [(to, p["limits"]) for _, to, p in payloads(game) if p["poll"] == "ask"]
    assert asks == [(1, {"1": 0}), (1, {"2": 0}), (2, {"2": 0})]
    assert slots_of(game, 1) == [2, 2, 2]


def test_a_slot_that_was_refused_is_asked_again_at_the_next_threshold_once_nothing_can_be_cheaper():
    game = game_of(["x1 . .", ". 5 x1", ". . ."], [(0, 1)], survey=0, ladder=(0, 3))
    asks = [p["limits"] for _, _, p in payloads(game) if p["poll"] == "ask"]
    assert asks == [{"1": 0}, {"2": 0}, {"1": 3}, {"2": 3}, {"1": None}]
    assert slots_of(game, 1)[:2] == [1, 1]


def test_a_responder_says_no_more_than_whether_it_can():
    player = Poll()
    player.register(registration(calendar(". 3 x2 100 ."), 1))
    ask = {"poll": "ask", "meeting_id": 2, "limits": {"0": 0, "1": 1, "2": None, "3": None, "9": None}}
    can, cannot = {"0": 0, "3": None}, {"1": 1, "2": None, "9": None}
    reply = player.act(request(calendar(". 3 x2 100 ."), inbox=[(0, ask)]))
    assert said(reply) == [(0, {"poll": "answer", "meeting_id": 2, "can": can, "cannot": cannot})]


def test_where_no_slot_is_possible_for_all_nothing_is_decided():
    game = game_of(["x1 . .", ". x1 x1"], [(0, 1)])
    assert {p["poll"] for _, _, p in payloads(game)} == {"survey", "answer", "ask"}
    assert slots_of(game, 1) == [None, None]


def test_a_poll_that_runs_out_of_turns_takes_what_it_has():
    board = " ".join([".", *["1"] * 12, "x1", "x1", "."])
    other = " ".join(["x1", *["1"] * 12, ".", ".", "x1"])
    game = game_of([board, other, other], [(0, 1, 2)], {"max_turns_per_round": 9}, survey=0, patience=2)
    assert slots_of(game, 1)[0] is not None
    assert len(set(slots_of(game, 1))) == 1


COSTS = st.sampled_from([".", ".", "1", "100", "1000", "x1"])
BOARD = st.lists(COSTS, min_size=5, max_size=5).map(" ".join)


@settings(max_examples=60)
@given(boards=st.lists(BOARD, min_size=3, max_size=3), survey=st.sampled_from([None, 0, 1]))
def test_a_poll_decides_for_the_very_slot_that_imap_decides_for(boards, survey):
    polled = game_of(boards, [(0, 1, 2)], {"max_turns_per_round": 60}, survey=survey, patience=60)
    asked = play(new_game((boards, [(0, 1, 2)])), [Imap() for _ in boards])
    assert decided(polled, "poll") == decided(asked, "imap")


def decided(game, protocol):
    """The slots that were announced."""
    return [p["slot"] for _, _, p in payloads(game) if p[protocol] == "decision"]


@pytest.mark.parametrize(
    "wrong", [{"ladder": (1, 0)}, {"ladder": (0, 2000)}, {"ladder": ()}, {"survey": -1}, {"patience": -1}]
)
def test_parameters_that_make_no_poll_are_refused(wrong):
    with pytest.raises(ValueError):
        PollParameters(**wrong)


LIMITS = st.dictionaries(st.integers(0, 15), st.sampled_from([0, 1, 100, None]), min_size=1, max_size=6)


@given(
    message=st.builds(Survey, st.just(1), st.sampled_from([0, 1, 100, None]))
    | st.builds(Ask, st.just(1), LIMITS)
    | st.builds(Decision, st.just(1), st.integers(0, 15))
    | st.tuples(LIMITS, LIMITS).map(lambda t: Answer(1, t[0], {s: top for s, top in t[1].items() if s not in t[0]}))
)
def test_what_is_put_into_english_is_heard_as_it_was_meant(message):
    assert read_english(spoken(message), 1) == message


def test_a_poll_in_english_asks_and_decides_as_one_in_json():
    world = (["5 . . 1", ". 1 x1 .", "1 100 . ."], [(0, 1, 2)])
    spoken_game = play(new_game(world), [SpokenPoll() for _ in world[0]])
    typed, english = game_of(*world), [e["content"] for e in events(spoken_game, "dm_sent")]
    assert [e["to_agent"] for e in events(spoken_game, "dm_sent")] == [to for _, to, _ in payloads(typed)]
    assert slots_of(spoken_game, 1) == slots_of(typed, 1)
    assert english[:2] == ["Which slots are free for you?"] * 2
    assert "I can do slot 3. Are you free then?" not in english and english[-1].startswith("Let's take slot")


@pytest.mark.parametrize("text", ["", "Hello!", "Let's take slot x.", "I can do slot 3.", '{"poll": "decision"}'])
def test_what_is_none_of_a_poll_s_sentences_is_passed_over(text):
    assert read_english(text, 1) is None
