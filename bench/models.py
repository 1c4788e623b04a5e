"""CPU time of a call to a model, within games and from LiteLLM alone, for the same requests."""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

GAMES = 64
LATENCY_MS = 200
TURNS = 1  # sweeps of cheap talk a round, which makes some forty calls a game

TEAM = """
team: stub
agents:
  - type: llm
    parameters:
      model: openai/stub
      api_base: {address}
      concurrency: {concurrency}
      prices: {{input: 0, output: 0, date: 2026-01-01}}
"""


@contextmanager
def stub() -> Iterator[str]:
    """The address of a stub provider in a process of its own, which answers after LATENCY_MS."""
    command = [sys.executable, "-m", "sim", "serve", "--latency", str(LATENCY_MS), "--seconds", "300"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        yield next(w.rstrip(";") for line in server.stdout for w in line.split() if w.startswith("http://"))
    finally:
        server.terminate()
        server.wait()


def models(tasks: Path) -> dict[str, float]:
    """Calls, seconds, and milliseconds of CPU a call: of games, of LiteLLM alone, and the difference."""
    from sim.models.library import litellm

    with stub() as address:
        module = litellm()
        sent: list[dict[str, Any]] = []
        answer = module.acompletion

        async def record(**request: Any) -> Any:
            sent.append(request)
            return await answer(**request)

        module.acompletion = record
        try:
            asyncio.run(_play(tasks, address, 2))  # not measured: it imports and fills caches
            sent.clear()
            games, seconds = _cpu(_play(tasks, address, GAMES))
        finally:
            module.acompletion = answer
        alone, _ = _cpu(_send(answer, sent))
    calls = len(sent)
    return {
        "calls": float(calls),
        "seconds": seconds,
        "games_ms_a_call": 1_000 * games / calls,
        "litellm_ms_a_call": 1_000 * alone / calls,
        "more_ms_a_call": 1_000 * (games - alone) / calls,
    }


def _cpu(work: Any) -> tuple[float, float]:
    """Seconds of CPU and by the clock of running a coroutine."""
    cpu, begun = time.process_time(), time.perf_counter()
    asyncio.run(work)
    return time.process_time() - cpu, time.perf_counter() - begun


async def _play(tasks: Path, address: str, games: int) -> None:
    from sim.game.game import Limits
    from sim.models.money import Ledger, Reserve
    from sim.models.provider import Provider
    from sim.runs.runner import Outcomes, jobs_for, models_of, play_waiting
    from sim.runs.teams import load_team
    from sim.tasks.suite import read_tasks

    with tempfile.TemporaryDirectory() as out:
        team = Path(out) / "team.yaml"
        team.write_text(TEAM.format(address=address, concurrency=GAMES), encoding="utf-8")
        limits = Limits(max_turns_per_round=TURNS)
        jobs = jobs_for(read_tasks(tasks)[:games], [load_team(str(team))], limits, 1, Path(out) / "traces")
        ledger, outcomes = Ledger(None), Outcomes()
        await play_waiting(
            jobs, Provider(models_of(jobs), ledger, None), Reserve(ledger, {}), GAMES, outcomes, lambda more: None
        )
        assert outcomes.ended == games, outcomes


async def _send(answer: Any, requests: list[dict[str, Any]]) -> None:
    """Send the requests, GAMES of them at a time."""
    gate = asyncio.Semaphore(GAMES)

    async def one(request: dict[str, Any]) -> None:
        async with gate:
            await answer(**request)

    await asyncio.gather(*(one(request) for request in requests))
