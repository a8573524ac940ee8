"""Every setting of `csb.toml`, a frozen dataclass a section.

The sentence under a field is its documentation: `csb init` writes it into `csb.toml`, and
`docs/reference/settings.md` is made from it. Bounds of numbers are in the annotation; a number
without bounds must be greater than zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from csbond.config.memory_settings import DuplicateSettings, ForgettingSettings, MemorySettings, TierSettings
from csbond.config.setting_kinds import Bounds, FilePath, Port
from csbond.flows.limits import Limits


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """Where the node listens and how it is reached."""

    host: str = "127.0.0.1"
    """Address to listen on. Anything but a loopback address needs [tls] or a declared proxy in front."""
    port: Port = 3100
    """TCP port to listen on; 0 takes a free one and says which."""
    base_url: str = ""
    """Address others reach this node at, as the card names it, e.g. "https://agent.example"; empty: host and port."""
    trusted_proxies: tuple[str, ...] = ()
    """IP addresses or networks of proxies that end TLS here; only their X-Forwarded-* headers are believed."""
    description: str = ""
    """One sentence on what this agent is for, shown in its card."""
    database: str = ""
    """Where the ledger is: "sqlite:///file" (relative: in the home) or "sqlite:////file" (absolute); empty: csb.db."""


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """The node's own certificate; read again on SIGHUP."""

    cert: FilePath = ""
    """File of the certificate chain in PEM; needs key."""
    key: FilePath = ""
    """File of the certificate's private key in PEM; needs cert."""
    client_ca: FilePath = ""
    """File of the CA certificates in PEM that clients must show a certificate of; empty: clients show none."""
    trust_ca: FilePath = ""
    """File of CA certificates in PEM that outgoing calls trust beside the system's."""


@dataclass(frozen=True, slots=True)
class A2aSettings:
    """How strictly A2A is spoken."""

    lenient_version: bool = False
    """Take a request without an A2A-Version header but with a v1.0 method name as v1.0, for sloppy clients."""
    merged_card: bool = True
    """Add the fields of v0.3 to the agent card, without which v0.3 clients find no address in it."""
    extended_card: bool = True
    """Offer the owner an extended agent card; without it the operation is answered as not supported."""
    validate_modes: bool = False
    """Refuse parts whose media type the card does not list, and answers the client does not accept."""
    tracing: bool = False
    """Make OpenTelemetry spans in the A2A library; they halve the throughput."""
    anonymous_lists: Literal["context", "all"] = "context"
    """What ListTasks shows a caller without a token: the tasks of a contextId it names, or "all" anonymous ones."""
    grpc_port: Port = 0
    """TCP port of the gRPC binding (extra `grpc`); 0 turns it off."""
    required_extensions: tuple[str, ...] = ()
    """URIs of extensions a client must declare before it is answered."""


@dataclass(frozen=True, slots=True)
class NodeLimits(Limits):
    """What one caller may cost: the limits of the stories, and those of the wire."""

    body_bytes: int = 16 * 1024 * 1024
    """Bytes of one request body: file_bytes in base64 and what goes round it."""
    max_json_depth: Annotated[int, Bounds(8, 100)] = 64
    """Objects and lists inside each other in one request; protobuf itself ends at 100."""
    json_values: int = 50_000
    """Values in one request, lists and objects counted: a table of some thousand rows. Larger data is a file."""
    message_parts: int = 1000
    """Parts of one message, or entries of another of its lists: more than anybody writes, few enough to keep singly."""
    header_timeout_s: float = 10.0
    """Seconds until the head of a request must be complete, so that slow clients hold no connection."""
    body_timeout_s: float = 30.0
    """Seconds until the body of a request must be complete."""
    stream_ping_s: float = 15.0
    """Seconds of silence after which a stream gets a comment line, so that proxies keep it open."""
    stream_write_timeout_s: float = 60.0
    """Seconds a stream's reader may take nothing before it is let go; the task goes on, and it can subscribe again."""
    drain_s: float = 20.0
    """Seconds that running work gets to end after SIGTERM before it is stopped."""


@dataclass(frozen=True, slots=True)
class PushSettings:
    """Notifications to webhooks."""

    enabled: bool = True
    """Take and deliver push notification settings; the card says whether."""
    allow_hosts: tuple[str, ...] = ()
    """Names, addresses or networks that may be called although they are private; all other private ones are refused."""


@dataclass(frozen=True, slots=True)
class LogSettings:
    """What the node says on standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least important records that are written."""
    format: Literal["text", "json"] = "text"
    """Lines for a person, or one JSON object a line."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All sections."""

    node: NodeSettings = field(default_factory=NodeSettings)
    tls: TlsSettings = field(default_factory=TlsSettings)
    a2a: A2aSettings = field(default_factory=A2aSettings)
    limits: NodeLimits = field(default_factory=NodeLimits)
    memory: MemorySettings = field(default_factory=MemorySettings)
    duplicates: DuplicateSettings = field(default_factory=DuplicateSettings)
    tiers: TierSettings = field(default_factory=TierSettings)
    forgetting: ForgettingSettings = field(default_factory=ForgettingSettings)
    push: PushSettings = field(default_factory=PushSettings)
    skill: Mapping[str, Any] = field(default_factory=dict)
    """What answers messages; the kind of skill decides which keys there are. Empty: the built-in skill."""
    log: LogSettings = field(default_factory=LogSettings)
