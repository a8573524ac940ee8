from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows.changes import AppendMessage, Change, KeepSession, KeepThread
from csbond.protocol.continuity.thread import Listener, Sender
from csbond.protocol.errors import Refused
from csbond.protocol.memory.words import match_all, query_terms
from csbond.protocol.messages.listing import position_of
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond_tests.ledger_samples import NOW, a_message, a_session, a_thread, home, said
from csbond_tests.requirements import requirement


def _in(*spaces, key="owner"):
    return Listener(key, frozenset(spaces))


async def _found(ledger, text, listener=None, limit=10):
    hits = await ledger.search_messages(match_all(query_terms(text)), listener, limit)
    return [hit.message.id for hit, _ in hits]


@requirement("CSB-1.2.2-thread")
async def test_a_message_is_read_whole_as_it_was_kept(ledger):
    parts = (
        text_part("看图 look"),
        Part(PartKind.DATA, {"deep": [[1], {"二": None}]}, "application/json"),
        Part(PartKind.FILE, b"\x00\xff" * 1000, "image/png", "图.png", {"k": "v"}),
        Part(PartKind.URL, "https://example.org/x"),
    )
    message = a_message(
        "message-1", parts=parts, metadata={"ext": {"a": 1}}, importance=0.25, private=True, parent_id="p"
    )
    await ledger.commit(said(message))
    assert await ledger.message("owner", "message-1") == replace(message, seq=1)
    assert await ledger.message("anonymous", "message-1") is None
    assert await ledger.message("owner", "message-2") is None


async def test_an_id_that_was_given_twice_names_the_latest_message(ledger):
    await ledger.commit(said(a_message("1", "first")))
    await ledger.commit(said(a_message("1", "second")))
    assert (await ledger.message("owner", "1")).message.text == "second"
    assert len(await ledger.thread_messages("thread-1", "owner", None, 10)) == 2


async def test_a_thread_counts_its_messages_and_moves_with_them(ledger):
    await ledger.commit(home(KeepThread(a_thread(message_count=7)), AppendMessage(a_message("m-1"))))
    await ledger.commit(home(AppendMessage(a_message("m-2", said_at=NOW + 9)), AppendMessage(a_message("m-3"))))
    await ledger.commit(home(KeepThread(a_thread(updated_at=NOW + 5, title="later", message_count=1))))
    thread = await ledger.thread("thread-1", "owner")
    assert thread == a_thread(updated_at=NOW + 9, message_count=3)


async def test_a_thread_without_a_title_takes_the_first_that_comes(ledger):
    await ledger.commit(home(KeepThread(a_thread(title=""))))
    await ledger.commit(home(KeepThread(a_thread(title="hello", opened_at=NOW + 1))))
    await ledger.commit(home(KeepThread(a_thread(title="again"))))
    assert await ledger.thread("thread-1", "owner") == a_thread(title="hello")


async def test_threads_of_one_id_belong_to_their_callers_and_the_owner_sees_the_one_that_spoke_last(ledger):
    await ledger.commit(home(KeepThread(a_thread(caller_key="anonymous", updated_at=NOW + 2))))
    await ledger.commit(home(KeepThread(a_thread(caller_key="owner", updated_at=NOW + 1))))
    assert (await ledger.thread("thread-1", "owner")).updated_at == NOW + 1
    assert (await ledger.thread("thread-1", None)).caller_key == "anonymous"
    assert await ledger.thread("thread-1", "principal:x") is None
    assert await ledger.thread("thread-2", None) is None


@requirement("CSB-1.2.2-ref")
async def test_a_session_is_opened_once_and_stays_in_its_thread(ledger):
    first = a_session("context-1", opened_at=NOW + 1, agent_lifespan=3.5)
    second = a_session("context-2", continuity_ref="context-1", opened_at=NOW + 2)
    await ledger.commit(home(KeepThread(a_thread()), KeepThread(a_thread("thread-2")), KeepSession(first)))
    await ledger.commit(home(KeepSession(second), KeepSession(replace(first, opened_at=NOW + 9))))
    assert await ledger.session("context-1", "owner") == first
    assert await ledger.session("context-1", "anonymous") is None
    assert await ledger.sessions("thread-1", "owner") == (first, second)
    with pytest.raises(Refused) as refused:
        await ledger.commit(home(KeepSession(replace(first, thread_id="thread-2"))))
    assert refused.value.code.name == "version_conflict"


