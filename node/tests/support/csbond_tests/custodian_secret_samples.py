"""Texts that each row of the scanner for secrets must find, and near misses that it must not.

Key-like texts are joined from halves, so that the repository itself holds none. Everything here is invented.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DASHES", "LETTERS", "SECRET_SAMPLES", "Sample"]

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


SECRET_SAMPLES = (
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
        "gitlab-token",
        "ERROR",
        (
            ("Use gl" + "pat-" + LETTERS + " here", LETTERS),
            ("gl" + "pat-q7Zk2mX9vB4tR8wL_1-n" + ".01.0w1a2b3c4", "0w1a2b3c4"),
            ("gl" + "rt-" + LETTERS, LETTERS),
        ),
        ("gl" + "pat-short", "gl" + "pat-tokens-are-drawn-anew-each-month", "gl" + "pat-" + "x" * 20, "a glpat- token"),
    ),
    Sample(
        "security",
        "npm-token",
        "ERROR",
        (("//registry.npmjs.org/:_authToken=npm" + "_" + LETTERS + "q7Zk2mX9vB4t", LETTERS),),
        (
            "npm_config_registry",
            "npm_package_version and npm_lifecycle_event",
            "npm" + "_" + LETTERS,
            "npm" + "_" + "x" * 36,
        ),
    ),
    Sample(
        "security",
        "slack-token",
        "ERROR",
        (
            ("xox" + "b-210987654321-2109876543210-" + LETTERS, LETTERS),
            ("SLACK is xox" + "p-" + LETTERS + ".", LETTERS),
            ("xapp" + "-1-A0B1C2D3E4F-2109876543210-" + LETTERS, LETTERS),
        ),
        ("xox" + "b-short", "xox" + "b-your-token-of-the-lantern-bot", "xox" + "b-" + "x" * 24, "the xoxb- form"),
    ),
    Sample(
        "security",
        "google-key",
        "ERROR",
        (("maps?key=AI" + "za" + LETTERS + "q7Zk2mX9vB4", LETTERS),),
        ("AI" + "za" + LETTERS, "AI" + "za" + "x" * 35, "AI" + "za" + LETTERS * 2, "aiza" + LETTERS + "q7Zk2mX9vB4"),
    ),
    Sample(
        "security",
        "basic-login",
        "ERROR",
        (
            ("Authorization: Basic " + "bGFudGVybjpodW50ZXI3Nw==", "bGFudGVybjpodW50ZXI3Nw"),
            ("curl -H 'authorization: basic " + "bWlyYWJlbDp0MHA='", "bWlyYWJlbDp0MHA"),
        ),
        (
            "Authorization: Basic <login>",
            "Authorization: Basic ${LOGIN}",
            "Authorization: Basic authentication",
            "Authorization: Basic " + "dXNlcjpwYXNzd29yZA==",
            "Authorization: Basic " + "bGFudGVybg==",
            "Basic maps are drawn first",
        ),
    ),
    Sample(
        "security",
        "json-web-token",
        "ERROR",
        (
            ("sent as ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJsYW50ZXJuIn0." + LETTERS, LETTERS),
            ("`ey" + "JhbGciOiJkaXIifQ." + LETTERS + "." + LETTERS + ".q7Zk.2mX9`", "2mX9"),
        ),
        (
            "ey" + "JhbGciOiJIUzI1NiJ9",
            "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJsYW50ZXJuIn0",
            "eyJ.eyJ.x",
            "header.payload.signature",
            "a token of three parts, eyJ first",
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
            ('DB_PASS="' + 'correct horse"', "correct horse"),
            ("export SMTP_PASS=" + "'hunter'", "hunter"),
            ("DB_PWD=" + "hunter77", "hunter77"),
            ("SSH_PASSPHRASE = " + "hunter77", "hunter77"),
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
            'DB_PASS="${DB_PASS}"',
            'DB_PASS="<password>"',
            "DB_PASS=changeme",
            "DB_PASS=",
            "DB_PASS == other",
            "RENDER_PASS=first",
            'RENDER_PASS="depth"',
            "RENDER_PASS=2",
            "BYPASS=hunter77",
            "COMPASS=north77",
            "PASS_RATE=90.5%",
            "INIT_PWD=/srv/maps",
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
            ("pwd=" + "hunter77", "hunter77"),
            ("Server=db;Uid=maps;Pwd=" + "hunter77;", "hunter77"),
            ('pwd = "' + 'hunter 77"', "hunter 77"),
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
            "pwd=$(pwd)",
            "pwd=`pwd`",
            "PWD=/srv/lantern-maps-2",
            "PWD=C:\\maps2\\tiles",
            "OLDPWD=hunter77",
            "pwd=os.getcwd()",
            "pwd=<password>",
            "pwd=here",
            "pwd = 2 * width",
            "pwd prints where you are",
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
)
