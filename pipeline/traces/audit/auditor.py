"""The auditor: replays a trace's actions from its initial calendars by rules of its own, and reports what does not fit.

It shares no code with the benchmark's game: calendars, the rules of a batch, the order of turns, costs and metrics are
written anew, from the paper's Appendix D. docs/audit.md lists the codes.
"""

from dataclasses import dataclass

from pipeline.traces.audit.claims import Claims
from pipeline.traces.audit.codes import Divergence, Findings
from pipeline.traces.audit.compare import Comparison
from pipeline.traces.audit.record import Raw, Unreadable, decode, set_up
from pipeline.traces.audit.replay import replay


@dataclass(frozen=True)
class Audited:
    """One trace, audited: who played under which condition, and every divergence."""

    trace_path: str
    team: str
    condition: str
    divergences: tuple[Divergence, ...]


def audit(text: bytes, path: str) -> list[Divergence]:
    """Every divergence of the trace whose JSON this is. It never raises: what can't be replayed is `unreadable`."""
    return list(audited(text, path).divergences)


def audited(text: bytes, path: str) -> Audited:
    """The same, with the team and the condition that the trace names."""
    findings = Findings(path)
    raw: Raw | None = None
    try:
        raw = decode(text)
        findings = Findings(path, raw.public, raw.game_id)
        examine(raw, findings)
    except Unreadable as error:
        findings.add("unreadable", "", error.reason, error.place)
    except Exception as error:
        findings.add("unreadable", "", f"{type(error).__name__}: {error}", "while replaying")
    return Audited(path, *identity(raw), tuple(findings.found))


def examine(raw: Raw, findings: Findings) -> None:
    """Replay the trace, and hold its events and its claims against the replay."""
    setup = set_up(raw)
    game = replay(raw, setup, findings)
    Comparison(game, raw.events, findings).run()
    Claims(raw, game, findings).run()


def identity(raw: Raw | None) -> tuple[str, str]:
    """(team, condition) as the trace names them; a public trace names its team by its models."""
    if raw is None:
        return "unknown", "unknown"
    named = raw.config.get("team") or (raw.metrics or {}).get("team_model_label")
    condition = raw.config.get("condition") or ("adversarial" if raw.config.get("nosy_agent_ids") else "standard")
    return str(named or "unknown")[:80], str(condition)[:80]
