"""Which forms look like a secret (§10.1). The named group `secret`, where there is one, is what must not be shown."""

from __future__ import annotations

import re
from typing import Final

from memory_custodian.rules.scan_pattern import Pattern

__all__ = ["PRIVATE_KEY", "SECURITY_PATTERNS", "is_placeholder"]

PRIVATE_KEY: Final = "private-key"
"""The kind whose following lines are secret too."""

_PLACEHOLDER: Final = (
    r"<.*>?|\[.*\]?|\{.*\}?|%.*%|\$[\w{(].*|\*+|x{3,}|\.{2,}|…|-+|_+|changeme|change-me|example|placeholder|null|none|nil|"
    r"your[-_ ]?\w*|true|false|required|optional|(?:~|\.{0,2})(?:/[\w.-]+){2,}|"
    r"(?:os|process|env|settings|config|secrets)[.\[(].*|getenv\(.*"
)
_NAMES_OF_A_PASSWORD: Final = frozenset({"pass", "password", "passwd", "pwd", "secret", "token"})
_VALUE: Final = r"""(?P<secret>"[^"]*"?|'[^']*'?|\S+)"""
_EQUALS: Final = r"\s*(?<![=!<>])=(?![=>])\s*"
_COLON: Final = r"""\s*:\s*(?=\S+$|["'][^"']*["'],?$)"""


def is_placeholder(value: str) -> bool:
    """Whether a value stands for one, as `<token>`, `${TOKEN}` or `changeme`, or is no value at all."""
    bare = value.strip("\"'`.,;:)( ")
    return not bare or re.fullmatch(_PLACEHOLDER, bare, re.IGNORECASE) is not None


def _has_value(match: re.Match[str]) -> bool:
    return not is_placeholder(match["secret"])


def _is_credential(match: re.Match[str]) -> bool:
    """A short number is a setting, as a length in tokens."""
    return _has_value(match) and not re.fullmatch(r"[0-9]{1,4}", match["secret"])


def _has_password(match: re.Match[str]) -> bool:
    password = match["secret"].partition(":")[2]
    return not is_placeholder(password) and password.casefold() not in _NAMES_OF_A_PASSWORD


def _is_random(match: re.Match[str]) -> bool:
    """Words joined by hyphens are no key: one piece must be long, or mix letters and digits."""
    pieces = re.split(r"[^A-Za-z0-9]+", match["secret"])
    return any(len(piece) >= 20 or (len(piece) >= 8 and _is_mixed(piece)) for piece in pieces)


def _is_mixed(piece: str) -> bool:
    return any(char.isdigit() for char in piece) and any(char.isalpha() for char in piece)


SECURITY_PATTERNS: Final = (
    Pattern(
        "security",
        PRIVATE_KEY,
        "ERROR",
        r"(?P<secret>-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.*)",
        ("private key",),
    ),
    Pattern(
        "security",
        "github-token",
        "ERROR",
        r"(?<![A-Za-z0-9])(?P<secret>gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    ),
    Pattern(
        "security",
        "aws-access-key",
        "ERROR",
        r"(?<![A-Za-z0-9])(?P<secret>(?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Za-z0-9])",
        ("akia", "asia"),
    ),
    Pattern(
        "security",
        "anthropic-key",
        "ERROR",
        r"(?<![A-Za-z0-9_-])(?P<secret>sk-ant-[A-Za-z0-9_-]{20,})",
        ("sk-ant-",),
        _is_random,
    ),
    Pattern(
        "security",
        "openai-key",
        "ERROR",
        r"(?<![A-Za-z0-9_-])sk-(?:proj-)?(?P<secret>[A-Za-z0-9_-]{20,})",
        ("sk-",),
        _is_random,
    ),
    Pattern(
        "security",
        "bearer-token",
        "ERROR",
        r"(?i)(?<![a-z0-9_-])bearer\s+(?P<secret>[a-z0-9._~+/-]{16,}=*)",
        ("bearer",),
        _is_random,
    ),
    Pattern(
        "security",
        "url-credentials",
        "ERROR",
        r"(?i)(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,30}://(?P<secret>[^\s:/@]*:[^\s/@]+)@",
        ("://",),
        _has_password,
    ),
    Pattern(
        "security",
        "env-credential",
        "WARNING",
        r"(?<![A-Za-z0-9_$.{])[A-Z0-9_]{0,60}(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD)(?:_[A-Z0-9_]{0,60})?"
        + _EQUALS
        + _VALUE,
        ("token", "key", "secret", "passw"),
        _is_credential,
    ),
    Pattern(
        "security",
        "assigned-secret",
        "WARNING",
        rf"(?i)(?<![a-z])(?:password|passwd|secret|api[_-]?key)[\"']?(?:{_EQUALS}|{_COLON})" + _VALUE,
        ("passw", "secret", "api"),
        _has_value,
    ),
)
"""In order of precedence: a span that an earlier row has found gives no second finding."""
