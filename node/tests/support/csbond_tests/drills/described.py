"""What an OpenAPI document describes: calls drawn from it, good and bad, and whether an answer is one it declares."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from jsonschema import Draft202012Validator

__all__ = ["Answered", "Call", "Described", "Drawn", "Operation", "Pool"]

Json = dict[str, Any]
_DEEPEST = 6
_LINES = ("application/x-ndjson", "application/jsonl")
"""The media types of one document a line."""
_FAULTY = 0.02
"""How often a value is drawn without a look at its schema."""
_KEPT = 40
"""How many values seen under a name are known at a time."""
_LOST = 0.25
"""How often a name is followed by something nobody has seen under it."""
_WORDS = ("tea", "Luna likes green tea", "猫喜欢鱼", "fact", "v1", "urn:x:1", "a-b", "mem_0", "é", "true", "2026-01-01")
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**53, 2**63, -(2**63), 10**400, 1e308, -0.5, 0.1, [], {}, "", " ", "0"),
    *(
        "\x00",
        "a\x00b",
        "\ud800",
        "\u202e",
        "%",
        "*",
        '"',
        "'; --",
        "../../x",
        "NaN",
        "ſ",
        "x" * 5000,
        "\n",
        "\U0010ffff",
    ),
    *(
        [[[[]]]],
        {"": {"": {}}},
        ["tea", 1, None],
        {"id": 1},
        {"error": []},
        {"$ref": "#"},
        [{}],
        float("nan"),
        float("inf"),
    ),
)
_BROKEN = (
    b"",
    b"{",
    b"null",
    b"[]",
    b'"tea"',
    b"\xff\xfe",
    b"{}{}",
    b"[" * 3000,
    b'{"a":1,"a":2}',
    b'{"content":"\\ud800"}',
    b"nan",
)
_BODY_TYPES = (
    "text/plain",
    "application/xml",
    "",
    "application/json; charset=utf-16",
    "multipart/form-data",
    "x",
    "*/*",
)
_HEADERS = {
    "If-Match": ("*", '"1"', "1", 'W/"2"', '"x", "y"', "", '"999999999999999999999"', "\xe9"),
    "If-None-Match": ("*", '"1"'),
    "Idempotency-Key": ("k-1", "k-2", "", "x" * 300, "\xe9", "a b", '"k"'),
    "A2A-Version": ("1.0", "0.3", "9", "", "x" * 200),
    "A2A-Extensions": ("urn:x:1", ",,,", "x" * 5000),
    "Accept": ("text/event-stream", "application/xml", "", ";;q=x"),
    "Content-Encoding": ("gzip", "identity", "x"),
    "Range": ("bytes=0-1", "x=y"),
    "Last-Event-ID": ("1", "x"),
    "X-Forwarded-Proto": ("https", "gopher"),
    "X-Forwarded-Host": ("node.example", "a b", "["),
    "Origin": ("null", "https://page.example"),
    "Expect": ("x",),
}
_METHODS = ("HEAD", "OPTIONS", "TRACE", "PATCH", "PUT", "BREW")
_TOKENS = ("", "Bearer", "Bearer ", "Bearer x", "Basic Og==", "Bearer \xe9", "Bearer " + "x" * 4000)


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a path, and what is said of it."""

    method: str
    path: str
    said: Json


