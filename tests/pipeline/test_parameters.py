"""What params.yaml may hold."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline import beyond
from pipeline.beyond.parameters import PARAMS
from pipeline.paper.parameters import check_parameters
from pipeline.tables.paths import read_yaml
from tests.imports import ROOT

BEYOND_PARAMETERS: dict[str, dict[str, Any]] = read_yaml(ROOT / PARAMS)

WRONG: list[tuple[str, Any, str]] = [
    ("robustness.priors", [1.5], "Expected `float` <= 1.0 - at `$.robustness.priors[0]`"),
    ("robustness.condition", "nothere", "Invalid enum value 'nothere' - at `$.robustness.condition`"),
    ("robustness.english", ["nothere"], "robustness.english names 'nothere', which is none of full, literal, release"),
    ("mixed_effects.condition", None, "at `$.mixed_effects.condition`"),
    ("teams.styles", ["exact", "nothere"], "teams.styles names 'nothere', which is none of blunt, candid"),
    ("teams.protocols", ["imap", "imap"], "teams.protocols has the same entry twice"),
    ("intervals.level", float("nan"), "Expected `float`"),
    ("vps.prior", True, "Expected `float`, got `bool`"),
    ("vps.rules", "nothere", "vps.rules names 'nothere', which is none of paper, release"),
    ("dsm.max_offers", -1, "Expected `int` >= 0 - at `$.dsm.max_offers`"),
    ("vps.priors", 0.5, "Object contains unknown field `priors`"),
    ("game.decision_retries", -1, "Expected `int` >= 0"),
]


WRONG_BEYOND: list[tuple[str, Any, str]] = [
    ("talk.beside", "nothere", "talk.beside names 'nothere', which is none of blunt, candid"),
    ("optima.steps", [], "Expected `array` of length >= 1 - at `$.optima.steps`"),
    ("optima.steps", [0, 0], "optima.steps has the same entry twice"),
    ("leakage.feasible", 1.5, "Expected `float` < 1.0 - at `$.leakage.feasible`"),
    ("enough.alpha", 5, "Expected `float` <= 0.5"),
    ("enough.groups", {"styles": ["candour"]}, "enough.groups.styles names 'candour'"),
    ("frontier.baseline", "secure-1", "frontier.baseline names 'secure-1', which is none of dsm-private"),
    ("frontier.attack", {"teams": {"published": ["x"]}, "paper": {}}, "frontier.attack.teams.published names 'x'"),
    ("worlds.base", {"num_agents": 10}, "worlds.base lacks num_participants"),
    ("worlds.sweeps", {"agents": [{"agents": 5}]}, "Object contains unknown field `agents`"),
    ("worlds.name", "../x", "Expected `str` matching regex"),
]


def test_the_study_s_parameters_are_allowed() -> None:
    check_parameters(ROOT)
    assert beyond.params("ladder")["limit"] > 0


@pytest.mark.parametrize(("name", "value", "told"), WRONG_BEYOND)
def test_a_parameter_beyond_the_paper_that_no_study_can_be_made_with_is_told(
    name: str, value: Any, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = BEYOND_PARAMETERS | {}
    section, key = name.split(".")
    values[section] = values[section] | {key: value}
    (tmp_path / "params.yaml").symlink_to(ROOT / "params.yaml")
    (tmp_path / PARAMS).parent.mkdir(parents=True)
    (tmp_path / PARAMS).write_text(json.dumps(values), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"^notebooks/beyond/params.yaml: .*; mend it, and run the same again$") as no:
        beyond.params("ladder")
    assert told in str(no.value) and "\n" not in str(no.value)


@pytest.mark.parametrize(("name", "value", "told"), WRONG)
def test_a_parameter_that_no_study_can_be_made_with_is_told(name: str, value: Any, told: str, tmp_path: Path) -> None:
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    section, key = name.split(".")
    values[section][key] = value
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    with pytest.raises(ValueError, match=r"^params.yaml: ") as problem:
        check_parameters(tmp_path)
    assert told in str(problem.value) and "\n" not in str(problem.value)
