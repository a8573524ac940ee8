"""Which forms look private (§10.2): a machine, a person, a telephone, a home. Evident patterns only, no meaning."""

from __future__ import annotations

import re
from typing import Final

from memory_custodian.rules.scan_pattern import Pattern

__all__ = ["MACHINE_PATH", "PRIVACY_PATTERNS", "without_identifiers"]

MACHINE_PATH: Final = "machine-path"

_NOBODY: Final = frozenset(
    {"you", "user", "users", "username", "name", "yourname", "your-name", "your_name", "me", "someone", "…", ""}
)
_RESERVED_DOMAINS: Final = ("example.com", "example.org", "example.net", "localhost")
_RESERVED_ENDS: Final = (".example.com", ".example.org", ".example.net", ".example", ".test", ".invalid", ".localhost")
_IDENTIFIERS: Final = (
    r"(?i)(?<![a-z0-9])(?:"
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|mc-[a-z]+-\d{8}-[0-9a-f]{8}"
    r"|(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d[0-5]\d"
    r"|\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?)?"
    r"|(?=\d*[a-f])[0-9a-f]{7,64}"
    r"|v?\d{1,3}(?:\.\d{1,3})+"
    r")(?![a-z0-9]|\.\d)"
)
_NAME: Final = r"(?P<name>[^\s/\\<>{}$%*\"'`|:;,()\[\]]+)"
_HOST_LENGTH: Final = 255
_MAP_LENGTH: Final = 6
_COUNTED: Final = (
    r"(?i)(?<![a-z])(?:chapter|issue|item|level|milestone|option|part|phase|rule|section|sprint|stage|step|task|tier|"
    r"version)\s+$"
)
_LEFT: Final = r"(?<![A-Za-z0-9_./-])"
_BETWEEN: Final = r"(?: ?\(|\)[ -]?|[ .-])?"
_DIGIT_LEFT: Final = r"(?<![A-Za-z0-9_.+-])"
_DIGIT_RIGHT: Final = r"(?![A-Za-z0-9_-]|\.\d)"


def without_identifiers(line: str) -> str:
    """Blank out what is no telephone number or house: UUIDs, IDs, ISO dates and times, hashes, versions."""
    return re.sub(_IDENTIFIERS, lambda match: "\0" * len(match[0]), line)


def _names_somebody(match: re.Match[str]) -> bool:
    """Placeholders name nobody, and a path behind `user@host:` lies on a server."""
    before = match.string[max(0, match.start() - _HOST_LENGTH) : match.start()]
    if re.search(r"@[\w.-]+:$", before):
        return False
    return match["name"].rstrip(".").casefold() not in _NOBODY


def _is_of_a_person(match: re.Match[str]) -> bool:
    domain = match["domain"].casefold()
    if _is_login_of_a_url(match.string[max(0, match.start() - _HOST_LENGTH) : match.start()]):
        return False
    if match["local"].casefold() == "git" or domain in _RESERVED_DOMAINS:
        return False
    return not domain.endswith(_RESERVED_ENDS)


def _is_no_list(match: re.Match[str]) -> bool:
    """What is counted, as rule 5 or phase 2, is no house, and a road map no road."""
    counted = re.search(_COUNTED, match.string[max(0, match.start() - _HOST_LENGTH) : match.start()])
    return not counted and not re.match(r"(?i)[ -]maps?\b", match.string[match.end() : match.end() + _MAP_LENGTH])


def _is_login_of_a_url(before: str) -> bool:
    """Whether only user and password stand between the scheme and this place: that is for security to find."""
    scheme, found, login = before.rpartition("://")
    return bool(scheme and found) and not any(char in login for char in " \t/@")


PRIVACY_PATTERNS: Final = (
    Pattern(
        "privacy",
        MACHINE_PATH,
        "WARNING",
        rf"(?:{_LEFT}|(?<=file://))(?:(?:/mnt|/cygdrive)?/[A-Za-z](?=/Users/))?/(?:Users|home|Volumes)/{_NAME}",
        ("/users/", "/home/", "/volumes/"),
        _names_somebody,
    ),
    Pattern("privacy", MACHINE_PATH, "WARNING", rf"(?:{_LEFT}|(?<=file://))/root(?=/|\s|$|`)", ("/root",)),
    Pattern(
        "privacy",
        MACHINE_PATH,
        "WARNING",
        rf"(?i)(?<![a-z0-9])[a-z]:[\\/]{{1,2}}users[\\/]{{1,2}}{_NAME}(?:(?: [^\s/\\]+){{1,3}}(?=[\\/]))?",
        (":\\users", ":\\\\users", ":/users", ":\\/users"),
        _names_somebody,
    ),
    Pattern(
        "privacy",
        "email",
        "WARNING",
        r"(?<![A-Za-z0-9._%+/-])(?P<local>[A-Za-z0-9][A-Za-z0-9._%+-]{0,63})@"
        r"(?P<domain>(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24})(?![A-Za-z0-9-]|\.[A-Za-z0-9]|:\S)",
        ("@",),
        _is_of_a_person,
    ),
    Pattern(
        "privacy",
        "phone",
        "WARNING",
        rf"{_DIGIT_LEFT}(?:"
        rf"\+\d(?:{_BETWEEN}\d){{7,14}}"
        r"|\(\d{3}\) ?\d{3}[ -]\d{4}"
        r"|\d{3}([-.])\d{3}\1\d{4}"
        r"|1[3-9]\d(?:\d{8}|[ -]\d{4}[ -]\d{4})"
        rf"){_DIGIT_RIGHT}",
        masked=True,
    ),
    Pattern(
        "privacy",
        "phone",
        "WARNING",
        r"(?i)(?:(?<![a-z])(?:tel|telephone|phone|mobile|fax)(?![a-z])\.?|电话|手机)(?:[ \t]*(?:no\.?|number|号码|号))?"
        rf"[\s:：.=]{{0,3}}(?P<secret>[+(]?\d(?:{_BETWEEN}\d){{6,14}}){_DIGIT_RIGHT}",
        ("tel", "phone", "mobile", "fax", "电话", "手机"),
        masked=True,
    ),
    Pattern(
        "privacy",
        "postal-address",
        "WARNING",
        r"(?<![A-Za-z0-9_.-])\d{1,5} (?:[A-Z][a-z]\w* ){1,3}(?:(?:Street|Avenue|Road|Lane)\b|(?:St|Ave|Rd)\.)",
        ("street", "avenue", "road", "lane", "st.", "ave.", "rd."),
        _is_no_list,
        masked=True,
    ),
    Pattern(
        "privacy",
        "postal-address",
        "WARNING",
        r"[\u4e00-\u9fff]{1,8}[省市][\u4e00-\u9fff]{1,12}[区县][\u4e00-\u9fff]{1,12}[路街道]\d{1,5}号",
        ("号",),
    ),
)
"""Tried after those of security, in this order."""
