"""The units of a soak: each takes a name, which seeds all that it draws, and says what it did and what was lost."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings

from pipeline.derive.parallel import Recipe, derive_frames
from pipeline.derive.rows import rejection
from pipeline.traces.audit.auditor import audit
from pipeline.traces.audit.divergences import NOTE
from pipeline.traces.ingest import ingest
from pipeline.traces.trace import TraceError, decode_trace
from tests.fault_commands import COMMANDS
from tests.faults import KINDS
from tests.imports import ROOT
from tests.kills import ROWS, Harness
from tests.sim.game_checks import check
from tests.sim.hostile_agents import HostileGame, games, played

# Helpers of tests/pipeline are imported by their bare names.
sys.path.insert(0, str(ROOT / "tests" / "pipeline"))

GAMES, TRACES, KILLS, FAULTS = 100, 150, 3, 6
SETTINGS = settings(
    max_examples=GAMES,
    database=None,
    deadline=None,
    derandomize=False,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
# What a trace's events add up to: a change of one of these must not pass the auditor.
FIGURES = ("meetings", "meetings_scheduled", "meetings_kept", "realized_cost", "excess_cost", "fairness", "dms")
# The events that these come from.
TELLING = frozenset(("round_start", "batch_applied", "resolution", "dm_sent", "agent_registered", "game_start"))
DIGIT = re.compile(r"\d")
VALUES: tuple[Any, ...] = (None, True, False, 0, 1, 2, 3, 7, -1, 10**9, 10**12, 2**70, 0.5, "", "0", "Slot 1 is free.")
VALUES += ([], {}, [0], {"0": 1}, "=1+1", "\x00", "schedule", "reschedule", "dm", "imap", "[FREE]")


@dataclass
class Outcome:
    """What one unit did: counts by what was counted, and a line for each loss."""

    name: str
    counts: dict[str, int] = field(default_factory=dict)
    losses: list[str] = field(default_factory=list)


def number(name: str) -> int:
    """The number that a name seeds."""
    return int.from_bytes(sha256(name.encode()).digest()[:8])


def fuzz_games(name: str) -> Outcome:
    """Games of hostile agents, each checked."""
    outcome = Outcome(name, {"games fuzzed": 0})

    @hypothesis.seed(number(name))
    @settings(SETTINGS)
    @given(games(flood=200))
    def play(game: HostileGame) -> None:
        try:
            check(played(game))
        except Exception as error:
            turn = outcome.counts["games fuzzed"]
            outcome.losses.append(f"{name}: game {turn}: {type(error).__name__}: {error}; {game}")
        outcome.counts["games fuzzed"] += 1

    play()
    return outcome


@cache
def bases() -> list[bytes]:
    """Good traces to change: every kind of game of the auditor's tests, and one in the public form."""
    from audit_bases import BASES, text_of

    return [*map(text_of, (*BASES, "public"))]


def mutate_traces(name: str) -> Outcome:
    """Changed traces: the auditor and the pipeline read or refuse each, and no changed figure passes both."""
    draws, outcome = Random(name), Outcome(name, {"traces mutated": 0, "figures changed and found out": 0})
    for turn in range(TRACES):
        base = draws.choice(bases())
        try:
            mutated = damaged(base, draws) if draws.random() < 0.2 else changed(base, draws)
            outcome.counts["figures changed and found out"] += found_out(base, mutated)
        except Exception as error:
            outcome.losses.append(f"{name}: trace {turn}: {type(error).__name__}: {error}")
        outcome.counts["traces mutated"] += 1
    return outcome


def found_out(base: bytes, mutated: bytes) -> bool:
    """Whether the change moved a figure, and so was found out. Raises AssertionError where it was not."""
    findings = audit(mutated, "t.json")
    before, after = figures_of(base), figures(mutated)
    if after is None or before == after:
        return False
    assert any(d.severity != NOTE for d in findings), f"{before} became {after}, and the auditor finds nothing"
    return True


def figures(text: bytes) -> dict[str, Any] | None:
    """The game's figures by the pipeline; None where it refuses the trace, for a reason that it foresaw."""
    try:
        rows = ingest(decode_trace(text), "t.json")
    except TraceError as error:
        assert rejection("t.json", error).reason
        return None
    if len(text) % 5 == 0:
        frames, stumbled = derive_frames(rows, Recipe())
        assert stumbled == [], stumbled
        assert frames["games"].height == 1
    told = rows["games"][0]._asdict()
    return {column: told[column] for column in FIGURES}


figures_of = cache(figures)


def damaged(text: bytes, draws: Random) -> bytes:
    """The bytes with some flipped, or cut off."""
    if draws.random() < 0.3:
        return text[: draws.randrange(len(text))]
    data = bytearray(text)
    for _ in range(draws.randint(1, 4)):
        data[draws.randrange(len(data))] = draws.randrange(256)
    return bytes(data)


