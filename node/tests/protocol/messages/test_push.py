from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.push import (
    CREDENTIALS_LENGTH,
    ID_LENGTH,
    SCHEME_LENGTH,
    TOKEN_LENGTH,
    PushConfig,
    check_push_config,
)

HOOK = PushConfig("w", "t", "https://hooks.example/")
LONGEST = {
    "id": ID_LENGTH,
    "token": TOKEN_LENGTH,
    "scheme": SCHEME_LENGTH,
    "credentials": CREDENTIALS_LENGTH,
}


@pytest.mark.parametrize("field", LONGEST)
def test_each_field_of_a_webhook_has_a_longest_value(field: str) -> None:
    longest: dict[str, str] = {field: "x" * LONGEST[field]}
    check_push_config(replace(HOOK, **longest))
    longer: dict[str, str] = {field: "x" * (LONGEST[field] + 1)}
    with pytest.raises(RemoteProtocolError) as refused:
        check_push_config(replace(HOOK, **longer))
    assert (refused.value.code.name, refused.value.field) == ("invalid_params", field)
    assert "xx" not in refused.value.reason


def test_a_webhook_may_be_without_an_id_and_without_secrets() -> None:
    check_push_config(replace(HOOK, id=""))
    check_push_config(replace(HOOK, id="the hook of \u8def"))


@pytest.mark.parametrize("odd", ["a\x00", "a\nb", "\ud800", "\x1b[2J"])
def test_an_id_that_cannot_be_printed_is_refused(odd: str) -> None:
    with pytest.raises(RemoteProtocolError) as refused:
        check_push_config(replace(HOOK, id=odd))
    assert (refused.value.code.name, refused.value.field) == ("invalid_params", "id")
