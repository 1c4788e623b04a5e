"""Each game's excess cost taken apart into steps, by replays of it under other rules.

`python -m pipeline.beyond.ladder` makes the tables from those of the study.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl

from pipeline import beyond
from pipeline.beyond.tables import declare, write
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.by_game import ended
from pipeline.statistics.resampling import Resampling
from pipeline.tables import paths
from pipeline.tables.io import polars_schema, read_table

TABLES = declare(
    """
    ladder_rungs (game_id): one game, and what replays of it cost
    game_id: str the game, a UUID
    team: str who played
    simulated: bool whether its speakers are simulated
    setting: str uniform or varied errand costs
    condition: str standard, blocked or adversarial
    task_id: str the task
    difficulty: str easy, medium or hard
    optimal: int [cost] the oracle's schedule
    clairvoyant_first: int [cost] the best slots when errands land on their owner's first free slot
    myopic_lucky: int [cost] each meeting in a slot that is cheapest then; ties and landings the best
    myopic_best: int [cost] each meeting in the lowest slot that is cheapest then; landings the best
    myopic_first: int [cost] the same; errands land on their owner's first free slot
    team_best: int [cost] the team's slots, failed meetings last in the cheapest; landings the best
    team_first: int [cost] the same; errands land on their owner's first free slot
    team_own: int [cost] the same; errands land where the game shows it, else on the first free slot
    team_held: int [cost] the same without the failed meetings
    realized: int [cost] what was paid
    failed: int meetings that were not coordinated in their round
    unplaced: int meetings that found no possible slot in a replay, over all replays

    ladder_steps (game_id, step): one game and step of the ladder
    game_id
    step: str future, landing, information or execution
    place: int its place in the main order, from 1
    cost: int [cost] what the step adds, in the order future, landing, information, execution
    landing_first: int [cost] the same in the order landing, future, information, execution
    landing_last: int [cost] the same in the order future, information, landing, execution
    average: float [cost] their mean: Faigle and Kern's value

    ladder_means (team, setting, condition, difficulty, step): one team, setting, condition, difficulty and step
    team, simulated, setting, condition
    difficulty: str easy, medium, hard, or all
    step, place
    mean: float [cost] mean of ladder_steps.cost over games
    low: float lower end of the mean's interval; empty for fewer than six tasks
    high: float its upper end
    landing_first: float [cost] mean of ladder_steps.landing_first
    landing_last: float [cost] mean of ladder_steps.landing_last
    average: float [cost] mean of ladder_steps.average
    games: int games that count
    tasks: int their tasks, which are what is drawn anew
    """
)


CHEAPEST, TIES, ANY = "cheapest", "ties", "any"  # which slot a meeting takes
FIRST, BEST, OBSERVED = "first", "best", "observed"  # where an errand lands
FREE, HELD = -1, -2  # HELD: a meeting or a blocked item, which makes way for nothing

Calendar = tuple[int, ...]  # of each slot FREE, HELD, or the cost of the errand in it
Calendars = tuple[Calendar, ...]  # one an agent


def initial_calendars(items: pl.DataFrame, games: pl.DataFrame) -> dict[str, Calendars]:
    """Game → its agents' initial calendars, from the tables items and games."""
    slots: dict[str, list[list[int]]] = {
        game: [[FREE] * size for _ in range(agents)]
        for game, agents, size in games.select("game_id", "num_agents", "num_slots").iter_rows()
    }
    columns = ("game_id", "agent", "slot", "item_kind", "cost", "blocked")
    for game, agent, slot, kind, cost, blocked in items.select(columns).iter_rows():
        if game in slots:
            slots[game][agent][slot] = HELD if blocked or kind == "meeting" else cost
    return {game: tuple(map(tuple, calendars)) for game, calendars in slots.items()}


def clearing_cost(calendar: Calendar, slot: int) -> int | None:
    """What holding a meeting in the slot costs its owner: 0 free, an errand's cost where it can go elsewhere, else None
    (Appendix G.1)."""
    held = calendar[slot]
    if held == FREE:
        return 0
    return held if held >= 0 and FREE in calendar else None


def possible_slots(calendars: Calendars, members: Sequence[int], slots: Iterable[int]) -> dict[int, int]:
    """Of the slots, those that are possible for all members, each with what it costs them together."""
    possible = {}
    for slot in slots:
        costs = [clearing_cost(calendars[agent], slot) for agent in members]
        if None not in costs:
            possible[slot] = sum(cost for cost in costs if cost is not None)
    return possible


def free_slots(calendar: Calendar) -> list[int]:
    """The free slots, ascending."""
    return [slot for slot, held in enumerate(calendar) if held == FREE]


