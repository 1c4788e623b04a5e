"""Recorded prompts: each shows the calendar and the messages of its moment, and no label that its agent may not see."""

import re
from collections.abc import Iterator
from typing import Any

from pipeline.traces.audit.calendar import LABEL
from pipeline.traces.audit.codes import Findings
from pipeline.traces.audit.state import Expected, Game, Shown

SHOWS_CALENDAR = frozenset(("opening", "announcement", "voluntary", "decision"))
SHOWS_INBOX = frozenset(("opening", "turn"))
PENALTY = re.compile(r"^Penalty you have incurred in earlier rounds: (?P<paid>-?\d+)\s*$", re.MULTILINE)
MEETING_LABEL = "Private meeting label:"


class Reader:
    """Reads the prompts of one trace."""

    def __init__(self, game: Game, findings: Findings) -> None:
        self.game, self.findings = game, findings
        split = {agent: labels_by_right(game, agent) for agent in range(len(game.calendars))}
        self.own = {agent: sorted(own) for agent, (own, _) in split.items()}
        self.foreign = {agent: sorted(foreign - own - {""}) for agent, (own, foreign) in split.items()}

    def read(self, expected: Expected, number: int, prompt: Any) -> None:
        """Check one prompt."""
        shown = expected.shown
        assert shown is not None
        where: dict[str, Any] = {"event": number, "round": expected.round, "agent": expected.agent}
        if not isinstance(prompt, str):
            self.findings.add("prompt_lacks_calendar", "a text", prompt, **where)
            return
        if shown.kind in SHOWS_CALENDAR and not contains_calendar(prompt, shown):
            self.findings.add("prompt_lacks_calendar", shown.bare, prompt, shown.kind, **where)
        penalty = PENALTY.search(prompt) if shown.kind == "opening" else None
        if penalty and int(penalty["paid"][:18]) != shown.paid:
            self.findings.add("prompt_penalty", shown.paid, penalty["paid"], **where)
        flat = " ".join(prompt.split())
        if shown.kind in SHOWS_INBOX:
            for message in said(shown):
                if message not in flat:
                    self.findings.add("prompt_lacks_inbox", message, prompt, shown.kind, **where)
        if shown.kind == "retry" and shown.conflict and " ".join(shown.conflict.split()) not in flat:
            self.findings.add("prompt_lacks_conflict", shown.conflict, prompt, **where)
        for label in self.leaked(expected.agent, shown, flat):
            self.findings.add("prompt_leaks_label", "", label, shown.kind, **where)

    def leaked(self, agent: Any, shown: Shown, flat: str) -> Iterator[str]:
        """Labels in the prompt that the agent may not see, beyond what its messages and its own batch say."""
        quotes = [*said(shown), " ".join((shown.conflict or "").split()), *self.own.get(agent, ())]
        for label in self.foreign.get(agent, ()):
            if label in flat and label in without(flat, quotes):
                yield label
        if agent not in shown.meeting.participants and MEETING_LABEL in flat and MEETING_LABEL in without(flat, quotes):
            yield MEETING_LABEL


def labels_by_right(game: Game, agent: int) -> tuple[set[str], set[str]]:
    """The labels that the agent may see - of its errands, and of meetings that it takes part in - and all others."""
    names = {item.name for item in game.setup.calendars[agent] if item}
    names |= {("meeting", m.id) for m in game.setup.meetings if agent in m.participants}
    flat = {name: " ".join(label.split()) for name, label in game.setup.labels.items()}
    return {v for n, v in flat.items() if n in names}, {v for n, v in flat.items() if n not in names}


def said(shown: Shown) -> list[str]:
    """The drained messages' contents, white space made one."""
    return [flat for m in shown.inbox if (flat := " ".join(m["content"].split()))]


def without(text: str, quotes: list[str]) -> str:
    """The text without what it quotes."""
    for quote in sorted(quotes, key=len, reverse=True):
        if quote:
            text = text.replace(quote, "")
    return text


def contains_calendar(prompt: str, shown: Shown) -> bool:
    """Whether the prompt contains the calendar, with or without labels."""
    return shown.text in prompt or shown.bare in LABEL.sub("", prompt)
