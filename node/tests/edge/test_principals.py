"""Principals over the wire: named by a command, known by a token, gone at once when removed."""

from __future__ import annotations

from typing import Any

import grpc
import httpx
import pytest
from a2a.types import a2a_pb2 as pb
from a2a.types.a2a_pb2_grpc import A2AServiceStub

from csbond_tests.requirements import requirement
from csbond_tests.running import RunningNode, csb

V1_0 = {"a2a-version": "1.0"}
OWNERS = [
    ("GET", "/v1/memory?deleted=true", None),
    ("GET", "/v1/principals", None),
    ("POST", "/v1/principals", {"name": "eve", "role": "editor"}),
    ("DELETE", "/v1/principals/ann", None),
    ("GET", "/v1/status", None),
    ("POST", "/v1/talk", {"url": "http://127.0.0.1:1", "text": "hello"}),
    ("GET", "/extendedAgentCard", None),
]


class Principal:
    """Somebody with a token for a node."""

    def __init__(self, node: RunningNode, name: str, role: str = "viewer", space: str = "home") -> None:
        body = {"name": name, "role": role, "spaces": [space]}
        answer = httpx.post(f"{node.url}/v1/principals", json=body, headers=node.owner)
        self._is(node, name, answer.raise_for_status().json()["token"])

    @classmethod
    def by_command(cls, node: RunningNode, name: str, role: str) -> Principal:
        """Named as a person names somebody."""
        made = csb(node.home, "principal", "add", name, "--role", role, "--json")
        assert made.status == 0, made.err
        principal = cls.__new__(cls)
        principal._is(node, name, made.json["token"])
        return principal

    def _is(self, node: RunningNode, name: str, token: str) -> None:
        self.node = node
        self.name = name
        self.token = token
        self.headers = {"authorization": f"Bearer {self.token}", **V1_0}

    def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        return httpx.request(method, self.node.url + path, json=body, headers=self.headers)

    def say(self, text: str, id_: str = "") -> Any:
        message = {"messageId": id_ or f"{self.name}: {text}", "role": "ROLE_USER", "parts": [{"text": text}]}
        answer = self.ask("POST", "/message:send", {"message": message})
        return answer.json()["task"] if answer.status_code == 200 else answer

    def remove(self) -> None:
        assert csb(self.node.home, "principal", "remove", self.name).status == 0


def list_over_grpc(port: int, token: str) -> grpc.StatusCode:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        metadata = [("authorization", f"Bearer {token}"), ("a2a-version", "1.0")]
        try:
            A2AServiceStub(channel).ListTasks(pb.ListTasksRequest(), timeout=20, metadata=metadata)
        except grpc.RpcError as fault:
            return fault.code()
    return grpc.StatusCode.OK


@requirement("EDGE-006")
def test_a_token_opens_what_its_holder_may_do_and_nothing_of_the_owner(echo_node: RunningNode) -> None:
    for role in ("viewer", "editor"):
        ann = Principal.by_command(echo_node, f"ann-{role}", role)
        task = ann.say("hello")
        assert ann.ask("GET", f"/tasks/{task['id']}").json()["id"] == task["id"]
        assert [each["id"] for each in ann.ask("GET", "/tasks").json()["tasks"]] == [task["id"]]
        assert ann.ask("GET", "/v1/continuity/threads").status_code == 200
        for method, path, body in OWNERS:
            assert ann.ask(method, path, body).status_code in (400, 403), (role, method, path)


@requirement("EDGE-006", "MEM-003-3.1-principals")
def test_a_viewer_reads_memory_and_an_editor_writes_what_is_its_own(echo_node: RunningNode) -> None:
    viewer, editor = (Principal.by_command(echo_node, f"cat-{role}", role) for role in ("viewer", "editor"))
    body = {"content": "The river was cold.", "visibility": "trusted"}
    assert viewer.ask("POST", "/v1/memory", body).status_code == 403
    mine = editor.ask("POST", "/v1/memory", body).json()
    theirs = httpx.post(f"{echo_node.url}/v1/memory", json=body, headers=echo_node.owner).json()
    assert mine["origin"]["caller"] == "principal:cat-editor"
    for principal in (viewer, editor):
        found = principal.ask("POST", "/v1/memory/search", {"query": "river"}).json()["results"]
        assert {each["id"] for each in found} == {mine["id"], theirs["id"]}
    assert editor.ask("DELETE", f"/v1/memory/{theirs['id']}").status_code == 403
    assert editor.ask("DELETE", f"/v1/memory/{mine['id']}").status_code == 200


