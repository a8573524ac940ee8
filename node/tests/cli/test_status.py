"""`csb status` says whether the node runs and how it is."""

from __future__ import annotations

HEALTH = {"status": "ok", "name": "Heng", "semantic": False, "uptime": 2.5, "pka": {"publicKey": "x"}}
STATUS = {
    "agent": {"name": "Heng"},
    "counts": {"entries": 3, "threads": 2},
    "memory": {"space_seq": 9, "waiting": 0, "model": None},
}


def test_a_node_that_does_not_run_is_said_so_with_the_command_that_starts_it(csb, home) -> None:
    ended = csb("status", "--home", home.path)
    assert (ended.status, ended.out) == (3, f"Heng is not running — csb serve --home {home.path}\n")
    assert csb("status", "--home", home.path, "--json").json["running"] is False


def test_a_running_node_is_shown_with_its_figures(csb, home, node) -> None:
    node.answer("GET /health", HEALTH)
    node.answer("GET /v1/status", STATUS)
    ended = csb("status", "--home", home.path)
    assert ended.status == 0
    lines = [line.split(maxsplit=1) for line in ended.out.splitlines()]
    assert ["name", "Heng"] in lines
    assert ["address", node.url] in lines
    assert ["semantic", "no"] in lines
    assert "counts entries" in ended.out
    assert "publicKey" not in ended.out


def test_with_json_all_of_it_is_one_document(csb, home, node) -> None:
    node.answer("GET /health", HEALTH)
    node.answer("GET /v1/status", STATUS)
    shown = csb("status", "--home", home.path, "--json").json
    assert (shown["running"], shown["health"], shown["status"], shown["url"]) == (True, HEALTH, STATUS, node.url)


def test_the_owner_s_token_is_shown_to_the_node(csb, home, node) -> None:
    node.answer("GET /health", HEALTH)
    node.answer("GET /v1/status", STATUS)
    csb("status", "--home", home.path)
    assert node.last.headers["Authorization"] == f"Bearer {home.owner_token()}"


def test_something_else_at_the_address_is_no_node(csb, home, node) -> None:
    node.answer("GET /health", b"<html>hello</html>")
    ended = csb("status", "--home", home.path)
    assert ended.status == 3
    assert "is no node of this version" in ended.err
