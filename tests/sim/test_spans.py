"""Spans of games and calls, as a collector on this machine receives them."""

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest
import yaml
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from sim.tasks.suite import write_tasks
from tests.sim.stub import KEY, parameters, stub
from tests.sim.worlds import tiny_task

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("planted_key")]


@pytest.fixture
def collector():
    """A collector's address, and the bodies that it received."""
    bodies = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", bodies
    server.shutdown()
    thread.join()
    server.server_close()


def spans(bodies):
    for body in bodies:
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                yield from scope.spans


def test_every_game_is_a_span_with_a_span_for_each_call(tmp_path, collector):
    address, bodies = collector
    write_tasks([tiny_task(1, num_meetings=1)], tmp_path / "tasks.jsonl")
    with stub() as server:
        asked = {k: v for k, v in msgspec.to_builtins(parameters(server)).items() if v is not None}
        spec = {"team": "stub", "agents": [{"type": "llm", "parameters": asked}]}
        (tmp_path / "team.yaml").write_text(yaml.safe_dump(spec))
        words = [tmp_path / "tasks.jsonl", "--team", tmp_path / "team.yaml", "--out", tmp_path / "traces"]
        done = subprocess.run(
            [sys.executable, "-m", "sim", "run", *map(str, words)],
            env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": address},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        calls = server.requests
    made = list(spans(bodies))
    (game,) = [s for s in made if s.name == "game"]
    chats = [s for s in made if s.name == "chat openai/stub"]
    assert len(chats) == calls
    assert {s.parent_span_id for s in chats} == {game.span_id}
    told = {a.key: a.value for a in game.attributes}
    assert told["calbench.team"].string_value == "stub" and told["calbench.coordination_rate"].double_value == 1
    kept = {a.key for a in chats[0].attributes}
    assert {"gen_ai.request.model", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"} <= kept
    assert KEY.encode() not in b"".join(bodies)
