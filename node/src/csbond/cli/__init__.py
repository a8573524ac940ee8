"""The command `csb`: each way a run can end, in one place."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Sequence

import typer
from typer.exceptions import Abort, TyperException

from csbond.cli.app import app as _commands
from csbond.cli.endings import INTERRUPTED, NOBODY_READS
from csbond.cli.output import print_error
from csbond.cli.standard_output import NobodyReads, watched_output
from csbond.protocol.errors import EXIT_STATUS, CsbError, Exit, LocalProtocolError

_SILENT = logging.NullHandler()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the status to exit with, by `protocol.errors.EXIT_STATUS`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given
    # Libraries' warnings are for the log of a node, which sets it up itself.
    logging.getLogger().addHandler(_SILENT)
    try:
        with watched_output():
            status = typer.main.get_command(_commands).main(given, prog_name="csb", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except CsbError as fault:
        return _ended(fault, as_json)
    except TyperException as fault:
        return _ended(_usage_fault(fault), as_json)
    except (KeyboardInterrupt, Abort):
        return INTERRUPTED
    except NobodyReads:
        return NOBODY_READS
    except Exception:
        traceback.print_exc()
        if as_json:
            print_error(
                LocalProtocolError("internal_error", "a fault of this program; the traceback is above"), as_json
            )
        return EXIT_STATUS[Exit.INTERNAL]


def _ended(fault: CsbError, as_json: bool) -> int:
    print_error(fault, as_json)
    return EXIT_STATUS[fault.code.exit]


def _usage_fault(fault: TyperException) -> CsbError:
    context = getattr(fault, "ctx", None)
    command = context.command_path if context else "csb"
    reason = " ".join(fault.format_message().split())
    return LocalProtocolError("invalid_params", reason.rstrip("."), next_step=f"{command} --help")
