"""How models' answers were read: out of the text of traces, and as it is said of teams."""

import json

from pipeline.traces.answers import answer_lines, answers


def test_readings_are_counted_and_what_messages_quote_is_none() -> None:
    read = ["strict", "strict", "repaired: code fence", "refused: the answer is empty", 'refused: two "lists"', None]
    events = [{"data": {"parse": how, "content": '{"parse": "strict"}'}} for how in read]
    for text in (json.dumps(events), json.dumps(events, separators=(",", ":"))):
        assert answers(text.encode()) == {"strict": 2, "repaired": 1, "empty": 1, "refused": 1}


def test_a_team_with_more_than_a_twentieth_refused_is_warned_of_and_one_without_answers_not_told() -> None:
    games = [("a", {"strict": 18, "refused": 1}), ("a", {"empty": 1}), ("b", {}), ("c", {"strict": 19, "empty": 1})]
    assert list(answer_lines(games)) == [
        "a: of 20 answers 90.0% strict, 0.0% repaired, 5.0% refused, 5.0% empty; warning: more than 5% were refused",
        "c: of 20 answers 95.0% strict, 0.0% repaired, 0.0% refused, 5.0% empty",
    ]
