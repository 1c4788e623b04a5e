"""Every schedule up to a cost, one by one: depth first, cut where what is left costs too much even alone."""

from collections.abc import Iterator

from pipeline.beyond.optima.problem import Burden, Problem, added


class TooManySchedules(ValueError):
    """There are more schedules than the limit allows."""


def schedules(problem: Problem, most: int, limit: int) -> list[tuple[tuple[int, ...], Burden]]:
    """(a slot for each meeting, what each agent pays) of every schedule of cost at most `most`, in the slots' order.

    Raises TooManySchedules where there are more than `limit`.
    """
    found: list[tuple[tuple[int, ...], Burden]] = []
    for each in extensions(problem, (), (0,) * problem.agents, most):
        if len(found) == limit:
            raise TooManySchedules(f"more than {limit} schedules cost at most {most}")
        found.append(each)
    return found


def extensions(
    problem: Problem, slots: tuple[int, ...], paid: Burden, most: int
) -> Iterator[tuple[tuple[int, ...], Burden]]:
    """Every way to place the meetings after the first few, whose slots are given."""
    meeting = len(slots)
    if sum(paid) + sum(problem.least[meeting:]) > most:
        return
    if meeting == len(problem.options):
        yield slots, paid
        return
    taken = {slot for other, slot in enumerate(slots) if (other, meeting) in problem.clashes}
    for slot, cost in problem.options[meeting].items():
        if slot not in taken:
            yield from extensions(problem, (*slots, slot), added(paid, cost), most)
