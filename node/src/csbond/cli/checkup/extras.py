"""What is installed beside the core."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from csbond.cli.checkup.finding import Finding
from csbond.config.settings import Settings

_GRPC = ("grpc", "grpc_reflection", "grpc_status")


def check_extras(settings: Settings) -> Iterator[Finding]:
    """The extras that embed, compare vectors and speak gRPC, by what the settings ask for."""
    yield _search(settings)
    from csbond.engines.index_choice import Comparing, chosen_index, faiss_installed

    note = chosen_index(0, Comparing(settings.memory.index, faiss_there=faiss_installed())).note
    if note:
        yield Finding("vectors", "warning", note)
    if settings.a2a.grpc_port and not _installed(_GRPC):
        yield Finding("gRPC", "fault", "a2a.grpc_port is set, but the extra is missing", "pip install 'csbond[grpc]'")


def _search(settings: Settings) -> Finding:
    """How memory is searched; whether an endpoint answers is the status's to say, for it would be told something."""
    if settings.memory.semantic == "off":
        return Finding("search", "ok", "by words only, as memory.semantic says")
    from csbond.node import chosen_embedder

    chosen = chosen_embedder(settings.memory)
    if chosen.embedder is None:
        return Finding("search", "warning", "by words only", chosen.reason)
    return Finding("search", "ok", f"by words and by meaning, with {chosen.embedder.model_id}")


def _installed(modules: tuple[str, ...]) -> bool:
    return all(find_spec(name) is not None for name in modules)