@dataclass(frozen=True, slots=True)
class Call:
    """One request, as it is sent."""

    operation: Operation
    method: str
    """Mostly the operation's own."""
    target: str
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back."""

    status: int
    media_type: str
    body: bytes


@dataclass
class Pool:
    """Values that answers held, by their names: with them a call finds something."""

    seen: dict[str, list[str]] = field(default_factory=dict)

    def learn(self, value: Any, rng: Random) -> None:
        """Keep the texts of an answer that have a name."""
        for name, text in _texts(value):
            known = self.seen.setdefault(name.lower().replace("_", ""), [])
            if text in known:
                continue
            if len(known) < _KEPT:
                known.append(text)
            else:
                known[rng.randrange(_KEPT)] = text

    def of(self, name: str) -> list[str]:
        """What is known under a name, or under one like it."""
        plain = name.lower().replace("_", "")
        return self.seen.get(plain) or self.seen.get("id" if plain.endswith("id") or plain == "config" else "", [])


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, "nextcursor" if key == "next_cursor" else key)
    elif isinstance(value, list):
        for inner in value[:20]:
            yield from _texts(inner, name)
    elif isinstance(value, str) and 0 < len(value) <= 300 and name:
        yield name, value


@dataclass
class Described:
    """A document: its operations, and what it declares of their answers."""

    document: Json
    _validators: dict[str, Draft202012Validator] = field(default_factory=dict)

    @cached_property
    def operations(self) -> list[Operation]:
        """All of them."""
        return [
            Operation(method.upper(), path, said)
            for path, methods in self.document["paths"].items()
            for method, said in methods.items()
        ]

    def resolved(self, schema: Json) -> Json:
        """The schema itself, where this is only its name."""
        while "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema

    def undeclared(self, operation: Operation, answer: Answered) -> str:
        """How an answer is none the document declares; empty when it is one."""
        responses = operation.said["responses"]
        declared = responses.get(str(answer.status)) or (responses.get("default") if answer.status >= 400 else None)
        if declared is None:
            return f"status {answer.status} is not declared"
        content = declared.get("content", {})
        if not content:
            return "" if not answer.body else f"a body of {answer.media_type or 'no type'} is not declared"
        if answer.media_type not in content:
            return f"{answer.media_type or 'no media type'} is not declared, but {', '.join(content)}"
        return self._unlike(content[answer.media_type]["schema"], answer) if "json" in answer.media_type else ""

    def _unlike(self, schema: Json, answer: Answered) -> str:
        lines = answer.body.splitlines() if answer.media_type in _LINES else [answer.body]
        for line in lines:
            try:
                value = json.loads(line)
            except ValueError as fault:
                return f"the body is no JSON: {fault}"
            if unlike := self._first_fault(schema, value):
                return unlike
        return ""

    def _first_fault(self, schema: Json, value: Any) -> str:
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            whole = {**schema, "components": self.document["components"]}
            self._validators[key] = Draft202012Validator(whole)
        first = next(iter(self._validators[key].iter_errors(value)), None)
        return f"{first.json_path}: {first.message[:300]}" if first else ""


@dataclass
class Drawn:
    """Calls drawn from a document: the same for the same seed and the same answers."""

    described: Described
    rng: Random
    pool: Pool
    tokens: tuple[str, ...]
    """Whose calls they are; the empty one is nobody's."""
    bodies: dict[str, list[bytes]] = field(default_factory=dict)
    """Good bodies that no schema leads to, by path."""

    def call(self, operation: Operation) -> Call:
        """One call; more or less as the document has it."""
        rng, path, query = self.rng, operation.path, []
        body, headers = self._body(operation)
        for told in operation.said.get("parameters", []):
            name = told["name"]
            if told["in"] == "path":
                path = path.replace(f"{{{name}}}", quote(self._inserted(operation, name), safe=""))
            elif rng.random() < (0.97 if told.get("required") else 0.3):
                text = self._in_query(told)
                if told["in"] == "query":
                    query.append((name, text))
                elif text.isascii() and text.isprintable():
                    headers[name] = text
        if query and rng.random() < 0.05:
            query.append(rng.choice([query[0], ("nonsense", "1"), ("", "")]))
        target = path + ("?" + urlencode(query, errors="surrogatepass") if query else "")
        method = rng.choice(_METHODS) if rng.random() < 0.01 else operation.method
        return Call(operation, method, target, {**headers, **self._headers()}, body)

    def _inserted(self, operation: Operation, name: str) -> str:
        known = self.pool.of(name)
        if known and self.rng.random() > _LOST:
            return self.rng.choice(known)
        return self._odd_text().replace("/", "~").strip(".") or "x"  # another segment would be another route

    def _in_query(self, told: Json) -> str:
        value = self.value(told.get("schema", {}), told["name"])
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, list):
            return ",".join(map(str, value))
        return value if isinstance(value, str) else json.dumps(value)

    def _odd_text(self) -> str:
        odd = self.rng.choice([*_WORDS, *(each for each in _ODD if isinstance(each, str) and each)])
        return odd.replace("\ud800", "\ufffd")

    def _headers(self) -> dict[str, str]:
        rng, headers = self.rng, {}
        token = rng.choice(self.tokens)
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if rng.random() < 0.03:
            headers["Authorization"] = rng.choice(_TOKENS)
        if rng.random() < 0.2:
            name = rng.choice(list(_HEADERS))
            headers[name] = rng.choice(_HEADERS[name])
        return headers

    def _body(self, operation: Operation) -> tuple[bytes | None, dict[str, str]]:
        rng, content = self.rng, operation.said.get("requestBody", {}).get("content", {})
        if not content and rng.random() > 0.03:
            return None, {}
        media_type = rng.choice(list(content) or ["application/json"])
        known = self.bodies.get(operation.path)
        if known and rng.random() < 0.6:
            body = self._spoiled(rng.choice(known))
        else:
            body = self._encoded(self.value(content.get(media_type, {}).get("schema", {}), ""))
        if rng.random() < 0.06:
            body = rng.choice([*_BROKEN, body[: len(body) // 2]])
        if rng.random() < 0.04:
            media_type = rng.choice(_BODY_TYPES)
        return body, {"Content-Type": media_type}

    def _spoiled(self, body: bytes) -> bytes:
        """A good body, now and then with another byte in it."""
        at = self.rng.randrange(len(body))
        return (
            body[:at] + self.rng.choice([b"0", b'"', b"]", b"x"]) + body[at + 1 :] if self.rng.random() < 0.3 else body
        )

    def _encoded(self, value: Any) -> bytes:
        if self.rng.random() < 0.5:
            try:
                return json.dumps(value, ensure_ascii=False).encode()
            except UnicodeEncodeError:
                pass  # half a character can be sent only as an escape
        return json.dumps(value).encode()

    def value(self, schema: Json, name: str, depth: int = 0) -> Any:
        """A value like its schema, mostly."""
        rng, schema = self.rng, self.described.resolved(schema)
        if rng.random() < _FAULTY or depth > _DEEPEST:
            return rng.choice(_ODD)
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self.value(rng.choice(schema[several]), name, depth)
        if "allOf" in schema:
            return {key: inner for each in schema["allOf"] for key, inner in self.value(each, name, depth).items()}
        if "enum" in schema:
            return rng.choice(schema["enum"])
        kind = schema.get("type", "object" if "properties" in schema else rng.choice(["string", "integer", "object"]))
        kind = rng.choice(kind) if isinstance(kind, list) else kind
        return self._of_kind(kind, schema, name, depth)

    def _of_kind(self, kind: str, schema: Json, name: str, depth: int) -> Any:
        rng = self.rng
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            length = rng.choice([max(schema.get("minItems", 0), 1)] * 4 + [0, 3])
            return [self.value(schema.get("items", {}), name, depth + 1) for _ in range(length)]
        if kind in ("integer", "number"):
            return self._number(kind, schema)
        if kind == "boolean":
            return rng.random() < 0.5
        return None if kind == "null" else self._text(schema, name)

    def _object(self, schema: Json, depth: int) -> Json:
        rng, drawn = self.rng, {}
        needed = schema.get("required", ())
        for key, inner in schema.get("properties", {}).items():
            if rng.random() < (0.97 if key in needed else 0.25):
                drawn[key] = self.value(inner, key, depth + 1)
        if "content" in drawn and rng.random() < 0.8:
            drawn.pop("id", None)  # what is written under a known id is there already
        if rng.random() < 0.08:
            drawn[rng.choice(["nonsense", "", "__proto__", "id", "\x00", "é"])] = rng.choice(_ODD)
        return drawn

    def _number(self, kind: str, schema: Json) -> float:
        rng = self.rng
        least, most = schema.get("minimum", 0), schema.get("maximum", 1000)
        edges = [
            least,
            most,
            least + 1,
            least - 1,
            most + 1,
            (least + most) / 2,
            rng.uniform(least, min(most, least + 50)),
        ]
        drawn = rng.choice(edges)
        return int(drawn) if kind == "integer" else drawn

    def _text(self, schema: Json, name: str) -> str:
        rng, known = self.rng, self.pool.of(name)
        if known and rng.random() > _LOST:
            return rng.choice(known)
        longest: int | None = schema.get("maxLength")
        if longest and longest < 10_000 and rng.random() < 0.1:
            return "x" * (longest + rng.choice([0, 1]))
        return f"{rng.choice(_WORDS)} {rng.randrange(300)}" if name in ("content", "text") else rng.choice(_WORDS)
