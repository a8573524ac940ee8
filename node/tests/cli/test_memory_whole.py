"""`csb memory` keeps whole entries: projects, links, files of memories, versions, and what was deleted."""

from __future__ import annotations

import io
import json
import sys
from datetime import UTC, datetime

import pytest

from csbond.cli.moments import milliseconds_of
from csbond.cli.output import moment
from csbond.cli.progress import progress
from csbond.protocol.errors import LocalProtocolError
from csbond_tests.memory_answers import AT
from csbond_tests.requirements import requirement

ID = "mem_1700000000000_k3x9"
ENTRY = {
    "id": ID,
    "type": "event",
    "content": "茶在三点 tea at three",
    "tags": ["tea"],
    "timestamp": 1_700_000_000_000,
    "source": "user",
    "level": "hot",
    "visibility": "private",
    "metadata": {"version": 2, "project": "茶 House"},
    "links": [
        {"target_id": "mem_1_a", "relation": "causes", "weight": 0.8},
        {"target_id": "agent:清漪", "relation": "peer", "weight": 1.0},
    ],
}
PATH = f"/v1/memory/{ID}"


def batch_of(asked):
    """What a node answers to a batch: a memory without content is refused, one that says `known` is merged."""
    results = [result_of(memory) for memory in asked.body["memories"]]
    return {"results": results, "stored": 0, "merged": 0, "refused": 0}


def result_of(memory):
    if not isinstance(memory, dict) or not memory.get("content"):
        return {"status": 400, "error": {"code": "invalid_params", "reason": "content is missing", "field": "content"}}
    status = 200 if memory["content"] == "known" else 201
    return {"status": status, "id": f"mem_1_{memory['content']}"}


def test_add_sends_the_parts_of_a_whole_entry(csb, home, node) -> None:
    node.answer("POST /v1/memory", ENTRY, 201)
    ended = csb(
        *("memory", "add", "tea", "--home", home.path, "--project", "茶 House", "--ttl", "1.5", "--id", ID),
        *("--link", "mem_1_a:causes:0.8", "--link", "mem_1_b:extends", "--link", "mem_1_c"),
    )
    assert ended.status == 0
    assert node.last.body == {
        "content": "tea",
        "source": "user",
        "id": ID,
        "metadata": {"project": "茶 House", "ttl": 129_600_000},
        "links": [
            {"target_id": "mem_1_a", "relation": "causes", "weight": 0.8},
            {"target_id": "mem_1_b", "relation": "extends", "weight": 1.0},
            {"target_id": "mem_1_c", "relation": "relates_to", "weight": 1.0},
        ],
    }
    assert "project     茶 House\n" in ended.out
    assert "links       causes mem_1_a 0.8\n            peer agent:清漪 1\n" in ended.out


def test_a_memory_that_was_there_is_told_so(csb, home, node) -> None:
    node.answer("POST /v1/memory", {**ENTRY, "merged": True})
    assert csb("memory", "add", "tea", "--home", home.path).out.endswith("It was remembered before.\n")
    assert csb("memory", "add", "tea", "--home", home.path, "--json").json["merged"] is True
    node.answer("POST /v1/memory", {**ENTRY, "merged": True, "left_out": ["tags", "note"]})
    assert csb("memory", "add", "tea", "--home", home.path).out.endswith("It has no room for more tags, note.\n")


