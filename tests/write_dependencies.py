"""Write the modules that each stage of dvc.yaml imports into its dependencies: `python -m tests.write_dependencies`.

Modules are replaced, whatever else a stage depends on stays as it is.
"""

import re
from pathlib import Path
from typing import Any

import yaml

from tests.imports import ROOT, closure, module_file

MODULE = re.compile(r"      - (?:pipeline|sim)/.*\.py\n")


def with_dependencies(text: str) -> str:
    """The text of a dvc.yaml with the dependencies of each stage that runs a module of pipeline.stages."""
    for name, stage in yaml.safe_load(text)["stages"].items():
        module = re.search(r"-m (pipeline\.stages\.\w+)", str(stage["cmd"]))
        file = module_file(module[1]) if module else None
        if file:
            block = re.search(rf"(?m)^  {name}:\n(?:    .*\n|\n)+", text)
            assert block, name
            needed = closure(file).union(*map(closure, notebooks(stage)))
            modules = sorted(str(path.relative_to(ROOT)) for path in needed if path.suffix == ".py")
            text = text.replace(block[0], refreshed(block[0], modules))
    return text


def notebooks(stage: dict[str, Any]) -> list[Path]:
    """The notebooks that a stage executes, one for each name of its matrix."""
    executes = "pipeline.stages.notebook" in str(stage["cmd"])
    return [ROOT / "notebooks" / f"{name}.ipynb" for name in stage["matrix"]["name"]] if executes else []


def refreshed(block: str, modules: list[str]) -> str:
    """A stage's text with these modules, after its other dependencies."""
    head, listed, rest = re.split(r"(?<=    deps:\n)((?:      - .*\n)+)", block, maxsplit=1)
    kept = "".join(line for line in listed.splitlines(keepends=True) if not MODULE.match(line))
    return head + kept + "".join(f"      - {module}\n" for module in modules) + rest


if __name__ == "__main__":
    study = ROOT / "dvc.yaml"
    study.write_text(with_dependencies(study.read_text(encoding="utf-8")), encoding="utf-8")
