"""The systemd unit keeps a node inside its walls, stops it gently and reloads its certificate."""

from __future__ import annotations

import configparser

import pytest

from csbond_tests.repository import REPOSITORY

UNIT = (REPOSITORY / "deploy" / "csbond.service").read_text(encoding="utf-8")
PROGRAM = "/opt/csbond/bin/csb"


def settings() -> dict[str, str]:
    parser = configparser.ConfigParser(strict=False, interpolation=None, comment_prefixes=("#",), delimiters=("=",))
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read_string(UNIT)
    return dict(parser["Service"])


@pytest.mark.parametrize(
    "name, value",
    [
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("ProtectHome", "yes"),
        ("CapabilityBoundingSet", ""),
        ("StateDirectoryMode", "0700"),
        ("UMask", "0077"),
        ("User", "csbond"),
    ],
)
def test_the_wall_stands(name: str, value: str) -> None:
    assert settings()[name] == value


def test_a_stop_drains_and_a_reload_reads_the_certificate_again() -> None:
    unit = settings()
    assert unit["KillSignal"] == "SIGTERM"
    assert unit["ExecReload"] == "/bin/kill -HUP $MAINPID"
    assert unit["ExecStart"] == f"{PROGRAM} serve"
