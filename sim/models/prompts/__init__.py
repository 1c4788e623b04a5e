"""What an agent with a language model is told: the system prompt, a round's messages, variants (Appendix D.2, D.3).

VERSION changes with any wording here; a test pins it to the texts, so that a trace's prompts can be told apart by it.
"""

from __future__ import annotations

from sim.models.prompts.messages import (
    MeetingNotice,
    build_decision_message,
    build_retry_message,
    build_round_start_message,
    build_turn_message,
    build_voluntary_reschedule_message,
    list_inbox,
)
from sim.models.prompts.system import SECTIONS, build_system_prompt
from sim.models.prompts.variants import Variant, VariantError, load_variant

VERSION = "1"

__all__ = [
    "SECTIONS",
    "VERSION",
    "MeetingNotice",
    "Variant",
    "VariantError",
    "build_decision_message",
    "build_retry_message",
    "build_round_start_message",
    "build_system_prompt",
    "build_turn_message",
    "build_voluntary_reschedule_message",
    "list_inbox",
    "load_variant",
]
