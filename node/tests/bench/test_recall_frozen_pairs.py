"""The frozen half of the recall pairs is what it was before any search was tuned."""

from __future__ import annotations

import hashlib

import pytest

from csbond_tests.repository import REPOSITORY

FROZEN = REPOSITORY / "bench" / "recall" / "pairs" / "frozen"
SHA256 = {
    "zh.jsonl": "c6705069d96725e392a6317f9d7ab76fc570671bcc4dca6783088c4af3aad151",
    "en.jsonl": "693b7f8bde7c38eecd3904393ddb9d201e39b397b0b410c861953ca895fab0ad",
    "cross.jsonl": "9f1b508a1252c01051f196605e7ba3d06739a300710c15b0ae5b4e93e099a48c",
}


@pytest.mark.parametrize("name", sorted(SHA256))
def test_a_frozen_file_keeps_every_byte(name):
    assert hashlib.sha256((FROZEN / name).read_bytes()).hexdigest() == SHA256[name]


def test_nothing_is_added_to_the_frozen_half():
    assert {path.name for path in FROZEN.iterdir()} == set(SHA256) | {"SHA256"}


def test_the_list_beside_the_files_says_the_same():
    lines = (FROZEN / "SHA256").read_text(encoding="utf-8").splitlines()
    assert lines == [f"{SHA256[name]}  {name}" for name in SHA256]
