"""The teams of this area, from its parameters: their YAML files, and what their names say."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from machine.files import replacing

Team = dict[str, Any]


class Lie(NamedTuple):
    """What a team's name says: the protocol, the lie, and the seats of those who lie."""

    protocol: str
    lie: str
    seats: tuple[int, ...]

    @property
    def team(self) -> str:
        """The name: protocol, lie and seats, with dots between."""
        return ".".join([self.protocol, self.lie, "-".join(map(str, self.seats))])


def read_name(team: str) -> Lie:
    """The lie that a team is named after."""
    protocol, lie, seats = team.split(".")
    return Lie(protocol, lie, tuple(int(s) for s in seats.split("-")))


def liars(p: Mapping[str, Any]) -> Iterator[tuple[Lie, dict[str, Any]]]:
    """Every lie that is played, with what it pretends: each seat alone, and each pair with a deal."""
    for protocol in p["protocols"]:
        for name, pretence in p["lies"].items():
            yield from ((Lie(protocol, name, (seat,)), pretence) for seat in p["seats"])
        for name, pretence in p["deals"].items():
            yield from ((Lie(protocol, name, tuple(pair)), pretence) for pair in p["pairs"])


def liar_team(lie: Lie, pretence: Mapping[str, Any]) -> Team:
    """The team in which the lie's seats lie, and everybody else plays the protocol."""
    given = {"protocol": lie.protocol, "seats": list(lie.seats), **pretence}
    return {"team": lie.team, "agents": [{"type": "strategic", "parameters": given}]}


def prober_team(name: str, adapts: bool, speakers: Sequence[str], styles: Mapping[str, Any]) -> Team:
    """A team of simulated speakers, the first of whom probes: by the study's fixed rule, or adapting."""
    kinds = ["adaptive-prober" if adapts else "style", *["style"] * (len(speakers) - 1)]
    agents: list[dict[str, Any]] = [
        {"type": kind, "parameters": styles[style]} for kind, style in zip(kinds, speakers, strict=True)
    ]
    agents[0]["nosy"] = True
    return {"team": f"{name}.{'adaptive' if adapts else 'fixed'}", "agents": agents}


def prober_teams(p: Mapping[str, Any], styles: Mapping[str, Any]) -> list[Team]:
    """Each team of speakers with either prober."""
    return [prober_team(n, adapts, s, styles) for n, s in p["speakers"].items() for adapts in (False, True)]


def write_team(team: Team, folder: Path) -> Path:
    """The team as a YAML file of its name, whole or not at all."""
    import yaml

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{team['team']}.yaml"
    with replacing(path) as target:
        target.write_text(yaml.safe_dump(team, sort_keys=False), encoding="utf-8")
    return path
