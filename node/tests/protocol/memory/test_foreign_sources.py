"""Sources as they are: lines, files and their paths, sections, and the entries of memory-custodian."""

from __future__ import annotations

import orjson
import pytest

from csbond.protocol.errors import CsbError, RemoteProtocolError
from csbond.protocol.memory import import_custodian, import_json, import_markdown, import_mcp
from csbond.protocol.memory.custodian_entries import entries_of
from csbond.protocol.memory.foreign_files import FILES_MAX, SourceFile, checked_path, files_of
from csbond.protocol.memory.foreign_lines import LINES_MAX, json_document, json_lines
from csbond.protocol.memory.foreign_record import ForeignRecord, ForeignRelation, Unread, fitting_tags, named_relation
from csbond.protocol.memory.import_json import checked_fields, milliseconds
from csbond.protocol.memory.markdown_sections import sectioned
from csbond_tests.requirements import requirement


def code_of(call, *arguments):
    with pytest.raises(RemoteProtocolError) as refused:
        call(*arguments)
    return refused.value.code.name, refused.value.field


@requirement("MEM-003-interop-each")
def test_a_bad_line_spoils_no_other_and_each_has_its_number():
    source = b'\xef\xbb\xbf{"a": 1}\n\n[[1]\n  \r\n"\xff"\n3'
    found = dict(json_lines(source))
    assert {place: value for place, value in found.items() if not isinstance(value, CsbError)} == {
        "line 1": {"a": 1},
        "line 6": 3,
    }
    assert [place for place, value in found.items() if isinstance(value, CsbError)] == ["line 3", "line 5"]
    assert dict(json_lines(b"")) == {}


@requirement("MEM-003-interop-each")
def test_endless_lines_and_deep_nesting_are_refused_calmly():
    assert code_of(next, json_lines(b"\n" * (LINES_MAX + 1)))[0] == "body_too_large"
    assert code_of(json_document, b"[" * 1_000_000)[0] == "parse_error"
    assert code_of(json_document, b"[" + b"0," * 2_000_001 + b"0]")[0] == "body_too_large"
    ((_, deep),) = json_lines(b"[" * 65 + b"]" * 65)
    ((_, wide),) = json_lines(b"[" + b"0," * 60_000 + b"0]")
    assert [fault.code.name for fault in (deep, wide)] == ["parse_error", "body_too_large"]


@requirement("MEM-003-interop-markdown")
@pytest.mark.parametrize(
    "path", ["..", "../a", "a/../b", "/a", "a//b", "./a", "a/", "", "C:/a", "a\\..\\b", "x" * 513, 3]
)
def test_a_path_that_leads_out_or_nowhere_is_refused(path):
    assert code_of(checked_path, path) == ("invalid_params", "path")


def test_a_path_is_told_with_slashes():
    assert checked_path("a\\b.md") == "a/b.md"
    assert checked_path("笔记/a..b.md") == "笔记/a..b.md"
    (file,) = files_of({"files": [{"path": "a", "text": "\ufeffx\r\ny\rz\x00"}]})
    assert file == SourceFile("a", "x\ny\nz\ufffd")
    many = {"files": [{"path": str(number), "text": ""} for number in range(FILES_MAX + 1)]}
    assert code_of(files_of, many) == ("invalid_params", "files")


@requirement("MEM-003-interop-markdown")
@pytest.mark.parametrize(
    "text, expected",
    [
        ("a\n# B #\nc", [((), "a"), (("B",), "# B #\nc")]),
        ("#not\n####### nor this", [((), "#not\n####### nor this")]),
        ("```\n# a\n```\n# b\n", [((), "```\n# a\n```"), (("b",), "# b")]),
        ("```\n# never closed", [((), "```\n# never closed")]),
        ("~~~\n```\n# a\n~~~\n", [((), "~~~\n```\n# a\n~~~")]),
        ("    # code", [((), "# code")]),
        ("A\n===\nb\n\nC\n---\nd", [(("A",), "A\n===\nb"), (("A", "C"), "C\n---\nd")]),
        ("- a\n---\nb", [((), "- a\n---\nb")]),
        ("a\nb\n---\nc", [((), "a\nb\n---\nc")]),
        ("# a\n### b\n## c\n", [(("a",), "# a"), (("a", "b"), "### b"), (("a", "c"), "## c")]),
        ("#", [(("",), "#")]),
        ("", []),
    ],
)
def test_a_text_is_cut_at_its_headings(text, expected):
    assert [(section.headings, section.text) for section in sectioned(text).sections] == expected


