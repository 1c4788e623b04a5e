"""The games of this area, a pack of traces a protocol and one of probers: `python -m pipeline.beyond.strategy.play`."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pipeline.beyond import TRACES, params
from pipeline.beyond.strategy.teams import Team, liar_team, liars, prober_teams, write_team
from pipeline.tables import paths


def main(traces: Path = TRACES / "strategy") -> None:
    p, game = params("strategy"), paths.params("game")
    turns = ["--max-turns", str(game["max_turns_per_round"])]
    for protocol in p["protocols"]:
        teams = [liar_team(lie, pretence) for lie, pretence in liars(p) if lie.protocol == protocol]
        run(teams, p["suite"], traces / f"{protocol}.jsonl.zst", turns)
    probing = paths.params("adversarial")
    limits = ["--max-turns", str(probing["max_turns_per_round"]), "--dm-cap", str(probing["dm_cap"])]
    repeats = ["--repeats", str(p["probers"]["repeats"])]
    run(prober_teams(p["probers"], paths.params("styles")), p["suite"], traces / "probers.jsonl.zst", limits + repeats)


def run(teams: Sequence[Team], suite: str, out: Path, options: Sequence[str]) -> None:
    """Let the teams play the suite. Raises SystemExit with the command's own code where it fails."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        named = [word for team in teams for word in ("--team", str(write_team(team, Path(folder))))]
        command = [sys.executable, "-m", "sim", "run", suite, *named, "--out", str(out), *options]
        code = subprocess.run(command, check=False).returncode
    if code:
        sys.exit(code)


if __name__ == "__main__":
    main()
