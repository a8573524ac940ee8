from __future__ import annotations

import pytest

from csbond.flows.recall_thread import recall_agent, recall_thread, recall_threads, search_threads
from csbond.protocol.errors import CsbError
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.protocol.messages.listing import position_of
from csbond_tests.memories import tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import NOW


def principal(*spaces):
    return Caller(CallerKind.PRINCIPAL, "ann", Role.VIEWER, frozenset(spaces))


def texts(messages):
    return [message.message.text for message in messages]


async def refused(call):
    with pytest.raises(CsbError) as info:
        await call
    return info.value.code.name


@requirement("CSB-1.2.3-thread", "CSB-1.2.2-ref")
async def test_a_thread_is_shown_with_its_sessions_and_what_was_said(world):
    await tell(world, "第一天。", session="s-1", said_at=NOW)
    await tell(world, "第二天。", session="s-2", ref="s-1", said_at=NOW + 1)
    shown = await recall_thread(world, "t-1", OWNER)
    assert (shown.thread.id, shown.thread.message_count, shown.thread.title) == ("t-1", 2, "第一天。")
    assert [(session.id, session.continuity_ref) for session in shown.sessions] == [("s-1", ""), ("s-2", "s-1")]
    assert texts(shown.messages) == ["第一天。", "第二天。"]
    assert shown.earlier is None


async def test_a_long_thread_is_read_page_by_page_from_its_end(world):
    for number in range(7):
        await tell(world, f"line {number}")
    pages, before = [], None
    while True:
        shown = await recall_thread(world, "t-1", OWNER, before, limit=3)
        pages.append(texts(shown.messages))
        if shown.earlier is None:
            break
        before = shown.earlier
    assert pages == [["line 4", "line 5", "line 6"], ["line 1", "line 2", "line 3"], ["line 0"]]


async def test_a_thread_whose_length_is_a_multiple_of_the_page_ends_with_an_empty_one(world):
    for number in range(2):
        await tell(world, f"line {number}")
    first = await recall_thread(world, "t-1", OWNER, limit=2)
    last = await recall_thread(world, "t-1", OWNER, first.earlier, limit=2)
    assert (last.messages, last.earlier) == ((), None)


async def test_an_unknown_thread_is_not_found(world):
    assert await refused(recall_thread(world, "t-9", OWNER)) == "thread_not_found"


@requirement("CSB-1.2.3-access")
async def test_a_principal_reads_threads_of_its_spaces_only(world):
    await tell(world, "At home.", thread="t-1", caller="owner")
    await tell(world, "At work.", thread="t-2", caller="owner", space="work")
    assert texts((await recall_thread(world, "t-1", principal("home"))).messages) == ["At home."]
    assert await refused(recall_thread(world, "t-2", principal("home"))) == "thread_not_found"
    assert await refused(recall_thread(world, "t-1", ANONYMOUS)) == "thread_not_found"
    for spaces, expected in ((("home",), ["t-1"]), (("work",), ["t-2"]), (("home", "work"), ["t-2", "t-1"])):
        page = await recall_threads(world, principal(*spaces))
        assert [thread.id for thread in page.rows] == expected
    assert len((await recall_threads(world, OWNER)).rows) == 2


@requirement("CSB-1.2.3-access")
async def test_words_and_names_are_found_within_the_spaces_of_a_principal_only(world):
    await tell(world, "The key is at home.", by="Bo", space="home")
    await tell(world, "The key is at work.", by="Bo", space="work", thread="t-2")
    assert texts(message for message, _ in await search_threads(world, "key", principal("work"))) == [
        "The key is at work."
    ]
    shown = await recall_agent(world, "Bo", principal("home"))
    assert texts(shown.speakers[0].messages) == ["The key is at home."]
    assert await search_threads(world, "key", ANONYMOUS) == ()


async def test_of_two_threads_of_one_id_a_caller_reads_its_own_first(world):
    await tell(world, "From nobody.", caller="anonymous", said_at=NOW + 9)
    await tell(world, "From Ann.", caller="principal:ann", said_at=NOW)
    assert texts((await recall_thread(world, "t-1", principal("home"))).messages) == ["From Ann."]
    assert texts((await recall_thread(world, "t-1", OWNER)).messages) == ["From nobody."]


async def test_threads_are_listed_latest_first_page_by_page(world):
    for number in range(5):
        await tell(world, "hello", thread=f"t-{number}", said_at=NOW + number)
    first = await recall_threads(world, OWNER, limit=3)
    rest = await recall_threads(world, OWNER, position_of(first.next_cursor), limit=3)
    assert [thread.id for thread in (*first.rows, *rest.rows)] == ["t-4", "t-3", "t-2", "t-1", "t-0"]
    assert (first.total, rest.next_cursor) == (5, "")


