"""What `init` makes, repairs or replaces in a memory directory (§§3, 12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memory_custodian.rules.agent_plans import plan_agent_files
from memory_custodian.rules.changelog import logged
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.file_changes import budget_results
from memory_custodian.rules.manifest import (
    Manifest,
    migration_notice,
    project_id_of,
    protocol_state,
    protocol_version_of,
    read_manifest,
    require_current,
    require_writable,
)
from memory_custodian.rules.manifest_edit import (
    INDEX_SECTIONS,
    with_implementation_decisions,
    with_index,
    with_metadata,
    with_module,
    with_trust,
)
from memory_custodian.rules.plan import Argument, FileChange, Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import CORE_FILES, MANIFEST, PROTOCOL_VERSION
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.templates import EXTENDED_FILES, core_template, metadata_values, module_template
from memory_custodian.rules.value import Value

__all__ = ["InitRequest", "init_arguments", "plan_init", "repaired_manifest"]

_WRITTEN: Final = "written"


class InitRequest(Value):
    """What `init` was asked for."""

    version: str
    """Of the program: what the metadata name."""
    extended: bool = False
    agents: tuple[str, ...] = ()
    """Files of the project, as AGENTS.md."""
    repair: bool = False
    replace: bool = False
    force_agent: bool = False


class _File(Value):
    file: str
    state: str
    change: FileChange | None


def init_arguments(request: InitRequest, memory_dir: str) -> dict[str, Argument]:
    """Return what a pending preview of --replace-existing is found by."""
    return {
        "memory_dir": memory_dir,
        "extended": request.extended,
        "agents": request.agents,
        "force_agent": request.force_agent,
        "repair": request.repair,
        "replace_existing": request.replace,
    }


def plan_init(snapshot: Snapshot, request: InitRequest, draws: Draws, directory: str) -> Plan:
    """Return the plan of `init`; `directory` is the memory directory as it is told to a person.

    Plain: what is missing is made, what is there is kept. Repair: also mends metadata, trust boundary and index of the
    manifest, and never changes a project_id. Replace: every managed file becomes its template again; it demands a
    project of this protocol with a valid project_id, and keeps that. Agent files are touched only where named.
    """
    manifest = _manifest(snapshot, request)
    project_id = (project_id_of(manifest) if manifest else None) or draws.project_id()
    files = [_planned(file, snapshot, request, draws, project_id) for file in _wanted(request, manifest)]
    agents = plan_agent_files(snapshot, request.agents, forced=request.force_agent or request.repair)
    shown = [(file.file, file.state) for file in files] + [(agent.file, agent.state) for agent in agents]
    notice = migration_notice(manifest, snapshot.command("migrate")) if manifest else ()
    changes = [file.change for file in files if file.change]
    blocks = [agent.change for agent in agents if agent.change]
    written = {file.file for file in files if file.state == _WRITTEN}
    return Plan(
        command="init",
        arguments=init_arguments(request, snapshot.memory_dir),
        changes=(*changes, *blocks),
        project_id=project_id,
        protocol_version=protocol_version_of(manifest) if manifest else PROTOCOL_VERSION,
        headline=(
            _title(request, directory),
            *(f"- {file}: {state}" for file, state in shown),
            *notice,
            *_next(written),
        ),
        warnings=_warnings(request, files),
        budgets=budget_results(snapshot, changes),
    )


def repaired_manifest(text: str, snapshot: Snapshot, values: Mapping[str, str]) -> str:
    """Return a manifest with these metadata, the trust boundary, a whole index, and the modules that exist in it.

    The generated implementation route of 0.4 gets decisions.md; every other route stays as it is.
    """
    text = with_implementation_decisions(with_trust(with_metadata(text, values)))
    for file in reversed([file for file in snapshot.texts if file.partition("/")[0] in INDEX_SECTIONS]):
        text = with_module(text, file)
    return with_index(text)


def _manifest(snapshot: Snapshot, request: InitRequest) -> Manifest | None:
    """Return the manifest that is there, if it allows what is asked."""
    if MANIFEST not in snapshot.texts:
        if request.replace:
            snapshot.require(MANIFEST)
        return None
    manifest = read_manifest(snapshot.texts[MANIFEST])
    require_writable(manifest)
    if request.replace:
        require_current(manifest)
    if request.repair and protocol_state(manifest) != "current":
        version = protocol_version_of(manifest) or "missing"
        raise Refused(
            f"manifest.md: protocol_version is {version}; --repair accepts {PROTOCOL_VERSION}, "
            "so run memory-custodian migrate first"
        )
    return manifest


def _wanted(request: InitRequest, manifest: Manifest | None) -> tuple[str, ...]:
    """Return the files to look at. The registry belongs to this protocol: an older project gets it by migration."""
    core: tuple[str, ...] = CORE_FILES
    if manifest and protocol_state(manifest) != "current":
        core = tuple(file for file in core if file != "subjects.md")
    return (*core, *EXTENDED_FILES) if request.extended else core


def _planned(file: str, snapshot: Snapshot, request: InitRequest, draws: Draws, project_id: str) -> _File:
    before = snapshot.texts.get(file)
    template = _template(file, snapshot, request, draws, project_id)
    if before is None:
        return _File(file, _WRITTEN, _change(file, snapshot, template, "made from its template"))
    if request.replace:
        if before == template:
            return _File(file, "kept (already current)", None)
        return _File(file, "replace planned", _change(file, snapshot, template, "replaced by its template"))
    if request.repair and file == MANIFEST:
        known = {**metadata_values(request.version, project_id), "initialized_with": "unknown"}
        values = {**known, **dict(read_manifest(before).metadata)}
        after = repaired_manifest(before, snapshot, values)
        if after != before:
            return _File(
                file, "repaired", _change(file, snapshot, after, "metadata, trust boundary and index repaired")
            )
    return _File(file, "kept", None)


def _template(file: str, snapshot: Snapshot, request: InitRequest, draws: Draws, project_id: str) -> str:
    if file == MANIFEST:
        text = core_template(file, version=request.version, project_id=project_id)
        return repaired_manifest(text, snapshot, {})
    if file == "changelog.md":
        return logged(module_template(file), draws.today, "Initialized project memory.")
    return module_template(file)


def _change(file: str, snapshot: Snapshot, after: str, summary: str) -> FileChange:
    before = snapshot.texts.get(file)
    return FileChange(snapshot.module(file), before, after, summary, file in snapshot.crlf)


def _title(request: InitRequest, directory: str) -> str:
    if request.replace:
        return "MemoryCustodian replacement plan"
    return f"{'Repaired' if request.repair else 'Initialized'} MemoryCustodian at {directory}"


def _next(written: set[str]) -> tuple[str, ...]:
    if "brief.md" not in written:
        return ()
    return ("Next: replace the TODO lines of brief.md by what the project really is.",)


def _warnings(request: InitRequest, files: list[_File]) -> tuple[str, ...]:
    curated = [file.file for file in files if file.state == "replace planned"]
    if not request.replace or not curated:
        return ()
    return (f"these files contain non-template content, which is lost: {', '.join(curated)}",)
