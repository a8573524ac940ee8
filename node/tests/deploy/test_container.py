"""The container file is clean, installs only what is locked, and does not run as root."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from csbond_tests.repository import REPOSITORY

DEPLOY = REPOSITORY / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SCHEMA = json.loads(files("check_jsonschema.builtin_schemas.vendor").joinpath("compose-spec.json").read_text("utf-8"))


def hadolint(text: str) -> tuple[int, str]:
    command = [str(Path(sys.executable).parent / "hadolint"), "--no-color", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr


def last_stage() -> str:
    return DOCKERFILE[DOCKERFILE.rindex("\nFROM ") :]


def test_hadolint_finds_nothing() -> None:
    assert hadolint(DOCKERFILE) == (0, "")


def test_hadolint_would_find_something() -> None:
    assert hadolint(DOCKERFILE + "RUN sudo apt-get install curl\n")[0] == 1


def test_everything_from_outside_is_installed_by_hash() -> None:
    installs = re.findall(r"pip install ([^&\n]*)", DOCKERFILE)
    assert installs
    assert [each for each in installs if "--require-hashes" not in each and "--no-index" not in each] == []


def test_the_node_runs_as_a_numbered_user_that_is_not_root() -> None:
    users = re.findall(r"^USER (\d+):(\d+)$", last_stage(), flags=re.MULTILINE)
    assert len(users) == 1
    assert "0" not in users[0]


def test_the_image_has_a_health_check_and_the_home_is_a_volume() -> None:
    assert re.search(r"^HEALTHCHECK .* CMD \[\"csb\", \"status\"\]$", last_stage(), flags=re.MULTILINE)
    assert 'VOLUME ["/var/lib/csbond"]' in last_stage()


def test_every_copied_path_reaches_the_build_context() -> None:
    ignore = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = [line[1:] for line in ignore if line.startswith("!")]
    assert ignore[0] == "*"
    for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, flags=re.MULTILINE):
        for source in line.split()[:-1]:
            assert (REPOSITORY / source).exists()
            assert any(each == source or each.startswith(source) for each in kept), source


def test_the_compose_file_follows_the_compose_specification() -> None:
    jsonschema.validate(COMPOSE, SCHEMA)


@pytest.mark.parametrize("change", [{"prots": ["3100:3100"]}, {"read_only": ["yes"]}, {"cap_drop": "ALL"}])
def test_the_schema_would_refuse_a_wrong_service(change: dict[str, object]) -> None:
    service = COMPOSE["services"]["node"] | change
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(COMPOSE | {"services": {"node": service}}, SCHEMA)


def test_every_volume_and_secret_of_the_service_is_declared() -> None:
    node = COMPOSE["services"]["node"]
    assert {each.partition(":")[0] for each in node["volumes"]} == set(COMPOSE["volumes"])
    assert set(node["secrets"]) == set(COMPOSE["secrets"])


def test_the_compose_file_builds_the_container_file_of_this_repository() -> None:
    build = COMPOSE["services"]["node"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == DEPLOY / "Dockerfile"


def test_the_home_and_the_port_are_the_same_everywhere() -> None:
    unit = (DEPLOY / "csbond.service").read_text(encoding="utf-8")
    node = COMPOSE["services"]["node"]
    assert "CSB_HOME=/var/lib/csbond" in DOCKERFILE
    assert "CSB_HOME=/var/lib/csbond" in unit
    assert node["volumes"] == ["home:/var/lib/csbond"]
    assert re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, flags=re.MULTILINE) == [node["ports"][0].split(":")[1]]
