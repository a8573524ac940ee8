"""Texts that each row of the scanners must find, and near misses that it must not.

Key-like texts are joined from halves, so that the repository itself holds none. Everything here is invented.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DASHES", "HARMLESS", "LETTERS", "SAMPLES", "Sample", "sample"]

LETTERS = "q7Zk2mX9vB4tR8wL1nJ6pC3s"
DASHES = "-" * 5
_AWS_SECRET = "q7Zk2mX9vB/4tR8wL1nJ6" + "pC3sQ7ZK2MX9VB4+R8W"


class Sample(NamedTuple):
    """One kind of finding: texts with the part that must never be shown, and texts without a finding of the kind."""

    category: str
    kind: str
    severity: str
    hits: tuple[tuple[str, str], ...]
    misses: tuple[str, ...]


SAMPLES = (
    Sample(
        "security",
        "private-key",
        "ERROR",
        (
            (f"{DASHES}BEGIN PRIVATE KEY{DASHES}", "BEGIN PRIVATE"),
            (f"{DASHES}BEGIN RSA PRIVATE KEY{DASHES} {LETTERS}", LETTERS),
            (f"> {DASHES}BEGIN OPENSSH PRIVATE KEY{DASHES}", "OPENSSH"),
            (f"{DASHES}BEGIN ENCRYPTED PRIVATE KEY{DASHES}", "ENCRYPTED"),
            (f"{DASHES}BEGIN PGP PRIVATE KEY BLOCK{DASHES}", "PGP"),
        ),
        (
            f"{DASHES}BEGIN PUBLIC KEY{DASHES}",
            f"{DASHES}BEGIN CERTIFICATE{DASHES}",
            "The private key stays in the vault.",
            f"{DASHES}BEGIN private key{DASHES}",
        ),
    ),
    Sample(
        "security",
        "github-token",
        "ERROR",
        (
            *((f"Use {prefix}_{LETTERS} here", LETTERS) for prefix in ("ghp", "gho", "ghu", "ghs", "ghr")),
            (f"github_pat_11{LETTERS}_{LETTERS}", LETTERS),
        ),
        ("ghp_short", "gh" + "x_" + LETTERS, "a ghp_ token", "github_pat_" + "x" * 12),
    ),
    Sample(
        "security",
        "aws-access-key",
        "ERROR",
        (("AKIA" + "Q7ZK2MX9VB4TR8WL", "Q7ZK2MX9VB4TR8WL"), ("id ASIA" + "Q7ZK2MX9VB4TR8WL.", "Q7ZK2MX9VB4TR8WL")),
        ("AKIA" + "Q7ZK2MX9", "ABCD" + "Q7ZK2MX9VB4TR8WL", "AKIA" + "Q7ZK2MX9VB4TR8WL" + "ABCD"),
    ),
    Sample(
        "security",
        "aws-secret-key",
        "ERROR",
        (
            ("aws_secret_access_key = " + _AWS_SECRET, _AWS_SECRET),
            ("AWS_SECRET_ACCESS_KEY=" + _AWS_SECRET, _AWS_SECRET),
            ('"aws_secret_key": "' + _AWS_SECRET + '",', _AWS_SECRET),
        ),
        (
            "aws_secret_access_key = <secret>",
            "aws_secret_access_key = " + "x" * 40,
            "aws_secret_access_key = " + _AWS_SECRET[1:],
            "sha1 = " + _AWS_SECRET,
        ),
    ),
    Sample(
        "security",
        "anthropic-key",
        "ERROR",
        (("sk-" + "ant-api03-" + LETTERS, LETTERS), ("key: sk-" + "ant-" + LETTERS + "_x", LETTERS)),
        ("sk-" + "ant-short", "sk-" + "ant-colony-optimisation-notes"),
    ),
    Sample(
        "security",
        "openai-key",
        "ERROR",
        (
            ("sk-" + LETTERS, LETTERS),
            ("sk-" + "proj-" + LETTERS + "-" + LETTERS, LETTERS),
            ("sk-" + "a" * 20 + "b" * 20, "a" * 20),
        ),
        (
            "sk-learn",
            "sk-learn-pipelines-and-their-friends",
            "the task-" + LETTERS,
            "sk-" + "short1",
        ),
    ),
    Sample(
        "security",
        "bearer-token",
        "ERROR",
        (
            ("Authorization: Bearer " + LETTERS, LETTERS),
            ("authorization: bearer eyJ9." + LETTERS + ".x9==", LETTERS),
            ("Bearer " + "abcdefghijklmnop", "abcdefghijklmnop"),
            ("authorization: bearer " + "abcdefghijklmnop", "abcdefghijklmnop"),
        ),
        (
            "Bearer " + "abcdefghijklmno",
            "Bearer authentication-middleware",
            "The bearer token expires.",
            "Bearer <token>",
            "Bearer ${TOKEN}",
            "bearer responsibilities",
        ),
    ),
    Sample(
        "security",
        "url-credentials",
        "ERROR",
        (
            ("postgres://lantern:" + "hunter77@db.internal/maps", "hunter77"),
            ("https://deploy:" + "t0psecret@git.internal/x.git", "t0psecret"),
            ("redis://:" + "hunter77@cache:6379", "hunter77"),
            ("https://admin:" + "password@db.internal", "password"),
            ("https://mirabel:" + "hunter77@papermaps.io/x", "hunter77"),
            (f"https://{LETTERS}@git.internal/x.git", LETTERS),
        ),
        (
            "https://maps.internal:8443/tiles",
            "ssh://git@git.internal/x.git",
            "https://maps.internal/a:b@c",
            "postgres://<user>:<password>@db/maps",
            "https://user:${PASSWORD}@db/maps",
            "scheme://user:pass@host",
            "https://username:password@db.internal",
            "https://mirabel@git.internal/x.git",
            "https://lantern-maps-organisation@git.internal/x.git",
        ),
    ),
    Sample(
        "security",
        "env-credential",
        "WARNING",
        (
            ("MAPS_API_TOKEN=" + "hunter77", "hunter77"),
            ("export DB_PASSWORD=" + '"correct horse"', "correct horse"),
            ("> SIGNING_SECRET = " + "hunter77", "hunter77"),
            ("`SECRET_KEY_BASE=" + "hunter77`", "hunter77"),
            ("MAPS_PRIMARY_KEY=" + "hunter77", "hunter77"),
            ("PRIMARY_KEY=" + LETTERS, LETTERS),
        ),
        (
            "LOG_LEVEL=debug",
            "MAX_TOKENS=120",
            "KEYBOARD_LAYOUT=us",
            "MAPS_API_TOKEN=<token>",
            "MAPS_API_TOKEN=${TOKEN}",
            "MAPS_API_TOKEN=",
            "PUBLIC_KEY == other",
            "TOKEN_LENGTH=32",
            "PRIMARY_KEY=id",
            "SORT_KEY = created_at",
            "TLS_KEY=/etc/lantern/tls.key",
        ),
    ),
    Sample(
        "security",
        "assigned-secret",
        "WARNING",
        (
            ("password=" + "hunter77", "hunter77"),
            ("secret = " + "hunter77", "hunter77"),
            ("api_key=" + "'hunter77'", "hunter77"),
            ("apikey=" + "hunter77", "hunter77"),
            ("api-key=" + "hunter77", "hunter77"),
            ("client_secret=" + "hunter77", "hunter77"),
            ("password: " + "hunter77", "hunter77"),
            ('"passwd": ' + '"hunter 77",', "hunter 77"),
            ("access_token=" + LETTERS, LETTERS),
            ("refresh_token: " + LETTERS, LETTERS),
            ('"signing_key": ' + f'"{LETTERS}",', LETTERS),
            ("map-tiles-token = " + "a1b2c3d4" + "e5f6g7h8", "e5f6g7h8"),
            ("accessToken=" + LETTERS, LETTERS),
            ("token=" + LETTERS + "!tail", "!tail"),
            ("token=" + "hunter77", "hunter77"),
            ("password：" + "hunter77", "hunter77"),
            ("密码：" + "hunter77。", "hunter77"),
            ("密钥 = " + "hunter77", "hunter77"),
            ("lantern_key=" + "3f2b8c1e-6a4d-4c55-" + "9b1a-0d7e5a2f9c34", "9b1a"),
        ),
        (
            "password=<password>",
            "password=changeme",
            "secret=***",
            "api_key=${API_KEY}",
            "api_key=xxx",
            "password: asked for at every start",
            "password: none",
            "secret == other",
            "api_key=[redacted]",
            "The secret of good maps is paper.",
            "access_token=<token>",
            "refresh_token=${REFRESH_TOKEN}",
            "access_token=hunter77",
            "token=next",
            "password：每次启动时询问",
            "password：asked for at every start",
            "密码：<password>",
            "密码：存放在 vault",
            "primary_key=customer_id_and_order_date",
            "cache_key: build-2024-linux-python311",
            "tls_key=/etc/lantern/tls2024/private-key.pem",
            "jwks_key: https://maps.internal/keys/q7Zk2mX9vB4tR8wL",
            "The access_token is drawn anew each hour.",
        ),
    ),
    Sample(
        "privacy",
        "machine-path",
        "WARNING",
        (
            ("See /Users/" + "mirabel/maps/x.py", "mirabel"),
            ("/home/" + "mirabel/maps", "mirabel"),
            ("mounted at /Volumes/" + "mirabel-disk", "mirabel"),
            ("ends with /Users/" + "mirabel", "mirabel"),
            ("C:" + "\\Users\\" + "mirabel\\maps", "mirabel"),
            ("d:" + "\\users\\" + "mirabel", "mirabel"),
            ("D:" + "/Users/" + "mirabel/maps", "mirabel"),
            ("C:" + "\\Users\\" + "Mirabel Ott\\maps", "Mirabel Ott"),
            ("runs in /root/" + "maps", "/root"),
            ("runs as /root", "/root"),
            ("file:///home/" + "mirabel/maps", "mirabel"),
            ("PATH=/usr/bin:/home/" + "mirabel/bin", "mirabel"),
            ("/Users/" + "张伟/maps", "张伟"),
            ("/mnt/c/Users/" + "mirabel/maps", "mirabel"),
            ("at /c/Users/" + "mirabel", "mirabel"),
        ),
        (
            "/home/<name>/maps",
            "/Users/you/maps",
            "/home/$USER/maps",
            "/home/*/maps",
            "/Users/.../maps",
            "https://maps.internal/home/tiles",
            "docs/home/tiles.md",
            "GET /v/users/42",
            "docs/c/Users/tiles.md",
            "./home/tiles.md",
            "/homes/tiles",
            "/rootless/tiles",
            "C:\\Windows\\System32",
            "C:\\Users\\<name>\\maps",
            "git@host:/home/git/maps.git",
        ),
    ),
    Sample(
        "privacy",
        "email",
        "WARNING",
        (
            ("Ask mirabel.ott@" + "papermaps.io.", "mirabel.ott"),
            ("<mirabel+maps@" + "mail.papermaps.co.uk>", "mirabel"),
        ),
        (
            "mirabel@example.com",
            "mirabel@mail.example.org",
            "mirabel@maps.test",
            "mirabel@maps.invalid",
            "git@git.internal.io:maps.git",
            "deploy@git.papermaps.io:maps.git",
            "uses @papermaps/ui and maps@1.2.3",
            "mirabel@localhost",
            "https://admin:" + "password@db.papermaps.io",
            "https://username:password@db.internal",
        ),
    ),
    Sample(
        "privacy",
        "phone",
        "WARNING",
        (
            ("+49 30 " + "9018 2077", "9018"),
            ("+1 (555) " + "010-7788", "010-7788"),
            ("(555) " + "010-7788", "010-7788"),
            ("555-" + "010-7788", "010-7788"),
            ("555." + "010.7788", "010.7788"),
            ("电话13800" + "138000", "138000"),
            ("138 0013 " + "8000", "0013"),
            ("phone: 030 " + "9018 77", "9018"),
            ("Tel. no. 0309" + "01877", "01877"),
            ("手机：021-" + "55667788", "55667788"),
        ),
        (
            "3f2b8c1e-6a4d-4c55-9b1a-0d7e5a2f9c34",
            "12345678-1234-4234-9234-123456789012",
            "3.10 3.11 3.12 3.13",
            "## 2026-07-28 - 10 retries",
            "500 800 400 400 300",
            "phone 2026-03-02 12:30",
            "built at +20260728120000",
            "MC-DEC-20260302-12345678",
            "commit 1380013e8000",
            "1690000000000 milliseconds",
            "10.0.138.101",
            "pixels 1920 1080 60",
            "telemetry 1234567",
            "the phone shows 3 maps",
        ),
    ),
    Sample(
        "privacy",
        "postal-address",
        "WARNING",
        (
            ("Office: 12 Lantern " + "Street", "12 Lantern"),
            ("7 Old Mill " + "Rd. in the woods", "Old Mill"),
            ("浙江省杭州市西湖区" + "灯笼路12号", "灯笼路12号"),
        ),
        (
            "Rule 5 Main Road",
            "the 5 Lantern Road map",
            "12 street lamps",
            "Version 3 of Road",
            "2026-03-02 Lantern Street",
            "第12号",
        ),
    ),
)

HARMLESS = (
    "The project supports clinics and never stores a diagnosis.",
    "Elections are drawn in grey, without party colours.",
    "Residence permits of helpers are no matter of this project.",
)
"""Delicate by meaning, without any pattern."""


def sample(kind: str) -> Sample:
    """The samples of one kind."""
    return next(row for row in SAMPLES if row.kind == kind)
