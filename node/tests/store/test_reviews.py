"""Questions to a person, and documents of the owner: the same in every ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from csbond.flows.memory_changes import EraseEntry, PutPolicy, PutReview
from csbond.protocol.errors import Refused
from csbond.protocol.memory.review import Review, decided
from csbond_tests.ledger_samples import NOW, an_entry, home, put
from csbond_tests.requirements import requirement


def a_review(id_="review_1", entry_id="mem_1", kind="delete", asked_at=NOW, **fields):
    proposed = {"to": "deleted", "trigger": "rule", "rule": "旧事", "step": "rules"}
    return replace(Review(id_, entry_id, 1, kind, proposed, "a rule says so", asked_at), **fields)


async def ask(ledger, *reviews):
    await ledger.commit(home(*map(PutReview, reviews)))


@pytest.fixture
async def filled(ledger):
    await ledger.commit(put(an_entry(), an_entry("mem_2")))
    return ledger


@requirement("MEM-005-5.5-queue")
async def test_a_question_is_kept_with_its_answer(filled):
    await ask(filled, a_review())
    assert await filled.review("review_1") == a_review()
    answer = decided(a_review(), "declined", "owner", NOW + 9, 90)
    await ask(filled, answer)
    assert await filled.review("review_1") == answer
    assert await filled.review("review_2") is None


@requirement("MEM-005-5.5-queue")
async def test_it_is_answered_once(filled):
    await ask(filled, a_review())
    await ask(filled, decided(a_review(), "approved", "owner", NOW + 9))
    for late in (decided(a_review(), "declined", "owner", NOW + 10), a_review("review_9", decided_at=5)):
        with pytest.raises(Refused) as refused:
            await ask(filled, late)
        assert refused.value.code.name == "version_conflict"
    assert (await filled.review("review_1")).verdict == "approved"


@requirement("MEM-005-5.5-queue")
async def test_one_question_of_a_kind_waits_for_a_memory(filled):
    await ask(filled, a_review())
    for again in (a_review("review_2"), a_review(kind="clear")):
        with pytest.raises(Refused) as refused:
            await ask(filled, again)
        assert refused.value.code.name == "already_exists"
    await ask(filled, a_review("review_3", kind="clear"), a_review("review_4", entry_id="mem_2"))
    await ask(filled, decided(a_review(), "declined", "owner", NOW + 9))
    await ask(filled, a_review("review_5", asked_at=NOW + 10))
    assert [review.id for review in await filled.open_reviews("mem_1")] == ["review_3", "review_5"]


async def test_there_is_no_question_about_what_is_gone(filled):
    with pytest.raises(Refused) as refused:
        await ask(filled, a_review(entry_id="mem_9"))
    assert refused.value.code.name == "version_conflict"


async def test_a_question_outlasts_its_memory(filled):
    await ask(filled, a_review())
    await filled.commit(home(EraseEntry("mem_1", 1, NOW)))
    await ask(filled, decided(a_review(), "stale", "owner", NOW + 9))
    assert (await filled.review("review_1")).verdict == "stale"


async def test_questions_are_listed_latest_first_by_their_state(filled):
    kinds = ("delete", "clear", "lower", "merge")
    await ask(filled, *(a_review(f"review_{n}", kind=kind, asked_at=NOW + n // 2) for n, kind in enumerate(kinds)))
    await ask(filled, decided(a_review("review_1", kind="clear"), "approved", "owner", NOW + 9))
    wanted = {"": [3, 2, 1, 0], "open": [3, 2, 0], "decided": [1]}
    for state, numbers in wanted.items():
        page = await filled.reviews("home", state, None, 9)
        assert ([review.id for review in page.rows], page.total) == ([f"review_{n}" for n in numbers], len(numbers))
    first = await filled.reviews("home", "open", None, 2)
    assert first.next_cursor
    rest = await filled.reviews("home", "open", (NOW + 1, "review_2"), 2)
    assert ([review.id for review in rest.rows], rest.next_cursor) == (["review_0"], "")
    assert (await filled.reviews("elsewhere", "", None, 9)).rows == ()


async def test_the_latest_question_of_a_kind_is_told_of_each_memory(filled):
    await ask(filled, a_review(), a_review("review_2", kind="clear", asked_at=NOW + 5))
    await ask(filled, decided(a_review(), "declined", "owner", NOW + 9))
    await ask(filled, a_review("review_3", asked_at=NOW + 10), a_review("review_4", entry_id="mem_2"))
    found = await filled.latest_reviews(["mem_1", "mem_2", "mem_3"], "delete")
    assert {id_: review.id for id_, review in found.items()} == {"mem_1": "review_3", "mem_2": "review_4"}
    assert await filled.latest_reviews(["mem_2"], "clear") == {}


# documents


@requirement("MEM-005-5.3-whole-document")
async def test_the_latest_version_of_a_document_is_told(ledger):
    assert await ledger.policy("forgetting") is None
    documents: tuple[dict[str, Any], ...] = ({"rules": []}, {"rules": [{"name": "旧事"}]})
    for version, document in enumerate(documents, 1):
        await ledger.commit(home(PutPolicy("forgetting", version, document, NOW)))
        assert await ledger.policy("forgetting") == (version, document)
    assert await ledger.policy("other") is None


@requirement("MEM-005-5.3-whole-document")
@pytest.mark.parametrize("version", [0, 1, 3])
async def test_a_document_is_set_on_what_it_says_now(ledger, version):
    await ledger.commit(home(PutPolicy("forgetting", 1, {"enabled": True}, NOW)))
    with pytest.raises(Refused) as refused:
        await ledger.commit(home(PutPolicy("forgetting", version, {"enabled": False}, NOW)))
    assert refused.value.code.name == "version_conflict"
    assert await ledger.policy("forgetting") == (1, {"enabled": True})
