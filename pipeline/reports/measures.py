"""The columns of Table 1 as every page shows them, and by which scale its two columns of privacy loss are counted."""

from pathlib import Path
from typing import NamedTuple

from pipeline.privacy.recorded import recorded_reading

# VPS as the public benchmark's script counts it, whatever reading the tables are by: alone beside the paper's rows.
SCRIPT = "vps_release_mean"
OWN = "vps_uniform_mean"  # VPS by the reading of the tables at hand
# Column → title and decimals. What OWN is called depends on the reading: `titles`.
MEASURES = {
    "meetings_scheduled": ("meetings scheduled", 2),
    "coordination_rate_pct": ("coordination %", 2),
    "excess_cost": ("excess cost", 2),
    "dms_per_meeting": ("DMs a meeting", 2),
    "fairness": ("fairness", 3),
    SCRIPT: ("VPS, script", 2),
    OWN: ("VPS, {}", 2),
    "vps_cost_mean": ("VPS, {}, cost weights", 2),
}
TABLE1 = ("coordination_rate_pct", "excess_cost", "dms_per_meeting", "fairness", SCRIPT, OWN)


class Reading(NamedTuple):
    """By which rules typed messages were read, and by which reading English; None where that is not known."""

    rules: str | None = None
    english: str | None = None

    @property
    def name(self) -> str:
        """What the reading is called beside "VPS": the full one is that of a careful reader."""
        english = {"full": "careful reader", None: "reading unknown"}.get(self.english, self.english)
        return f"{english}, rules {self.rules}" if self.rules == "release" != self.english else f"{english}"

    @property
    def learnt(self) -> str:
        """What its VPS says, in a phrase."""
        if self.english == "full":
            return "what a careful reader learns" + ", by the script's rules of typed messages" * (
                self.rules == "release"
            )
        return f"by the reading {self.name}" if self.english else "by a reading that is not known"


def titles(reading: Reading) -> dict[str, str]:
    """Column → its title where the tables are by a reading."""
    return {column: title.format(reading.name) for column, (title, _) in MEASURES.items()}


def scale_note(reading: Reading) -> str:
    """What the two columns of privacy loss say, in sentences."""
    script, own = (f"“{titles(reading)[column]}”" for column in (SCRIPT, OWN))
    if reading == ("release", "release"):
        own_says = "is the same, as these tables are by the script's rules"
    else:
        own_says = f"is {reading.learnt}, on a scale of its own"
    two = f" SD-MAP is counted there by the paper's rule, under {script} by the script's." * (reading.rules == "paper")
    return (
        f"{script} counts as the public benchmark's script does; the paper's models stand there as printed. "
        f"{own} {own_says}.{two} See docs/comparing.md."
    )


def reading_of(tables: Path, english: str = "") -> Reading:
    """The reading that tables record. Where they record none, the English that is named, by unknown rules."""
    recorded = recorded_reading(tables)
    return Reading(*recorded[:2]) if recorded else Reading(None, english or None)
