from __future__ import annotations

import gzip
import json
import logging
import socket
import ssl
from contextlib import aclosing, asynccontextmanager

import pytest

from csbond.flows.turn import Done, Fail, Say
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.skills.load import load_skill
from csbond_tests.certificates import self_signed
from csbond_tests.fake_endpoint import BREAK_OFF, STALL, Scripted, fake_endpoint
from csbond_tests.turns import answers_of, memory, spoken, turn_of


@asynccontextmanager
async def calling(home, *script: Scripted, **table):
    """A skill that calls an endpoint with a script, and the endpoint."""
    async with fake_endpoint(*script) as endpoint:
        made = load_skill({"kind": "http", "url": f"{endpoint.url}/answer"} | table, home)
        try:
            yield made, endpoint
        finally:
            await made.close()


async def answers(home, reply: Scripted, **table):
    async with calling(home, reply, **table) as (made, _):
        return await answers_of(made, turn_of("hello", [memory("Tea is ready.")]))


async def test_the_message_is_posted_as_json(tmp_path):
    async with calling(tmp_path, Scripted(["ok"], media_type="text/plain")) as (made, endpoint):
        assert await answers_of(made, turn_of("你好")) == [Say((text_part("ok"),))]
    (call,) = endpoint.calls
    assert (call.method, call.path, call.headers["content-type"]) == ("POST", "/answer", "application/json")
    assert call.json["text"] == "你好"
    assert call.json["memories"] == []
    assert "authorization" not in call.headers


async def test_memories_are_sent_only_when_set(tmp_path):
    async with calling(tmp_path, Scripted(), memories=2) as (made, endpoint):
        await answers_of(made, turn_of("hello", [memory("Tea is ready.")]))
    assert endpoint.calls[0].json["memories"][0]["content"] == "Tea is ready."


async def test_text_is_streamed_as_it_arrives_and_characters_are_not_cut(tmp_path):
    body = ["one ", "你".encode()[:2], "你".encode()[2:] + b" two"]
    assert spoken(await answers(tmp_path, Scripted(body, media_type="text/plain; charset=utf-8"))) == "one 你 two"


async def test_the_first_words_are_heard_before_the_last_are_said(tmp_path):
    reply = Scripted(["first", STALL], media_type="text/plain")
    async with calling(tmp_path, reply) as (made, _), aclosing(made.answer(turn_of("x"))) as stream:
        assert await anext(stream) == Say((text_part("first"),))


async def test_json_is_an_answer_or_a_list_of_them(tmp_path):
    assert await answers(tmp_path, Scripted(['{"say": "hi"}'])) == [Say((text_part("hi"),))]
    assert await answers(tmp_path, Scripted(['[{"say": "a"}, ', '{"done": null}]'])) == [Say((text_part("a"),)), Done()]


async def test_json_lines_are_answers_as_they_arrive(tmp_path):
    body = ['{"working": "x"}\n{"sa', 'y": "hi"}\r\n\n', '{"done": true}']
    heard = await answers(tmp_path, Scripted(body, media_type="application/x-ndjson"))
    assert [type(each).__name__ for each in heard] == ["Working", "Say", "Done"]


async def test_another_media_type_is_a_file(tmp_path):
    heard = await answers(tmp_path, Scripted([b"\x89PNG"], media_type="image/png"))
    assert heard == [Say((Part(PartKind.FILE, b"\x89PNG", "image/png"),), last_chunk=True)]


async def test_an_empty_answer_is_no_fault(tmp_path):
    assert await answers(tmp_path, Scripted([])) == []


@pytest.mark.parametrize("body", ["{broken", '{"shout": "x"}', ""])
async def test_broken_json_lines_fail_without_their_text(tmp_path, body, caplog):
    caplog.set_level(logging.WARNING)
    heard = await answers(tmp_path, Scripted([body + "swordfish"], media_type="application/x-ndjson"))
    assert heard == [Fail("The skill answered outside its contract.")]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(tmp_path, status):
    async with fake_endpoint(Scripted(["stolen"], media_type="text/plain")) as elsewhere:
        heard = await answers(tmp_path, Scripted(["moved"], status, headers={"Location": elsewhere.url}))
        assert elsewhere.calls == []
    assert heard == [Fail("The endpoint behind this skill answered with a redirect, which is not followed.")]


