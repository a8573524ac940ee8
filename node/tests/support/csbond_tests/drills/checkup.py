"""What `csb doctor` finds in a home."""

from __future__ import annotations

import asyncio
import io
import json
from contextlib import redirect_stdout

from csbond.cli.doctor import doctor
from csbond.config.home import Home

__all__ = ["doctor_faults"]


async def doctor_faults(home: Home) -> list[str]:
    """The faults as sentences; it has looked at the database."""
    with redirect_stdout(io.StringIO()) as told:
        status = await asyncio.to_thread(doctor, home.path, as_json=True)
    findings = json.loads(told.getvalue())["findings"]
    assert "database" in {each["subject"] for each in findings}
    faults = [f"{each['subject']}: {each['detail']}" for each in findings if each["verdict"] == "fault"]
    assert (status == 0) == (not faults)
    return faults
