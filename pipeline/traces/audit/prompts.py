"""Recorded prompts: each shows the calendar and the messages of its moment, and no label that its agent may not see.

Of prompts that a file worded, only the last is checked.
"""

import re
from collections.abc import Iterator
from typing import Any

from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.trace import LABEL, Setup, Trace
from sim.agents import CHEAP_TALK, Request
from sim.tasks.labels import Labels, own_labels

MEETING_LABEL = "Private meeting label:"
# What readers take for a label in a prompt, and where it begins to quote messages, in which they look for none.
PROMPT_LABEL = re.compile(r"[ \t]*(Slot[ \t]+\d.* private_label=|Private meeting label:)")
INBOX = re.compile(r"^[ \t]*\[1\] From Agent ", re.MULTILINE)


class Prompts:
    """Checks the prompts of one trace. informed: who has been told of this round."""

    def __init__(self, trace: Trace, setup: Setup, findings: Findings) -> None:
        self.public, self.findings, self.informed = trace.public, findings, set[int]()
        records = trace.config.get("prompts")
        listed = records if isinstance(records, list) else []
        self.of_file = {a for a, record in enumerate(listed) if isinstance(record, dict) and "file_sha256" in record}
        self.foreign = [foreign_labels(setup, agent) for agent in range(len(setup.calendars))]

    def check(self, agent: int, request: Request, prompt: Any) -> None:
        """Check the prompt that was sent for a request, if one was."""
        opening = request.phase == CHEAP_TALK and agent not in self.informed
        self.informed.add(agent)
        if not prompt:
            return
        flat = " ".join(str(prompt).split())
        where: dict[str, Any] = {"round": request.round, "agent": agent}
        for label in self.leaked(agent, request, flat):
            self.findings.add("prompt_leaks_label", "", label, request.phase, **where)
        if agent in self.of_file:
            return
        # The public harness gives those who join a turn alone, and those who open the round no messages.
        member = agent in request.meeting.participants
        shows_calendar = (opening and (member or not self.public)) or (
            request.phase != CHEAP_TALK and not request.attempt
        )
        if shows_calendar and LABEL.sub("", request.render) not in LABEL.sub("", str(prompt)):
            self.findings.add("prompt_lacks_calendar", request.render, prompt, request.phase, **where)
        if request.phase == CHEAP_TALK and not (self.public and opening and member):
            for missing in (text for m in request.inbox if (text := " ".join(m.content.split())) not in flat):
                self.findings.add("prompt_lacks_inbox", missing, prompt, request.phase, **where)
        if request.conflict and " ".join(request.conflict.split()) not in flat:
            self.findings.add("prompt_lacks_conflict", request.conflict, prompt, **where)
        for line in () if self.public else false_labels(request, str(prompt)):
            self.findings.add("wrong_label", "", line, "prompt_sent", **where)

    def leaked(self, agent: int, request: Request, flat: str) -> Iterator[str]:
        """Labels in the prompt that the agent may not see, beyond what its messages and its own batch quote."""
        quotes = [*(m.content for m in request.inbox), request.conflict or "", *request.labels.values()]
        foreign = self.foreign[agent]
        if agent not in {*request.meeting.participants, *self.of_file}:
            foreign = [*foreign, MEETING_LABEL]
        for label in foreign:
            if label in flat and label in remove_quotes(flat, quotes):
                yield label


def foreign_labels(setup: Setup, agent: int) -> list[str]:
    """The labels, white space made one, of what the agent neither holds nor takes part in."""
    if setup.labels is None:
        return []
    own = set(own_labels(setup.calendars[agent], setup.labels).values())
    own |= {setup.labels.meetings[m.id].label for m in setup.meetings if agent in m.participants}
    listed: Labels = setup.labels
    labels = {each.label for each in (*listed.errands.values(), *listed.meetings.values())}
    return sorted(flat for label in labels - own if (flat := " ".join(label.split())))


def false_labels(request: Request, prompt: str) -> Iterator[str]:
    """Lines of a prompt of ours that show a label, and are neither its calendar's nor the meeting's own."""
    true = {*request.render.split("\n"), f"{MEETING_LABEL} {request.meeting_label}"}
    own = INBOX.split(prompt, maxsplit=1)[0]
    yield from (line for line in own.split("\n") if PROMPT_LABEL.match(line) and line.strip() not in true)


def remove_quotes(text: str, quotes: list[str]) -> str:
    """The text without what it quotes, white space made one."""
    for quote in sorted((" ".join(quote.split()) for quote in quotes), key=len, reverse=True):
        text = text.replace(quote, "") if quote else text
    return text
