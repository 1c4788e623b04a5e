"""The teams of liars and probers, and their games: `python -m pipeline.beyond.strategy.play`."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec

from pipeline.beyond import TRACES, params
from pipeline.beyond.strategy.responses import TRUTH, best_responses, costs_of, gains, lies_of
from pipeline.beyond.tables import write_team
from pipeline.tables import paths

Team = dict[str, Any]
RESPONSES = TRACES / "responses"  # games of which only costs and failures are read
CHOSEN, REPORTED = RESPONSES / "chosen", RESPONSES / "reported"


class Lie(NamedTuple):
    """The lie of a team: the protocol, the lie's name, and the seats of those who tell it."""

    protocol: str
    lie: str
    seats: tuple[int, ...]

    @property
    def team(self) -> str:
        """The name: protocol, lie and seats, with dots between."""
        return ".".join([self.protocol, self.lie, "-".join(map(str, self.seats))])


def read_name(team: str) -> Lie:
    """The lie of a team, from its name."""
    protocol, lie, seats = team.split(".")
    return Lie(protocol, lie, tuple(int(s) for s in seats.split("-")))


def liars(p: Mapping[str, Any]) -> Iterator[tuple[Lie, dict[str, Any]]]:
    """(lie, its parameters) of every team that is played: each seat alone, and each pair with a deal.

    p: the `strategy` block of notebooks/beyond/params.yaml.
    """
    for protocol in p["protocols"]:
        for name, parameters in p["lies"].items():
            yield from ((Lie(protocol, name, (seat,)), parameters) for seat in p["seats"])
        for name, parameters in p["deals"].items():
            yield from ((Lie(protocol, name, tuple(pair)), parameters) for pair in p["pairs"])


def liar_team(lie: Lie, parameters: Mapping[str, Any]) -> Team:
    """The team in which the lie's seats lie, and everybody else plays the protocol."""
    liar = {"protocol": lie.protocol, "seats": list(lie.seats), **parameters}
    return {"team": lie.team, "agents": [{"type": "strategic", "parameters": liar}]}


def prober_team(name: str, adapts: bool, speakers: Sequence[str], styles: Mapping[str, Any]) -> Team:
    """A team of simulated speakers, the first of whom probes: by the study's fixed rule, or adapting."""
    types = ["adaptive-prober" if adapts else "style", *["style"] * (len(speakers) - 1)]
    agents: list[dict[str, Any]] = [
        {"type": type_, "parameters": styles[style]} for type_, style in zip(types, speakers, strict=True)
    ]
    agents[0]["nosy"] = True
    return {"team": f"{name}.{'adaptive' if adapts else 'fixed'}", "agents": agents}


def prober_teams(p: Mapping[str, Any], styles: Mapping[str, Any]) -> list[Team]:
    """Each team of speakers with either prober."""
    return [prober_team(n, adapts, s, styles) for n, s in p["speakers"].items() for adapts in (False, True)]


def response_lies(p: Mapping[str, Any], setting: str) -> Iterator[tuple[Lie, dict[str, Any]]]:
    """(lie, its parameters) of every team of the search in a setting; the truth is a lie that claims what is so.

    p: the block `strategy.responses` of notebooks/beyond/params.yaml.
    """
    for protocol in p["protocols"]:
        yield Lie(protocol, TRUTH, (0,)), {}
        for name, parameters in lies_of(p, setting):
            yield from ((Lie(protocol, name, (seat,)), parameters) for seat in p["search_seats"])


def reported_lies(
    p: Mapping[str, Any], setting: str, chosen: Mapping[tuple[str, str], Sequence[str]], seats: Sequence[int]
) -> Iterator[tuple[Lie, dict[str, Any]]]:
    """(lie, its parameters) of the teams that play the reported suite: those chosen, those named, and the truth.

    p: as for `response_lies`; chosen: (protocol, setting) → the lies that are best at some price.
    """
    for protocol in p["protocols"]:
        yield Lie(protocol, TRUTH, (0,)), {}
        wanted = {*chosen[protocol, setting], *p["also"].get(protocol, ())}
        for name, parameters in lies_of(p, setting):
            if name in wanted:
                yield from ((Lie(protocol, name, (seat,)), parameters) for seat in seats)


def play_responses(p: Mapping[str, Any], turns: Sequence[str]) -> None:
    """Play every lie of the search on the suite of choice, and the best at some price on the suite that is reported.

    p: the `strategy` block of notebooks/beyond/params.yaml.
    """
    space, settings = p["responses"], list(p["responses"]["prices"])
    for setting in settings:
        teams = [liar_team(lie, how) for lie, how in response_lies(space, setting)]
        run(teams, p["chosen_on"], CHOSEN / f"{setting}.jsonl.zst", turns, setting)
    games = gains(costs_of(CHOSEN))
    for setting in settings:
        names = [name for name, _ in lies_of(space, setting)]
        spans = best_responses(games.filter(setting=setting), names)
        chosen = {cell: [span.lie for span in best] for cell, best in spans.items()}
        teams = [liar_team(lie, how) for lie, how in reported_lies(space, setting, chosen, p["seats"])]
        run(teams, p["suite"], REPORTED / f"{setting}.jsonl.zst", turns, setting)


def main(traces: Path = TRACES / "strategy") -> None:
    p, game = params("strategy"), paths.params("game")
    turns = ["--max-turns", str(game["max_turns_per_round"])]
    for protocol in p["protocols"]:
        teams = [liar_team(lie, parameters) for lie, parameters in liars(p) if lie.protocol == protocol]
        run(teams, p["suite"], traces / f"{protocol}.jsonl.zst", turns)
    play_responses(p, turns)
    probing = paths.params("adversarial")
    limits = ["--max-turns", str(probing["max_turns_per_round"]), "--dm-cap", str(probing["dm_cap"])]
    repeats = ["--repeats", str(p["probers"]["repeats"])]
    run(prober_teams(p["probers"], paths.params("styles")), p["suite"], traces / "probers.jsonl.zst", limits + repeats)


def run(teams: Sequence[Team], suite: str, out: Path, options: Sequence[str], setting: str | None = None) -> None:
    """Let the teams play the suite, or its tasks of a setting. Raises SystemExit with the command's own code where it
    fails."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        if setting is not None:
            suite = str(tasks_of(Path(suite), setting, Path(folder) / "tasks.jsonl"))
        options_of_teams = [word for team in teams for word in ("--team", str(write_team(team, Path(folder))))]
        command = [sys.executable, "-m", "sim", "run", suite, *options_of_teams, "--out", str(out), *options]
        code = subprocess.run(command, check=False).returncode
    if code:
        sys.exit(code)


def tasks_of(suite: Path, setting: str, part: Path) -> Path:
    """The part of a suite that has the setting, written to a file of its own."""
    lines = suite.read_bytes().splitlines(keepends=True)
    part.write_bytes(b"".join(line for line in lines if msgspec.json.decode(line)["setting"] == setting))
    return part


if __name__ == "__main__":
    main()