@requirement("EDGE-006", "A2A-DATA-009")
def test_what_one_principal_does_another_is_not_shown(echo_node: RunningNode) -> None:
    bo, cy = Principal(echo_node, "bo", "editor"), Principal(echo_node, "cy", space="elsewhere")
    task = bo.say("a word of bo")
    assert cy.ask("GET", f"/tasks/{task['id']}").status_code == 404
    assert cy.ask("GET", "/tasks").json()["tasks"] == []
    assert cy.ask("GET", "/v1/continuity/threads").json()["threads"] == []
    assert cy.ask("GET", f"/v1/continuity/thread/{task['contextId']}").status_code == 404
    assert cy.ask("GET", "/v1/continuity/search?q=bo").json()["results"] == []
    found = bo.ask("GET", "/v1/continuity/search?q=word+of+bo").json()["results"]
    assert {each["text"] for each in found} == {"a word of bo"}


@requirement("EDGE-006")
def test_only_a_digest_of_the_token_is_in_the_files_of_the_home(echo_node: RunningNode) -> None:
    dee = Principal.by_command(echo_node, "dee", "viewer")
    dee.say("hello")
    for file in echo_node.home.path.rglob("*"):
        assert not file.is_file() or dee.token.encode() not in file.read_bytes(), file
    assert dee.token not in echo_node.said()
    assert dee.token not in csb(echo_node.home, "principal", "list").out


@requirement("EDGE-006")
def test_who_is_removed_has_no_access_from_then_on_in_any_binding(echo_node: RunningNode, grpc_port: int) -> None:
    eve = Principal(echo_node, "eve", "editor")
    with httpx.Client(headers=eve.headers) as open_connection:
        assert open_connection.get(f"{echo_node.url}/tasks").status_code == 200
        assert list_over_grpc(grpc_port, eve.token) is grpc.StatusCode.OK
        eve.remove()
        for path in ("/tasks", "/v1/continuity/threads", "/v1/memory"):
            refused = open_connection.get(echo_node.url + path)
            assert refused.status_code == 401
            assert 'error="invalid_token"' in refused.headers["www-authenticate"]
        call = {"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}}
        assert open_connection.post(echo_node.url, json=call).status_code == 401
    assert list_over_grpc(grpc_port, eve.token) is grpc.StatusCode.UNAUTHENTICATED
    assert eve.say("let me in").status_code == 401


@requirement("EDGE-006")
def test_a_new_token_of_an_old_name_is_another_one(echo_node: RunningNode) -> None:
    fay = Principal(echo_node, "fay")
    body = {"name": "fay", "role": "editor"}
    taken = httpx.post(f"{echo_node.url}/v1/principals", json=body, headers=echo_node.owner)
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "already_exists")
    assert fay.token not in taken.text
    httpx.delete(f"{echo_node.url}/v1/principals/fay", headers=echo_node.owner).raise_for_status()
    again = Principal(echo_node, "fay")
    assert again.token != fay.token
    assert (fay.ask("GET", "/tasks").status_code, again.ask("GET", "/tasks").status_code) == (401, 200)


@requirement("A2A-SEND-015", "EDGE-006")
def test_a_repeat_of_a_principal_is_answered_by_the_first_task(echo_node: RunningNode) -> None:
    gil = Principal(echo_node, "gil")
    assert gil.say("once", "m-gil")["id"] == gil.say("once", "m-gil")["id"] != gil.say("twice", "m-gil")["id"]


@requirement("A2A-ERR-006")
@pytest.mark.parametrize(
    "header", ["Bearer stranger-7", "Bearer", "Basic b3duZXI6", "stranger-7", "Bearer " + "x" * 600]
)
def test_whoever_shows_what_is_no_token_is_told_so_even_where_none_is_needed(
    echo_node: RunningNode, header: str
) -> None:
    answer = httpx.get(f"{echo_node.url}/health", headers={"authorization": header})
    assert answer.status_code == 401
    assert "stranger-7" not in answer.text
