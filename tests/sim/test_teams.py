import msgspec
import pytest
import yaml

from machine.errors import UserError
from sim.agents.dsm import PRIVATE, Dsm
from sim.agents.sd import SdMap
from sim.game.trace import to_jsonable
from sim.runs import teams
from sim.runs.play import Play, config_of, identity
from sim.runs.teams import AgentSpec, Team, build_agent, load_team, named_teams, specs_for
from tests.sim.worlds import tiny_task


def team_file(folder, text):
    path = folder / "team.yaml"
    path.write_text(text)
    return str(path)


def test_the_paper_s_four_protocols_have_names():
    assert {"imap", "sd", "dsm-welfare", "dsm-private"} <= set(named_teams())
    assert all(load_team(name) == team and team.team == name for name, team in named_teams().items())


def test_a_preset_s_parameters_are_written_out():
    (spec,) = load_team("dsm-private").agents
    assert spec.parameters == msgspec.structs.asdict(PRIVATE)
    built = build_agent(spec)
    assert isinstance(built, Dsm)
    assert built.parameters == PRIVATE


def test_the_study_s_limit_of_offers_is_that_of_both_dsm_teams_and_of_no_other(monkeypatch):
    monkeypatch.setattr(teams, "study_parameters", lambda: {"dsm": {"max_offers": 2}})
    offers = {name: team.agents[0].parameters.get("max_offers") for name, team in teams.protocol_teams().items()}
    assert offers == {"imap": None, "sd": None, "dsm-welfare": 2, "dsm-private": 2}


def test_a_yaml_file_lists_a_team(tmp_path):
    team = load_team(
        team_file(tmp_path, "team: mine\nagents:\n- {type: imap}\n- {type: sd, parameters: {difficulty: {0: 2.5}}}\n")
    )
    assert (team.team, [s.type for s in team.agents]) == ("mine", ["imap", "sd"])
    weighted = build_agent(team.agents[1])
    assert isinstance(weighted, SdMap)
    assert weighted.parameters.difficulty == {0: 2.5}


@pytest.mark.parametrize(
    "agent",
    [
        "{type: sd, parameters: {difficulty: {%s: 2.5}}}",
        "{type: llm, parameters: {model: openai/some, extra: {logit_bias: {%s: -100}, since: 2026-11-21}}}",
    ],
)
def test_a_number_as_a_key_is_the_same_game_as_its_text(tmp_path, agent):
    configs = [
        config_of(Play(tiny_task(), load_team(team_file(tmp_path, f"team: mine\nagents: [{agent % key}]"))))
        for key in ("0", '"0"')
    ]
    assert identity(configs[0]) == identity(configs[1])
    assert msgspec.json.decode(msgspec.json.encode(configs[0])) == to_jsonable(configs[0])


# One row a YAML file that is no team, and what is said of it.
BROKEN = [
    ("", "not a team"),
    ("team: [", "not a team"),
    ("team: mine", "not a team .*agents"),
    ("team: mine\nagents: []", "lists no agents"),
    ("team: mine\nagents: [{type: oracle}]", "there is no agent type 'oracle'; known types: imap, sd, dsm"),
    ("team: mine\nagents: [{type: imap, speed: 3}]", "not a team .*speed"),
    ("team: mine\ncolour: red\nagents: [{type: imap}]", "not a team .*colour"),
    (
        "team: mine\nagents: [{type: imap, parameters: {speed: 3}}]",
        "type imap have no parameter speed; they have: none",
    ),
    ("team: mine\nagents: [{type: dsm, parameters: {lmax: 3}}]", "no parameter lmax; they have: l_min, l_max, beta"),
    ("team: mine\nagents: [{type: dsm, parameters: {l_max: many}}]", "a parameter of an agent of type dsm is wrong"),
    (f"team: {'m' * 201}\nagents: [{{type: imap}}]", "length <= 200"),
    (
        "team: imap\nagents: [{type: sd}]",
        "the name imap is that of the paper's .*; give the team another",
    ),
    ("team: IMAP\nagents: [{type: imap-kbit, parameters: {bits: 1}}]", "the name IMAP is that of the paper's protocol"),
    ("team: dsm-welfare\nagents: [{type: dsm, parameters: {l_max: 2}}]", "the name dsm-welfare is that of the paper's"),
    ("team: mine\nagents: [{type: dsm, parameters: {l_min: 3, l_max: 2}}]", "l_min must lie between 1 and l_max"),
]


@pytest.mark.parametrize(("text", "problem"), BROKEN)
def test_a_file_that_is_no_team_says_why(tmp_path, text, problem):
    with pytest.raises(UserError, match=problem) as raised:
        load_team(team_file(tmp_path, text))
    assert "\n" not in str(raised.value)


def test_a_file_may_list_a_protocol_of_the_paper_under_its_name(tmp_path):
    for name in ("imap", "sd", "dsm-welfare"):
        [spec] = named_teams()[name].agents
        parameters = "".join(f"{key}: {value}, " for key, value in spec.parameters.items())
        listed = team_file(tmp_path, f"team: {name}\nagents: [{{type: {spec.type}, parameters: {{{parameters}}}}}]")
        assert load_team(listed).team == name


@pytest.mark.parametrize("model", ["openai/sd", "ollama/IMAP", "openai/dsm/welfare"])
def test_a_model_called_like_a_protocol_of_the_paper_needs_a_file(model):
    with pytest.raises(
        UserError, match=f"^{model}: the name .* of the paper's protocol, .* another name in a YAML file"
    ):
        load_team(model)


@pytest.mark.parametrize("name", ["absent.yaml", "."])
def test_a_missing_file_says_so(tmp_path, name):
    with pytest.raises(UserError, match="can't be read"):
        load_team(str(tmp_path / name))


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UserError, match="there is no team 'imp'; known teams: imap, sd, dsm-welfare, dsm-private"):
        load_team("imp")


def test_one_agent_stands_for_all_and_several_must_be_as_many_as_play():
    one, two = AgentSpec("imap"), AgentSpec("sd")
    assert specs_for(Team("t", (one,)), 3) == (one, one, one)
    assert specs_for(Team("t", (one, two)), 2) == (one, two)
    with pytest.raises(UserError, match="team t lists 2 agents, the task has 3; list one, or 3"):
        specs_for(Team("t", (one, two)), 3)


IMITATIONS = [
    ({"type": "imap"}, False),
    ({"type": "style", "parameters": {}}, True),
    ({"type": "llm", "parameters": {"model": "openai/some-model"}}, False),
    ({"type": "llm", "parameters": {"model": "openai/simulated-negotiator"}}, True),
]


@pytest.mark.parametrize(("agent", "simulated"), IMITATIONS)
def test_a_team_is_simulated_where_an_agent_imitates_a_speaker(tmp_path, agent, simulated):
    path = tmp_path / "team.yaml"
    path.write_text(yaml.safe_dump({"team": "mine", "agents": [{"type": "imap"}, agent, {"type": "sd"}]}))
    assert load_team(str(path)).simulated is simulated
