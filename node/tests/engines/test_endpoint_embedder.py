from __future__ import annotations

import json
import logging

import httpx
import pytest

from csbond.engines import endpoint_embedder as module
from csbond.engines.endpoint import EndpointAddress
from csbond.engines.endpoint_embedder import EndpointEmbedder, EndpointSettings
from csbond.protocol.errors import Unavailable
from csbond.protocol.memory.vectors import unpack
from csbond_tests.requirements import requirement

URL = "https://models.example/v1"
KEY = "sk-not-to-be-seen"


class Endpoint:
    """An endpoint in this process: answers from a script, else with a vector a text, and keeps what it was sent."""

    def __init__(self, dimension=3):
        self.dimension = dimension
        self.script: list = []
        self.requests: list[httpx.Request] = []

    def __call__(self, request):
        self.requests.append(request)
        if self.script:
            return self.script.pop(0)
        texts = json.loads(request.content)["input"]
        rows = [
            {"index": place, "embedding": [len(text), *[0.0] * (self.dimension - 2), 1]}
            for place, text in enumerate(texts)
        ]
        return httpx.Response(200, json={"object": "list", "data": rows[::-1]})

    @property
    def bodies(self):
        return [json.loads(request.content) for request in self.requests]


class Rig:
    """An embedder wired to an endpoint, and the waits it made."""

    def __init__(self, dimension=0, **address):
        self.endpoint, self.waits = Endpoint(), []
        settings = EndpointSettings(EndpointAddress(URL, **address), "tiny", dimension)
        self.embedder = EndpointEmbedder(settings, self._sleep)
        self.embedder._endpoint._opened = httpx.AsyncClient(transport=httpx.MockTransport(self.endpoint))

    async def _sleep(self, seconds):
        self.waits.append(seconds)

    async def refused(self, role="document", texts=("tea",)):
        with pytest.raises(Unavailable) as info:
            await self.embedder.embed(texts, role)
        assert info.value.code.name == "embedder_unavailable"
        return info.value.reason


@pytest.fixture
async def rig():
    rig = Rig()
    yield rig
    await rig.embedder.close()


@requirement("MEM-002-2.2-embedders")
async def test_every_text_has_a_vector_of_length_one_in_its_place(rig):
    vectors = [unpack(vector) for vector in await rig.embedder.embed(["tea", "xxxx"], "document")]
    assert vectors == [pytest.approx((3 / 10**0.5, 0, 1 / 10**0.5)), pytest.approx((4 / 17**0.5, 0, 1 / 17**0.5))]
    (request,) = rig.endpoint.requests
    assert (request.method, str(request.url)) == ("POST", f"{URL}/embeddings")
    assert rig.endpoint.bodies == [{"model": "tiny", "input": ["tea", "xxxx"], "encoding_format": "float"}]
    assert "authorization" not in request.headers


async def test_many_texts_go_32_at_a_time(rig):
    vectors = await rig.embedder.embed(["x" * number for number in range(1, 71)], "document")
    assert [len(body["input"]) for body in rig.endpoint.bodies] == [32, 32, 6]
    assert len(set(vectors)) == 70


async def test_what_no_model_takes_is_left_out(rig):
    await rig.embedder.embed(["a\0b", "\0", "x" * 5000], "document")
    assert rig.endpoint.bodies[0]["input"] == ["ab", " ", "x" * 2048]


@requirement("MEM-002-2.2-embedders", "MEM-002-2.2-one-model")
async def test_the_dimension_is_learnt_from_the_first_answer_and_is_part_of_the_name(rig):
    assert rig.embedder.dimension == 0
    await rig.embedder.open()
    await rig.embedder.open()
    assert (rig.embedder.dimension, len(rig.endpoint.requests)) == (3, 1)
    assert rig.embedder.model_id.endswith("/tiny/3")
    assert "models.example" not in rig.embedder.model_id


async def test_a_dimension_that_is_set_is_asked_for_and_nothing_is_sent_to_learn_it():
    rig = Rig(dimension=3)
    await rig.embedder.open()
    assert rig.endpoint.requests == []
    await rig.embedder.embed(["tea"], "query")
    assert rig.endpoint.bodies[0]["dimensions"] == 3
    await rig.embedder.close()


@requirement("MEM-002-2.2-one-model")
async def test_a_model_that_changes_its_dimension_is_not_mixed_in(rig):
    await rig.embedder.open()
    rig.endpoint.dimension = 5
    assert await rig.refused() == "the embedding endpoint answered with vectors of 5 numbers, not of 3"
    assert rig.embedder.dimension == 3


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 408])
async def test_a_busy_endpoint_is_asked_again_with_longer_waits(rig, status):
    rig.endpoint.script = [httpx.Response(status)] * 2
    assert len(await rig.embedder.embed(["tea"], "document")) == 1
    assert rig.waits == [1.0, 2.0]


async def test_what_it_asks_for_is_waited_but_not_for_ever(rig):
    waits = ["7", "9999", "Mon, 30 Nov 2026 12:00:00 GMT"]
    rig.endpoint.script = [httpx.Response(429, headers={"Retry-After": value}) for value in waits]
    await rig.embedder.embed(["tea"], "document")
    assert rig.waits == [7.0, 20.0, 4.0]