def test_a_strict_memory_says_when_and_asks_for_nothing_to_be_mended(csb, home, node) -> None:
    node.answer("POST /v1/memory", ENTRY, 201)
    csb("memory", "add", "tea", "--strict", "--type", "event", "--level", "hot", "--home", home.path)
    assert node.last.body["fault_tolerance"] == {"strict": True, "strict_schema": True}
    assert abs(node.last.body["timestamp"] - datetime.now(UTC).timestamp() * 1000) < 60_000


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([], "give a TEXT or a --file"),
        (["tea", "--file", "f"], "give a TEXT or a --file"),
        (["--file", "f", "--id", "mem_1_a"], "an --id is of one memory"),
        (["tea", "--link", "agent:bo"], "no link"),
        (["tea", "--link", "mem_1_a:causes:much"], "no link"),
        (["tea", "--link", "mem_1_a:causes:1.1"], "no link"),
        (["tea", "--link", "mem_1_a:causes:nan"], "no link"),
        (["tea", "--ttl", "nan"], "--ttl"),
        (["tea", "--ttl", "inf"], "a number of days"),
        (["--file", "nowhere.jsonl"], "cannot be read"),
    ],
)
def test_what_cannot_be_added_is_refused_before_it_is_sent(csb, home, node, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    ended = csb("memory", "add", *arguments, "--home", home.path)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert words in ended.err
    assert node.asked == []


@requirement("MEM-003-3.1-commands")
def test_a_file_is_remembered_line_by_line_and_each_bad_line_is_named(csb, home, node, tmp_path) -> None:
    node.answer("POST /v1/memory/batch", batch_of)
    file = tmp_path / "many.jsonl"
    lines = ['{"content": "茶", "type": "event"}', "", "{no json", '{"content": ""}', '{"content": "known"}', "7"]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ended = csb("memory", "add", "--file", file, "--type", "lesson", "--tag", "tea", "--home", home.path)
    assert ended.status == 1
    assert ended.out.splitlines()[-1] == "1 remembered, 1 known before, 3 refused"
    assert [line.split()[0] for line in ended.out.splitlines()[1:-1]] == ["3", "4", "6"]
    given = {"source": "user", "type": "lesson", "tags": ["tea"]}
    assert node.last.body["memories"] == [
        {**given, "content": "茶", "type": "event"},
        {**given, "content": ""},
        {**given, "content": "known"},
        7,
    ]


def test_a_file_with_json_is_answered_by_a_result_a_line(csb, home, node, tmp_path) -> None:
    node.answer("POST /v1/memory/batch", batch_of)
    file = tmp_path / "many.jsonl"
    file.write_text('{"content": "a"}\n\n{}\n', encoding="utf-8")
    ended = csb("memory", "add", "--file", file, "--strict", "--wait", "--home", home.path, "--json")
    assert ended.status == 1
    assert (ended.json["stored"], ended.json["merged"], ended.json["refused"]) == (1, 0, 1)
    assert ended.json["results"][0] == {"line": 1, "status": 201, "id": "mem_1_a"}
    assert (ended.json["results"][1]["line"], ended.json["results"][1]["error"]["field"]) == (3, "content")
    assert node.last.path == "/v1/memory/batch?wait=index"
    assert node.last.body["memories"][0]["fault_tolerance"] == {"strict": True, "strict_schema": True}


def lines_of(folder, count):
    """A file of so many memories."""
    file = folder / "many.jsonl"
    file.write_text("\n".join(json.dumps({"content": f"n{number}"}) for number in range(count)), encoding="utf-8")
    return file


def second_answered(answer):
    """What a node answers that has another answer for the second batch of a file."""
    return lambda asked: answer if asked.body["memories"][0]["content"] == "n100" else batch_of(asked)


@requirement("MEM-003-3.1-commands")
def test_a_batch_that_is_refused_has_its_reason_by_each_line_and_the_others_are_sent(csb, home, node, tmp_path) -> None:
    busy = {"error": {"code": "too_busy", "reason": "too many wait for their vectors"}}
    node.answer("POST /v1/memory/batch", second_answered((503, busy)))
    file = lines_of(tmp_path, 250)
    ended = csb("memory", "add", "--file", file, "--home", home.path)
    assert (ended.status, ended.err) == (1, "")
    assert ended.out.endswith("150 remembered, 0 known before, 100 refused\n")
    told = csb("memory", "add", "--file", file, "--home", home.path, "--json").json
    assert [each["line"] for each in told["results"]] == list(range(1, 251))
    assert {each["error"]["code"] for each in told["results"] if "error" in each} == {"too_busy"}


@requirement("MEM-003-3.1-commands")
def test_a_file_that_cannot_be_sent_to_its_end_is_told_of_as_far_as_it_went(csb, home, node, tmp_path) -> None:
    node.answer("POST /v1/memory/batch", second_answered(b"no node"))
    file = lines_of(tmp_path, 250)
    ended = csb("memory", "add", "--file", file, "--home", home.path)
    assert (ended.status != 0, ended.err.count("\n")) == (True, 1)
    assert "no node of this version" in ended.err
    assert ended.out.endswith("100 remembered, 0 known before, 100 refused\n")
    ended = csb("memory", "add", "--file", file, "--home", home.path, "--json")
    assert (ended.error["code"], len(ended.json["results"])) == ("peer_broke_protocol", 200)
    assert len(node.asked) == 4


@pytest.mark.parametrize(
    "line", ['{"content": NaN}', '{"content": 1e999}', '{"content": "\\ud800"}', "\ufeff{}", "[" * 9999]
)
def test_a_line_that_no_node_takes_is_refused_and_the_others_are_sent(csb, home, node, tmp_path, line: str) -> None:
    node.answer("POST /v1/memory/batch", batch_of)
    file = tmp_path / "many.jsonl"
    file.write_text(line + '\n{"content": "a"}\n', encoding="utf-8")
    ended = csb("memory", "add", "--file", file, "--home", home.path, "--json")
    assert (ended.json["stored"], ended.json["results"][0]["error"]["code"]) == (1, "parse_error")
    assert len(node.last.body["memories"]) == 1


def test_a_standard_input_that_is_closed_is_no_file(csb, home, node, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    ended = csb("memory", "add", "--file", "-", "--home", home.path)
    assert (ended.status, ended.err) == (2, "csb: standard input is closed\n")


def test_a_file_goes_in_batches_that_a_node_takes(csb, home, node, tmp_path, monkeypatch) -> None:
    node.answer("POST /v1/memory/batch", batch_of)
    small = [json.dumps({"content": f"n{number}"}) for number in range(250)]
    large = [json.dumps({"content": "x" * 60_000}) for _ in range(2)]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join([*small, *large]).encode())))
    ended = csb("memory", "add", "--file", "-", "--home", home.path)
    assert (ended.status, ended.out) == (0, "252 remembered, 0 known before, 0 refused\n")
    assert [len(asked.body["memories"]) for asked in node.asked] == [100, 100, 51, 1]


