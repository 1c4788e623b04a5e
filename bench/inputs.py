"""The inputs of benchmarks, made when first asked for: tasks, games of baselines and simulated negotiators, a clone."""

import ast
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

import zstandard

from bench.measure import ROOT, BenchmarkFailed, run_process
from machine.cores import cores, map_unordered

PROTOCOLS = ("imap", "sd", "dsm-welfare", "dsm-private")
STYLES = ("candid", "chatty")
LIST = ROOT / "data" / "suites" / "paper72.csv"
TRACES = 3_600


def tasks(folder: Path) -> Path:
    """The paper's 72 tasks."""
    path = folder / "tasks.jsonl"
    if not path.exists():
        run_process(["python", "-m", "sim", "suite", LIST, "--out", path])
    return path


def many_tasks(folder: Path) -> Path:
    """900 different tasks, half of each setting."""
    path = folder / "many.jsonl"
    if path.exists():
        return path
    lists = [folder / f"{setting}.csv" for setting in ("uniform", "varied")]
    for chosen in lists:
        options = ["--setting", chosen.stem, "--candidates", "51", "--per-third", "17"]
        run_process(["python", "-m", "sim", "select", *options, "--out", chosen])
    texts = [chosen.read_text(encoding="utf-8").splitlines(keepends=True) for chosen in lists]
    both = folder / "both.csv"
    both.write_text("".join([*texts[0], *texts[1][1:]]), encoding="utf-8")
    run_process(["python", "-m", "sim", "suite", both, "--out", path])
    return path


def run_command(tasks: Path, teams: Sequence[str], out: Path) -> list[str | Path]:
    """The command that plays the teams' games."""
    return ["python", "-m", "sim", "run", tasks, *(w for team in teams for w in ("--team", team)), "--out", out]


def baselines(folder: Path) -> list[Path]:
    """3,600 traces of baseline games on 918 different tasks, zstd-compressed, in the order of their names."""
    out = folder / "baselines"
    if not out.exists():
        run_process(run_command(many_tasks(folder), PROTOCOLS, out))
    return sorted(out.rglob("*.json.zst"))[:TRACES]


def negotiators(folder: Path) -> Path:
    """3,600 games in the English of two styles of simulated negotiators: 72 tasks, 25 times each."""
    out = folder / "negotiators"
    if not out.exists():
        run_process([*run_command(tasks(folder), STYLES, out), "--repeats", "25"])
    return out


def as_json(paths: Sequence[Path], out: Path) -> Path:
    """A folder with the traces decompressed, one JSON file each."""
    out.mkdir(parents=True, exist_ok=True)
    list(map_unordered(partial(_unpack, out=out), paths, cores()))
    return out


def _unpack(path: Path, out: Path) -> None:
    (out / f"{path.parent.name}-{path.name[:-4]}").write_bytes(_decompress(path))


def _decompress(path: Path) -> bytes:
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
        return bytes(stream.read())


def copies(paths: Sequence[Path], number: int, out: Path) -> Path:
    """A folder with so many traces: the given ones repeated, each copy with a game_id of its own."""
    out.mkdir(parents=True, exist_ok=True)
    copied = [(paths[i % len(paths)], i // len(paths)) for i in range(number)]
    list(map_unordered(partial(_copy, out=out), copied, cores()))
    return out


def _copy(copied: tuple[Path, int], out: Path) -> None:
    path, repeat = copied
    text = _decompress(path)
    game = text[text.index(b'"game_id":"') + 11 :][:36]
    other = str(uuid5(NAMESPACE_OID, f"{game.decode()}/{repeat}")).encode()
    folder = out / path.parent.name
    folder.mkdir(exist_ok=True)
    packed = zstandard.ZstdCompressor(level=3).compress(text.replace(game, other))
    (folder / f"{repeat}-{path.name}").write_bytes(packed)


def cloned(folder: Path) -> Path:
    """A clone of the last commit."""
    clone = folder / "clone"
    if not clone.exists():
        run_process(["git", "clone", "--quiet", ROOT, clone])
    return clone


def change(path: Path, function: str) -> None:
    """Change the code of a function, and nothing that it does. Raises BenchmarkFailed where there is none."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    defined = [node for node in ast.parse("".join(lines)).body if isinstance(node, ast.FunctionDef)]
    last = next((node.body[-1] for node in defined if node.name == function), None)
    if last is None:
        raise BenchmarkFailed(f"{path} has no function {function}")
    lines.insert(last.lineno - 1, f"{' ' * last.col_offset}pass\n")
    path.write_text("".join(lines), encoding="utf-8")


def share_environment(clone: Path) -> None:
    """Have a clone's Makefile use this environment. Raises BenchmarkFailed where `make setup` did not make it."""
    if not Path(sys.prefix, ".ready").is_file():
        raise BenchmarkFailed(f"{sys.prefix} was not made by `make setup`")
    (clone / ".venv").symlink_to(sys.prefix)
    for name in ("requirements.lock", "pyproject.toml"):  # older than the environment, so that make does not renew it
        os.utime(clone / name, (0, 0))
