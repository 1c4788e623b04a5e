"""The leaderboard's columns: what each measures, which way is better, and what it hides."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

METRICS = Path(__file__).parent / "metrics.yaml"


@dataclass(frozen=True)
class Metric:
    """A column: its key in the results, how it is shown, what it measures and where it misleads."""

    key: str
    label: str
    unit: str
    decimals: int
    better: str
    first: bool
    notebook: str
    about: str
    weakness: str
    ranks_as: str = ""


def read_metrics(path: Path = METRICS) -> list[Metric]:
    """The columns in the order of the leaderboard."""
    import yaml

    listed: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [Metric(**entry) for entry in listed]
