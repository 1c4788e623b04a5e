"""The command `python -m bench [NAME…] [--write FILE]`: measure, print, and write the results."""

import datetime
import json
import os
import platform
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from bench.measure import calibration
from bench.work import LONG, WORK

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

PACKAGES = ("polars", "pyarrow", "duckdb", "msgspec", "ortools", "litellm", "zstandard")


def machine() -> dict[str, Any]:
    """The machine, its software, the date and the load."""
    model = next((line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), "")
    memory = next((int(line.split()[1]) * 1024 for line in _lines("/proc/meminfo") if line.startswith("MemTotal")), 0)
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "cpu": model or platform.processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(memory / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "load_at_start": round(os.getloadavg()[0], 2),
    }


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


@app.command()
def bench(
    names: Annotated[list[str] | None, typer.Argument(help=f"What to measure: {', '.join(WORK)}.")] = None,
    write: Annotated[Path | None, typer.Option(help="Keep the results there; others of the file stay.")] = None,
    profile: Annotated[bool, typer.Option(help="Profile the three hottest paths as well.")] = True,
    scratch: Annotated[
        Path | None, typer.Option(help="Where traces and tables go.", show_default="a new folder")
    ] = None,
) -> None:
    """Measure the project's speed; without NAMES everything but `repro` and `checks`, which take as long again each."""
    unknown = [name for name in names or () if name not in WORK]
    if unknown:
        raise typer.BadParameter(f"there is no {unknown[0]!r}; known: {', '.join(WORK)}", param_hint="NAMES")
    with tempfile.TemporaryDirectory(dir=scratch, prefix="bench-") as folder:
        results = measure(names or [name for name in WORK if name not in LONG], Path(folder), profile and not names)
    if write:
        save_results(results, write)
        if "growth" in results["work"]:
            from pipeline.reports.plots.lines import growth
            from pipeline.reports.plots.style import save

            save(growth(results["work"]["growth"]), write.with_name("images") / "growth.svg")


def measure(names: list[str], folder: Path, profile: bool) -> dict[str, Any]:
    """The machine, and the figures of each benchmark; times also as multiples of the calibration kernel's."""
    results: dict[str, Any] = {"machine": machine(), "calibration_seconds": calibration(), "work": {}}
    kernel_seconds = results["calibration_seconds"]
    print(f"calibration kernel: {kernel_seconds:.3f} s", flush=True)
    for name in names:
        begun = time.perf_counter()
        figures = WORK[name](folder)
        multiples = {
            key: round(value / kernel_seconds, 3) for key, value in figures.items() if "cpu" in key or "seconds" in key
        }
        results["work"][name] = {
            "figures": {key: round(value, 4) for key, value in figures.items()},
            "multiples": {k: v for k, v in multiples.items() if "a_cpu_second" not in k and "a_second" not in k},
            "load": round(os.getloadavg()[0], 2),
        }
        print(f"{name} ({time.perf_counter() - begun:.0f} s)", flush=True)
        for key, value in figures.items():
            print(f"  {key:28} {value:12,.3f}", flush=True)
    if profile:
        from bench.profiles import profiles

        results["profiles"] = profiles(folder)
    return results


def save_results(results: dict[str, Any], path: Path) -> None:
    """Write the results; benchmarks that were not run keep their figures, with the machine that they were run on."""
    before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"work": {}}
    for name, work in results["work"].items():
        results["work"][name] = work | {
            "machine": results["machine"],
            "calibration_seconds": results["calibration_seconds"],
        }
    whole = before | {key: value for key, value in results.items() if key == "profiles"}
    whole["work"] = {name: (before["work"] | results["work"]).get(name) for name in WORK}
    whole["work"] = {name: work for name, work in whole["work"].items() if work}
    draft = path.with_name(f".{path.name}.part")
    draft.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(path)


if __name__ == "__main__":
    sys.exit(app())
