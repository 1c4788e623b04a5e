"""What participants of secure sums can conclude: against all calendars there are, and in games that are played."""

from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from typer.testing import CliRunner

from pipeline.beyond.frontier.inferences import bits_with_inferences, by_prior, inferences
from pipeline.beyond.frontier.points import bits_of
from pipeline.beyond.leakage.measure import read_tables
from pipeline.derive.parallel import Recipe, derive
from pipeline.privacy.protocols.states import slot_prior
from pipeline.traces.typed_messages.records import Masked
from sim.__main__ import app

VARIED = slot_prior("varied")
SETTINGS = yaml.safe_load(Path("notebooks/beyond/params.yaml").read_text(encoding="utf-8"))["leakage"]
LIST = """setting,task_id,seed,num_agents,num_participants,num_slots,num_meetings,density,difficulty,errand_cost_values
varied,v1,13,4,3,5,3,0.6,easy,1;100;1000
uniform,u1,11,4,3,5,3,0.6,easy,
"""


@pytest.mark.parametrize("totals", [[0], [2], [100, 101], [1, 2, 3, 100]])
def test_conclusions_are_the_probabilities_over_all_that_the_others_may_hold(totals: list[int]) -> None:
    last = Masked((0, 2, 3), 0, tuple(totals), ((0,) * 4,) * len(totals))
    found = {slot: vector for target, slot, vector in inferences(last, 1, VARIED.states) if target == 2}
    for own, of_chosen, of_rest in zip(VARIED.states.names, found[1], found[0], strict=True):
        chosen = rest = 0.0
        for others in product(zip(VARIED.states.names, VARIED.probability, strict=True), repeat=2):
            costs, p = [own, *(cost for cost, _ in others)], np.prod([q for _, q in others])
            total = None if None in costs else sum(cost for cost in costs if cost is not None)
            chosen += p * (total in totals)
            rest += p * (total is None or total >= min(totals))
        assert (of_chosen, of_rest) == pytest.approx((chosen, rest))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    """The derived tables of IMAP's and secure sums' games on two small tasks."""
    base = tmp_path_factory.mktemp("inferences")
    (base / "list.csv").write_text(LIST)
    (base / "secure-1.yaml").write_text("team: secure-1\nagents: [{type: secure, parameters: {at_once: 1}}]\n")
    for words in (
        ["suite", "list.csv", "--out", "tasks.jsonl", "--workers", "1"],
        ["run", "tasks.jsonl", "--team", "imap", "--team", "secure-1.yaml", "--out", "a.jsonl.zst", "--workers", "1"],
    ):
        here = [str(base / word) if "." in word else word for word in words]
        result = CliRunner().invoke(app, here)
        assert result.exit_code == 0, result.output
    derive([base / "a.jsonl.zst"], base / "tables", Recipe(csv=False), workers=1)
    return read_tables(base / "tables")


def test_conclusions_add_to_secure_sums_and_to_no_other_protocol(played: dict[str, pl.DataFrame]) -> None:
    told = bits_of(played, SETTINGS).join(bits_with_inferences(played, SETTINGS), on="game_id", suffix="_concluded")
    more = told.with_columns(more=pl.col("bits_concluded") - pl.col("bits"))
    assert more.filter(team="imap")["more"].abs().max() == 0
    assert more.filter(team="secure-1")["more"].min() > 0


def test_each_prior_has_both_shares(played: dict[str, pl.DataFrame]) -> None:
    few = SETTINGS | {"sensitivity": {"feasible": [0.5, 0.8], "filled": [0.75]}}
    found = by_prior(played, "imap", few)
    assert found.select("feasible", "filled").unique().height == 2
    assert found.filter(team="imap").select("share", "share_concluded").unique().rows() == [(1.0, 1.0)]
