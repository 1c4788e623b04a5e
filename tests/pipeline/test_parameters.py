"""What params.yaml may hold."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.paper.parameters import check_parameters
from tests.imports import ROOT

WRONG: list[tuple[str, Any, str]] = [
    ("robustness.priors", [1.5], "Expected `float` <= 1.0 - at `$.robustness.priors[0]`"),
    ("robustness.priors", [], "Expected `array` of length >= 1"),
    ("robustness.epsilons", [0.7], "Expected `float` <= 0.5"),
    ("robustness.draws", 0, "Expected `int` >= 1 - at `$.robustness.draws`"),
    ("robustness.condition", "nothere", "Invalid enum value 'nothere' - at `$.robustness.condition`"),
    ("robustness.english", ["nothere"], "robustness.english names 'nothere', which is none of full, full-vague"),
    ("mixed_effects.condition", None, "at `$.mixed_effects.condition`"),
    ("mixed_effects.relabellings", 1.5, "Expected `int`, got `float`"),
    ("teams.styles", ["exact", "nothere"], "teams.styles names 'nothere', which is none of blunt, candid"),
    ("teams.styles", [], "Expected `array` of length >= 1"),
    ("teams.protocols", ["imap", "imap"], "teams.protocols has the same entry twice"),
    ("cards.every", 73, "Expected `int` <= 72"),
    ("excess.penalties", [1, 1], "excess.penalties has the same entry twice"),
    ("excess.penalties", [-3000], "Expected `float` >= 0.0"),
    ("truth.level", "0.95", "Expected `float`, got `str`"),
    ("intervals.level", float("nan"), "Expected `float`"),
    ("vps.prior", True, "Expected `float`, got `bool`"),
    ("vps.rules", "nothere", "vps.rules names 'nothere', which is none of paper, release"),
    ("vps.priors", 0.5, "Object contains unknown field `priors`"),
    ("patterns.nearby_chars", -5, "Expected `int` >= 1 - at `$.patterns.nearby_chars`"),
    ("patterns.expensive_cost", float("nan"), "Expected `int`"),
    ("comparisons.alpha", 5, "Expected `float` <= 0.5"),
    ("comparisons.better", {"fairness": "best"}, "Invalid enum value 'best'"),
    ("game.decision_retries", -1, "Expected `int` >= 0"),
]


def test_the_study_s_parameters_are_allowed() -> None:
    check_parameters(ROOT)


@pytest.mark.parametrize(("name", "value", "told"), WRONG)
def test_a_parameter_that_no_study_can_be_made_with_is_told(name: str, value: Any, told: str, tmp_path: Path) -> None:
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    section, key = name.split(".")
    values[section][key] = value
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    with pytest.raises(ValueError, match=r"^params.yaml: ") as problem:
        check_parameters(tmp_path)
    assert told in str(problem.value) and "\n" not in str(problem.value)


@pytest.mark.parametrize("text", ["", "a: [", "- 1", "vps: {prior: 0.5}"])
def test_a_file_of_other_form_is_told_in_a_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"^params.yaml: .*; mend it, and run the same again$"):
        check_parameters(tmp_path)
