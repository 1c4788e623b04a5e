"""The command `python -m bench [NAME…]`: time the project's work, and keep the figures in docs/benchmarks.json."""

import datetime
import json
import os
import platform
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from bench.measure import ROOT
from bench.work import WORK

KEPT = ROOT / "docs/benchmarks.json"


def machine() -> str:
    """The date, the machine and its load, in a line."""
    day = datetime.datetime.now(datetime.UTC).date()
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{day}: {os.cpu_count()} cores, {system}, load {os.getloadavg()[0]:.1f} at the start"


Names = Annotated[list[str] | None, typer.Argument(help=f"What to measure: {', '.join(WORK)}.")]


def bench(names: Names = None) -> None:
    """Measure the project's speed: everything, or NAMES, of which the other figures stay."""
    if unknown := [name for name in names or () if name not in WORK]:
        raise typer.BadParameter(f"there is no {unknown[0]!r}; known: {', '.join(WORK)}", param_hint="NAMES")
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    for name in names or WORK:
        measured = []
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            begun = machine()
            for figure in WORK[name](Path(folder)):
                print(f"{name}: {figure.what}: {figure.value:,.3g} {figure.unit}", flush=True)
                measured.append({k: round(v, 4) if isinstance(v, float) else v for k, v in figure._asdict().items()})
        kept[name] = {"machine": begun, "figures": measured}
        KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(bench)
