"""The protocols beyond the paper's, each with the record of its parameters."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from sim.agents import Agent
from sim.agents.beyond.dpop import Dpop
from sim.agents.beyond.dsm_log import LogDsm, LogDsmParameters
from sim.agents.beyond.imap_kbit import KBitImap, KBitParameters
from sim.agents.beyond.imap_noisy import NoisyImap, NoisyParameters
from sim.agents.beyond.poll import Poll, PollParameters
from sim.agents.beyond.secure import Secure, SecureParameters


def dpop(_: Struct) -> Agent:
    """DPOP has no parameter."""
    return Dpop()


PROTOCOLS: Mapping[str, tuple[Callable[[Any], Agent], type]] = {
    "dsm-log": (LogDsm, LogDsmParameters),
    "imap-kbit": (KBitImap, KBitParameters),
    "imap-noisy": (NoisyImap, NoisyParameters),
    "poll": (Poll, PollParameters),
    "dpop": (dpop, Struct),
    "secure": (Secure, SecureParameters),
}
