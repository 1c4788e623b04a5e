"""The published schema is that of the traces we write."""

import json

import pytest

from sim.game.trace import Trace, encoded
from sim.game.trace_schema import trace_schema
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from tests.sim.worlds import tiny_task


def errors(trace: dict) -> list:
    """What a validator has against a trace."""
    # Here, as it takes a second to load, and each of pytest's workers loads every file.
    import jsonschema

    return list(jsonschema.Draft202012Validator(trace_schema()).iter_errors(trace))


def as_json(trace: Trace) -> dict:
    return json.loads(encoded(trace))


@pytest.mark.parametrize("team", named_teams())
def test_a_game_of_every_team_fits_the_schema(team: str) -> None:
    trace = as_json(play_game(Play(tiny_task(), named_teams()[team])))
    assert errors(trace) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda trace: trace.pop("events"),
        lambda trace: trace["events"][0]["data"].pop("scenario_seed"),
        lambda trace: trace["events"][3].update(type="unheard_of"),
        lambda trace: trace["metrics"].update(fairness=1.5),
        lambda trace: trace.update(schema_version=0),
    ],
    ids=["no events", "a field missing", "an unknown kind", "an impossible figure", "another version"],
)
def test_what_is_no_trace_does_not_fit(spoil) -> None:
    trace = as_json(play_game(Play(tiny_task(), named_teams()["imap"])))
    spoil(trace)
    assert errors(trace)
