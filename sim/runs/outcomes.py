"""What became of a run's games, and how it is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from sim.game.trace import Trace

if TYPE_CHECKING:
    from sim.models.money import Ledger

# The cause of a game that an interruption kept from its end.
INTERRUPTED = "interrupted"
# How answers are read, and the least share of a team's that are refused of which a run warns.
READINGS = ("strict", "repaired", "refused", "empty")
MANY_REFUSED = 0.05


class Outcomes(Struct):
    """What became of a run's games.

    causes: how many games stopped or were not begun, by cause. unwritten: why a trace could not be written: what is
    played after it is paid for and lost. not_written: stopped games whose place is kept by a trace that is worth more.
    coordination, excess: sums over the games with a provider that ended, `measured` of them. answers: of each team, how
    its models' answers were read, one of READINGS.
    """

    ended: int = 0
    stopped: int = 0
    not_begun: int = 0
    unwritten: str | None = None
    not_written: int = 0
    measured: int = 0
    coordination: float = 0.0
    excess: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    answers: dict[str, Counter[str]] = field(default_factory=dict)

    @property
    def accounted_for(self) -> int:
        """How many games this tells of."""
        return self.ended + self.stopped + self.not_begun

    def interrupted(self, games: int) -> None:
        """Count games that an interruption kept from their ends."""
        self.not_begun += games
        self.causes[INTERRUPTED] += games

    def lost(self, cause: str) -> None:
        """Count a game without a trace."""
        self.stopped += 1
        self.causes[f"no trace: {cause}"] += 1

    def played(self, trace: Trace, written: bool) -> None:
        """Count a game with a provider that came to a trace."""
        read = (event.data.get("parse") for event in trace.events)
        self.answers.setdefault(trace.config["team"], Counter()).update(map(reading, filter(None, read)))
        if trace.stopped:
            self.stopped += 1
            self.not_written += not written
            self.causes[f"{trace.stop_category}: {short_cause(str(trace.stop_cause))}"] += 1
            return
        self.ended += 1
        self.measured += 1
        self.coordination += trace.metrics["coordination_rate"]
        self.excess += trace.metrics["excess_cost"]


def reading(parse: str) -> str:
    """How an answer was read, as the trace has it, in a word of READINGS."""
    word = parse.partition(":")[0]
    return "empty" if word == "refused" and parse.endswith("empty") else word


def answer_lines(answers: Mapping[str, Counter[str]]) -> Iterator[str]:
    """How each team's answers were read, in words, and a warning where many were refused."""
    for team, read in sorted(answers.items()):
        if total := read.total():
            yield f"{team}: of {total} answers {', '.join(f'{read[how] / total:.1%} {how}' for how in READINGS)}"
        if read["refused"] + read["empty"] > MANY_REFUSED * total:
            yield f"warning: more than {MANY_REFUSED:.0%} of the answers of {team} were refused"


def short_cause(cause: str) -> str:
    """The cause without who and where, which the trace keeps: what many games share."""
    where, _, what = cause.partition(": ")
    return what if where.startswith("agent ") else cause


def so_far(outcomes: Outcomes, ledger: Ledger, done: int, total: int) -> str:
    """What became of the games with a provider so far, of which so many are done, and what they took, in one line. A
    request that has no answer yet counts as failed."""
    games = f"playing: {done} of {total} games"
    if outcomes.stopped:
        causes = [cause for cause, _ in outcomes.causes.most_common() if not cause.startswith("not begun")]
        games += f", {outcomes.stopped} stopped (most often: {causes[0]})"
    parts = [games]
    if outcomes.measured:
        coordination, excess = outcomes.coordination / outcomes.measured, outcomes.excess / outcomes.measured
        parts.append(f"coordination {coordination:.3f}, excess cost {excess:.1f} a game")
    return "; ".join(parts + [f"{model}: {tally.text}" for model, tally in sorted(ledger.tallies.items())])
