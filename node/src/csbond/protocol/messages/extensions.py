"""The CSB blocks as A2A extensions: where they live in `message.metadata`, and their literal seed places."""

from __future__ import annotations

_BASE = "https://csb-protocol.org/ext/"

SESSION_CONTEXT = _BASE + "session-context/v1"
"""`session_context` of CSB v1.0 §1.2.2."""
SENDER = _BASE + "sender/v1"
"""Who says they are speaking: {name, did?}. A claim, never a proof."""
AUTHORITY = _BASE + "authority/v1"
"""`authority` of CSB v0.8 DEL-002; carried along, not yet acted on."""
FEDERATION_MESSAGE = _BASE + "federation-message/v1"
"""`federation_message` of CSB v1.0 §3.2.3; carried along, not yet acted on."""
MEMORY = _BASE + "memory/v1"
"""{remember: false}: the sender says this need not be remembered, such as an answer quoted from memory."""
CONTEXT_SUMMARY = "context_summary"
"""The metadata key A2A-004 names for the summary of what lies beyond the window."""

LITERAL_PLACES: dict[str, str] = {
    "session_context": SESSION_CONTEXT,
    "authority": AUTHORITY,
    "federation_message": FEDERATION_MESSAGE,
}
"""`params.<name>` of the drafts → the extension URI it is moved to at the edge."""
