"""What models charge for tokens, as dated data: read from a file, or made from LiteLLM's table without the network."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

PRICES = Path("data/prices/litellm.yaml")
MILLION = 1_000_000
# Our name of a price, and LiteLLM's.
KINDS = {
    "input": "input_cost_per_token",
    "cached_input": "cache_read_input_token_cost",
    "output": "output_cost_per_token",
}
DECIMALS = 6  # a millionth of a dollar for a million tokens: below it is what binary fractions add


def read_prices(path: Path = PRICES) -> pl.DataFrame:
    """One row per model of a price file: model, input, cached_input, output (US dollars for a million tokens), dated.

    A model without prices has nulls.
    """
    import yaml

    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    rows = [
        (model, *((prices or {}).get(kind) for kind in KINDS), told["dated"])
        for model, prices in told["prices"].items()
    ]
    schema = {"model": pl.String} | dict.fromkeys(KINDS, pl.Float64) | {"dated": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("model")


def litellm_prices(models: Iterable[str]) -> dict[str, Any]:
    """What a price file holds by the installed LiteLLM's table; a model that it does not list has no prices."""
    import os

    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from importlib.metadata import version

    import litellm

    return {
        "source": "the model table inside the litellm package, read without the network; standard rates, no tiers",
        "unit": "US dollars for a million tokens",
        "dated": f"litellm {version('litellm')}",
        "prices": {model: _listed(litellm, model) for model in sorted(models)},
    }


def _listed(litellm: Any, model: str) -> dict[str, float] | None:
    """The model's prices with the provider that its name says; another provider's would be another price."""
    try:
        found = litellm.get_model_info(model=model)
    except Exception:  # LiteLLM raises a bare Exception for a model that it does not know
        return None
    return {kind: round(found[key] * MILLION, DECIMALS) for kind, key in KINDS.items() if found.get(key)}


def team_models(folder: Path = Path("data/teams")) -> list[str]:
    """The models of the teams that play over a provider."""
    import yaml

    specs = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.yaml"))]
    given = [agent["parameters"] for spec in specs for agent in spec["agents"]]
    return sorted({p["model"] for p in given if "api_base" not in p})


def write_prices(path: Path = PRICES) -> None:
    """Write the teams' prices by LiteLLM's table."""
    import yaml

    from machine.files import replacing

    with replacing(path) as target:
        text = yaml.safe_dump(litellm_prices(team_models()), sort_keys=False, default_flow_style=None, width=120)
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_prices()
