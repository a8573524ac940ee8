"""Lines out of bytes that arrive in pieces."""

from __future__ import annotations

from collections.abc import AsyncGenerator


async def lines_of(chunks: AsyncGenerator[bytes]) -> AsyncGenerator[str]:
    """The lines, without their ends, as soon as each is whole; what is not UTF-8 becomes U+FFFD."""
    rest = bytearray()
    async for chunk in chunks:
        rest += chunk
        if b"\n" in chunk:
            *whole, rest = rest.split(b"\n")
            for line in whole:
                yield line.decode("utf-8", "replace").removesuffix("\r")
    if rest:
        yield rest.decode("utf-8", "replace")
