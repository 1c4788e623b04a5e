"""How agents spoke: leaks, patterns, stance, volume, and what of it simulated speakers meant, composed."""

from typing import TYPE_CHECKING

from pipeline.behaviour.phrases import Thresholds
from pipeline.tables.schemas.base import TABLES
from pipeline.tables.schemas.speech import SPEECH_TABLES

if TYPE_CHECKING:
    import polars as pl

SPEECH = tuple(table.name for table in SPEECH_TABLES)

# The tables that speech is found in.
READ = (
    "games",
    "rounds",
    "agents",
    "messages",
    "moves",
    "calendars",
    "labels_known",
    "decisions",
    "intents",
    "intended_statements",
    "intended_labels",
    "belief_evidence",
)

Frames = dict[str, "pl.DataFrame"]


def speech_frames(frames: Frames, limits: Thresholds) -> Frames:
    """The tables of schemas_speech from those of what happened and from belief_evidence."""
    from pipeline.behaviour.detector_counts import truth
    from pipeline.behaviour.leaks import find_leaks
    from pipeline.behaviour.patterns import find_patterns
    from pipeline.behaviour.stance import stance
    from pipeline.behaviour.volume import round_volume, speaker_volume
    from pipeline.tables import io

    messages, rounds = frames["messages"], frames["rounds"]
    leaks = find_leaks(messages, frames["labels_known"], rounds, frames["agents"])
    found = {
        "leaks": io.to_frame(TABLES["leaks"], leaks),
        "patterns": io.to_frame(TABLES["patterns"], find_patterns(frames, leaks, limits)),
    }
    return found | {
        "stance": stance(messages, frames["agents"]),
        "round_volume": round_volume(rounds, messages, frames["moves"], frames["calendars"]),
        "speaker_volume": speaker_volume(rounds, messages),
        "truth": truth(frames | found),
    }
