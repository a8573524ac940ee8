"""The commands of `csb memory snapshot`, in the order in which its help lists them."""

from __future__ import annotations

import typer

from csbond.cli.memory.snapshot.create import create
from csbond.cli.memory.snapshot.delete import delete
from csbond.cli.memory.snapshot.get import get
from csbond.cli.memory.snapshot.list import list_snapshots
from csbond.cli.memory.snapshot.load import load
from csbond.cli.memory.snapshot.log import log
from csbond.cli.memory.snapshot.send import send
from csbond.cli.memory.snapshot.verify import verify


def register(group: typer.Typer) -> None:
    """Add them all to the group."""
    group.command("create")(create)
    group.command("list")(list_snapshots)
    group.command("get")(get)
    group.command("verify")(verify)
    group.command("load")(load)
    group.command("log")(log)
    group.command("send")(send)
    group.command("delete")(delete)
