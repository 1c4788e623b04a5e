"""The stages of the study as a graph."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from pipeline.tables.paths import read_yaml

DVC = Path("dvc.yaml")


def stages() -> str:
    """The stages of dvc.yaml as a graph that Mermaid draws; `parameters`, which all need, and detours are left out."""
    listed = read_yaml(DVC)["stages"]
    listed.pop("parameters")
    needs = {
        name: {other for other in listed if other != name and feeds(listed[other], listed[name])} for name in listed
    }
    lines = [f"  {name}[{name}{played(stage)}]" for name, stage in listed.items()]
    for name, direct in needs.items():
        behind = set().union(*(ancestors(other, needs) for other in direct))
        lines += [f"  {other} --> {name}" for other in sorted(direct - behind)]
    return "\n".join(["```mermaid", "flowchart TD", *lines, "```"])


def feeds(stage: Mapping[str, Any], later: Mapping[str, Any]) -> bool:
    """Whether the later stage depends on a file of the other, a folder of such, or a file in one."""
    made = [next(iter(out)) if isinstance(out, dict) else out for out in stage["outs"] + stage.get("metrics", [])]
    pairs = [(out.partition("${")[0], dep.partition("${")[0]) for out in made for dep in later["deps"]]
    return any(out.startswith(dep) or dep.startswith(out) for out, dep in pairs if dep and out)


def ancestors(name: str, needs: Mapping[str, Collection[str]]) -> set[str]:
    """All stages that a stage needs, directly or through others."""
    return set(needs[name]).union(*(ancestors(other, needs) for other in needs[name]))


def played(stage: Mapping[str, Any]) -> str:
    """How many stages of a matrix there are, where there is one."""
    return f" × {len(next(iter(stage['matrix'].values())))}" if "matrix" in stage else ""
