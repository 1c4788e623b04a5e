"""What a run has spent and may spend."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from sim.agents import BUDGET, AgentFailure
from sim.models.agent import Usage


class BudgetSpent(AgentFailure):
    """The run's budget is used up."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause, BUDGET)


class Tally(Struct, kw_only=True):
    """The calls of one model. `cost_usd` sums what is known; `unpriced` answers have no known cost.

    `attempts` counts requests sent, failed ones too; `unmetered` are answers without token counts, attempts that were
    given up at their deadline and responses that broke off, which a provider may well charge for. Responses that could
    not be used count with their tokens and cost, and are no answers. `presumed_usd` is what these would cost at
    four characters a token and a full answer: it counts against a budget and is never reported as cost.
    """

    attempts: int = 0
    answers: int = 0
    from_cache: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
    unmetered: int = 0
    presumed_usd: float = 0.0

    @property
    def text(self) -> str:
        """The tally in words; what is not known is said to be so."""
        failed = self.attempts - self.answers
        parts = [
            f"{self.answers} answers from {self.attempts} requests" + (f" ({failed} failed)" if failed else ""),
            f"{self.from_cache} from the cache",
            f"{self.input_tokens} tokens in, {self.output_tokens} out",
            f"{self.cost_usd:.4f} USD" if self.answers > self.unpriced or not self.answers else "cost unknown",
        ]
        if 0 < self.unpriced < self.answers:
            parts.append(f"and {self.unpriced} answers of unknown cost")
        if self.unmetered:
            parts.append(f"{self.unmetered} requests without token counts")
        return ", ".join(parts)


class Ledger:
    """What a run has spent, by model, and what it may spend: `max_cost` in US dollars, None for any amount."""

    def __init__(self, max_cost: float | None = None) -> None:
        self.max_cost = max_cost
        self.tallies: dict[str, Tally] = {}

    def of(self, model: str) -> Tally:
        """The model's tally."""
        return self.tallies.setdefault(model, Tally())

    @property
    def spent(self) -> float:
        """What counts against the budget, in US dollars: known costs, and presumed ones where they are not known."""
        return sum(t.cost_usd + t.presumed_usd for t in self.tallies.values())

    def check(self) -> None:
        """Raises BudgetSpent where nothing is left."""
        if self.max_cost is not None and self.spent >= self.max_cost:
            raise BudgetSpent(f"the run's budget of {self.max_cost:.2f} USD is used up")

    def answered(self, usage: Usage, presumed: float) -> None:
        """Count an answer that a provider gave."""
        self.of(usage.model).answers += 1
        self.of(usage.model).unpriced += usage.cost_usd is None
        self.charged(usage, presumed)

    def charged(self, usage: Usage, presumed: float) -> None:
        """Count what a response took, whether or not it can be used."""
        tally = self.of(usage.model)
        tally.input_tokens += usage.input_tokens or 0
        tally.output_tokens += usage.output_tokens or 0
        if usage.cost_usd is None:
            tally.presumed_usd += presumed
        else:
            tally.cost_usd += usage.cost_usd
        if usage.input_tokens is None or usage.output_tokens is None:
            tally.unmetered += 1

    def given_up(self, model: str, presumed: float) -> None:
        """Count an attempt that was given up at its deadline, or whose response broke off: the provider may have
        worked, and charge for it."""
        self.of(model).unmetered += 1
        self.of(model).presumed_usd += presumed


class Reserve:
    """What games cost, so that none begins which the budget can't pay to its end.

    `estimates` are US dollars a game by team; a team's dearest game so far takes the place of its estimate.
    """

    def __init__(self, ledger: Ledger, estimates: Mapping[str, float]) -> None:
        self.ledger = ledger
        self.a_game = dict(estimates)
        self.ended: dict[str, float] = {}
        self.paid = 0.0
        self.in_hand: Counter[str] = Counter()
        self.one_over = asyncio.Event()

    async def lacks(self, team: str) -> str | None:
        """Wait while games in hand may leave enough for another game of the team; why none begins, if none can."""
        self.ledger.check()
        while (short := self.shortage(team)) and self.in_hand.total():
            self.one_over.clear()
            await self.one_over.wait()
            self.ledger.check()
        return short

    def shortage(self, team: str) -> str | None:
        """Why the budget does not pay for another game of the team beside those in hand; None where it does."""
        most, a_game = self.ledger.max_cost, self.a_game.get(team, 0.0)
        promised = self.paid + sum(self.a_game.get(name, 0.0) * games for name, games in self.in_hand.items())
        if most is None or max(self.ledger.spent, promised) + a_game <= most:
            return None
        return (
            f"the {most - self.ledger.spent:.2f} USD left of the budget do not pay for a game, about {a_game:.2f} USD"
        )

    def begins(self, team: str) -> None:
        """Count a game in hand."""
        self.in_hand[team] += 1

    def ends(self, team: str, usd: float, whole: bool) -> None:
        """Count a game that is over and has cost so much; only a whole one says what games cost."""
        self.in_hand[team] -= 1
        self.paid += usd
        if whole:
            self.ended[team] = self.a_game[team] = max(usd, self.ended.get(team, 0.0))
        self.one_over.set()