@pytest.mark.parametrize("place", ["mailto:a@b", "http://xn--/"])
async def test_a_redirect_to_no_address_is_not_followed_either(tmp_path, place):
    heard = await answers(tmp_path, Scripted(["moved"], 302, headers={"Location": place}))
    assert heard == [Fail("The endpoint behind this skill answered with a redirect, which is not followed.")]


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
async def test_an_error_is_said_without_its_text_and_called_once(tmp_path, status):
    async with calling(tmp_path, Scripted(["swordfish"], status)) as (made, endpoint):
        heard = await answers_of(made, turn_of("x"))
    assert heard == [Fail(f"The endpoint behind this skill answered with the HTTP status {status}.")]
    assert len(endpoint.calls) == 1


async def test_an_answer_that_is_too_long_fails(tmp_path):
    heard = await answers(tmp_path, Scripted(["x" * 600, "x" * 600], media_type="text/plain"), answer_bytes=1000)
    assert heard[-1] == Fail("The endpoint behind this skill answered with more than 1000 bytes.")


async def test_a_packed_answer_is_refused_for_its_size_is_unknown(tmp_path):
    reply = Scripted([gzip.compress(b"x" * 10_000)], media_type="text/plain", headers={"Content-Encoding": "gzip"})
    assert await answers(tmp_path, reply) == [
        Fail("The endpoint behind this skill answered in a coding that was not asked for.")
    ]


async def test_an_answer_that_stalls_is_given_up(tmp_path):
    heard = await answers(tmp_path, Scripted(["so", STALL], media_type="text/plain"), read_timeout_s=0.2)
    assert heard == [Say((text_part("so"),)), Fail("The endpoint behind this skill stopped answering.")]


async def test_an_answer_that_breaks_off_fails(tmp_path):
    heard = await answers(tmp_path, Scripted(["so", BREAK_OFF], media_type="text/plain"))
    assert heard[-1] == Fail("The endpoint behind this skill broke the connection off.")


async def test_an_endpoint_that_is_not_there_fails(tmp_path):
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        made = load_skill({"kind": "http", "url": f"http://127.0.0.1:{taken.getsockname()[1]}"}, tmp_path)
        heard = await answers_of(made, turn_of("x"))
        await made.close()
    assert heard == [Fail("The endpoint behind this skill could not be reached.")]


async def test_tls_is_verified_and_an_authority_of_ones_own_is_taken(tmp_path, caplog):
    certificate, key = self_signed(tmp_path, "localhost")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    heard = {}
    async with fake_endpoint(Scripted(["ok"], media_type="text/plain"), tls=context) as endpoint:
        for name, table in (("unknown", {}), ("known", {"ca_file": certificate.name})):
            made = load_skill({"kind": "http", "url": endpoint.url} | table, tmp_path)
            heard[name] = await answers_of(made, turn_of("x"))
            await made.close()
    assert heard["unknown"] == [Fail("The endpoint behind this skill could not be reached.")]
    assert heard["known"] == [Say((text_part("ok"),))]
    assert "CERTIFICATE_VERIFY_FAILED" in caplog.text


async def test_the_token_is_sent_and_never_logged(tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SKILL_TOKEN", "swordfish")
    async with calling(tmp_path, Scripted(["no"], 401), token_env="SKILL_TOKEN") as (made, endpoint):
        heard = await answers_of(made, turn_of("x"))
    assert endpoint.calls[0].headers["authorization"] == "Bearer swordfish"
    assert "swordfish" not in caplog.text
    assert "swordfish" not in repr(heard)


async def test_a_token_file_is_read_anew_for_each_call(tmp_path):
    token = tmp_path / "token"
    token.write_text("first\n")
    async with calling(tmp_path, Scripted(["ok"], media_type="text/plain"), token_file="token") as (made, endpoint):
        await answers_of(made, turn_of("x"))
        token.write_text("second\n")
        await answers_of(made, turn_of("x"))
        token.unlink()
        heard = await answers_of(made, turn_of("x"))
    assert [call.headers["authorization"] for call in endpoint.calls] == ["Bearer first", "Bearer second"]
    assert heard == [Fail("The endpoint behind this skill cannot be called: its token is missing.")]


async def test_proxies_of_the_environment_are_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert spoken(await answers(tmp_path, Scripted(["ok"], media_type="text/plain"))) == "ok"


async def test_what_is_sent_is_json_that_can_be_read(tmp_path):
    async with calling(tmp_path, Scripted()) as (made, endpoint):
        await answers_of(made, turn_of([text_part("a"), Part(PartKind.FILE, b"\xff\x00"), Part(PartKind.DATA, None)]))
    parts = json.loads(endpoint.calls[0].body)["message"]["parts"]
    assert parts == [{"text": "a"}, {"raw": "/wA="}, {"data": None}]
