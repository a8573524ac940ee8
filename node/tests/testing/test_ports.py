from __future__ import annotations

import pytest
from nacl.signing import VerifyKey

from csbond.flows.ports import Clock, Identifiers, Journal, Peers, Signer, Webhooks
from csbond.protocol.errors import Refused, Unavailable
from csbond.protocol.identifiers import public_key_of
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond.protocol.messages.push import PushConfig
from csbond.testing import CountedIdentifiers, FixedSigner, KeptJournal, NoPeers, NullWebhooks, SetClock

CONFIG = PushConfig("hook", "task-1", "https://example.org/hook")


def test_the_twins_fit_their_ports():
    twins: tuple[Clock, Identifiers, Signer, Webhooks, Peers, Journal] = (
        SetClock(),
        CountedIdentifiers(),
        FixedSigner(),
        NullWebhooks(),
        NoPeers(),
        KeptJournal(),
    )
    assert len(twins) == 6


def test_a_set_clock_moves_only_when_told():
    clock = SetClock(1000)
    assert (clock.now(), clock.now()) == (1000, 1000)
    assert clock.advance(500) == clock.now() == 1500


def test_counted_names_are_the_same_in_every_run_and_never_the_same_twice():
    def given():
        names = CountedIdentifiers()
        return [name for _ in range(100) for name in (names.unique(), names.letters(6), names.secret())]

    assert given() == given()
    assert len(set(given())) == 300


def test_counted_names_have_the_form_of_real_ones():
    names = CountedIdentifiers()
    assert names.unique() == "00000000-0000-4000-8000-000000000001"
    assert [len(names.letters(count)) for count in (1, 8, 12)] == [1, 8, 12]
    assert len(names.secret()) == 43


def test_a_fixed_key_signs_what_its_did_verifies():
    signer = FixedSigner()
    VerifyKey(public_key_of(signer.did)).verify(b"data", signer.sign(b"data"))
    assert signer.did == FixedSigner("agent").did != FixedSigner("another").did


async def test_webhooks_that_go_nowhere_keep_what_was_posted():
    webhooks = NullWebhooks(refused={"https://example.org/no"})
    await webhooks.check(CONFIG.url)
    assert await webhooks.post(CONFIG, b"{}") is True
    webhooks.takes = False
    assert await webhooks.post(CONFIG, b"[]") is False
    assert webhooks.posted == [(CONFIG, b"{}"), (CONFIG, b"[]")]
    with pytest.raises(Refused) as refused:
        await webhooks.check("https://example.org/no")
    assert refused.value.code.name == "webhook_refused"


async def test_a_world_without_peers_says_so():
    with pytest.raises(Unavailable) as unavailable:
        await NoPeers().send("https://example.org", Message("m", "user", (text_part("hello"),)))
    assert unavailable.value.code.name == "peer_unreachable"


def test_a_kept_journal_shows_what_was_noted():
    journal = KeptJournal()
    journal.failed("run_turn", Unavailable("storage_full", "the disk is full"), task="task-1")
    journal.failed("run_turn", ValueError("a bug"))
    assert journal.codes == ["storage_full"]
    assert [(story, facts) for story, _, facts in journal.noted] == [("run_turn", {"task": "task-1"}), ("run_turn", {})]
