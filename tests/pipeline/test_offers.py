"""accepted_offers and proposed_moves, counted again from the events of one game per team."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from trace_builder import write_trace

from pipeline.derive.parallel import Recipe, derive
from pipeline.tables.io import read_table
from pipeline.tables.queries import query
from sim.game.trace import encoded
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from tests.sim.worlds import tiny_task

TEAMS = ("sd", "dsm-welfare", "candid")
TASK = tiny_task(
    3, "varied", num_agents=4, num_participants=3, num_slots=8, num_meetings=4, density=0.7, prior_meetings=1
)
LINE = re.compile(r"Slot\s+(\d+): (?:\[FREE\]|(Errand #\d+|Meeting M\d+) \(cost=(\d+)\))")

Boards = dict[int, list[tuple[str, int]]]


class Offer(NamedTuple):
    agent: int
    slot: int
    recipients: set[int]


@pytest.fixture(scope="module", params=TEAMS)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """The trace of a team's game, and its tables."""
    folder = tmp_path_factory.mktemp(request.param)
    text = encoded(play_game(Play(TASK, named_teams()[request.param])))
    derive([write_trace(folder / "game.json", text)], folder / "out", Recipe(csv=False), workers=1)
    return json.loads(text), folder / "out"


def board(text: str) -> list[tuple[str, int]]:
    """Kind and cost of what each slot holds, from a calendar's text."""
    return [((item or "free").split()[0].lower(), int(cost or 0)) for _, item, cost in LINE.findall(text)]


def typed_slots(content: str) -> list[int]:
    """The slots that a typed message offers, in its order."""
    payload = json.loads(content)
    if payload.get("sd") == "propose":
        return [payload["slot"]]
    return [plan["slot"] for plan in payload["plans"]] if payload.get("dsm") == "proposals" else []


def english_slots(tables: Path) -> dict[tuple[int, int], list[int]]:
    """(round, place of a message among all) → the slots that it offers, as the parser of English reads it."""
    places = read_table(tables, "messages").sort("event_index").with_row_index("place")
    said = read_table(tables, "belief_evidence").filter(source="language_proposal")
    own = said.join(places, on=["event_index", "round"]).filter(pl.col("target_agent") == pl.col("from_agent"))
    found: dict[tuple[int, int], list[int]] = {}
    for number, place, slot in own.sort("event_index", "update_index").select("round", "place", "slot").rows():
        found.setdefault((number, place), []).append(slot)
    return found


def rounds(trace: dict[str, Any], tables: Path) -> Iterator[tuple[Boards, list[Offer], int | None]]:
    """Of each round: its participants' calendars as it began, the offers in order, and the slot that was agreed."""
    now: Boards = {}
    english, place = english_slots(tables), -1
    for event in trace["events"]:
        data = event["data"]
        match event["type"]:
            case "agent_registered":
                now[data["agent_id"]] = board(data["calendar_render"])
            case "round_start":
                offers: dict[tuple[int, int], Offer] = {}
                at_first = {a: now[a] for a in data["meeting"]["participants"]}
            case "dm_sent":
                place += 1
                typed = data["content"].startswith("{")
                slots = typed_slots(data["content"]) if typed else english.get((data["round"], place), [])
                for slot in slots:
                    key = (data["from_agent"], slot)
                    offers.setdefault(key, Offer(*key, set())).recipients.add(data["to_agent"])
            case "batch_applied":
                now[data["agent_id"]] = board(data["calendar_render_after"])
            case "resolution":
                agreed = next(iter(data["per_agent_slot"].values())) if data["coordinated"] else None
                yield at_first, list(offers.values()), agreed


def total(boards: Boards, slot: int) -> int | None:
    """What the participants' errands in the slot cost together; None where it is not feasible."""
    for calendar in boards.values():
        kind = calendar[slot][0]
        if kind == "meeting" or (kind == "errand" and ("free", 0) not in calendar):
            return None
    return sum(calendar[slot][1] for calendar in boards.values())


def share(hits: list[bool]) -> float | None:
    return 100 * sum(hits) / len(hits) if hits else None


def test_meetings_take_the_offers_that_a_second_count_finds(played: tuple[dict[str, Any], Path]) -> None:
    places, numbers = [], []
    for boards, offers, agreed in rounds(*played):
        slots = list(dict.fromkeys(o.slot for o in offers if total(boards, o.slot) is not None))
        if slots and agreed is not None:
            places.append(slots.index(agreed) + 1 if agreed in slots else 0)
            numbers.append(len(slots))
    (row,) = query("accepted_offers", played[1]).rows(named=True)
    assert (row["meetings"], row["slots_offered"]) == (len(places), pytest.approx(sum(numbers) / len(numbers)))
    found = [row[name] for name in ("first_pct", "second_pct", "later_pct", "not_offered_pct")]
    counted = [[p == 1 for p in places], [p == 2 for p in places], [p > 2 for p in places], [p == 0 for p in places]]
    assert found == pytest.approx([share(hits) for hits in counted])


def test_proposals_displace_what_a_second_count_finds(played: tuple[dict[str, Any], Path]) -> None:
    hits: dict[str, list[bool]] = {name: [] for name in ("feasible", "own", "recipient", "slot", "errand")}
    costs: list[int] = []
    for boards, offers, _ in rounds(*played):
        least = min((c for s in range(8) if (c := total(boards, s)) is not None), default=0)
        before: int | None = None
        for offer in offers:
            cost = total(boards, offer.slot)
            errands = {a for a, calendar in boards.items() if calendar[offer.slot][0] == "errand"}
            hits["feasible"].append(cost is not None)
            hits["own"].append(offer.agent in errands)
            hits["recipient"].append(bool(offer.recipients & errands))
            if cost is not None:
                costs.append(cost)
                hits["slot"].append(least < cost)
                if before is not None:
                    hits["errand"].append(0 < cost < before)
            before = cost
    (row,) = query("proposed_moves", played[1]).rows(named=True)
    assert (row["proposals"], row["displaced_cost"]) == (len(hits["own"]), pytest.approx(sum(costs) / len(costs)))
    names = ("feasible_pct", "own_errand_pct", "recipient_errand_pct", "cheaper_slot_pct", "cheaper_errand_pct")
    assert [row[name] for name in names] == [h if h is None else pytest.approx(h) for h in map(share, hits.values())]
