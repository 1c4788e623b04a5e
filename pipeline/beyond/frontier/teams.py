"""The teams of the frontier, a YAML file each: `python -m pipeline.beyond.frontier.teams`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from machine.files import replacing
from pipeline import beyond

TEAMS = Path("data/beyond/teams/frontier")


class Setting(NamedTuple):
    """One setting of a protocol's parameters, and the team that plays it."""

    team: str
    protocol: str
    parameter: str
    parameters: Mapping[str, Any]


def settings(protocols: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[Setting]:
    """A team for each setting of each protocol."""
    for protocol, named in protocols.items():
        for name, parameters in named.items():
            yield Setting(f"{protocol}-{name}", protocol, name, parameters)


def main(folder: Path = TEAMS) -> None:
    import yaml

    folder.mkdir(parents=True, exist_ok=True)
    for found in settings(beyond.params("frontier")["protocols"]):
        agents = [{"type": found.protocol, "parameters": dict(found.parameters)}]
        with replacing(folder / f"{found.team}.yaml") as path:
            path.write_text(yaml.safe_dump({"team": found.team, "agents": agents}, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main()
