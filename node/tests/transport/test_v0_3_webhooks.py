"""A webhook without an id is, before v1.0, the one webhook of its task (v0.3 §7.5)."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from csbond.protocol.messages.json_v1_0 import THE_ONE_WEBHOOK, push_from_json
from csbond_tests.requirements import requirement
from csbond_tests.speakers import SaidNo
from csbond_tests.stories import echo

_numbers = itertools.count()


def message() -> dict[str, Any]:
    return {"messageId": f"w-{next(_numbers)}", "role": "ROLE_USER", "parts": [{"text": "hi"}]}


@requirement("V03-020")
@pytest.mark.parametrize("binding", ["json-rpc 0.3", "http+json 0.3"], indirect=True)
async def test_it_is_set_shown_by_its_name_and_updated(somebody) -> None:
    task = (await somebody.send(message()))["task"]
    for url in ("https://hooks.example/1", "https://hooks.example/2"):
        made = await somebody.push_create(task["id"], {"url": url})
        assert made["id"] == THE_ONE_WEBHOOK
        assert (await somebody.push_get(task["id"], THE_ONE_WEBHOOK))["url"] == url
    assert [each["url"] for each in (await somebody.push_list(task["id"]))["configs"]] == ["https://hooks.example/2"]


@requirement("V03-020")
@pytest.mark.parametrize("binding", ["json-rpc 0.3", "http+json 0.3"], indirect=True)
async def test_one_that_comes_with_a_message_is_the_same(somebody) -> None:
    config = {"url": "https://hooks.example/1"}
    task = (await somebody.send(message(), taskPushNotificationConfig=config))["task"]
    assert [each["id"] for each in (await somebody.push_list(task["id"]))["configs"]] == [THE_ONE_WEBHOOK]


@requirement("A2A-PUSH-009")
@pytest.mark.parametrize("binding", ["json-rpc 0.3"], indirect=True)
async def test_a_node_without_push_says_it_in_the_words_of_the_specification(serve, speak, binding) -> None:
    somebody = await speak(await serve(echo, enabled=False), binding)
    with pytest.raises(SaidNo) as refused:
        await somebody.push_create("t", {"url": "https://hooks.example/"})
    assert (refused.value.error["code"], "not supported" in refused.value.error["message"]) == (-32003, True)


@requirement("V03-020", "A2A-PUSH-001")
def test_only_v1_0_leaves_the_name_to_the_node() -> None:
    raw = {"taskId": "t", "url": "https://hooks.example/"}
    assert [push_from_json(raw, dialect).id for dialect in ("1.0", "0.3", "draft")] == ["", "default", "default"]
    assert push_from_json({**raw, "id": "w"}, "0.3").id == "w"
