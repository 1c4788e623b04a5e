"""Games for the site's tests: two teams on three tasks, one that reasons, and one whose every text is hostile."""

from pathlib import Path

from trace_builder import TraceBuilder, schedule, toy_game, write_trace

from machine.output import staged
from pipeline.derive.parallel import Recipe, derive
from pipeline.privacy.rules import Weighing
from pipeline.reports.site.build import Origins, SiteCounts
from pipeline.reports.site.build import build as build_staged
from pipeline.statistics.resampling import Resampling

HOSTILE = (
    "<script>document.title='script'</script><img src=x onerror=\"document.title='handler'\">"
    "<svg onload=document.title='svg'></svg>",
    "[a link](javascript:document.title='link') **bold** `code` <style>body{display:none}</style>",
    "\u202eslot 3 works for me\u202c and \u2066slot 1 is busy\u2069\u0000\u2028\u2029",
    "'\"--></script><script>document.title='quote'</script>",
    "😀😀 Slot 2 works for me. 😀",
)
LONG = "Slot 1 works for me. " + "x<b>" * 245_000
NAME = "<b onmouseover=document.title='name'>team"
REASONING = "I will not tell them <script>document.title='thought'</script> of slot 2."


def build(origins: Origins, out: Path, resampling: Resampling, workers: int) -> SiteCounts:
    """Make the site in a folder, as the command does."""
    with staged(out, "site") as work:
        return build_staged(origins, work, out, resampling, workers)


def hostile_game() -> TraceBuilder:
    """A game whose team, task, id and messages try to act on the page that shows them."""
    game = TraceBuilder(
        "../../<hostile>", team=NAME, task_id="<script>task</script>", simulated=True, difficulty="easy"
    )
    game.round(0)
    for text in (*HOSTILE, LONG, LONG):
        game.dm(0, 0, 1, text)
    game.dm(0, 1, 0, {"imap": "costs", "costs": {"<b>": 1, "1": "x"}, "meeting_id": "<script>"})
    game.dm(0, 1, 0, {"sd": "__proto__", "slot": None})
    return game.batch(0, 0, schedule(1, 1)).batch(0, 1, schedule(1, 3)).resolution(0, False, a0=1, a1=3)


def reasoning_game() -> TraceBuilder:
    """A game whose agents reason in private before they speak and decide."""
    game = TraceBuilder("thinker", team="thinker", task_id="t1", difficulty="easy", density=0.6).round(0)
    game.event("turn_end", agent_id=0, round=0, thinking=REASONING, tool_calls=[])
    game.dm(0, 0, 1, "Slot 1 is free for me.")
    game.event("decide_end", agent_id=1, round=0, phase="DECISION", thinking="Slot 1 it is.", tool_calls=[])
    return game.batch(0, 0, schedule(1, 1)).batch(0, 1, schedule(1, 1)).resolution(0, True, a0=1, a1=1)


def site_tables(folder: Path, weighing: Weighing = Weighing()) -> Path:
    """Tables of two teams on three tasks, uniform and varied, and of the two games above."""
    for team in ("alpha", "beta"):
        for task in ("t1", "t2", "t3"):
            for setting in ("uniform", "varied"):
                game = toy_game(
                    f"{team}-{task}-{setting}", team=team, task_id=task, setting=setting, simulated=team == "beta",
                    difficulty="easy" if task == "t1" else "hard", density=0.6,
                )  # fmt: skip
                write_trace(folder / "in" / f"{team}-{task}-{setting}.json", game.text())
    for name, game in (("hostile", hostile_game()), ("thinker", reasoning_game())):
        write_trace(folder / "in" / f"{name}.json", game.text())
    derived = derive([folder / "in"], folder / "tables", Recipe(csv=False, weighing=weighing), workers=1)
    assert not derived.rejected, derived.rejected
    return folder / "tables"
