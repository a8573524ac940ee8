"""One of everything in the JSON of A2A v1.0, with every field filled, and strategies for messages of any content."""

from __future__ import annotations

import base64
from typing import Any

from hypothesis import strategies as st

__all__ = [
    "ARTIFACT",
    "ARTIFACT_UPDATE",
    "MESSAGE",
    "PARTS",
    "STATUS",
    "STATUS_UPDATE",
    "TASK",
    "WEBHOOK",
    "artifacts",
    "json_objects",
    "json_values",
    "messages",
    "parts",
    "tasks",
    "words",
]

PARTS: dict[str, dict[str, Any]] = {
    "text": {"text": "你好, Luna 🌸"},
    "text with metadata": {"text": "", "metadata": {"lang": "zh"}},
    "data": {"data": {"n": 1, "list": [1.5, None, True, {"deep": "ü"}]}},
    "data that is no object": {"data": [1, "two"], "metadata": {"about": "a list"}},
    "data that is nothing": {"data": None},
    "file": {"raw": "aGVsbG8=", "mediaType": "text/plain", "filename": "hello.txt"},
    "file without a name": {"raw": ""},
    "url": {"url": "https://files.example/a b.pdf", "mediaType": "application/pdf", "filename": "a b.pdf"},
    "url with metadata": {"url": "https://files.example/x", "metadata": {"pages": 3}},
}
"""A part of each kind, plain and with what may stand beside its content."""

MESSAGE: dict[str, Any] = {
    "messageId": "m-1",
    "role": "ROLE_USER",
    "parts": list(PARTS.values()),
    "contextId": "c-1",
    "taskId": "t-1",
    "extensions": ["https://ext.example/a/v1"],
    "metadata": {"https://ext.example/a/v1": {"k": 1}},
}

ARTIFACT: dict[str, Any] = {
    "artifactId": "answer",
    "parts": [PARTS["text"], PARTS["file"]],
    "name": "Answer",
    "description": "What was asked for.",
    "metadata": {"score": 0.5},
    "extensions": ["https://ext.example/a/v1"],
}

STATUS: dict[str, Any] = {
    "state": "TASK_STATE_INPUT_REQUIRED",
    "timestamp": "2026-05-10T08:30:00.250Z",
    "message": {"messageId": "m-2", "role": "ROLE_AGENT", "parts": [{"text": "which one?"}], "contextId": "c-1"},
}

TASK: dict[str, Any] = {
    "id": "t-1",
    "contextId": "c-1",
    "status": STATUS,
    "artifacts": [ARTIFACT],
    "history": [MESSAGE],
    "metadata": {"k": "v"},
}

STATUS_UPDATE: dict[str, Any] = {"statusUpdate": {"taskId": "t-1", "contextId": "c-1", "status": STATUS}}

ARTIFACT_UPDATE: dict[str, Any] = {
    "artifactUpdate": {
        "taskId": "t-1",
        "contextId": "c-1",
        "artifact": ARTIFACT,
        "append": True,
        "lastChunk": True,
    }
}

WEBHOOK: dict[str, Any] = {
    "id": "w-1",
    "taskId": "t-1",
    "url": "https://hooks.example/a2a",
    "token": "seen-before",
    "authentication": {"scheme": "Bearer", "credentials": "secret"},
}

words = st.text(max_size=12)
names = st.text("abcdefghijklmnopqrstuvwxyz-0123456789", min_size=1, max_size=12)
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False, width=32)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(words, json_values, min_size=1, max_size=3)
_file_facts = st.fixed_dictionaries({}, optional={"mediaType": names, "filename": names})
_bytes = st.binary(max_size=24).map(lambda data: base64.b64encode(data).decode("ascii"))


def _with(content: st.SearchStrategy[dict[str, Any]], facts: st.SearchStrategy[Any]) -> Any:
    metadata = st.fixed_dictionaries({}, optional={"metadata": json_objects})
    return st.builds(lambda *pieces: {k: v for piece in pieces for k, v in piece.items()}, content, facts, metadata)


parts = st.one_of(
    _with(st.fixed_dictionaries({"text": words}), st.just({})),
    _with(st.fixed_dictionaries({"data": json_values}), st.just({})),
    _with(st.fixed_dictionaries({"raw": _bytes}), _file_facts),
    _with(st.fixed_dictionaries({"url": words}), _file_facts),
)
"""Parts of all four kinds; a media type and a name stand beside files, as v0.3 knows them."""

messages = st.fixed_dictionaries(
    {
        "messageId": names,
        "role": st.sampled_from(["ROLE_USER", "ROLE_AGENT"]),
        "parts": st.lists(parts, min_size=1, max_size=4),
    },
    optional={
        "contextId": names,
        "taskId": names,
        "metadata": json_objects,
        "extensions": st.lists(names, min_size=1, max_size=2),
    },
)

artifacts = st.fixed_dictionaries(
    {"artifactId": names, "parts": st.lists(parts, min_size=1, max_size=3)},
    optional={"name": names, "description": names, "metadata": json_objects},
)

_STATES = ("SUBMITTED", "WORKING", "INPUT_REQUIRED", "AUTH_REQUIRED", "COMPLETED", "FAILED", "CANCELED", "REJECTED")

tasks = st.fixed_dictionaries(
    {
        "id": names,
        "contextId": names,
        "status": st.fixed_dictionaries(
            {
                "state": st.sampled_from(_STATES).map(lambda name: f"TASK_STATE_{name}"),
                "timestamp": st.just("2026-05-10T08:30:00.250Z"),
            },
            optional={"message": messages},
        ),
    },
    optional={
        "artifacts": st.lists(artifacts, min_size=1, max_size=2),
        "history": st.lists(messages, min_size=1, max_size=2),
        "metadata": json_objects,
    },
)
