"""What a value is where it may be a secret: one, or what stands for one, is published, or is read elsewhere (§10.1)."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_code", "is_filler", "is_mixed", "is_placeholder", "is_public", "is_setting", "looks_like_password"]

_PLACEHOLDER: Final = (
    r"<.*>?|\[.*\]?|\{.*\}?|%.*%|\$[\w{(].*|\*+|x{3,}|\.{2,}|…|-+|_+|changeme|change-me|example|placeholder|null|none|nil|"
    r"your[-_ ]?\w*|true|false|required|optional|str|string|bytes|(?:~|\.{0,2})(?:/[\w.-]+){2,}|"
    r"(?:os|process|env|settings|config|secrets)[.\[(].*|getenv\(.*"
)
_FILLER_LENGTH: Final = 16
_FILLER: Final = r"(?i)[0x*]{3,}|example|sk|ant|api\d{2}|proj|gh[pousr]|github|pat|xox[a-z]|xapp|npm|gl\w{2,3}"
_FILLER_BEHIND_MARK: Final = r"(?:A[KS]IA|AIza|eyJ)[0xX*]+|[A-Za-z0-9/+]+EXAMPLE(?:KEY)?"
_DID: Final = r"did:(?:key:z|web:|plc:|peer:|jwk:)\S+|z6Mk[1-9A-HJ-NP-Za-km-z]{30,}"
"""A decentralised identifier, and an Ed25519 key as it is published; a private one begins otherwise."""
_NUMBER: Final = r"\d{1,5}|\d{1,3}(?:_\d{3})+|\d+\.\d+|0[xX][0-9a-fA-F_]{1,8}"
_NAME: Final = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
_CALL: Final = rf"{_NAME}\((?:.*\)(?![\w!])|\s*$)"
_LOWER_CALL: Final = r"[a-z_][a-z_.]{2,}\((?:.*\)[),;`]*(?:\s|$)|\s*$)"
"""A call as an argument or a shell would name it: without digits or capitals, which a password in brackets has."""
_ATTRIBUTE: Final = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\.[a-z_]{3,}(?:…|\.\.\.)?"
_BEHIND_WORD: Final = rf"(?:await|new|not|yield)\s+{_NAME}\(|lambda\b.*:"
_CODE_LENGTH: Final = 400
"""How much of a line is looked at for the end of a call."""
_BYTES: Final = r"""[bB](["'])(.*?)\1"""
_ESCAPE: Final = r"\\x[0-9a-fA-F]{2}|\\."
_MANY_BYTES: Final = 8
_PASSWORD_LENGTH: Final = 6


def is_placeholder(value: str) -> bool:
    """Whether a value stands for one, as `<token>`, `${TOKEN}` or `changeme`, or is no value at all."""
    bare = value.strip("\"'`.,;:)( ")
    return not bare or re.fullmatch(_PLACEHOLDER, bare, re.IGNORECASE) is not None or is_filler(bare)


def is_filler(value: str) -> bool:
    """Whether a text as long as a token holds nothing: zeros, the letter x, stars, or the word example."""
    pieces = [piece for piece in re.split(r"[^A-Za-z0-9*/+]+", value) if piece]
    return len(value) >= _FILLER_LENGTH and all(
        re.fullmatch(_FILLER, piece) or re.fullmatch(_FILLER_BEHIND_MARK, piece) for piece in pieces
    )


def is_public(match: re.Match[str]) -> bool:
    """Whether what was found is a key that is published, or the method of a DID was taken for its name."""
    bare = match["secret"].strip("\"'`.,;)( ")
    return re.fullmatch(_DID, bare) is not None or match.string.endswith("did:", 0, match.start())


def is_setting(value: str) -> bool:
    """Whether a value is a short number, as a length in tokens, or a few bytes that are no password."""
    bare = value.rstrip(",;`)")
    found = re.match(_BYTES, bare)
    if found:
        words = re.sub(_ESCAPE, "", found[2])
        few = len(set(re.findall(_ESCAPE, found[2]))) < _MANY_BYTES
        return few and not looks_like_password(words) and not any(map(_is_long_mixed, re.split(r"[\W_]+", words)))
    return re.fullmatch(_NUMBER, bare) is not None


def is_code(match: re.Match[str]) -> bool:
    """Whether a value is read elsewhere: a call, or an attribute where code sets it apart by spaces or brackets."""
    secret, start = match["secret"], match.start("secret")
    rest = match.string[start : start + _CODE_LENGTH]
    spaced = match.string[start - 1] == " "
    if re.match(_CALL if spaced else _LOWER_CALL, rest) or (spaced and re.match(_BEHIND_WORD, rest)):
        return True
    bare = secret.rstrip(",;)`")
    return re.fullmatch(_ATTRIBUTE, bare) is not None and (spaced or bare != secret)


def looks_like_password(value: str) -> bool:
    """Whether a value mixes what words and versions do not: cases, some digits, or punctuation."""
    if len(value) < _PASSWORD_LENGTH or not any(map(str.isalpha, value)):
        return False
    cases = any(map(str.isupper, value)) and any(map(str.islower, value))
    digits = any(map(str.isdigit, value))
    apart = any(len(piece) >= _PASSWORD_LENGTH and _has_two_digits(piece) for piece in re.split(r"[\W_]+", value))
    return (cases and digits) or apart or (digits and re.search(r"[!@#$%^&*?+=~|<>]", value) is not None)


def _has_two_digits(piece: str) -> bool:
    return is_mixed(piece) and sum(map(str.isdigit, piece)) > 1


def is_mixed(piece: str) -> bool:
    """Whether a piece has letters and digits."""
    return any(char.isdigit() for char in piece) and any(char.isalpha() for char in piece)


def _is_long_mixed(piece: str) -> bool:
    return len(piece) >= _MANY_BYTES and is_mixed(piece)
