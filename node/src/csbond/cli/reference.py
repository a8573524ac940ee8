"""The page of the reference that is made from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer

from csbond.cli.app import app
from csbond.cli.endings import ENDINGS, INTERRUPTED, NOBODY_READS
from csbond.protocol.errors import EXIT_STATUS, REGISTRY

_HEAD = """\
# Commands

Every command of `csb`, made from the commands themselves. `--home DIR` says which agent's home is meant; the variable
`CSB_HOME` says it once for all. With `--json` a command prints one JSON document on standard output, and an error as
`{"error": {"code", "reason", "field"?, "next_step"?}}` on standard error; without it, tables, and one line an error.
A long text may come from standard input: write `-` in its place.

`csb --install-completion` installs the completion of commands and options for the shell it is called from (bash, zsh,
fish or PowerShell); `csb --show-completion` prints it instead.

To trust a certificate authority the system does not know, name a file of its certificates in `SSL_CERT_FILE`. The
node of the home itself is recognised by its own certificate.
"""


def cli_markdown() -> str:
    """`docs/reference/cli.md`."""
    root = typer.main.get_command(app)
    return "\n".join([_HEAD, *_exit_statuses(), *_commands(root, "csb")]) + "\n"


def command_paths() -> list[str]:
    """Every command as it is typed."""
    return [path for path, _command in _leaves(typer.main.get_command(app), "csb")]


def _exit_statuses() -> Iterator[str]:
    yield "## Exit status\n"
    yield "| Status | Meaning | Codes |"
    yield "| --- | --- | --- |"
    yield "| 0 | It was done. | |"
    for ending, meaning in ENDINGS.items():
        codes = ", ".join(f"`{code.name}`" for code in REGISTRY.values() if code.exit is ending)
        yield f"| {EXIT_STATUS[ending]} | {meaning} | {codes} |"
    yield f"| {INTERRUPTED} | Ended by Ctrl-C. | |"
    yield f"| {NOBODY_READS} | The reader of standard output went away. | |\n"


def _commands(root: Any, name: str) -> Iterator[str]:
    for path, command in _leaves(root, name):
        context = command.context_class(command, info_name=path)
        yield f"## {path}\n"
        yield f"```text\n{path} {' '.join(command.collect_usage_pieces(context))}\n```\n"
        yield inspect.cleandoc(command.help or "") + "\n"
        yield "| Parameter | Meaning |"
        yield "| --- | --- |"
        for parameter in command.get_params(context):
            if parameter.name != "help":
                yield f"| {_spelling(parameter, context)} | {_meaning(parameter)} |"
        yield ""


def _leaves(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, each in command.commands.items():
        yield from _leaves(each, f"{path} {name}")


def _spelling(parameter: Any, context: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`".replace("|", "\\|")
    value = "" if getattr(parameter, "is_flag", False) else f" {parameter.metavar or parameter.display_type(context)}"
    return f"`{parameter.opts[0]}{value}`".replace("|", "\\|")


def _meaning(parameter: Any) -> str:
    notes = [parameter.help or ""]
    if parameter.required:
        notes.append("Required.")
    elif parameter.default not in (None, False, "", []):
        notes.append(f"Default: {parameter.default}.")
    if parameter.envvar:
        notes.append(f"Or `{parameter.envvar}`.")
    return " ".join(notes)