def test_front_matter_ends_at_its_mark_and_is_none_without_one():
    assert sectioned("---\na: 1\n---\n# B").front_matter == "a: 1"
    assert sectioned("---\na: 1\n...\nB").front_matter == "a: 1"
    assert sectioned("---\na: 1\n# B").front_matter == ""
    assert sectioned("x\n---\na: 1\n---\n").front_matter == ""


def test_a_file_that_says_nothing_is_named():
    files = [SourceFile("a.md", "---\nx: 1\n---\n"), SourceFile("b.md", "# Only a heading\n"), SourceFile("c.md", "c")]
    found = list(import_markdown.records(files))
    assert [(type(each), each.place) for each in found] == [
        (Unread, "a.md"),
        (Unread, "b.md"),
        (ForeignRecord, "c.md, line 1"),
    ]


@requirement("MEM-003-interop-custodian")
def test_a_text_of_an_entry_comes_as_it_was_given():
    fence = "````text\n## no heading\nStatus: no field\n- no bullet\n```\ncode\n```\n````"
    text = (
        f"# T\n\n## mc-dec-20260101-ABCDEF01 — A title\n\nStatus: active\nEvidence:\n- a\n- b\n\nDecision:\n{fence}\n"
    )
    (entry,) = entries_of(text)
    assert (entry.id, entry.title, entry.evidence) == ("MC-DEC-20260101-abcdef01", "A title", ("a", "b"))
    assert entry.statement == "## no heading\nStatus: no field\n- no bullet\n```\ncode\n```"
    assert entry.fields == {"Status": "active", "Evidence": ""}


@requirement("MEM-003-interop-custodian")
def test_bullets_without_an_id_are_entries_of_their_own_and_none_is_lost():
    text = (
        "# Decisions\n\nNewest first.\n\n- One,\n  on two lines.\n* Two\n\n## MC-DEC-20260101-abcdef01 — T\n\n"
        "Decision:\nThree.\n\n- Four\n\n## A heading\n\n- Five\n\n## Prose\n\nSix.\n"
    )
    assert [entry.statement for entry in entries_of(text)] == [
        "One,\n  on two lines.",
        "Two",
        "Three.",
        "Four",
        "Five",
        "## Prose\n\nSix.",
    ]


@requirement("MEM-003-interop-custodian", "MEM-003-interop-each")
def test_an_entry_that_says_nothing_and_a_link_to_nothing_are_named():
    empty = "# D\n\n## MC-TOMB-20260101-abcdef01 — T\n\nStatus: active\n"
    lone = "# D\n\n## MC-DEC-20260101-abcdef02 — T\n\nSupersedes: MC-DEC-20250101-abcdef03\n\nDecision:\nX.\n"
    gone = "# C\n\n## MC-CON-20260101-abcdef04 — T\n\nSuperseded-By: removed\n\nConstraint:\nY.\n"
    files = [SourceFile("do-not-use.md", empty), SourceFile("decisions.md", lone), SourceFile("constraints.md", gone)]
    found = list(import_custodian.records(files))
    assert [type(each) for each in found] == [Unread, ForeignRecord, Unread, ForeignRecord]
    assert [each.fault.field for each in found if isinstance(each, Unread)] == ["content", "Supersedes"]


@requirement("MEM-003-interop-custodian")
def test_what_was_replaced_is_linked_from_what_replaced_it_whichever_end_says_so():
    old = "# D\n\n## MC-DEC-20260101-abcdef01 — T\n\nSuperseded-By: MC-DEC-20260101-abcdef02\n\nDecision:\nX.\n"
    new = "\n## MC-DEC-20260101-abcdef02 — T\n\nDecision:\nY.\n"
    relation = next(
        each
        for each in import_custodian.records([SourceFile("decisions.md", old + new)])
        if isinstance(each, ForeignRelation)
    )
    assert relation.begins.key == "MC-DEC-20260101-abcdef02"
    assert (relation.link.target, relation.link.relation) == ("MC-DEC-20260101-abcdef01", "supersedes")