async def test_threads_are_paged_latest_first_within_callers_and_spaces(ledger):
    for number in range(6):
        caller, space = ("owner", "home") if number % 2 else ("anonymous", "work")
        thread = a_thread(f"thread-{number}", caller, space=space, updated_at=NOW + number // 2)
        await ledger.commit(Change(space, (KeepThread(thread),)))
    page = await ledger.threads(None, None, None, 4)
    assert [thread.id for thread in page.rows] == ["thread-5", "thread-4", "thread-3", "thread-2"]
    assert page.total == 6
    rest = await ledger.threads(None, None, position_of(page.next_cursor), 4)
    assert ([thread.id for thread in rest.rows], rest.next_cursor) == (["thread-1", "thread-0"], "")
    of_owner = await ledger.threads("owner", None, None, 10)
    assert [thread.id for thread in of_owner.rows] == ["thread-5", "thread-3", "thread-1"]
    at_work = await ledger.threads(None, frozenset({"work", "elsewhere"}), None, 10)
    assert ([thread.id for thread in at_work.rows], at_work.total) == (["thread-4", "thread-2", "thread-0"], 3)
    assert (await ledger.threads(None, frozenset(), None, 10)).rows == ()


@requirement("CSB-1.2.3-thread")
async def test_the_messages_of_a_thread_are_read_backwards_in_pages_and_each_page_oldest_first(ledger):
    for number in range(7):
        await ledger.commit(said(a_message(f"m-{number}")))
    await ledger.commit(said(a_message("of another", caller_key="anonymous")))
    await ledger.commit(said(a_message("elsewhere", thread_id="thread-2")))
    latest = await ledger.thread_messages("thread-1", "owner", None, 3)
    assert [each.message.id for each in latest] == ["m-4", "m-5", "m-6"]
    earlier = await ledger.thread_messages("thread-1", "owner", latest[0].seq, 3)
    assert [each.message.id for each in earlier] == ["m-1", "m-2", "m-3"]
    first = await ledger.thread_messages("thread-1", "owner", earlier[0].seq, 3)
    assert [each.message.id for each in first] == ["m-0"]
    assert await ledger.thread_messages("thread-1", "owner", first[0].seq, 3) == ()
    assert await ledger.thread_messages("thread-1", "owner", None, 0) == ()


async def test_messages_that_were_committed_together_are_never_torn_apart_by_a_page(ledger):
    first, second = (AppendMessage(a_message(f"a-{n}")) for n in range(2))
    await ledger.commit(home(KeepThread(a_thread()), first, second))
    await ledger.commit(home(*(AppendMessage(a_message(f"b-{n}")) for n in range(3))))
    page = await ledger.thread_messages("thread-1", "owner", None, 2)
    assert [each.message.id for each in page] == ["b-0", "b-1", "b-2"]
    rest = await ledger.thread_messages("thread-1", "owner", page[0].seq, 2)
    assert [each.message.id for each in rest] == ["a-0", "a-1"]
    by_name = await ledger.messages_of_sender("Ada", None, None, 1)
    assert [each.message.id for each in by_name] == ["b-2", "b-1", "b-0"]


@requirement("CSB-1.2.3-agent")
async def test_what_senders_of_a_name_said_is_read_latest_first_with_the_did_of_each(ledger):
    for number, did in enumerate(["did:key:z1", "did:key:z2", "did:key:z1"]):
        space = "work" if number == 1 else "home"
        await ledger.commit(said(a_message(f"m-{number}", sender=Sender("Bo", did), space=space, thread_id=space)))
    await ledger.commit(said(a_message("of Ada")))
    every = await ledger.messages_of_sender("Bo", None, None, 10)
    assert {each.message.id: each.sender.did for each in every} == {
        "m-0": "did:key:z1",
        "m-1": "did:key:z2",
        "m-2": "did:key:z1",
    }
    at_home = await ledger.messages_of_sender("Bo", _in("home"), None, 1)
    assert [each.message.id for each in at_home] == ["m-2"]
    before = await ledger.messages_of_sender("Bo", _in("home"), at_home[0].seq, 5)
    assert [each.message.id for each in before] == ["m-0"]
    assert await ledger.messages_of_sender("Bo", _in(), None, 5) == ()
    assert await ledger.messages_of_sender("Nobody", None, None, 5) == ()


@requirement("CSB-1.2.3-search")
async def test_messages_are_found_by_their_words_in_chinese_and_english(ledger):
    await ledger.commit(said(a_message("zh", "我们明天去海边喝咖啡，然后讨论计划")))
    await ledger.commit(said(a_message("en", "We talk about the plan by the river")))
    await ledger.commit(said(a_message("mixed", "重跑gen-itgc后再看river日志")))
    assert await _found(ledger, "咖啡") == ["zh"]
    assert await _found(ledger, "海边喝") == ["zh"]
    assert await _found(ledger, "边") == ["zh"]
    assert await _found(ledger, "PLAN") == ["en"]
    assert await _found(ledger, "itgc") == ["mixed"]
    assert sorted(await _found(ledger, "river")) == ["en", "mixed"]
    assert await _found(ledger, "river plan") == ["en"]
    assert await _found(ledger, "边海") == []


async def test_message_search_keeps_to_the_spaces_and_the_limit_and_ranks(ledger):
    await ledger.commit(said(a_message("much", "stone stone stone")))
    await ledger.commit(said(a_message("little", "a stone among many other words of no weight here")))
    await ledger.commit(said(a_message("away", "stone", space="work", thread_id="thread-2")))
    for number in range(9):
        await ledger.commit(said(a_message(f"other-{number}", "rain and wind")))
    assert await _found(ledger, "stone", _in("home")) == ["much", "little"]
    assert await _found(ledger, "stone", _in("home"), limit=1) == ["much"]
    assert await _found(ledger, "stone", _in("work")) == ["away"]
    assert await _found(ledger, "stone", _in()) == []
    assert await ledger.search_messages("", None, 10) == ()
    hits = await ledger.search_messages('"stone"', None, 10)
    ranks = [rank for _, rank in hits]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[-1] > 0


async def test_what_others_said_in_private_takes_no_place_among_what_a_listener_hears(ledger):
    for number in range(5):
        await ledger.commit(said(a_message(f"private-{number}", "stone stone", private=True, sender=Sender("Bo"))))
    await ledger.commit(said(a_message("open", "a stone among other words", sender=Sender("Bo"))))
    for key, heard in (("owner", "private-4"), ("principal:ann", "open")):
        listener = _in("home", key=key)
        assert len(await _found(ledger, "stone", listener)) == (6 if key == "owner" else 1)
        assert (await _found(ledger, "stone", listener, limit=1))[0].startswith(heard[:4])
        said_by_name = await ledger.messages_of_sender("Bo", listener, None, 2)
        assert [each.message.id for each in said_by_name] == (["open", "private-4"] if key == "owner" else ["open"])
