"""`csb memory rules`: what is forgotten by itself, and what never (MEM-005 §5.3)."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from csbond.cli.json_file import read_object
from csbond.cli.memory.moves import print_planned, print_tended
from csbond.cli.moments import TIME_FORMS, milliseconds_of
from csbond.cli.node_client import LONG_S, node_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import print_fields, print_json, print_table
from csbond.cli.progress import progress

_PLACE = "/v1/memory/forgetting"
_HOW = "A selective_forgetting document in JSON, as show --json prints it; - is standard input."


def show(home: HomeOption = None, as_json: JsonOption = False) -> int:
    """Show the rules that are in force."""
    with node_of(chosen_home(home)) as node:
        document = node.get(_PLACE)
    print_json(document) if as_json else _print_rules(document)
    return 0


def set_rules(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=_HOW)],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Put a document of rules in force in place of the one before; what it leaves out is as preset.

    Repeating: what is in force already stays, and no new version is made.
    """
    document = read_object(file)
    with node_of(chosen_home(home)) as node:
        document = node.put(_PLACE, document)
    print_json(document) if as_json else _print_rules(document)
    return 0


def check(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help=f"{_HOW} Without it: those in force.")] = None,
    rules: Annotated[
        list[str] | None, typer.Option("--rule", metavar="NAME", help="Only this rule; may be given again.")
    ] = None,
    now: Annotated[str | None, typer.Option("--now", metavar="TIME", help=f"As of another time: {TIME_FORMS}.")] = None,
    limit: LimitOption = 20,
    after: CursorOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """List what rules would delete and archive, and name that plan; nothing is changed."""
    body: dict[str, Any] = {"limit": limit} | ({"cursor": after} if after else {}) | ({"rules": rules} if rules else {})
    body |= {} if now is None else {"as_of": milliseconds_of("now", now)}
    body |= {} if file is None else {"document": read_object(file)}
    with node_of(chosen_home(home), LONG_S) as node, progress(None, "Looking", shown=not as_json):
        plan = node.post(f"{_PLACE}/preview", body)
    if as_json:
        print_json(plan)
        return 0
    setting = [] if file is None else [f"csb memory rules set {shlex.quote(str(file))}"]
    print_planned(plan, [*setting, f"csb memory rules apply {plan['plan']}"] if now is None else [])
    return 0


def apply(
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="The name of a plan, as check gives it.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Do what check listed: exactly that, or nothing when the rules in force would do something else by now.

    Repeating: what was done is in no plan any more, and nothing is done.
    """
    with node_of(chosen_home(home), LONG_S) as node, progress(None, "Forgetting", shown=not as_json):
        tended = node.post(f"{_PLACE}/apply", {"plan": plan})
    print_json(tended) if as_json else print_tended(tended)
    return 0


def _print_rules(document: Mapping[str, Any]) -> None:
    policy = document["selective_forgetting"]
    print_fields(
        {
            "enabled": _word(policy["enabled"]),
            "default": str(policy["default_action"]),
            "protected": ", ".join(policy["protected_tags"]) or "no tag",
            "human only": _word(policy["human_only"]),
        }
    )
    if policy["rules"]:
        print_table(["rule", "action", "priority", "fits"], [_row(rule) for rule in policy["rules"]])


def _word(truth: object) -> str:
    return "yes" if truth else "no"


def _row(rule: Mapping[str, Any]) -> list[str]:
    match = {name: ", ".join(each) if isinstance(each, list) else each for name, each in rule["match"].items()}
    fits = "; ".join(f"{name} {each}" for name, each in match.items())
    return [str(rule["name"]), str(rule["action"]), str(rule["priority"]), fits or "everything"]
