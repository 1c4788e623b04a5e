"""A walk through every use as a new user takes it: `python -m tests.walk [--quick] [--write PAGE] [--traces FOLDER]`.

In a fresh clone of what is committed: both commands of the README, every `dvc` line of README and docs, results kept
for another clone, the notebook in JupyterLab, reports by papermill, own traces and those of a folder to reports, and
each page in a browser. --quick leaves out what takes minutes and takes the environment at hand. Exit code 1 where a
step fails; --write keeps what was said as a page.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.imports import ROOT

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "data/README.md", "docs/*.md", "docs/beyond/*.md")
FENCED, INLINE = re.compile(r"^(dvc [^#\n]+)", re.MULTILINE), re.compile(r"`(dvc [a-z][^`\n]*)`")
# What a document names to say what it is for: another server, the second study's minutes, a word in place of a name.
NOT_TAKEN = re.compile(r"dvc (remote|push|pull)|beyond|[A-Z]{4}")
MINUTES = re.compile(
    r"make (?!help)|own/bin|hatchling|dvc (repro|exp run|checkout|push|pull)|pipeline figures|60_explore|import csv"
)
# What differs from run to run.
TIMES = re.compile(r"\bin \d[\d.]*s\b( \(\d+:\d\d:\d\d\))?|, \d+:\d\d min|\b\d\d:\d\d [AP]M\b")
# What changes nothing but what git does not see must leave the clone as it was.
CLEAN = 'test -z "$(git status --porcelain)"'
LAB = """
make lab > /dev/null 2> lab.log &
for i in $(seq 120); do url=$(grep -o 'http://127[^ ]*' lab.log | head -n 1); test -n "$url" && break; sleep 1; done
python -m tests.walk --notebook "${url/lab?/lab/tree/lab/60_explore_traces.ipynb?}"; ended=$?
port=${url#http://127.0.0.1:}; jupyter server stop "${port%%/*}" > /dev/null 2>&1; wait; rm lab.log; test $ended = 0
""".strip()
STORE = "dvc remote add --local --default store ../store"
PAPERMILL = "papermill --no-progress-bar"
BATCH = r"""
printf 'team,condition\nimap,standard\ncandid,standard' > list.csv
python -c "$(sed -n '/^import csv/,/^```/{/^```/d;p}' docs/study.md)" 2> /dev/null
mv report-?.ipynb lab; ls lab
""".strip()
WHEEL = """
python -m hatchling build -t wheel -d ../wheel > /dev/null
uv venv --quiet ../own && uv pip install --quiet --python ../own ../wheel/*.whl
mkdir ../empty && head -n 3 data/suites/paper72.csv > ../empty/list.csv
""".strip()
# Nothing of the clone is seen from there.
ALONE = ". ../own/bin/activate && cd ../empty"
EXCESS = "SELECT team, avg(excess_cost) AS excess FROM games GROUP BY team ORDER BY team"
A_GAME = "$(calbench sql 'SELECT min(game_id) FROM games' tables --csv | tail -n 1)"
ALONE_STEPS = (
    ("make two tasks", "calbench suite list.csv --out tasks.jsonl"),
    ("play them", "calbench run tasks.jsonl --team imap --team candid --out traces"),
    ("derive tables", "calbench derive traces --out tables"),
    ("hold the traces against the rules", "calbench audit traces"),
    ("report on them", "calbench report traces --out mine"),
    ("see the teams' rows of Table 1", "calbench row tables"),
    ("ask the tables", f'calbench sql "{EXCESS}" tables'),
    ("draw a round of a game", f'calbench show "{A_GAME}" tables --round 0'),
    (
        "write a dataset for others",
        "echo 'CC BY 4.0' > terms && calbench export dataset --tables tables --license terms"
        " && cd dataset && sha256sum --check --quiet SHA256SUMS && ls",
    ),
)
LAST_PROMPT = ".jp-Notebook .jp-Cell.jp-mod-active .jp-InputPrompt"
PAGES = 50
TAIL = 12  # lines of a step's output that are kept


class Step(NamedTuple):
    """One command of the walk, what it is for, and whether it is left out of the quick one."""

    purpose: str
    command: str
    slow: bool


def steps(traces: bool) -> Iterator[Step]:
    """The whole walk. traces: whether there are somebody else's, in the folder `others` beside the clone."""
    walk = [
        ("see what there is", "make help"),
        ("reproduce the paper", "make repro"),
        ("nothing is left to do, and nothing that is committed has changed", f"make repro && {CLEAN}"),
        ("run the tests", "make test"),
        ("see who can play", "python -m sim --version && python -m sim teams"),
        ("choose two tasks", "head -n 3 data/suites/paper72.csv > list.csv"),
        ("make them", "python -m sim suite list.csv --out tasks.jsonl"),
        ("play them", "python -m sim run tasks.jsonl --team imap --team candid --out traces"),
        ("derive tables", "python -m pipeline derive traces --out tables"),
        ("hold the traces against the rules", "python -m pipeline audit traces --json"),
        (
            "ask a notebook another question",
            f"mkdir -p lab && {PAPERMILL} notebooks/60_explore_traces.ipynb lab/other.ipynb "
            f"-p tables tables -p where 'excess_cost > 0' 2> /dev/null && {CLEAN}",
        ),
        (
            "make a team's report from another folder, of tables alone",
            f"mkdir -p lab && cd lab && {PAPERMILL} ../notebooks/report.ipynb report.ipynb "
            "-p tables ../tables -p team candid 2> /dev/null",
        ),
        ("make a report for each line of a list", BATCH),
        ("open JupyterLab, and run the notebook in it", f"{LAB} && {CLEAN}"),
        ("report on traces", "make report TRACES=traces OUT=mine"),
        ("look at every game", "make site"),
        ("print the figures of one notebook", "python -m pipeline figures 10_table1 --out print"),
        ("keep in a folder what was computed", f"{STORE} && dvc push --quiet dvc.yaml && du -sh ../store | cut -f 1"),
        (
            "take it in another clone, where nothing is left to do",
            f"git clone --quiet . ../other && cd ../other && {STORE}"
            f" && dvc remote modify --local store verify true && dvc pull --quiet dvc.yaml"
            f" && python -m pipeline verify . && dvc repro | tail -n 1 "
            f"&& {CLEAN} && rm -rf ../other ../store",
        ),
        ("install the program alone, of its wheel, where nothing else is", WHEEL),
        *((f"use it there: {purpose}", f"{ALONE} && {command}") for purpose, command in ALONE_STEPS),
        ("make the book of documents, notebooks and docstrings", f"make book && {CLEAN}"),
        *((f"ask DVC ({document})", command) for document, command in dvc_lines()),
        ("go back to the study", "git restore params.yaml dvc.lock data figures && dvc checkout dvc.yaml"),
    ]
    if traces:
        walk.append(("report on traces of somebody else", "make report TRACES=../others OUT=mine/others"))
    for purpose, command in walk:
        yield Step(purpose, command, bool(MINUTES.search(command)))


def dvc_lines() -> list[tuple[str, str]]:
    """(document, command) of every `dvc` line of README and docs that can be taken as it stands, each once."""
    found: dict[str, str] = {}
    for document in (path for pattern in DOCUMENTS for path in sorted(ROOT.glob(pattern))):
        text = document.read_text(encoding="utf-8")
        for command in FENCED.findall(text) + INLINE.findall(text):
            if not NOT_TAKEN.search(command) and document.name != "walk.md":
                found.setdefault(command.strip(), document.relative_to(ROOT).as_posix())
    return sorted(((document, command) for command, document in found.items()), key=lambda line: (order(line[1]), line))


def order(command: str) -> int:
    """Reproduce, then experiment, then look at what came of it."""
    return next((i for i, start in enumerate(("dvc repro", "dvc exp run")) if command.startswith(start)), 2)


def environment(clone: Path, quick: bool) -> dict[str, str]:
    """A user's environment: of ours nothing, in the quick walk the libraries at hand with the clone's own code."""
    private = ("VIRTUAL_ENV", "PYTHONPATH", "MAKEFLAGS", "MAKELEVEL", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    bare = {name: value for name, value in os.environ.items() if name not in private} | {"BROWSER": "true"}
    bare |= {f"GIT_{role}_{what}": "a@b.c" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    ours = str(Path(sys.prefix) / "bin")
    others = [place for place in bare["PATH"].split(os.pathsep) if place != ours]
    path = os.pathsep.join([ours, *others] if quick else others)
    return bare | {"PATH": path} | ({"PYTHONPATH": str(clone)} if quick else {})


def taken(step: Step, clone: Path, surroundings: dict[str, str]) -> tuple[bool, str, float]:
    """Whether a step ended well, what it printed at the end, and its seconds."""
    begun = time.monotonic()
    command = f"if test -e .venv; then . .venv/bin/activate; fi; {step.command}"
    ran = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=clone,
        env=surroundings,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    printed = TIMES.sub("", ran.stdout.replace(str(clone), "calbench-lab"))
    said = [line[:160].rstrip() for line in printed.splitlines()]
    said = [line for line in said if line]
    shown = said if len(said) <= TAIL else ["…", *said[-TAIL:]]
    return ran.returncode == 0, "\n".join(shown), time.monotonic() - begun


def opened(folders: list[Path]) -> tuple[bool, str]:
    """Open the pages of some folders in a browser, of more than PAGES in one folder as many, evenly chosen: whether
    none had an error, and how many there were."""
    sys.path.insert(0, str(ROOT / "tests/browser"))
    from chromium import chromium  # type: ignore[import-not-found]

    places = [sorted(p.glob("*.html")) for folder in folders for p in (folder, *folder.rglob("*")) if p.is_dir()]
    pages = [page for place in places for page in place[:: -(-len(place) // PAGES) or 1]]
    problems: list[str] = []
    with chromium() as browser:
        for path in pages:
            page = browser.new_page()
            page.on("pageerror", lambda error, path=path: problems.append(f"{path.name}: {error}"))
            page.goto(path.as_uri())
            if not page.inner_text("body").strip():
                problems.append(f"{path.name} is empty")
            page.close()
    return bool(pages) and not problems, "\n".join([f"{len(pages)} of {sum(map(len, places))} pages opened", *problems])


def run_notebook(address: str) -> None:
    """Run all cells of the notebook that JupyterLab shows at an address, in a browser, and save it."""
    sys.path.insert(0, str(ROOT / "tests/browser"))
    from chromium import chromium

    with chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(300_000)
        page.goto(address)
        page.get_by_text("| Idle").wait_for()
        for item in ("Run", "Run All Cells"):
            page.get_by_role("menuitem", name=item, exact=True).click()
        page.locator(LAST_PROMPT, has_text=re.compile(r"\[\d+\]")).wait_for()
        page.keyboard.press("Control+s")
        page.get_by_text("Saving completed").wait_for()
    cells = json.loads((ROOT / "lab" / Path(urlsplit(address).path).name).read_text(encoding="utf-8"))["cells"]
    ran = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in ran)
    assert not [output for cell in ran for output in cell["outputs"] if output["output_type"] == "error"]
    print(f"JupyterLab ran all {len(ran)} cells")


def walked(clone: Path, quick: bool, traces: bool) -> Iterator[tuple[Step, bool, str, float]]:
    """Each step that was taken, whether it ended well, what it said, and its seconds."""
    surroundings = environment(clone, quick)
    for step in steps(traces):
        if not (quick and step.slow):
            yield step, *taken(step, clone, surroundings)
    folders = [clone / name for name in ("mine", "site") if (clone / name).is_dir()]
    if folders:
        begun = time.monotonic()
        well, said = opened(folders)
        yield Step("open each page in a browser", "chromium mine site", True), well, said, time.monotonic() - begun


def page_of(taken_steps: list[tuple[Step, bool, str, float]]) -> str:
    """The walk as a page in Markdown."""
    lines = [
        "# A walk through every use",
        "",
        "`make walk` took these steps in a fresh clone and wrote this page: what was typed and the end of what was",
        "answered, without times. A part of them is taken whenever `make check` runs.",
    ]
    for step, well, said, _ in taken_steps:
        ended = "" if well else " (**failed**)"
        lines += ["", f"## {step.purpose[0].upper()}{step.purpose[1:]}{ended}", "", "```console"]
        lines += [f"$ {step.command}", *([said] if said else []), "```"]
    return "\n".join(lines) + "\n"


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--quick", action="store_true")
    asked.add_argument("--write", type=Path)
    asked.add_argument("--traces", type=Path)
    asked.add_argument("--notebook", metavar="ADDRESS", help="only run the notebook that JupyterLab shows there")
    o = asked.parse_args()
    if o.notebook:
        run_notebook(o.notebook)
        return 0
    results = []
    with TemporaryDirectory(prefix="walk-") as folder:
        clone = Path(folder) / "calbench-lab"
        if o.traces:
            (Path(folder) / "others").symlink_to(o.traces.resolve(strict=True))
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        subprocess.run(["git", "checkout", "--quiet", "-B", "main"], cwd=clone, check=True)
        for step, well, said, seconds in walked(clone, o.quick, bool(o.traces)):
            results.append((step, well, said, seconds))
            print(f"{'ok    ' if well else 'FAILED'} {seconds:6.1f} s  {step.purpose}: {step.command.splitlines()[0]}")
            if not well:
                print(said)
            if o.write:
                o.write.write_text(page_of(results), encoding="utf-8")
    return 0 if all(well for _, well, *_ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