@requirement("MEM-003-3.1-commands")
def test_a_list_is_narrowed_by_every_part_of_a_filter(csb, home, node) -> None:
    node.answer("GET /v1/memory", {"memories": [], "total": 0, "next_cursor": ""})
    ended = csb(
        *("memory", "list", "--home", home.path, "--source", "user", "--project", "tea", "--thread", "t1"),
        *("--link-target", "agent:bo", "--since", "2027-01-15T08:00+08:00", "--until", "1800000000000"),
        *("--text", "three o'clock", "--deleted"),
    )
    assert ended.out == "Nothing fits.\n"
    assert node.last.path == (
        "/v1/memory?source=user&project=tea&thread=t1&link_target=agent%3Abo&since=1799971200000"
        "&until=1800000000000&text=three+o%27clock&deleted=true&limit=20"
    )


@pytest.mark.parametrize("text", ["yesterday", "2027-01-15", "2027-01-15T08:00", "", "+3w", "1e9", "9" * 400 + "x"])
def test_a_time_that_is_none_or_has_no_zone_is_refused_by_its_option(csb, home, node, text: str) -> None:
    ended = csb("memory", "list", "--since", text, "--home", home.path, "--json")
    assert (ended.status, ended.error["field"]) == (2, "since")
    assert node.asked == []


@pytest.mark.parametrize("text, ago", [("-7d", 7 * 86_400_000), ("-12h", 43_200_000), ("+30m", -1_800_000)])
def test_a_time_may_be_counted_from_now(text: str, ago: int) -> None:
    assert abs(datetime.now(UTC).timestamp() * 1000 - ago - milliseconds_of("since", text)) < 60_000


def test_a_time_beyond_all_calendars_is_refused() -> None:
    with pytest.raises(LocalProtocolError):
        milliseconds_of("since", "+999999d" * 2)
    with pytest.raises(LocalProtocolError):
        milliseconds_of("until", "-999999d")


