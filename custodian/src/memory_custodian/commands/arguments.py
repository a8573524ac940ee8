"""The options that several verbs have."""

from __future__ import annotations

import argparse

from memory_custodian.rules.lock_record import WAIT_SECONDS

__all__ = ["add_confirmation", "add_format", "add_locking", "add_place"]


def add_place(parser: argparse.ArgumentParser) -> None:
    """Declare --project-root and --memory-dir: every verb has them."""
    parser.add_argument("--project-root", default=".", metavar="PATH", help="the project (default: here)")
    parser.add_argument(
        "--memory-dir", default="docs/memory", metavar="PATH", help="below docs/ of it (default: docs/memory)"
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    """Declare --format."""
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json is for programs")


def add_locking(parser: argparse.ArgumentParser) -> None:
    """Declare --lock-timeout and --break-stale-lock: every verb that writes has them."""
    parser.add_argument(
        "--lock-timeout", type=_seconds, default=WAIT_SECONDS, metavar="SECONDS", help="how long to wait for others"
    )
    parser.add_argument(
        "--break-stale-lock", action="store_true", help="take over a lock whose process on this machine is gone"
    )


def add_confirmation(parser: argparse.ArgumentParser) -> None:
    """Declare --apply and --confirm-plan: every verb that previews first has them."""
    parser.add_argument("--apply", action="store_true", help="make the changes of the previewed plan")
    parser.add_argument("--confirm-plan", metavar="PLAN_ID", help="the Plan ID of the preview")


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds <= 3600:
        raise argparse.ArgumentTypeError("from 0 to 3600 seconds")
    return seconds
