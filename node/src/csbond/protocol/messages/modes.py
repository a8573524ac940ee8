"""Do the media types of a message fit the skill, and does the skill give what is accepted? (A2A v1.0.1 §3.1.1)"""

from __future__ import annotations

from collections.abc import Collection

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.incoming import IncomingMessage
from csbond.protocol.messages.part import Part, PartKind

_USUAL = {
    PartKind.TEXT: "text/plain",
    PartKind.DATA: "application/json",
    PartKind.FILE: "application/octet-stream",
    PartKind.URL: "application/octet-stream",
}


def check_modes(incoming: IncomingMessage, input_modes: Collection[str], output_modes: Collection[str]) -> None:
    """Nothing, when every part and one accepted output fit; `content_type_not_supported` otherwise."""
    for part in incoming.message.parts:
        if not _listed(_media_type(part), input_modes):
            raise _refused(f"parts of type {_media_type(part)} are not taken", input_modes, "message.parts")
    accepted = incoming.accepted_output_modes
    if accepted and not any(_listed(mode, accepted) for mode in output_modes):
        raise _refused("none of the accepted output types is given", output_modes, "configuration.acceptedOutputModes")


def _media_type(part: Part) -> str:
    return (part.media_type or _USUAL[part.kind]).partition(";")[0].strip().lower()


def _listed(media_type: str, modes: Collection[str]) -> bool:
    return any(mode in (media_type, "*/*", media_type.partition("/")[0] + "/*") for mode in modes)


def _refused(reason: str, modes: Collection[str], field: str) -> RemoteProtocolError:
    return RemoteProtocolError(
        "content_type_not_supported",
        f"incompatible content type: {reason}",
        next_step="known are: " + ", ".join(modes),
        field=field,
    )
