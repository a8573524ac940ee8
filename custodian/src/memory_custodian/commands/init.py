"""`memory-custodian init`: makes the memory of a project, repairs it, or replaces it by its templates (§§3, 12)."""

from __future__ import annotations

import argparse

from memory_custodian import __version__
from memory_custodian.commands.arguments import add_confirmation, add_format, add_locking, add_place
from memory_custodian.commands.mutation import Request, carry_out
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files.memory_files import read_all_with_agent_files
from memory_custodian.files.project import find_place
from memory_custodian.rules.initialising import InitRequest, init_arguments, plan_init
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import AGENT_FILES

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_place(parser)
    parser.add_argument("--path", metavar="PATH", help="the same as --memory-dir, and stronger")
    parser.add_argument("--extended", action="store_true", help="also preferences, changelog and folders of modules")
    parser.add_argument(
        "--agent", choices=("none", *AGENT_FILES, "all"), default="none", help="whose agent file gets the managed block"
    )
    for agent, file in AGENT_FILES.items():
        parser.add_argument(f"--with-{agent}", action="store_true", help=f"write the managed block into {file}")
    parser.add_argument("--repair", action="store_true", help="also mend the metadata and the index of the manifest")
    parser.add_argument(
        "--replace-existing", action="store_true", help="replace the managed files by their templates; previewed first"
    )
    parser.add_argument("--force-agent", action="store_true", help="renew a managed block that is there")
    parser.add_argument("--force", action="store_true", help=argparse.SUPPRESS)
    add_confirmation(parser)
    add_locking(parser)
    add_format(parser)


def run(options: argparse.Namespace) -> Outcome:
    """Make or repair at once; replace only by the Plan ID of a preview."""
    _check(options)
    place = find_place(options.project_root, options.path or options.memory_dir)
    request = _asked(options)
    return carry_out(
        Request(
            command="init",
            place=place,
            arguments=init_arguments(request, place.memory_dir),
            build=lambda snapshot, draws: plan_init(snapshot, request, draws, place.memory),
            reads=read_all_with_agent_files,
            confirm="always" if request.replace else "never",
            apply=options.apply,
            confirm_plan=options.confirm_plan,
            lock_timeout=options.lock_timeout,
            break_stale_lock=options.break_stale_lock,
            command_line=tuple(_words(request)),
        )
    )


def _check(options: argparse.Namespace) -> None:
    if options.force:
        raise Refused("init --force was removed; accepted: --repair, or --replace-existing with its preview")
    if options.repair and options.replace_existing:
        raise Refused("init: --repair and --replace-existing exclude each other; accepted: one of them")
    if (options.apply or options.confirm_plan) and not options.replace_existing:
        raise Refused("init: --apply and --confirm-plan belong to --replace-existing; accepted: init without them")


def _asked(options: argparse.Namespace) -> InitRequest:
    wanted = [
        file
        for agent, file in AGENT_FILES.items()
        if options.agent in {agent, "all"} or getattr(options, f"with_{agent}")
    ]
    return InitRequest(
        version=__version__,
        extended=options.extended,
        agents=tuple(wanted),
        repair=options.repair,
        replace=options.replace_existing,
        force_agent=options.force_agent,
    )


def _words(request: InitRequest) -> list[str]:
    """Return the command that a preview prints; the place is added to it."""
    words = ["init", *(["--extended"] if request.extended else [])]
    words += [f"--with-{agent}" for agent, file in AGENT_FILES.items() if file in request.agents]
    words += ["--replace-existing"] if request.replace else []
    return [*words, *(["--force-agent"] if request.force_agent else [])]
