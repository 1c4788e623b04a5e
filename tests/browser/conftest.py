"""A site of small games, and a browser that notices whatever goes wrong on a page."""

import functools
import http.server
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import chromium
from playwright.sync_api import Browser, Page, expect
from typer.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[1] / "pipeline"))

from site_games import build, site_tables

from pipeline.derive.parallel import Recipe, derive
from pipeline.reports.site.build import Origins
from pipeline.statistics.resampling import Resampling
from sim.__main__ import app

ROOT = Path(__file__).parents[2]
TEAMS = ("imap", "sd", "dsm-welfare", "candid")
# Milliseconds. Nothing here takes so long, on no machine however busy: what takes longer never comes.
LIMIT = 120_000
expect.set_options(timeout=LIMIT)
HOSTS = ("file:", "data:", "http://127.0.0.1:")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


def played(folder: Path) -> Path:
    """Tables of four teams on two of the paper's tasks, and of one team with a probing agent."""
    listed = (ROOT / "data/suites/paper72.csv").read_text(encoding="utf-8").splitlines()
    (folder / "list.csv").write_text("\n".join([listed[0], listed[1], listed[-1]]) + "\n", encoding="utf-8")
    teams = [word for team in TEAMS for word in ("--team", team)]
    tasks = str(folder / "tasks.jsonl")
    probe = ["--team", "candid", "--adversary", "0", "--out", str(folder / "traces/probe")]
    for arguments in (
        ["suite", str(folder / "list.csv"), "--out", tasks],
        ["run", tasks, *teams, "--out", str(folder / "traces"), "--workers", "1"],
        ["run", tasks, *probe, "--workers", "1"],
    ):
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.output
    derive([folder / "traces"], folder / "tables", Recipe(csv=False), workers=1)
    return folder / "tables"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of the paper's tasks, with the paper's own rows."""
    folder = tmp_path_factory.mktemp("played")
    origins = Origins(played(folder), numbers=ROOT / "data/paper/numbers.csv")
    build(origins, folder / "site", Resampling(resamples=200), workers=1)
    return folder / "site"


@pytest.fixture(scope="session")
def odd_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of games that reason in private, or whose every text is hostile."""
    folder = tmp_path_factory.mktemp("odd")
    build(Origins(site_tables(folder)), folder / "site", Resampling(resamples=50), workers=1)
    return folder / "site"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page without a network. After the test nothing may have failed, complained, or asked for another host."""
    yield from watched(browser, offline=True)


@pytest.fixture
def served_page(browser: Browser) -> Iterator[Page]:
    """A page that may ask this machine."""
    yield from watched(browser, offline=False)


def watched(browser: Browser, *, offline: bool) -> Iterator[Page]:
    wrong: list[str] = []
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, offline=offline, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(LIMIT)
    page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    # A download is a request that is broken off.
    page.on("requestfailed", lambda request: "leaderboard." in request.url or wrong.append(f"failed: {request.url}"))
    page.on("request", lambda request: request.url.startswith(HOSTS) or wrong.append(f"asked for {request.url}"))
    page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    yield page
    context.close()
    assert wrong == []


@pytest.fixture(scope="session")
def server(site: Path) -> Iterator[str]:
    """The site's address on a server of this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}/"
        serving.shutdown()