def with_meeting(calendar: Calendar, slot: int, landing: int | None) -> Calendar:
    """The calendar with a meeting in the slot, its errand moved to `landing` (None: it had none)."""
    cells = list(calendar)
    if landing is not None:
        cells[landing] = cells[slot]
    cells[slot] = HELD
    return tuple(cells)


def with_slot_free(calendars: Calendars, members: Iterable[int], slot: int) -> Calendars:
    """The calendars with the slot free again on those of the members."""
    freed = set(members)
    return tuple(
        (*calendar[:slot], FREE, *calendar[slot + 1 :]) if agent in freed else calendar
        for agent, calendar in enumerate(calendars)
    )


class TooManyStates(ValueError):
    """The search would take more states than its limit allows."""


@dataclass(frozen=True)
class Step:
    """One meeting to schedule: its members, its round, and the slot it takes (None: it is chosen by the rule).

    A step with `leaves` carries an earlier meeting away from that slot, for which the members pay `price` together.
    `landings` tells where a member's errand was seen to go, by the slot that it left.
    """

    members: tuple[int, ...]
    number: int = 0
    slot: int | None = None
    leaves: int | None = None
    price: int = 0
    landings: Mapping[tuple[int, int], int] = field(default_factory=dict)


@dataclass(frozen=True)
class Rules:
    """How a step without a slot picks one (the cheapest now, the lowest of equals; any of the equals; any at all), and
    where a displaced errand goes (the first free slot; wherever it turns out best; where it was seen to go)."""

    pick: str = CHEAPEST
    landing: str = FIRST


@dataclass(frozen=True, order=True)
class Outcome:
    """What a replay comes to: the steps that found no possible slot, then what all agents pay."""

    unplaced: int
    cost: int


def least_outcome(calendars: Calendars, steps: Sequence[Step], rules: Rules, limit: int = 1_000_000) -> Outcome:
    """The least outcome that the rules allow. Raises TooManyStates beyond `limit` states."""
    return _Search(steps, rules, limit).run(calendars)


class _Search:
    """One depth-first search: the best outcome so far, and at which each state was reached."""

    def __init__(self, steps: Sequence[Step], rules: Rules, limit: int) -> None:
        self.steps, self.rules, self.limit = steps, rules, limit
        self.best = Outcome(len(steps) + 1, 0)
        self.reached: dict[tuple[int, Calendars], Outcome] = {}

    def run(self, calendars: Calendars) -> Outcome:
        self.visit(calendars, 0, Outcome(0, 0))
        return self.best

    def visit(self, calendars: Calendars, number: int, paid: Outcome) -> None:
        if number == len(self.steps):
            self.best = min(self.best, paid)
            return
        if self.bound(calendars, number, paid) >= self.best:
            return
        before = self.reached.get((number, calendars))
        if before is not None and before <= paid:
            return
        if len(self.reached) >= self.limit:
            raise TooManyStates(f"a replay of {len(self.steps)} meetings takes more than {self.limit} states")
        self.reached[number, calendars] = paid
        for cost, after in self.choices(calendars, self.steps[number]):
            self.visit(after, number + 1, Outcome(paid.unplaced, paid.cost + cost))
        if not self.open_slots(calendars, self.steps[number]):
            self.visit(calendars, number + 1, Outcome(paid.unplaced + 1, paid.cost))

    def bound(self, calendars: Calendars, number: int, paid: Outcome) -> Outcome:
        """What the outcome is at least: what was paid, and each step to come at its least cost on these calendars.

        A meeting that is carried away frees a slot: beyond that step nothing is known.
        """
        cost = paid.cost
        for step in self.steps[number:]:
            cost += step.price
            if step.leaves is not None:
                break
            cost += min(self.open_slots(calendars, step).values(), default=0)
        return Outcome(paid.unplaced, cost)

    def open_slots(self, calendars: Calendars, step: Step) -> dict[int, int]:
        """The slots that the step could take, each with its cost."""
        slots = range(len(calendars[0])) if step.slot is None else (step.slot,)
        return possible_slots(calendars, step.members, slots)

    def choices(self, calendars: Calendars, step: Step) -> Iterator[tuple[int, Calendars]]:
        """What each way to take the step costs, and the calendars that it leaves; the cheapest slots first."""
        costs = self.open_slots(calendars, step)
        order = sorted(costs, key=lambda slot: (costs[slot], slot))
        if self.rules.pick == CHEAPEST:
            order = order[:1]
        elif self.rules.pick == TIES:
            order = [slot for slot in order if costs[slot] == costs[order[0]]]
        for slot in order:
            for after in self.placements(calendars, step, slot):
                freed = after if step.leaves is None else with_slot_free(after, step.members, step.leaves)
                yield costs[slot] + step.price, freed

    def placements(self, calendars: Calendars, step: Step, slot: int) -> Iterator[Calendars]:
        """The calendars with the meeting in the slot, one for each combination of landings."""
        options = [
            [with_meeting(calendars[a], slot, landing) for landing in self.landings(calendars[a], step, a, slot)]
            for a in step.members
        ]
        for chosen in product(*options):
            new = dict(zip(step.members, chosen, strict=True))
            yield tuple(new.get(agent, calendar) for agent, calendar in enumerate(calendars))

    def landings(self, calendar: Calendar, step: Step, agent: int, slot: int) -> Sequence[int | None]:
        """Where the member's errand in the slot may go; None alone where the slot is free."""
        if calendar[slot] == FREE:
            return [None]
        assert clearing_cost(calendar, slot) is not None
        free = free_slots(calendar)
        if self.rules.landing == BEST:
            return free
        seen = step.landings.get((agent, slot)) if self.rules.landing == OBSERVED else None
        return [seen if seen in free else free[0]]