def changed(text: bytes, draws: Random) -> bytes:
    """The trace with one to three values, events or fields changed, lost, doubled or exchanged."""
    raw = json.loads(text)
    for _ in range(draws.randint(1, 3)):
        draws.choice((set_value, set_value, set_value, lose_value, move_event, lose_event, double_event))(raw, draws)
    from audit_bases import sealed

    return sealed(raw)


def place_in(raw: Any, draws: Random) -> tuple[Any, Any]:
    """Some value's holder and key, deeper ones as likely as others: mostly in an event that figures come from."""
    telling = [e["data"] for e in events_of(raw) if tells(e) and isinstance(e.get("data"), dict) and e["data"]]
    value = draws.choice(telling) if telling and draws.random() < 0.7 else raw
    holder = key = None
    while isinstance(value, dict | list) and value and (holder is None or draws.random() < 0.9):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        holder, key = value, draws.choice(keys)
        value = holder[key]
    return holder, key


def set_value(raw: Any, draws: Random) -> None:
    holder, key = place_in(raw, draws)
    old, value = holder[key], draws.choice(VALUES)
    if type(old) is int and draws.random() < 0.7:
        value = old + draws.choice((-1, 1, 10))
    if isinstance(old, str) and draws.random() < 0.7:
        value = DIGIT.sub(lambda found: str(draws.randrange(10)), old, count=1 + draws.randrange(20))
    holder[key] = value


def lose_value(raw: Any, draws: Random) -> None:
    holder, key = place_in(raw, draws)
    del holder[key]


def events_of(raw: Any) -> list[Any]:
    found = raw.get("events")
    return found if isinstance(found, list) and found else [None]


def tells(event: Any) -> bool:
    """Whether figures come from events of its kind."""
    return isinstance(event, dict) and str(event.get("type")) in TELLING


def some_event(raw: Any, draws: Random) -> int:
    """The place of an event, mostly of one that figures come from."""
    events = events_of(raw)
    telling = [n for n, e in enumerate(events) if tells(e)]
    return draws.choice(telling) if telling and draws.random() < 0.7 else draws.randrange(len(events))


def move_event(raw: Any, draws: Random) -> None:
    events = events_of(raw)
    events.insert(draws.randrange(len(events)), events.pop(some_event(raw, draws)))


def lose_event(raw: Any, draws: Random) -> None:
    events_of(raw).pop(some_event(raw, draws))


def double_event(raw: Any, draws: Random) -> None:
    events = events_of(raw)
    events.insert(draws.randrange(len(events)), events[some_event(raw, draws)])


_harnesses: dict[str, Harness] = {}


def kill_runs(name: str) -> Outcome:
    """Runs of one command that are killed, starved or met by another, and then finished."""
    draws, outcome = Random(name), Outcome(name, {"runs killed": 0, "disks filled": 0, "runs met": 0})
    row = draws.choice(ROWS)
    if row.name not in _harnesses:
        _harnesses[row.name] = Harness(row, Path(tempfile.mkdtemp(prefix="soak-")), draws)
    runs = _harnesses[row.name]
    runs.draws = draws
    out = runs.folder / name.replace(" ", "-").replace(":", "-")
    full = out.with_name(f"{out.name}-full")
    try:
        for _ in range(KILLS):
            runs.kill(out)
            outcome.counts["runs killed"] += 1
        if draws.random() < 0.5:
            runs.fill_disk(full)
            outcome.counts["disks filled"] += 1
            runs.check_done(full)
        else:
            runs.meet(out)
            outcome.counts["runs met"] += 1
        runs.check_done(out)
    except Exception as error:
        outcome.losses.append(f"{name}: {row.name}: {type(error).__name__}: {error}")
    return outcome


def inject_faults(name: str) -> Outcome:
    """Faults of one kind in one command, at steps drawn."""
    draws, outcome = Random(name), Outcome(name, {"steps made to fail": 0})
    words = [draws.choice(sorted(COMMANDS)), "--kind", draws.choice(sorted(KINDS)), "--every", "7", "--seed", name]
    asked = [sys.executable, "-m", "tests.faults", *words, "--most", str(FAULTS)]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
    *lost, told = done.stdout.splitlines() or [""]
    counted = re.fullmatch(r"\w+: (\d+) faults, \d+ losses \(.*\)", told)
    outcome.counts["steps made to fail"] += int(counted[1]) if counted else 0
    outcome.losses += [f"{name}: {' '.join(words)}: {line}" for line in lost]
    if not counted:
        outcome.losses.append(f"{name}: {' '.join(words)}: {done.stderr[-1000:]}")
    return outcome


UNITS: dict[str, Callable[[str], Outcome]] = {
    "games": fuzz_games,
    "traces": mutate_traces,
    "kills": kill_runs,
    "faults": inject_faults,
}


def perform(name: str) -> Outcome:
    """The outcome of the unit of that name: `soak RUN:KIND:NUMBER`."""
    return UNITS[name.split(":")[1]](name)
