"""What of a text a model is given."""

from __future__ import annotations

TEXT_LIMIT = 2048
"""Code points of a text that are read: the content limit of an entry (MEM-001 §1.3)."""


def embeddable(text: str, limit: int = TEXT_LIMIT) -> str:
    """The text as any encoder takes it: no NUL, no half of a surrogate pair, not longer than is read."""
    text = text[:limit].replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