Row = dict[str, Any]

GAME = ("game_id", "team", "simulated", "setting", "condition", "task_id", "difficulty")
# Replays that know nothing of the team, and replays of its decisions.
TASK_RULES = {
    "clairvoyant_first": Rules(ANY, FIRST),
    "myopic_lucky": Rules(TIES, BEST),
    "myopic_best": Rules(CHEAPEST, BEST),
    "myopic_first": Rules(CHEAPEST, FIRST),
}
TEAM_RULES = {
    "team_best": Rules(CHEAPEST, BEST),
    "team_first": Rules(CHEAPEST, FIRST),
    "team_own": Rules(CHEAPEST, OBSERVED),
}


def decisions(rounds: pl.DataFrame, moves: pl.DataFrame) -> dict[str, list[Step]]:
    """Game → its steps: each coordinated meeting in its slot, and each earlier one that all its participants moved to
    another; then the meetings that failed, in their order, without a slot.

    Nobody decided where a failed meeting would have gone: it comes last, so that it is in no other's way.
    """
    moved: dict[tuple[str, int], list[Row]] = {}
    for move in moves.sort("game_id", "event_index", "action_index").iter_rows(named=True):
        moved.setdefault((move["game_id"], move["round"]), []).append(move)
    return {
        str(game): steps_of(part.sort("round").rows(named=True), moved)
        for (game,), part in rounds.group_by("game_id", maintain_order=True)
    }


def steps_of(rounds: Sequence[Row], moved: dict[tuple[str, int], list[Row]]) -> list[Step]:
    """The steps of one game's rounds, in order."""
    steps, failed = [], []
    agreed: dict[int, tuple[tuple[int, ...], int]] = {}  # meeting → members, slot
    for row in rounds:
        moves = moved.get((row["game_id"], row["round"]), [])
        landings = {(m["agent"], m["from_slot"]): m["to_slot"] for m in moves if m["item_kind"] == "errand"}
        for meeting, (members, slot) in list(agreed.items()):
            moved_to = rescheduled(meeting, members, slot, moves)
            if moved_to is not None:
                target, price = moved_to
                agreed[meeting] = members, target
                steps.append(Step(members, row["round"], target, slot, price, landings))
        members = tuple(row["participants"])
        if row["coordinated"]:
            agreed[row["meeting_id"]] = members, row["slot"]
            steps.append(Step(members, row["round"], row["slot"], landings=landings))
        else:
            failed.append(Step(members, row["round"]))
    return steps + failed


def rescheduled(meeting: int, members: Sequence[int], slot: int, moves: Sequence[Row]) -> tuple[int, int] | None:
    """(target, what its members paid) where all of them moved the meeting from its slot to one other; else None."""
    own = [m for m in moves if m["item_kind"] == "meeting" and m["item_id"] == meeting and m["from_slot"] == slot]
    targets = {m["to_slot"] for m in own}
    if {m["agent"] for m in own} != set(members) or len(targets) != 1:
        return None
    return targets.pop(), sum(m["cost"] for m in own)


def rungs(
    games: pl.DataFrame, rounds: pl.DataFrame, moves: pl.DataFrame, items: pl.DataFrame, limit: int
) -> pl.DataFrame:
    """One row a game whose optimum is known: ladder_rungs.

    games, rounds, moves, items: those tables. Raises TooManyStates, naming the game, where a replay with a choice
    takes more than `limit` states.
    """
    known = games.drop_nulls("optimal_cost").sort("game_id")
    calendars = initial_calendars(items, known)
    chosen = decisions(rounds.join(known.select("game_id"), on="game_id", how="semi"), moves)
    rows = []
    ends = {"optimal": "optimal_cost", "realized": "realized_cost"}
    for game in known.select(*GAME, **ends).iter_rows(named=True):
        name = game["game_id"]
        try:
            costs = replays(calendars[name], tuple(chosen.get(name, ())), limit)
        except TooManyStates as error:
            raise TooManyStates(f"game {name}: {error}; raise ladder.limit") from error
        rows.append(game | costs)
    return pl.DataFrame(rows, schema=polars_schema(TABLES["ladder_rungs"]))


