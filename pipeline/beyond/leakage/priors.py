"""What an observer believes of a slot before anything is said: stated for a setting, or that of its own calendars."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from pipeline.privacy.protocols.states import States, Vector


class Prior(NamedTuple):
    """The states of a slot and the probability of each."""

    states: States
    probability: Vector


def stated(feasible: float, filled: float, costs: Mapping[int, float]) -> Prior:
    """The prior of a setting: P(feasible), the share of feasible slots with an errand, its costs by weight."""
    states = States(tuple(sorted(costs)))
    return Prior(states, states.prior(feasible, filled, costs))


def prior_of(setting: str | None, items: pl.DataFrame, slots: int, settings: Mapping[str, Any]) -> Prior:
    """The setting's stated prior; that of its own calendars where none is stated, or where they hold other costs.

    items: the errands of the setting's initial calendars; slots: how many slots those have in all. Their own prior
    fills as many feasible slots as are filled, with their own costs, and keeps the stated P(feasible).
    """
    known = settings["costs"].get(setting)
    errands = items.filter(pl.col("item_kind") == "errand", pl.col("cost") > 0)
    if known is not None and set(errands["cost"].unique()) <= set(known):
        return stated(settings["feasible"], settings["filled"], known)
    costs = dict(errands.group_by("cost").len().sort("cost").iter_rows())
    filled = errands.height / slots if slots else 0.0
    least = 1 / (2 * slots + 2)  # calendars that are full, or empty, don't make a free slot, or an errand, impossible
    return stated(settings["feasible"], min(max(filled, least), 1 - least), costs or {1: 1})