def test_an_edit_may_name_the_version_it_is_of(csb, home, node) -> None:
    node.answer(f"PUT {PATH}", ENTRY)
    csb("memory", "edit", ID, "--text", "new", "--if-version", "7", "--home", home.path)
    assert node.last.headers["If-Match"] == '"7"'
    csb("memory", "edit", ID, "--text", "new", "--home", home.path)
    assert "If-Match" not in node.last.headers


@requirement("MEM-003-3.1-commands")
def test_the_versions_of_an_entry_are_shown(csb, home, node) -> None:
    page = {"versions": [{**ENTRY, "metadata": {"version": 1}}], "total": 1, "next_cursor": "abc"}
    node.answer(f"GET {PATH}/versions", page)
    ended = csb("memory", "show", ID, "--versions", "--limit", "1", "--after", "xyz", "--home", home.path)
    assert ended.out.splitlines()[1].split()[:3] == ["1", "event", "hot"]
    assert ended.out.endswith("There is more: add --after abc\n")
    assert node.last.path == f"{PATH}/versions?limit=1&cursor=xyz"
    assert csb("memory", "show", ID, "--versions", "--home", home.path, "--json").json == page
    node.answer(f"GET {PATH}/versions", {"versions": [], "total": 0, "next_cursor": ""})
    assert csb("memory", "show", ID, "--versions", "--home", home.path).out == "No others.\n"


@requirement("MEM-003-3.1-commands")
def test_an_entry_is_brought_back(csb, home, node) -> None:
    answer = {"restored": [ID], "spared_until": AT, "memory": ENTRY}
    node.answer(f"PATCH {PATH}/restore", answer)
    told = csb("memory", "restore", ID, "--home", home.path).out
    assert told == f"{ID} is back; rules and its time to live leave it alone until {moment(AT)}\n"
    assert csb("memory", "restore", ID, "--home", home.path, "--json").json == answer
    assert node.last.body is None
    node.answer(f"PATCH {PATH}/restore", answer | {"spared_until": 0})
    assert csb("memory", "restore", ID, "--home", home.path).out == f"{ID} is back\n"


@requirement("MEM-003-3.1-commands")
def test_entries_are_linked_and_links_taken_away(csb, home, node) -> None:
    node.answer(f"PATCH {PATH}/link", ENTRY)
    ended = csb("memory", "link", ID, "agent:清漪", "--relation", "peer", "--weight", "0.5", "--home", home.path)
    assert ended.out == f"{ID} links to agent:清漪\n"
    assert node.last.body == {"add": [{"target_id": "agent:清漪", "relation": "peer", "weight": 0.5}]}
    ended = csb("memory", "link", ID, "mem_1_a", "--remove", "--home", home.path)
    assert ended.out == f"{ID} no longer links to mem_1_a\n"
    assert node.last.body == {"remove": [{"target_id": "mem_1_a"}]}
    assert csb("memory", "link", ID, "mem_1_a", "--home", home.path, "--json").json == ENTRY
    for weight in (["--remove", "--weight", "1"], ["--weight", "nan"], ["--weight", "1.1"]):
        assert csb("memory", "link", ID, "mem_1_a", *weight, "--home", home.path).status == 2


@requirement("MEM-003-3.1-commands")
def test_links_are_shown_from_both_ends(csb, home, node) -> None:
    other = {**ENTRY, "id": "mem_1_b", "links": [{"target_id": ID, "relation": "extends", "weight": 1.0}]}
    node.answer(f"GET {PATH}", ENTRY)
    node.answer("GET /v1/memory", {"memories": [other], "total": 2, "next_cursor": "abc"})
    ended = csb("memory", "links", ID, "--limit", "1", "--home", home.path)
    rows = [" ".join(line.split()) for line in ended.out.splitlines()[1:]]
    assert rows[:3] == [
        "to causes 0.8 mem_1_a",
        "to peer 1 agent:清漪",
        "from extends 1 mem_1_b 茶在三点 tea at three",
    ]
    assert rows[3] == "There is more: add --after abc"
    assert node.last.path == f"/v1/memory?link_target={ID}&limit=1"
    told = csb("memory", "links", ID, "--home", home.path, "--json").json
    assert told["links"] == ENTRY["links"]
    assert told["linked_by"] == [{"source_id": "mem_1_b", "relation": "extends", "weight": 1.0}]


