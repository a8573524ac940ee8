"""Which forms look like a secret (§10.1). The named group `secret`, where there is one, is what must not be shown."""

from __future__ import annotations

import re
from typing import Final

from memory_custodian.rules.scan_pattern import Pattern
from memory_custodian.rules.scan_values import (
    is_code,
    is_filler,
    is_mixed,
    is_placeholder,
    is_public,
    is_setting,
    looks_like_password,
)

__all__ = ["PRIVATE_KEY", "SECURITY_PATTERNS"]

PRIVATE_KEY: Final = "private-key"
"""The kind whose following lines are secret too."""

_NAMES_OF_A_USER: Final = frozenset({"user", "username", "login", "name", "me", "you"})
_NAMES_OF_A_PASSWORD: Final = frozenset({"pass", "password", "passwd", "pwd", "secret", "token"})
_TOKEN_LENGTH: Final = 16
_PASSWORD_LENGTH: Final = 6
_HEADER_LENGTH: Final = 40
_LINE_LENGTH: Final = 80
"""How far from a password its user is looked for."""
_VALUE: Final = r"""(?P<secret>"[^"]*"?|'[^']*'?|\S+)"""
_EQUALS: Final = r"\s*(?<![=!<>])=(?![=>])\s*"
_COLON: Final = r"""\s*:\s*(?=\S+$|["'][^"']*["'],?$)"""
_OWNER: Final = (
    r"(?i)PASSPHRASE|(?:^|_)(?:ADMIN|AMQP|AUTH|DATABASE|DB|DOCKER|EMAIL|FTP|GPG|HTTP|IMAP|KEYSTORE|LDAP|LOGIN|MAIL|MASTER|"
    r"MONGO|MQTT|MYSQL|ORACLE|PG|POSTGRES|PROXY|RABBITMQ|REDIS|REGISTRY|ROOT|SERVER|SERVICE|SFTP|SMTP|SQL|SSH|SUDO|"
    r"TRUSTSTORE|USER|VAULT|VPN|WIFI)_"
)
"""Whose password a name speaks of."""
_LOGIN: Final = r"(?i)(?<![a-z])(?:login|uid|user(?:[ _-]?(?:id|name))?)[\"']?\s*[=:]"
_OPEN_KEYS: Final = r"(?:CACHE|FOREIGN|INDEX|PARTITION|PRIMARY|PUBLIC|SORT|UNIQUE)_KEY\s*="
"""Keys of a table, a cache or the world, by name alone."""


def _is_no_filler(match: re.Match[str]) -> bool:
    return not is_filler(match["secret"])


def _has_value(match: re.Match[str]) -> bool:
    return not is_placeholder(match["secret"]) and not is_public(match) and not is_code(match)


def _is_credential(match: re.Match[str]) -> bool:
    """What names the key of a table is a setting too."""
    named = re.match(_OPEN_KEYS, match[0]) and not _is_long_and_random(match)
    return _has_value(match) and not is_setting(match["secret"]) and not named


def _has_password(match: re.Match[str]) -> bool:
    """`user:password` names the two parts, `admin:password` is a login."""
    return not _names_its_parts(match["secret"]) and not is_placeholder(match["secret"].partition(":")[2])


def _names_its_parts(login: str) -> bool:
    user, _, password = login.partition(":")
    return user.casefold() in _NAMES_OF_A_USER and password.casefold() in _NAMES_OF_A_PASSWORD


def _is_random(match: re.Match[str]) -> bool:
    """Words joined by hyphens are no key: one piece must be long, or mix letters and digits."""
    found = any(len(piece) >= 20 or (len(piece) >= 8 and is_mixed(piece)) for piece in _pieces(match))
    return found and _is_no_filler(match)


def _is_bearer_token(match: re.Match[str]) -> bool:
    """As a header writes it, any long piece is a token; in a sentence it may be a word."""
    before = match.string[max(0, match.start() - _HEADER_LENGTH) : match.start()]
    as_header = match[0][0] == "B" or re.search(r"(?i)authorization[\"']?\s*[:=]\s*[\"']?$", before) is not None
    long = any(len(piece) >= _TOKEN_LENGTH for piece in _pieces(match))
    return _is_random(match) or (as_header and long and _is_no_filler(match))


def _is_long_and_random(match: re.Match[str]) -> bool:
    """A key of a table or a cache is words; a token is one long piece, or letters and digits mixed."""
    pieces = _pieces(match)
    mixed = sum(len(piece) for piece in pieces if is_mixed(piece))
    looks = mixed >= _TOKEN_LENGTH or any(len(piece) >= 20 for piece in pieces)
    return looks and _has_value(match) and "://" not in match["secret"]


def _is_mixed_value(match: re.Match[str]) -> bool:
    return _has_value(match) and any(len(piece) >= 8 and is_mixed(piece) for piece in _pieces(match))


def _is_random_value(match: re.Match[str]) -> bool:
    return not is_placeholder(match["secret"]) and _is_random(match)


def _is_mixed_token(match: re.Match[str]) -> bool:
    return not is_placeholder(match["secret"]) and is_mixed(match["secret"])


def _is_login(match: re.Match[str]) -> bool:
    """What follows `Basic` is user and password in base64, and else a word."""
    from binascii import Error, a2b_base64

    try:
        login = a2b_base64(match["secret"]).decode("utf-8")
    except (Error, UnicodeDecodeError):
        return False
    return ":" in login and login.isprintable() and not _names_its_parts(login)


def _is_password(match: re.Match[str]) -> bool:
    """`pwd` names a folder as often as a password, and `_PASS` a step: without a login beside it the value decides."""
    bare = match["secret"].rstrip(";,`").strip("\"'")
    opens = bare[:1] in {"/", ".", "~", "$", "`"} or bare[1:3] in {":\\", ":/"} or "(" in bare
    return _has_value(match) and not opens and (_is_of_login(match) or looks_like_password(bare))