async def test_documents_are_given_up_after_four_calls_and_a_question_after_one(rig):
    rig.endpoint.script = [httpx.Response(503)] * 5
    assert await rig.refused() == "the embedding endpoint answered with the HTTP status 503"
    assert len(rig.endpoint.requests) == 4
    await rig.refused("query")
    assert len(rig.endpoint.requests) == 5


async def test_an_endpoint_that_cannot_be_reached_is_told_without_its_address(rig, monkeypatch):
    def broken(_request):
        raise httpx.ConnectError(f"no route to {URL}?key={KEY}")

    rig.embedder._endpoint._opened = httpx.AsyncClient(transport=httpx.MockTransport(broken))
    assert await rig.refused("query") == "the embedding endpoint does not answer (ConnectError)"


@pytest.mark.parametrize("place", ["mailto:a@b", "http://xn--/"])
async def test_an_endpoint_that_sends_on_to_no_address_is_told(rig, place):
    rig.endpoint.script = [httpx.Response(307, headers={"Location": place})]
    assert await rig.refused() == "the address of the embedding endpoint, or the one it sends on to, is none"
    assert len(rig.endpoint.requests) == 1


async def test_a_redirect_is_not_followed(rig):
    rig.endpoint.script = [httpx.Response(307, headers={"Location": "https://elsewhere.example/"})]
    assert await rig.refused() == "the embedding endpoint answered with the HTTP status 307"
    assert len(rig.endpoint.requests) == 1


def test_the_client_it_makes_follows_nothing_and_heeds_no_proxy_of_the_environment():
    client = EndpointEmbedder(EndpointSettings(EndpointAddress(URL), "tiny"))._endpoint._client()
    assert (client.follow_redirects, client.trust_env) == (False, False)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"data": 1}',
        b'{"data": []}',
        b'{"data": [1]}',
        b'{"data": [{"index": 1, "embedding": [1]}]}',
        b'{"data": [{"index": 0, "embedding": ["a"]}]}',
        b'{"data": [{"index": 0, "embedding": [null]}]}',
        b'{"data": [{"index": [0], "embedding": [1]}]}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": [0, 0]}]}',
        b'{"data": [{"index": 0, "embedding": [1e999]}]}',
        json.dumps({"data": [{"index": 0, "embedding": [1] * 4001}]}).encode(),
    ],
)
async def test_an_answer_outside_the_protocol_is_no_vector(rig, body):
    rig.endpoint.script = [httpx.Response(200, content=body)]
    assert "the embedding endpoint answered" in await rig.refused()


async def test_an_answer_without_end_is_not_read_to_it(rig, monkeypatch):
    monkeypatch.setattr(module, "ANSWER_BYTES", 100)
    rig.endpoint.script = [httpx.Response(200, content=b" " * 101)]
    assert await rig.refused() == "the embedding endpoint answered with more than 100 bytes"


async def test_the_key_comes_from_its_file_before_each_call_and_is_never_told(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n", encoding="utf-8")
    rig = Rig(token_file=str(file))
    rig.endpoint.script = [httpx.Response(401, text=f"bad key {KEY}")]
    told = await rig.refused()
    file.write_text("another", encoding="utf-8")
    await rig.embedder.embed(["tea"], "document")
    assert [each.headers["authorization"] for each in rig.endpoint.requests] == [f"Bearer {KEY}", "Bearer another"]
    assert KEY not in told + caplog.text + rig.embedder.model_id
    await rig.embedder.close()


async def test_the_key_comes_from_the_environment_where_no_file_holds_it(monkeypatch):
    monkeypatch.setenv("EMBEDDING_KEY", KEY)
    rig = Rig(token_env="EMBEDDING_KEY")
    await rig.embedder.embed(["tea"], "document")
    assert rig.endpoint.requests[0].headers["authorization"] == f"Bearer {KEY}"
    await rig.embedder.close()


@pytest.mark.parametrize("held", [None, "", "two words", "schlüssel", "line\nline"])
async def test_without_a_key_that_was_set_nothing_is_sent(tmp_path, held):
    file = tmp_path / "key"
    if held is not None:
        file.write_text(held, encoding="utf-8")
    rig = Rig(token_file=str(file))
    told = await rig.refused()
    assert "the key of the embedding endpoint" in told
    assert not held or held not in told
    assert rig.endpoint.requests == []
    await rig.embedder.close()


async def test_a_variable_that_is_not_set_is_no_key(monkeypatch):
    monkeypatch.delenv("EMBEDDING_KEY", raising=False)
    rig = Rig(token_env="EMBEDDING_KEY")
    assert "is missing" in await rig.refused()
    await rig.embedder.close()


async def test_certificates_that_are_none_are_told(tmp_path):
    file = tmp_path / "ca.pem"
    file.write_text("no certificate", encoding="utf-8")
    embedder = EndpointEmbedder(EndpointSettings(EndpointAddress(URL, ca_file=str(file)), "tiny"))
    with pytest.raises(Unavailable, match="holds no certificates"):
        await embedder.embed(["tea"], "query")
