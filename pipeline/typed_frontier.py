"""What messages of the protocols beyond the paper's say, as VPS takes it: evidence that is derived, never chosen.

e = P(feasible | what was said, prior), by Bayes from the likelihoods of pipeline/likelihood and the stated prior of the
game's setting (pipeline/likelihood/worlds.py), in which a slot is feasible with probability 0.5.
"""

from collections.abc import Callable

from pipeline.likelihood.frontier import FRONTIER
from pipeline.likelihood.joint import JOINT
from pipeline.likelihood.kinds import dsm_proposals
from pipeline.likelihood.states import Vector
from pipeline.likelihood.worlds import World, world
from pipeline.rules import RuleSet
from pipeline.typed import Letter, Said

OfOthers = tuple[int, int | None, float]
SO_FAR, UNREAD = "said so far", "offers not read yet"


def feasible_after(found: World, *likelihoods: Vector) -> float:
    """P(feasible | what was said): the evidence."""
    return float(1.0 - found.states.posterior(found.prior, *likelihoods)[-1])


def derived(kind: tuple[str, str]) -> Callable[[Letter, RuleSet], list[Said]]:
    """The handler of a kind whose messages speak of their sender alone."""

    def handler(letter: Letter, rules: RuleSet) -> list[Said]:
        found = world(letter.heard.setting)
        read_offers(letter, found)
        return [(slot, feasible_after(found, said)) for slot, said in FRONTIER[kind](letter, found.states)]

    return handler


def of_several(kind: tuple[str, str]) -> Callable[[Letter], list[OfOthers]]:
    """The handler of a kind whose messages speak of several agents: (target, slot, evidence).

    What an observer was told in parts counts as a whole: evidence is that of all parts so far.
    """

    def handler(letter: Letter) -> list[OfOthers]:
        found = world(letter.heard.setting)
        said: list[OfOthers] = []
        for target, slot, likelihood in JOINT[kind](letter, found.states):
            parts = letter.heard.notes.setdefault((SO_FAR, target), {})
            place = f"{letter.recipients} {slot}"
            parts[place] = parts.get(place, 1.0) * likelihood
            said.append((target, slot, feasible_after(found, parts[place])))
        return said

    return handler


def offered(letter: Letter) -> None:
    """Keep an offer for its recipients' scores. It is read when it is needed: the paper's scores never do."""
    for recipient in letter.recipients:
        unread = letter.heard.notes.setdefault((UNREAD, recipient), {})
        unread[str(len(unread))] = letter


def read_offers(letter: Letter, found: World) -> None:
    """Note the plans that were offered to the sender, as it saw them: what logarithmic scores rest on."""
    for offer in letter.heard.notes.pop((UNREAD, letter.sender), {}).values():
        dsm_proposals(offer, found.states)


DERIVED = {kind: derived(kind) for kind in FRONTIER}
OF_SEVERAL = {kind: of_several(kind) for kind in JOINT}
NOTED = {("dsm", "proposals"): offered}