def test_two_projects_are_told_apart():
    manifest = "# M\n\n- initialized_with: memory-custodian 0.10.0\n- project_id: p-{}\n"
    keys = set()
    for number in range(2):
        files = [SourceFile("manifest.md", manifest.format(number)), SourceFile("brief.md", "# B\n\nText.")]
        assert import_custodian.is_custodian(files)
        keys |= {each.name for each in import_custodian.records(files) if isinstance(each, ForeignRecord)}
    assert len(keys) == 2


@requirement("MEM-003-interop-mcp")
@pytest.mark.parametrize(
    "item",
    [
        {"type": "entity", "name": "", "entityType": "t", "observations": []},
        {"type": "entity", "name": "a", "observations": []},
        {"type": "entity", "name": "a", "entityType": "t", "observations": [3]},
        {"type": "entity", "name": "a\x00", "entityType": "t"},
        {"type": "relation", "from": "a", "to": "b"},
        {"type": "relation", "from": "a", "to": "b", "relationType": "c"},
        {"type": "other"},
        [],
        None,
    ],
)
def test_what_is_no_part_of_a_memory_server_is_named(item):
    (found,) = import_mcp.records(orjson.dumps(item))
    assert isinstance(found, Unread)
    assert found.place == "line 1"


@requirement("MEM-003-interop-mcp")
def test_two_relations_without_a_name_of_ours_are_one_link_with_both_names():
    source = [
        {"type": "entity", "name": "a", "entityType": "t", "observations": []},
        {"type": "entity", "name": "b", "entityType": "t", "observations": []},
        {"type": "relation", "from": "a", "to": "b", "relationType": "照看"},
        {"type": "relation", "from": "a", "to": "b", "relationType": "喜欢"},
        {"type": "relation", "from": "a", "to": "a", "relationType": "is"},
    ]
    *_, relation, lone = import_mcp.records(b"\n".join(map(orjson.dumps, source)))
    assert isinstance(relation, ForeignRelation)
    assert (relation.link.relation, relation.link.beside) == ("relates_to", {"declared": ["照看", "喜欢"]})
    assert isinstance(lone, Unread)


@requirement("MEM-003-interop-json")
@pytest.mark.parametrize(
    "value, expected",
    [
        (1767600000, 1767600000000),
        (1767600000.5, 1767600000500),
        (1767600000123, 1767600000123),
        ("1767600000", 1767600000000),
        ("1767600000123", 1767600000123),
        ("2026-01-05T08:00:00Z", 1767600000000),
        ("2026-01-05T08:00:00", 1767600000000),
        ("2026-01-05T10:00:00+02:00", 1767600000000),
        ("2026-01-05", 1767571200000),
        (0, 0),
    ],
)
def test_a_time_is_read_as_other_systems_write_it(value, expected):
    assert milliseconds(value) == expected


@pytest.mark.parametrize("value", ["yesterday", "", -1, 2**60, True, [], "nan", "1e400", "9" * 400])
def test_what_is_no_time_is_refused(value):
    assert code_of(milliseconds, value) == ("invalid_params", "timestamp")


@requirement("MEM-003-interop-json")
def test_a_list_may_be_in_an_object_or_one_item_a_line():
    for source in (b'["tea"]', b'{"x": 1, "items": ["tea"]}', b'{"text": "tea"}\n{"text": "milk"}'):
        first, *_ = import_json.records(source)
        assert isinstance(first, ForeignRecord)
        assert first.memory["content"] == "tea"
    assert list(import_json.records(b"[]")) == []
    snapshot = b'{"snapshot": {"version": "1.0"}, "memories": []}'
    for bad in (b"3", b"{}", b'{"results": {}}', b'"tea"', snapshot):
        assert code_of(list, import_json.records(bad)) == ("invalid_params", "body")
    assert checked_fields(["content=body", "id=uuid"]) == {"content": "body", "id": "uuid"}
    for pair in ("content", "content=", "colour=x", "=x"):
        assert code_of(checked_fields, [pair]) == ("invalid_params", "map")


def test_names_that_no_tag_may_have_are_kept_apart():
    found = fitting_tags([" a ", "a", "x" * 33, "", "\u200b", "\ud83d", *map(str, range(25))])
    assert found.tags == ["a", *map(str, range(19))]
    assert found.others[:4] == ["x" * 33, "", "\u200b", "\ud83d"]
    assert named_relation("Works At") == ("works_at", {})
    assert named_relation("认识") == ("relates_to", {"declared": "认识"})
