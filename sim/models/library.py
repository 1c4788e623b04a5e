"""LiteLLM, alike on every machine: no setting of its own reaches it from the environment."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

# What it must find whenever it looks: no .env file, its own tables instead of the network's, no server that no team
# names, and nothing added to a request.
SETTINGS = {
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_REASONING_AUTO_SUMMARY": "False",
    "LITELLM_ANTHROPIC_DISABLE_URL_SUFFIX": "False",
    "USE_LITELLM_PROXY": "False",
}
# Its settings that it reads once, when it is imported: LITELLM_DROP_PARAMS would ask without parameters that a trace
# says were asked.
READ_ONCE = ("LITELLM_", "DEFAULT_", "MIN_", "MAX_")


@cache
def litellm() -> Any:
    """LiteLLM, off the network until it is asked, and silent."""
    with without_its_settings():
        import litellm as module
    module.suppress_debug_info = True
    # Its messages may quote whole requests; what matters of a failure is in the exception.
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return module


@contextmanager
def without_its_settings() -> Iterator[None]:
    """Meanwhile the environment holds none of them but ours, which stay."""
    hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(READ_ONCE)}
    os.environ.update(SETTINGS)
    try:
        yield
    finally:
        os.environ.update(hidden | SETTINGS)
