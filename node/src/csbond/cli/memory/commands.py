"""The commands of `csb memory`, in the order in which its help lists them."""

from __future__ import annotations

import typer

from csbond.cli.memory.add import add
from csbond.cli.memory.delete import delete
from csbond.cli.memory.edit import edit
from csbond.cli.memory.link import link
from csbond.cli.memory.links import links
from csbond.cli.memory.list import list_entries
from csbond.cli.memory.reindex import reindex
from csbond.cli.memory.restore import restore
from csbond.cli.memory.search import search
from csbond.cli.memory.show import show


def register(group: typer.Typer) -> None:
    """Add them all to the group."""
    group.command("add")(add)
    group.command("list")(list_entries)
    group.command("show")(show)
    group.command("search")(search)
    group.command("edit")(edit)
    group.command("delete")(delete)
    group.command("restore")(restore)
    group.command("link")(link)
    group.command("links")(links)
    group.command("reindex")(reindex)
