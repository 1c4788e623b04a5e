"""Write the modules that each stage imports into its dependencies, in dvc.yaml and in that of what goes beyond the
paper: `python -m tests.write_dependencies`.

Modules are replaced, whatever else a stage depends on stays as it is. A package inside a room stands for its modules:
DVC reads its lock anew at every start, and a line a module made that its longest work.
"""

import re
from pathlib import Path
from typing import Any

import yaml

from tests.imports import ROOT, closure, has_code, module_file

STUDIES = (ROOT / "dvc.yaml", ROOT / "notebooks/beyond/dvc.yaml")
# The modules that execute notebooks, and where these are.
EXECUTED = {"pipeline.reports.execute_notebook": "notebooks", "pipeline.beyond.execute": "notebooks/beyond"}
ROOMS = ("pipeline", "sim", "machine")
# What a command runs; and the room that stages which play name as a whole.
RUN = re.compile(r"-m ((?:pipeline|sim)\b[\w.]*)")
WHOLE = "sim"
# Packages of which each stage needs parts of its own: the rooms, and the plots, of which each notebook draws a few.
APART = {"pipeline", "sim", "pipeline/paper/stages", "pipeline/reports/plots"}


def with_dependencies(text: str) -> str:
    """The text of a dvc.yaml with the dependencies of each stage that runs the project's modules."""
    for name, stage in yaml.safe_load(text)["stages"].items():
        files = [file for called in RUN.findall(str(stage["cmd"])) if (file := command_file(called))]
        if files:
            block = re.search(rf"(?m)^  {name}:\n(?:    .*\n|\n)+", text)
            assert block, name
            needed = set().union(*map(closure, [*files, *notebooks(stage)]))
            modules = {
                declared_as(path.relative_to(ROOT)) for path in needed if path.suffix == ".py" and has_code(path)
            }
            if WHOLE in stage["deps"]:
                modules = {module for module in modules if not module.startswith(f"{WHOLE}/")}
            text = text.replace(block[0], refreshed(block[0], sorted(modules)))
    return text


def command_file(name: str) -> Path | None:
    """The file that `python -m NAME` runs."""
    return module_file(f"{name}.__main__") or module_file(name)


def declared_as(module: Path) -> str:
    """What a stage names for a module that it needs: its package, or the module where that does not stand for it."""
    return str(next((p for p in reversed(module.parents) if stands_for_modules(p)), module))


def stands_for_modules(folder: Path) -> bool:
    """Whether the folder is a package of several modules that stages need together."""
    return not stands_apart(folder) and len(list((ROOT / folder).glob("*.py"))) > 1


def stands_apart(folder: Path) -> bool:
    """Whether stages name the modules of the package one by one."""
    return str(folder) in APART or (len(folder.parts) == 2 and folder.parts[0] == "pipeline")


def is_written(line: str) -> bool:
    """Whether a line of dependencies is one that is written here."""
    place = Path(line.strip().removeprefix("- "))
    is_data = place.suffix not in ("", ".py") or ((ROOT / place).is_dir() and not stands_for_modules(place))
    return place.parts[0] in ROOMS and str(place) != WHOLE and (stands_apart(place) or not is_data)


def notebooks(stage: dict[str, Any]) -> list[Path]:
    """The notebooks that a stage executes, one for each name of its matrix."""
    folder = next((place for module, place in EXECUTED.items() if module in str(stage["cmd"])), None)
    return [ROOT / folder / f"{name}.ipynb" for name in stage["matrix"]["name"]] if folder else []


def refreshed(block: str, modules: list[str]) -> str:
    """A stage's text with these modules, after its other dependencies."""
    head, listed, rest = re.split(r"(?<=    deps:\n)((?:      - .*\n)+)", block, maxsplit=1)
    kept = "".join(line for line in listed.splitlines(keepends=True) if not is_written(line))
    return head + kept + "".join(f"      - {module}\n" for module in modules) + rest


if __name__ == "__main__":
    for study in STUDIES:
        study.write_text(with_dependencies(study.read_text(encoding="utf-8")), encoding="utf-8")
