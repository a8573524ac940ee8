"""Which pieces of a file are decisions, and which of them are longer than one is meant to be (§3)."""

from __future__ import annotations

from memory_custodian.rules.blocks import Block
from memory_custodian.rules.budgets import DECISION_TOKENS
from memory_custodian.rules.entry_text import written_size

__all__ = ["is_decision", "is_long_decision"]


def is_decision(block: Block) -> bool:
    """Whether a piece is a decision, of any protocol: what the guide of 120 tokens is for."""
    if block.kind == "entry":
        return block.entry_id.startswith(("MC-DEC-", "MC-AREA-"))
    return block.kind == "section" and any(line.strip() == "Decision:" for line in block.text.split("\n"))


def is_long_decision(block: Block) -> bool:
    """Whether what a person wrote of a decision is longer than that guide."""
    return is_decision(block) and written_size(block.text) > DECISION_TOKENS