@requirement("MEM-002-2.2-near-linked")
def test_a_link_that_the_node_made_says_by_which_rule(csb, home, node) -> None:
    made = {"relation": "relates_to", "weight": 0.86, "made_by": "near_duplicate"}
    node.answer(f"GET {PATH}", {**ENTRY, "links": [{"target_id": "mem_1_a", **made}]})
    other = {**ENTRY, "id": "mem_1_b", "links": [{"target_id": ID, **made}]}
    node.answer("GET /v1/memory", {"memories": [other], "total": 1, "next_cursor": ""})
    rows = [line.split() for line in csb("memory", "links", ID, "--home", home.path).out.splitlines()]
    assert rows[0] == ["relation", "weight", "made", "by", "entry"]
    assert rows[1] == ["to", "relates_to", "0.86", "near_duplicate", "mem_1_a"]
    assert rows[2][:5] == ["from", "relates_to", "0.86", "near_duplicate", "mem_1_b"]
    told = csb("memory", "links", ID, "--home", home.path, "--json").json
    assert told["linked_by"] == [{"source_id": "mem_1_b", **made}]
    assert "relates_to mem_1_a 0.86 near_duplicate" in csb("memory", "show", ID, "--home", home.path).out


def test_an_entry_without_links_says_so(csb, home, node) -> None:
    node.answer(f"GET {PATH}", {**ENTRY, "links": []})
    node.answer("GET /v1/memory", {"memories": [], "total": 0, "next_cursor": ""})
    assert csb("memory", "links", ID, "--home", home.path).out == "No links.\n"


@requirement("MEM-001-1.3-invisible", "MEM-005-report-escaped")
@pytest.mark.parametrize("command", [["show", ID], ["list"], ["links", ID], ["show", ID, "--versions"]])
def test_no_text_reorders_what_stands_around_it_and_chinese_is_shown_as_itself(csb, home, node, command) -> None:
    nasty = {
        **ENTRY,
        "content": "茶\u202eback\u202c\u200b שלום",
        "tags": ["\u2066标\u2069"],
        "metadata": {"version": 1, "project": "a\u202eb"},
        "links": [{"target_id": "x:\u202e茶\x1b[31m", "relation": "peer", "weight": 1.0}],
    }
    back = {**nasty, "links": [{"target_id": ID, "relation": "peer", "weight": 1.0}]}
    node.answer(f"GET {PATH}", nasty)
    node.answer(f"GET {PATH}/versions", {"versions": [nasty], "total": 1, "next_cursor": ""})
    node.answer("GET /v1/memory", {"memories": [back], "total": 1, "next_cursor": ""})
    for as_json in ([], ["--json"]):
        out = csb("memory", *command, "--home", home.path, *as_json).out
        assert not set("\u202e\u202c\u2066\u2069\x1b") & set(out)
        assert "茶" in out
        assert "שלום" in out or (command[0] == "links" and as_json)


@requirement("MEM-005-report-escaped")
def test_an_error_shows_chinese_as_itself_too(csb, home, node) -> None:
    for as_json in ([], ["--json"]):
        ended = csb("memory", "list", "--since", "昨天\u202e", "--home", home.path, *as_json)
        assert "昨天" in ended.err
        assert "\u202e" not in ended.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@requirement("MEM-003-3.1-commands")
def test_long_work_has_a_bar_on_a_terminal_and_none_elsewhere(monkeypatch) -> None:
    def drawn(stream, *, shown: bool = True) -> str:
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        with progress(10, "Remembering", shown=shown) as advance:
            advance(4)
            advance(6)
        return stream.getvalue()

    on_terminal = drawn(Terminal())
    assert "Remembering" in on_terminal
    assert "100%" in on_terminal
    assert drawn(Terminal(), shown=False) == ""
    assert drawn(io.StringIO()) == ""
