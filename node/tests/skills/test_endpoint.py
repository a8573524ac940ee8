from __future__ import annotations

import pytest

from csbond.protocol.errors import LocalProtocolError
from csbond.skills.load import load_skill

URL = "https://skill.example/answer"


@pytest.mark.parametrize(
    "url",
    [URL, "https://skill.example:8443/v1/", "http://127.0.0.1:9/x", "http://[::1]:9", "http://localhost:9"],
)
async def test_https_and_this_machine_may_be_called(tmp_path, url):
    await load_skill({"kind": "http", "url": url}, tmp_path).close()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "skill.example",
        "ftp://skill.example",
        "https://",
        "https://name:secret@skill.example",
        "https://skill.example/?key=secret",
        "https://skill.example/#x",
        "https://skill.example:port",
        "http://[::1",
        "http://skill.example",
        "http://192.0.2.1",
        "https://xn--/",
        "https://skill.example/\x01",
        f"https://{'a' * 64}.example",
        "https://./",
    ],
)
def test_any_other_address_is_refused_without_showing_what_it_may_hold(tmp_path, url):
    with pytest.raises(LocalProtocolError) as fault:
        load_skill({"kind": "http", "url": url}, tmp_path)
    assert fault.value.field == "skill.url"
    assert "secret" not in fault.value.reason


async def test_plain_http_to_another_machine_must_be_allowed(tmp_path):
    await load_skill({"kind": "http", "url": "http://192.0.2.1", "allow_plain_http": True}, tmp_path).close()


def test_a_token_comes_from_one_place_that_is_there(tmp_path, monkeypatch):
    monkeypatch.delenv("SKILL_TOKEN", raising=False)
    (tmp_path / "empty").write_text(" \n")
    (tmp_path / "odd").write_text("to ken")
    for table, field in (
        ({"token_env": "SKILL_TOKEN"}, "token_env"),
        ({"token_env": "SKILL_TOKEN", "token_file": "odd"}, "token_env"),
        ({"token_file": "absent"}, "token_file"),
        ({"token_file": "empty"}, "token_file"),
        ({"token_file": "odd"}, "token_file"),
    ):
        with pytest.raises(LocalProtocolError) as fault:
            load_skill({"kind": "http", "url": URL} | table, tmp_path)
        assert fault.value.field == f"skill.{field}"
        assert "to ken" not in fault.value.reason


def test_a_file_without_certificates_is_refused(tmp_path):
    (tmp_path / "ca.pem").write_text("nothing")
    for name in ("ca.pem", "absent.pem"):
        with pytest.raises(LocalProtocolError) as fault:
            load_skill({"kind": "http", "url": URL, "ca_file": name}, tmp_path)
        assert fault.value.field == "skill.ca_file"