def _is_of_login(match: re.Match[str]) -> bool:
    """Whether the name or the line says whose password it is, and the value may be one."""
    value = match["secret"].rstrip(";,`")
    quoted = value[:1] in {'"', "'"} and len(value) >= _PASSWORD_LENGTH + 2
    bare = value.strip("\"'")
    mixed = len(bare) >= _PASSWORD_LENGTH and not bare.isdigit() and not re.fullmatch(r"[A-Za-z_.-]+", bare)
    name = match[0].partition("=")[0]
    line = match.string[max(0, match.start() - _LINE_LENGTH) : match.end() + _LINE_LENGTH]
    return (quoted or mixed) and any(re.search(one, text) for one, text in ((_OWNER, name), (_LOGIN, line)))


def _pieces(match: re.Match[str]) -> list[str]:
    return re.split(r"[^A-Za-z0-9]+", match["secret"])


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
        _is_no_filler,
    ),
    Pattern(
        "security",
        "gitlab-token",
        "ERROR",
        r"(?<![A-Za-z0-9_-])gl(?:pat|dt|rt|ptt|cbt)-(?P<secret>[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]+)*)",
        ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-"),
        _is_random_value,
    ),
    Pattern(
        "security",
        "npm-token",
        "ERROR",
        r"(?<![A-Za-z0-9_])npm_(?P<secret>[A-Za-z0-9]{36})(?![A-Za-z0-9_])",
        ("npm_",),
        _is_mixed_token,
    ),
    Pattern(
        "security",
        "slack-token",
        "ERROR",
        r"(?<![A-Za-z0-9_-])(?:xox[abeoprs]|xapp)-(?P<secret>[A-Za-z0-9-]{20,})",
        ("xox", "xapp-"),
        _is_random_value,
    ),
    Pattern(
        "security",
        "google-key",
        "ERROR",
        r"(?<![A-Za-z0-9_-])AIza(?P<secret>[A-Za-z0-9_-]{35})(?![A-Za-z0-9_-])",
        ("aiza",),
        _is_random_value,
    ),
    Pattern(
        "security",
        "aws-access-key",
        "ERROR",
        r"(?<![A-Za-z0-9])(?P<secret>(?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Za-z0-9])",
        ("akia", "asia"),
        _is_no_filler,
    ),
    Pattern(
        "security",
        "aws-secret-key",
        "ERROR",
        r"(?i)(?<![a-z0-9])aws[_-]?secret[_-]?(?:access[_-]?)?key[\"']?\s*[=:]\s*[\"']?"
        r"(?P<secret>[a-z0-9/+]{40})(?![a-z0-9/+=])",
        ("aws",),
        _is_mixed_token,
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
        _is_bearer_token,
    ),
    Pattern(
        "security",
        "basic-login",
        "ERROR",
        r"(?i)authorization[\"']?\s*[:=]\s*[\"']?basic\s+(?P<secret>[a-z0-9+/]{4,}={0,2})(?![a-z0-9+/=_-])",
        ("authorization",),
        _is_login,
    ),
    Pattern(
        "security",
        "json-web-token",
        "ERROR",
        r"(?<![A-Za-z0-9_.-])(?P<secret>eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{8,}){2}(?:\.[A-Za-z0-9_-]+)*)",
        ("eyj",),
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
        "url-credentials",
        "ERROR",
        r"(?i)(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,30}://(?P<secret>[^\s:/@]{16,})@",
        ("://",),
        _is_long_and_random,
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
        "env-credential",
        "WARNING",
        r"(?<![A-Za-z0-9_$.{])[A-Z0-9][A-Z0-9_]{0,60}_(?:PASS|PASSPHRASE|PWD)" + _EQUALS + _VALUE,
        ("_pass", "_pwd"),
        _is_password,
    ),
    Pattern(
        "security",
        "assigned-secret",
        "WARNING",
        rf"(?i)(?<![a-z0-9_$.{{-])pwd[\"']?{_EQUALS}" + _VALUE,
        ("pwd",),
        _is_password,
    ),
    Pattern(
        "security",
        "assigned-secret",
        "WARNING",
        rf"(?i)(?<![a-z])(?:password|passwd|secret|api[_-]?key)[\"']?(?:{_EQUALS}|{_COLON})" + _VALUE,
        ("passw", "secret", "api"),
        _has_value,
    ),
    Pattern(
        "security",
        "assigned-secret",
        "WARNING",
        r"(?i)(?<![a-z0-9_-])(?:(?:[a-z0-9]{1,40}[_-]){0,8}|access|refresh|auth|session|signing|private)(?:token|key)"
        rf"[\"']?(?:{_EQUALS}|{_COLON})" + _VALUE,
        ("token", "key"),
        _is_long_and_random,
    ),
    Pattern(
        "security",
        "assigned-secret",
        "WARNING",
        rf"(?i)(?<![a-z0-9_-])token[\"']?{_EQUALS}" + _VALUE,
        ("token",),
        _is_mixed_value,
    ),
    Pattern(
        "security",
        "assigned-secret",
        "WARNING",
        r"(?i)(?:(?<![a-z])(?:password|passwd|secret|api[_-]?key)[\"']?\s*：|(?:密码|口令|密钥)\s*[:：=])\s*"
        r"(?P<secret>[!-~]+)(?=\s*$|[，。；、）])",
        ("：", "密码", "口令", "密钥"),
        _has_value,
    ),
)
"""In order of precedence: a span that an earlier row has found gives no second finding."""
