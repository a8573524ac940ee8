"""`csb doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from csbond.cli.checkup.address import check_address
from csbond.cli.checkup.database import check_database
from csbond.cli.checkup.extras import check_extras
from csbond.cli.checkup.files import check_files
from csbond.cli.checkup.finding import Finding, looked_at
from csbond.cli.checkup.skill import check_skill
from csbond.cli.checkup.tls_files import check_tls
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_json, print_table
from csbond.config.home import Home
from csbond.config.settings_file import read_settings
from csbond.config.settings_rules import check_exposure
from csbond.config.system import SystemClock
from csbond.protocol.errors import EXIT_STATUS, Exit

if TYPE_CHECKING:
    from csbond.flows.ports import Clock

_MARKS = {"ok": "ok", "warning": "!", "fault": "✗"}


def doctor(home: HomeOption = None, as_json: JsonOption = False) -> int:
    """Look at a home and say what is wrong with it: files, settings, database, skill, extras, address.

    Changes nothing. Ends with 1 when something keeps the node from its work.
    """
    chosen = chosen_home(home)
    findings = list(_findings(chosen, SystemClock()))
    if as_json:
        print_json({"home": str(chosen.path), "findings": [asdict(finding) for finding in findings]})
    else:
        print_table(
            ["", "", "found"],
            [
                [_MARKS[each.verdict], each.subject, " — ".join(filter(None, (each.detail, each.next_step)))]
                for each in findings
            ],
        )
    return EXIT_STATUS[Exit.NEGATIVE] if any(each.verdict == "fault" for each in findings) else 0


def _findings(home: Home, clock: Clock) -> Iterator[Finding]:
    yield from check_files(home, clock)

    def look() -> str:
        check_exposure(read_settings(home.settings_file))
        return str(home.settings_file)

    found = looked_at("settings", look)
    yield found
    if found.verdict != "ok":
        return
    settings = read_settings(home.settings_file)
    yield from check_tls(settings.tls, clock)
    yield from check_database(home, settings)
    yield from check_skill(home, settings)
    yield from check_extras(settings)
    yield from check_address(home, settings)
