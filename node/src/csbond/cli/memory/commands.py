"""The commands of `csb memory`, in the order in which its help lists them."""

from __future__ import annotations

import typer

from csbond.cli.groups import add_group
from csbond.cli.memory import archive, rules, vector_maps
from csbond.cli.memory.add import add
from csbond.cli.memory.delete import delete
from csbond.cli.memory.demote import demote
from csbond.cli.memory.edit import edit
from csbond.cli.memory.export import export
from csbond.cli.memory.forget import forget
from csbond.cli.memory.graph import graph
from csbond.cli.memory.import_memories import import_memories
from csbond.cli.memory.link import link
from csbond.cli.memory.links import links
from csbond.cli.memory.list import list_entries
from csbond.cli.memory.promote import promote
from csbond.cli.memory.reindex import reindex
from csbond.cli.memory.restore import restore
from csbond.cli.memory.review import review
from csbond.cli.memory.search import search
from csbond.cli.memory.show import show
from csbond.cli.memory.snapshot import commands as snapshot
from csbond.cli.memory.stats import stats
from csbond.cli.memory.tend import tend


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
    group.command("graph")(graph)
    group.command("stats")(stats)
    group.command("promote")(promote)
    group.command("demote")(demote)
    group.command("tend")(tend)
    group.command("forget")(forget)
    _register_rules(add_group(group, "rules", "What is forgotten by itself, and what never."))
    group.command("reindex")(reindex)
    group.command("review")(review)
    _register_archive(add_group(group, "archive", "What is left of memories that were cleared."))
    group.command("export")(export)
    group.command("import")(import_memories)
    _register_maps(add_group(group, "map", "From the vectors of other models to those of this node's."))
    snapshot.register(add_group(group, "snapshot", "Memories as files that travel."))


def _register_rules(group: typer.Typer) -> None:
    group.command("show")(rules.show)
    group.command("set")(rules.set_rules)
    group.command("check")(rules.check)
    group.command("apply")(rules.apply)


def _register_maps(group: typer.Typer) -> None:
    group.command("list")(vector_maps.list_maps)
    group.command("fit")(vector_maps.fit)
    group.command("get")(vector_maps.get)


def _register_archive(group: typer.Typer) -> None:
    group.command("list")(archive.list_archive)
    group.command("show")(archive.show)
