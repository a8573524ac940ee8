"""csb.toml is checked name by name, and a refusal says what would be accepted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from csbond.config.settings import Settings
from csbond.config.settings_file import read_settings
from csbond.config.settings_text import settings_file_text
from csbond.protocol.errors import LocalProtocolError
from csbond.skills.load import DEFAULT_KIND


def settings(tmp_path: Path, text: str) -> Settings:
    file = tmp_path / "csb.toml"
    file.write_text(text, encoding="utf-8")
    return read_settings(file)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert read_settings(tmp_path / "csb.toml") == Settings()


def test_the_file_csb_init_writes_changes_nothing(tmp_path: Path) -> None:
    assert settings(tmp_path, settings_file_text()) == Settings()


def test_every_commented_line_is_accepted_and_shows_the_default(tmp_path: Path) -> None:
    text = re.sub(r"(?m)^#(\w+ = )", r"\1", settings_file_text())
    assert "\n#host" not in text
    assert settings(tmp_path, text) == Settings(skill={"kind": DEFAULT_KIND})


def test_every_section_and_kind_of_value_is_read(tmp_path: Path) -> None:
    read = settings(
        tmp_path,
        """
        [node]
        port = 0
        trusted_proxies = ["10.0.0.1", "fd00::/8"]
        [tls]
        cert = "tls/cert.pem"
        key = "/etc/key.pem"
        [a2a]
        anonymous_lists = "all"
        [limits]
        body_bytes = 1024
        push_first_delay_s = 2
        [memory]
        memory_level_map = { hot = "active" }
        [push]
        enabled = false
        [skill]
        kind = "anything"
        deep = { is = ["kept"] }
        [log]
        level = "debug"
        """,
    )
    assert read.node.trusted_proxies == ("10.0.0.1", "fd00::/8")
    assert read.tls.cert == str(tmp_path / "tls/cert.pem")
    assert read.tls.key == "/etc/key.pem"
    assert read.limits.push_first_delay_s == 2.0
    assert read.memory.memory_level_map == {"hot": "active"}
    assert read.skill == {"kind": "anything", "deep": {"is": ["kept"]}}
    assert (read.node.port, read.push.enabled, read.log.level) == (0, False, "debug")


@pytest.mark.parametrize(
    "text, field, words",
    [
        ("[nodes]", "nodes", "'nodes' is no section"),
        ("port = 3100", "port", "'port' is no section"),
        ("node = 1", "node", "must be a section"),
        ("[node]\nprot = 1", "node.prot", "'prot' is no setting of [node]"),
        ('[node]\nport = "3100"', "node.port", "must be a whole number, not '3100'"),
        ("[node]\nport = 3100.0", "node.port", "must be a whole number"),
        ("[node]\nport = true", "node.port", "must be a whole number"),
        ("[node]\nport = 65536", "node.port", "from 0 to 65535"),
        ("[node]\nhost = 1", "node.host", "must be a text in quotes"),
        ('[node]\ntrusted_proxies = "10.0.0.1"', "node.trusted_proxies", "must be a list of texts"),
        ("[node]\ntrusted_proxies = [1]", "node.trusted_proxies", "must be a list of texts"),
        ("[a2a]\nmerged_card = 1", "a2a.merged_card", "must be true or false"),
        ('[a2a]\nanonymous_lists = "some"', "a2a.anonymous_lists", "one of 'context', 'all'"),
        ("[limits]\npush_configs = 0", "limits.push_configs", "greater than 0"),
        ("[limits]\nmax_json_depth = 101", "limits.max_json_depth", "from 8 to 100"),
        ("[limits]\nbody_timeout_s = inf", "limits.body_timeout_s", "greater than 0"),
        ("[limits]\nbody_timeout_s = nan", "limits.body_timeout_s", "greater than 0"),
        ("[memory]\nmemory_level_map = { hot = 1 }", "memory.memory_level_map", "a table of texts"),
    ],
)
def test_what_is_not_accepted_is_refused_by_file_and_key(tmp_path: Path, text: str, field: str, words: str) -> None:
    with pytest.raises(LocalProtocolError, match=re.escape(words)) as refused:
        settings(tmp_path, text)
    assert refused.value.field == field
    assert str(tmp_path / "csb.toml") in refused.value.reason
    assert refused.value.code.name == "setting_invalid"


def test_an_unknown_name_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(LocalProtocolError) as refused:
        settings(tmp_path, "[log]\nlevle = 'info'")
    assert refused.value.next_step == "known are: level, format"


@pytest.mark.parametrize("content", [b"[node", b"\xff\xfe", b"a = 1\na = 2"])
def test_a_file_that_is_no_toml_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "csb.toml"
    file.write_bytes(content)
    with pytest.raises(LocalProtocolError, match=r"csb\.toml"):
        read_settings(file)


def test_rules_between_settings_are_checked_on_reading(tmp_path: Path) -> None:
    with pytest.raises(LocalProtocolError, match=r"csb\.toml: tls\.cert and tls\.key go together"):
        settings(tmp_path, '[tls]\ncert = "c.pem"')
