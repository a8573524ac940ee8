from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.memory.entry import Origin
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.near_duplicates import (
    MADE_BY,
    Verdict,
    are_comparable,
    link_between,
    verdict,
)
from csbond_tests.ledger_samples import an_entry
from csbond_tests.requirements import requirement
from csbond_tests.triplets import TRIPLETS

NEAR = 0.8


def likeness(one, other, cosine=1.0, **policy):
    return verdict(an_entry(content=one), an_entry("mem_2", content=other), cosine, NEAR, **policy).likeness


@requirement("MEM-002-2.2-never-by-likeness")
@pytest.mark.parametrize("text, twin, opposite", TRIPLETS)
def test_a_text_is_near_what_says_the_same_and_never_its_opposite_however_alike_their_vectors(text, twin, opposite):
    assert likeness(text, twin) in ("near", "same_text")
    assert likeness(twin, text) == likeness(text, twin)
    assert likeness(text, opposite) == likeness(opposite, text) == "different"
    assert likeness(twin, opposite) == "different"


@requirement("MEM-002-2.2-never-by-likeness")
@pytest.mark.parametrize("text, twin, opposite", TRIPLETS)
def test_no_words_are_enough_when_the_vectors_point_elsewhere(text, twin, opposite):
    assert likeness(text, twin, 0.5) in ("different", "same_text")


@requirement("MEM-002-2.2-never-by-likeness")
@pytest.mark.parametrize(
    "one, other",
    [
        ("The price is too high", "The price is too expensive"),
        ("The price is too high", "The price is too low"),
        ("价格太高", "价格太贵"),
        ("价格太高", "价格太低"),
        ("A kitten sleeps on the sofa", "The cat is napping on the couch"),
        ("猫在沙发上睡觉", "A cat sleeps on the sofa"),
        ("!?", "..."),
    ],
)
def test_other_words_are_other_memories_whatever_a_model_takes_them_for(one, other):
    assert likeness(one, other) == "different"


@requirement("MEM-005-report-14-retired-facts", "MEM-002-2.2-never-by-likeness")
@pytest.mark.parametrize(
    "fact, later",
    [
        ("The flat in Harbour Street costs 900 euros a month", "The flat in Harbour Street costs 950 euros a month"),
        ("Ann works for the river museum in Lund", "Ann never works for the river museum in Lund"),
        ("Ann agrees with the plan for the river museum", "Ann disagrees with the plan for the river museum"),
        ("会议室在三楼的走廊尽头那一间", "会议室在四楼的走廊尽头那一间"),
        ("老张已经同意把仓库租给隔壁的书店", "老张已经反对把仓库租给隔壁的书店"),
    ],
)
def test_a_fact_that_changed_is_another_memory_and_nothing_takes_the_place_of_the_first(fact, later):
    assert likeness(fact, later) == "different"
    assert link_between(an_entry(), Verdict("near", 0.9)).relation == "relates_to"


@requirement("MEM-002-2.2-never-by-likeness")
@pytest.mark.parametrize(
    "one, other",
    [
        ("The tank holds 1.5 litres of oil", "The tank holds 15 litres of oil"),
        ("The tank holds .5 litres of oil", "The tank holds 5 litres of oil"),
        ("The balance is -50 euro on the account of the club", "The balance is 50 euro on the account of the club"),
        ("The balance is −50 euro on the account of the club", "The balance is 50 euro on the account of the club"),
        ("It must be <5 in the store room of the shop", "It must be >5 in the store room of the shop"),
        ("It must be <5 and >3 in the store room", "It must be >5 and <3 in the store room"),
        ("x = y is what the rule of the tool says", "x != y is what the rule of the tool says"),
        ("!ready is what the rule of the tool says", "ready is what the rule of the tool says"),
        ("The tank is filled 3:2 in the harbour room", "The tank is filled 32 in the harbour room"),
        ("The tank is filled 3 : 2 in the harbour room", "The tank is filled 3 2 in the harbour room"),
        ("The share of the club is 5% of the house", "The share of the club is 5 of the house"),
        ("The rent is $500 a month for the house", "The rent is €500 a month for the house"),
        ("The dose is 5 mg in the evening for Ann", "The dose is 5 g in the evening for Ann"),
        ("The class is in room B12 of the old school", "The class is in room C12 of the old school"),
        ("The sum is 10² in the plan of the house", "The sum is 102 in the plan of the house"),
        ("The share is ½ in the plan of the house", "The share is ¼ in the plan of the house"),
        ("The door is 5' wide in the plan of the house", 'The door is 5" wide in the plan of the house'),
        ("The lamp is ✅ in the plan of the house", "The lamp is ❌ in the plan of the house"),
        ("The lamp is fine in the plan of the house ✅", "The lamp is fine in the plan of the house"),
        ("The house at the lake is sold to Ann?", "The house at the lake is sold to Ann."),
        ("I know whether the house at the lake is sold", "I know the house at the lake is sold"),
        ("The red wire goes to the left end of the pump", "The blue wire goes to the left end of the pump"),
        ("The rent is all paid in dollars at the lake house", "The rent is all paid in euros at the lake house"),
        ("红线接在旧水泵的左边端子上", "蓝线接在旧水泵的左边端子上"),
        ("船会在港口停三天吗", "船会在港口停三天"),
        ("船会在港口停三天？", "船会在港口停三天。"),
        ("房租是每月五百美元包括水电费", "房租是每月五百欧元包括水电费"),
        ("房租是每月500美元包括水电费", "房租是每月500欧元包括水电费"),
    ],
)
def test_texts_with_another_number_sign_symbol_or_colour_are_of_two_memories(one, other):
    assert likeness(one, other) == likeness(other, one) == "different"


@pytest.mark.parametrize(
    "one, other",
    [
        ("The e-mail of Ann, who is away.", "the E-mail of Ann who is away!"),
        ("Ann pays 50 euros, at 23:00.", "Ann pays 50 euros; at 23:00"),
        ("她说：“茶很好喝！”", "她说茶很好喝。"),
        ("价格是５０元！", "价格是50元。"),
        ("Bo called: “come home”", "Bo called (come home)"),
    ],
)
def test_the_punctuation_that_parts_words_decides_nothing(one, other):
    assert likeness(one, other) == "same_text"


def test_texts_that_differ_in_case_width_space_and_punctuation_only_are_the_same_whatever_their_vectors():
    assert likeness("Ann likes tea.", "ＡＮＮ likes  tea!", -1.0) == "same_text"


def test_how_many_words_have_to_agree_is_a_policy():
    one, other = "Ann likes tea with lemon from Ceylon", "Ann likes tea with sugar from Ceylon"
    assert likeness(one, other) == "different"
    assert likeness(one, other, words=0.6) == "near"


def test_a_link_says_who_made_it_and_how_many_words_agree():
    assert link_between(an_entry("mem_7"), Verdict("near", 0.8333)) == Link("mem_7", "relates_to", 0.83, MADE_BY)


@pytest.mark.parametrize(
    "change",
    [
        {"id": "mem_1"},
        {"deleted_at": 5},
        {"extends": "mem_9"},
        {"piece": 1},
        {"origin": Origin("ann")},
        {"space": "node"},
        {"links": (Link("mem_1", "contradicts"),)},
    ],
)
def test_only_living_whole_memories_of_one_caller_that_nobody_linked_are_compared(change):
    one, other = an_entry(origin=Origin("owner")), an_entry("mem_2", origin=Origin("owner"))
    assert are_comparable(one, other)
    assert not are_comparable(one, replace(other, **change))
    assert not are_comparable(replace(other, **change), one)
