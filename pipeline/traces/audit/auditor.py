"""The auditor of one trace: its game is played again with the recorded replies, and compared with what it says."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from machine.cores import OverBudget, cpu_budget
from pipeline.traces import limits
from pipeline.traces.audit.claims import check_claims
from pipeline.traces.audit.compare import check_fields
from pipeline.traces.audit.divergences import Divergence, Findings
from pipeline.traces.audit.identity import check_identity
from pipeline.traces.audit.replay import Replay
from pipeline.traces.audit.suites import Suites
from pipeline.traces.audit.task import check_labels, check_task
from pipeline.traces.audit.trace import Trace, Unreadable, decode, game_id_of, read_setup
from pipeline.traces.audit.yardsticks import check_yardsticks


@dataclass(frozen=True)
class TraceAudit:
    """One trace, audited: who played under which condition, every divergence, and how its answers were read."""

    trace_path: str
    team: str
    condition: str
    divergences: tuple[Divergence, ...]
    answers: Mapping[str, int] = field(default_factory=dict)


def audit(text: bytes, path: str) -> list[Divergence]:
    """The divergences of a trace from its JSON. Never raises: what can't be replayed is the divergence `unreadable`."""
    return list(audit_trace(text, path).divergences)


def audit_trace(text: bytes, path: str, suites: Suites | None = None) -> TraceAudit:
    """The divergences of a trace from its JSON, with the team and condition that it names. Never raises.

    Where `suites` are given, the game is held against the task that it names.
    """
    findings = Findings(path, game_id=game_id_of(text))
    trace: Trace | None = None
    try:
        with cpu_budget(limits.CPU_SECONDS):
            trace = decode(text)
            findings = Findings(path, trace.public, trace.game_id)
            compare(trace, text, suites, findings)
    except Unreadable as error:
        findings.add("unreadable", "", error.reason, error.place)
    except OverBudget as error:
        findings.add("unreadable", "", f"takes {error}", "while replaying")
    except Exception as error:
        findings.add("unreadable", "", f"{type(error).__name__}: {error}", "while replaying")
    return TraceAudit(path, *team_and_condition(trace), tuple(findings.divergences))


def compare(trace: Trace, text: bytes, suites: Suites | None, findings: Findings) -> None:
    """Replay the trace, and hold everything that it says against that. Raises Unreadable."""
    setup = read_setup(trace)
    check_fields(trace, findings)
    replay = Replay(trace, setup, findings)
    replay.run()
    check_claims(trace, text, replay, check_yardsticks(trace, setup, findings), findings)
    check_identity(trace, findings)
    check_labels(trace, setup, findings)
    if suites is not None:
        check_task(trace, setup, suites, findings)


def team_and_condition(trace: Trace | None) -> tuple[str, str]:
    """(team, condition) as the trace names them; a public trace names its team by its models."""
    if trace is None:
        return "unknown", "unknown"
    named = trace.config.get("team") or (trace.metrics or {}).get("team_model_label")
    condition = trace.config.get("condition") or ("adversarial" if trace.config.get("nosy_agent_ids") else "standard")
    return str(named or "unknown")[:80], str(condition)[:80]
