"""What was erased, as people see it (MEM-005 §5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.cli.output import print_line, print_table


def print_erased(answer: Mapping[str, Any]) -> None:
    """Whether bytes are left in the files, and which messages still hold what was erased."""
    if not answer["erased"]:
        print_line("Bytes of it are still in the files; the node overwrites them by itself, mostly within an hour")
    copies = answer["copies"]
    if copies:
        print_line("These messages still say it:")
        rows = [[str(each["thread_id"]), str(each["message_id"]), str(each.get("task_id", ""))] for each in copies]
        print_table(["thread", "message", "task"], rows)
