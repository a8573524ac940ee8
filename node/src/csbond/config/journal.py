"""The log of the node: faults for its owner, never a secret and never the text of a message."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from csbond.config.settings import LogSettings
from csbond.protocol.errors import CsbError

_LOG = logging.getLogger("csbond")


class LogJournal:
    """The port `Journal` on Python's logging."""

    def failed(self, story: str, fault: BaseException, **facts: str) -> None:
        """Note a fault: an expected one as a line, a bug with its traceback."""
        noted = " ".join(f"{name}={value}" for name, value in facts.items())
        if isinstance(fault, CsbError):
            _LOG.warning("%s: %s: %s %s", story, fault.code.name, fault.reason, noted)
        else:
            _LOG.error("%s: %s %s", story, type(fault).__name__, noted, exc_info=fault)


def set_up_log(settings: LogSettings) -> None:
    """Write records of the wished level to standard error, as lines or as JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines() if settings.format == "json" else logging.Formatter("%(levelname)s %(message)s"))
    logging.basicConfig(level=settings.level.upper(), handlers=[handler], force=True)
    for noisy in ("httpx", "httpcore", "uvicorn", "uvicorn.error", "a2a", "asyncio", "grpc"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, logging.getLogger().level))


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "ts": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