@requirement("CSB-1.2.3-agent")
async def test_two_agents_of_one_name_are_listed_apart_by_did(world):
    await tell(world, "I am the first.", by="青烛 🕯️", did="did:key:zA")
    await tell(world, "I am the second.", by="青烛 🕯️", did="did:key:zB", thread="t-2")
    await tell(world, "I am somebody else.", by="清漪")
    await tell(world, "The first again.", by="青烛 🕯️", did="did:key:zA")
    shown = await recall_agent(world, "青烛 🕯️", OWNER)
    assert [(speaker.did, texts(speaker.messages)) for speaker in shown.speakers] == [
        ("did:key:zA", ["The first again.", "I am the first."]),
        ("did:key:zB", ["I am the second."]),
    ]


async def test_what_an_agent_said_is_read_page_by_page(world):
    for number in range(5):
        await tell(world, f"line {number}", by="Bo")
    first = await recall_agent(world, "Bo", OWNER, limit=3)
    rest = await recall_agent(world, "Bo", OWNER, first.earlier, limit=3)
    assert texts(first.speakers[0].messages) == ["line 4", "line 3", "line 2"]
    assert texts(rest.speakers[0].messages) == ["line 1", "line 0"]
    assert rest.earlier is None


async def test_nobody_of_a_name_is_not_found(world):
    assert await refused(recall_agent(world, "nobody", OWNER)) == "thread_not_found"


@requirement("CSB-1.2.3-search")
@pytest.mark.parametrize("query", ["清漪+第20天", "清漪 第20天", "第20天  清漪", "清漪+第20天+对话"])
async def test_all_terms_must_be_said_and_plus_is_a_space(world, query):
    await tell(world, "第20天和清漪的第一次对话。")
    await tell(world, "第20天没有见到她。")
    await tell(world, "清漪在第2天来过。")
    found = await search_threads(world, query, OWNER)
    assert texts(message for message, _ in found) == ["第20天和清漪的第一次对话。"]


@requirement("CSB-1.2.3-search")
async def test_english_terms_are_found_in_any_form_and_case(stored):
    await tell(stored, "We walked to the Harbour and talked.")
    await tell(stored, "The harbour is closed.")
    found = await search_threads(stored, "harbour+walking", OWNER)
    assert texts(message for message, _ in found) == ["We walked to the Harbour and talked."]


async def test_questions_are_found_in_threads_though_they_leave_no_memory(world):
    await tell(world, "Where is the key?")
    assert len(await search_threads(world, "key", OWNER)) == 1
    assert (await world.ledger.counts())["entries"] == 0


@pytest.mark.parametrize("query", ["", "+", " ?! "])
async def test_a_search_without_a_word_is_refused(world, query):
    assert await refused(search_threads(world, query, OWNER)) == "invalid_params"


async def test_what_others_said_in_private_is_read_by_the_owner_and_by_whoever_said_it(world):
    ann = principal("home")
    await tell(world, "the key lies under the stone", caller="owner", private=True)
    await tell(world, "the stone is grey", caller="owner")
    await tell(world, "my own stone", caller=ann.key, thread="t-ann", private=True)
    for reader, heard in ((OWNER, {"t-1": 2, "t-ann": 1}), (ann, {"t-1": 1, "t-ann": 1})):
        found = await search_threads(world, "stone", reader)
        assert {message.thread_id for message, _ in found} == {"t-1", "t-ann"}
        assert len(found) == sum(heard.values())
        assert len((await recall_thread(world, "t-1", reader)).messages) == heard["t-1"]
        assert sum(len(speaker.messages) for speaker in (await recall_agent(world, "Ann", reader)).speakers) == len(
            found
        )


async def test_the_ids_that_work_like_keys_are_shown_to_nobody_but_the_owner(world):
    await tell(world, "the ferry is blue", caller=ANONYMOUS.key, thread="t-1", task="task-1", session="s-secret")
    (seen,) = (await recall_thread(world, "t-1", OWNER)).messages
    assert (seen.task_id, seen.session_id) == ("task-1", "s-secret")
    reader = principal("home")
    shown = await recall_thread(world, "t-1", reader)
    (found, _), *_ = await search_threads(world, "ferry", reader)
    (speaker,) = (await recall_agent(world, "Ann", reader)).speakers
    assert shown.sessions == ()
    for message in (*shown.messages, found, *speaker.messages):
        assert (message.message.text, message.task_id, message.session_id) == ("the ferry is blue", "", "")