def replays(calendars: Calendars, steps: Sequence[Step], limit: int) -> dict[str, int]:
    """What each replay of a game costs, by the rung's name; `failed` meetings, and `unplaced` of the team's steps."""
    scheduled = [step for step in steps if step.slot is not None]
    meetings = tuple(sorted((s.number, s.members) for s in steps if s.leaves is None))
    team_outcomes = {name: least_outcome(calendars, steps, rules, limit) for name, rules in TEAM_RULES.items()}
    outcomes = dict(task_outcomes(calendars, meetings, limit)) | team_outcomes
    outcomes["team_held"] = least_outcome(calendars, scheduled, TEAM_RULES["team_own"], limit)
    costs = {name: outcome.cost for name, outcome in outcomes.items()}
    return costs | {"failed": len(steps) - len(scheduled), "unplaced": sum(o.unplaced for o in outcomes.values())}


@cache
def task_outcomes(
    calendars: Calendars, meetings: tuple[tuple[int, tuple[int, ...]], ...], limit: int
) -> dict[str, Outcome]:
    """The outcomes of the replays that know nothing of a team; `meetings`: (round, members) of each meeting."""
    steps = [Step(members) for _, members in meetings]
    return {name: least_outcome(calendars, steps, rules, limit) for name, rules in TASK_RULES.items()}


FUTURE, LANDING, INFORMATION, EXECUTION = "future", "landing", "information", "execution"
STEPS = (FUTURE, LANDING, INFORMATION, EXECUTION)
ORDERS = ("cost", "landing_first", "landing_last")
GROUP = ("team", "simulated", "setting", "condition", "difficulty", "step")

# What a step costs in each order: each pair's first rung less its second, added up. Execution is the same in all.
DIFFERENCES: dict[str, dict[str, list[tuple[str, str]]]] = {
    "cost": {
        FUTURE: [("myopic_best", "optimal")],
        LANDING: [("myopic_first", "myopic_best"), ("team_own", "team_first")],
        INFORMATION: [("team_first", "myopic_first")],
    },
    "landing_first": {
        FUTURE: [("myopic_first", "clairvoyant_first")],
        LANDING: [("clairvoyant_first", "optimal"), ("team_own", "team_first")],
        INFORMATION: [("team_first", "myopic_first")],
    },
    "landing_last": {
        FUTURE: [("myopic_best", "optimal")],
        LANDING: [("team_own", "team_best")],
        INFORMATION: [("team_best", "myopic_best")],
    },
}


def steps(rungs: pl.DataFrame) -> pl.DataFrame:
    """One row a game and step: ladder_steps. In each order a game's steps add up to its excess cost.

    rungs: ladder_rungs.
    """
    rows = [
        rungs.select("game_id", step=pl.lit(step), place=pl.lit(place), **{o: step_cost(o, step) for o in ORDERS})
        for place, step in enumerate(STEPS, 1)
    ]
    return pl.concat(rows).with_columns(average=pl.sum_horizontal(ORDERS) / len(ORDERS))


def step_cost(order: str, step: str) -> pl.Expr:
    """What a step costs in an order."""
    pairs = [("realized", "team_own")] if step == EXECUTION else DIFFERENCES[order][step]
    return pl.sum_horizontal(pl.col(above) - pl.col(below) for above, below in pairs)


def means(steps: pl.DataFrame, games: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """One row a team, setting, condition, difficulty (or all) and step: ladder_means. games: of ladder_rungs."""
    named = steps.join(games.select("game_id", "task_id", *GROUP[:-1]), on="game_id")
    with_all = pl.concat([named, named.with_columns(difficulty=pl.lit("all"))])
    lines = with_all.with_columns(numerator=pl.col("cost"), denominator=pl.lit(1.0))
    intervals = ratio_intervals(lines, GROUP, resampling)
    others = with_all.group_by(GROUP).agg(
        pl.col("landing_first", "landing_last", "average").mean(), place=pl.first("place")
    )
    return intervals.join(others, on=GROUP)


def main(tables: Path = paths.TABLES, out: Path = beyond.TABLES) -> None:
    """Write the ladder's tables from a folder of derived tables."""
    params = beyond.params("ladder")
    games = ended(read_table(tables, "games"))
    rounds, moves, items = (read_table(tables, name) for name in ("rounds", "moves", "items"))
    replayed = rungs(games, rounds, moves, items, params["limit"])
    by_step = steps(replayed)
    averages = means(by_step, replayed, Resampling(**params["resampling"]))
    write({"ladder_rungs": replayed, "ladder_steps": by_step, "ladder_means": averages}, TABLES, out)


if __name__ == "__main__":
    main()
