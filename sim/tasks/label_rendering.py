"""Private labels shown to those who may see them, and to nobody else (paper, Appendix D.1).

An agent sees the labels of what stands on its own calendar: its errands, and the meetings that it takes part in. A
meeting that is being scheduled shows its label to its participants only.
"""

from __future__ import annotations

from sim.calendar import Calendar, Errand
from sim.tasks.labels import Labels
from sim.tasks.scenario import Meeting


def own_labels(calendar: Calendar, labels: Labels) -> dict[int, str]:
    """The label of each item on the calendar, by slot."""
    found = {}
    for slot, item in enumerate(calendar.slots):
        if item is not None:
            kind = labels.errands if isinstance(item, Errand) else labels.meetings
            found[slot] = kind[item.errand_id if isinstance(item, Errand) else item.meeting_id].label
    return found


def hydrated(calendar: Calendar, shown: dict[int, str]) -> str:
    """The rendered calendar, each line followed by the label of what it holds."""
    if not shown:
        return calendar.render
    lines = calendar.render.split("\n")
    return "\n".join(f"{line} private_label={shown[s]!r}" if s in shown else line for s, line in enumerate(lines))


def meeting_label(meeting: Meeting, agent: int, labels: Labels) -> str | None:
    """The meeting's label, for one of its participants; None for anybody else."""
    return labels.meetings[meeting.id].label if agent in meeting.participants else None
