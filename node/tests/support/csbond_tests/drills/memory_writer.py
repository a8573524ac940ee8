"""`python -m csbond_tests.drills.memory_writer PORT NAME COUNT < TOKEN` writes memories to a node, one after another.

Every tenth is one that all writers write, by the same key. It prints the ids it was told as one JSON document, by their
texts, and ends with a traceback at the first error.
"""

from __future__ import annotations

import asyncio
import json
import sys

from csbond_tests.drills.wire import Wire

__all__ = ["SHARED_EVERY"]

SHARED_EVERY = 10


async def _write(port: int, token: str, name: str, count: int) -> dict[str, str]:
    wire = await Wire.open(port, token)
    told: dict[str, str] = {}
    for number in range(count):
        who = "everybody" if number % SHARED_EVERY == 0 else name
        content = f"The shelf {who}-{number} is painted blue."
        answer = await wire.ask("POST", "/v1/memory", {"content": content}, {"idempotency-key": f"{who}-{number}"})
        assert answer.status in (200, 201), answer
        told[content] = answer.body["id"]
    wire.vanish()
    return told


if __name__ == "__main__":
    _, _port, _name, _count = sys.argv
    print(json.dumps(asyncio.run(_write(int(_port), sys.stdin.read(), _name, int(_count)))))  # noqa: T201
