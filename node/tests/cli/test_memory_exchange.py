"""`csb memory export`, `csb memory import` and `csb memory map`."""

from __future__ import annotations

import io
import json
import os
import sys
from urllib.parse import parse_qsl, urlsplit

import pytest

from csbond.cli.node_client import LONG_S
from csbond_tests.import_samples import FOLDER
from csbond_tests.memory_answers import Terminal
from csbond_tests.requirements import requirement

IMPORT = "POST /v1/memory/import"
EXPORT = "POST /v1/memory/export"
MAPS = "/v1/memory/vector-maps"
STORED = {"place": "line 1", "outcome": "stored", "ids": ["mem_1_a"]}
REFUSED = {
    "place": "line 2",
    "outcome": "refused",
    "error": {"code": "invalid_params", "reason": "content is empty", "field": "content"},
}
DOCUMENT = {"mem_interop": {"content": "喝茶不加糖。\u2028", "agent": "Heng"}}
TOLD = {"memories": 1, "left_out": ["uses"], "lost": {}}
MAP = {
    "fingerprint": "f1",
    "to_model": "own",
    "from_dimension": 768,
    "to_dimension": 512,
    "pairs": 60,
    "error": 0.123456,
    "made_at": 1700000000000,
}


def lines(*values):
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def total(links=0, **outcomes):
    return {"import": {"records": sum(outcomes.values()), "outcomes": outcomes, "links": {"set": links, "refused": 0}}}


def query(node):
    return dict(parse_qsl(urlsplit(node.last.path).query))


def sent_paths(node):
    return [each["path"] for each in node.last.body["files"]]


def test_a_bad_file_of_a_folder_is_named_and_spoils_no_other(csb, home, node, tmp_path) -> None:
    node.answer(IMPORT, lines(STORED, total(stored=1)))
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "good.md").write_text("text")
    (folder / "latin.md").write_bytes(b"caf\xe9")
    (folder / "gone.md").symlink_to("nowhere.md")
    os.mkfifo(folder / "pipe.md")
    ended = csb("memory", "import", folder, "--json", "--home", home.path)
    assert ended.status == 1
    assert sent_paths(node) == ["good.md"]
    told = json.loads(ended.out)["results"]
    assert [(each["place"], each["outcome"]) for each in told] == [
        ("gone.md", "refused"),
        ("latin.md", "refused"),
        ("line 1", "stored"),
    ]
    assert "is not UTF-8" in told[1]["error"]["reason"]


def test_a_file_whose_name_is_no_text_is_named_and_left_out(csb, home, node, tmp_path) -> None:
    node.answer(IMPORT, lines(STORED, total(stored=1)))
    (tmp_path / "good.md").write_text("text")
    try:
        with open(os.fsencode(tmp_path) + b"/caf\xe9.md", "w") as file:
            file.write("text")
    except OSError:
        pytest.skip("this file system takes only names that are text")
    ended = csb("memory", "import", tmp_path, "--format", "markdown", "--home", home.path)
    assert (ended.status, "caf?.md" in ended.out) == (1, True)
    assert "good.md" in sent_paths(node)


def test_a_project_memory_outside_of_its_project_is_not_followed(csb, home, node, tmp_path) -> None:
    node.answer(IMPORT, lines(STORED, total(stored=1)))
    other, project = tmp_path / "other", tmp_path / "project"
    other.mkdir()
    (other / "manifest.md").write_text("# memory-custodian\n")
    (other / "decisions.md").write_text("secret")
    (project / "docs").mkdir(parents=True)
    (project / "docs" / "memory").symlink_to(other, target_is_directory=True)
    (project / "notes.md").write_text("text")
    csb("memory", "import", project, "--home", home.path)
    assert (sent_paths(node), query(node)["format"]) == (["notes.md"], "markdown")


@requirement("MEM-003-3.1-commands", "MEM-003-interop-each")
def test_an_import_tells_what_was_refused_and_the_sum(csb, home, node, tmp_path) -> None:
    node.answer(IMPORT, lines(STORED, REFUSED, total(links=3, stored=1, pieces=2, unchanged=4, refused=1)))
    source = tmp_path / "server.jsonl"
    source.write_text('{"type": "entity", "name": "Mira"}\n')
    ended = csb("memory", "import", source, "--home", home.path)
    assert [line.split() for line in ended.out.splitlines()] == [
        ["place", "field", "reason"],
        ["line", "2", "content", "content", "is", "empty"],
        ["1", "remembered,", "2", "in", "pieces,", "4", "known", "before,", "1", "refused"],
        ["Links", "that", "were", "set:", "3"],
    ]
    assert ended.status == 1
    assert query(node) == {"format": "mcp"}
    assert node.last.headers["Content-Type"] == "application/x-ndjson"
    ended = csb("memory", "import", source, "--home", home.path, "--json")
    assert ended.json["results"] == [STORED, REFUSED]
    assert (ended.json["records"], ended.status) == (8, 1)
    node.answer(IMPORT, lines(STORED, {**STORED, "outcome": "updated", "same_key": True}, total(stored=1, updated=1)))
    ended = csb("memory", "import", source, "--home", home.path)
    assert ended.out.splitlines() == [
        "1 remembered, 1 updated",
        "Records that took the place of an earlier one of the same name: 1",
    ]
    node.answer(IMPORT, lines(total()))
    ended = csb("memory", "import", source, "--home", home.path)
    assert (ended.status, ended.out) == (0, "There was nothing to import.\n")


@requirement("MEM-003-3.1-commands")
@pytest.mark.parametrize(
    "name, form",
    [
        ("interop.ndjson", "interop"),
        ("mcp.jsonl", "mcp"),
        ("published.ndjson", "published"),
        ("json-list.json", "json"),
        ("json-object.json", "json"),
        ("markdown", "markdown"),
        ("markdown/notes.md", "markdown"),
        ("custodian", "custodian"),
    ],
)
def test_the_format_of_a_source_is_seen(csb, home, node, name, form) -> None:
    node.answer(IMPORT, lines(total(stored=1)))
    assert csb("memory", "import", FOLDER / name, "--home", home.path).out == "1 remembered\n"
    assert query(node)["format"] == form
    if form in ("markdown", "custodian"):
        paths = [file["path"] for file in node.last.body["files"]]
        assert paths == sorted(paths, key=lambda path: path.split("/"))
        assert ("areas/harbour.md" in paths) is (form == "custodian")
    assert query(node).get("agent", "") == {"markdown": "markdown:markdown", "markdown/notes.md": "markdown:notes"}.get(
        name, ""
    )


@requirement("MEM-003-interop-custodian")
def test_the_memory_of_a_project_is_found_below_its_docs(csb, home, node, tmp_path) -> None:
    memory = tmp_path / "project" / "docs" / "memory"
    memory.mkdir(parents=True)
    for name in ("manifest.md", "decisions.md"):
        (memory / name).write_bytes((FOLDER / "custodian" / name).read_bytes())
    (tmp_path / "project" / "README.md").write_text("# Not memory\n")
    node.answer(IMPORT, lines(total(stored=1)))
    csb("memory", "import", tmp_path / "project", "--home", home.path)
    assert [file["path"] for file in node.last.body["files"]] == ["decisions.md", "manifest.md"]
    csb("memory", "import", tmp_path / "project", "--format", "markdown", "--home", home.path)
    assert len(node.last.body["files"]) == 3


@requirement("MEM-003-interop-markdown")
def test_of_a_folder_neither_hidden_files_nor_those_outside_of_it_are_sent(csb, home, node, tmp_path) -> None:
    folder = tmp_path / "notes"
    (folder / ".git").mkdir(parents=True)
    (folder / "deep").mkdir()
    (tmp_path / "secret.md").write_text("outside")
    for name in ("a.md", "deep/b.markdown", ".hidden.md", ".git/c.md", "d.txt"):
        (folder / name).write_text("text")
    os.symlink(tmp_path / "secret.md", folder / "link.md")
    node.answer(IMPORT, lines(total(stored=2)))
    csb("memory", "import", folder, "--home", home.path)
    assert [file["path"] for file in node.last.body["files"]] == ["a.md", "deep/b.markdown"]


@requirement("MEM-003-interop-json", "MEM-001-1.3-import-4096")
def test_what_an_import_is_told_reaches_the_node(csb, home, node, monkeypatch) -> None:
    node.answer(IMPORT, lines(total(stored=1)))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'[{"note": "x"}]')))
    wishes = [
        "--format",
        "json",
        "--agent",
        "Vera",
        "--content-max",
        "4096",
        "--map",
        "content=note",
        "--map",
        "id=uuid",
    ]
    assert csb("memory", "import", "-", *wishes, "--home", home.path).status == 0
    assert query(node) == {"format": "json", "agent": "Vera", "content_max": "4096", "map": "content=note,id=uuid"}
    assert node.last.body == [{"note": "x"}]


@pytest.mark.parametrize(
    "text, says",
    [("just words", "does not say what it is"), ("\x00\x01", "does not say what it is"), ("", "does not say")],
)
def test_a_source_that_is_none_is_refused_before_the_node_is_asked(csb, home, node, tmp_path, text, says) -> None:
    source = tmp_path / "source.bin"
    source.write_text(text)
    ended = csb("memory", "import", source, "--home", home.path)
    assert (ended.status, node.asked) == (2, [])
    assert says in ended.err
    assert csb("memory", "import", tmp_path / "nowhere", "--home", home.path).status == 2
    (tmp_path / "empty").mkdir()
    assert "no Markdown file" in csb("memory", "import", tmp_path / "empty", "--home", home.path).err
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    assert "is not UTF-8" in csb("memory", "import", tmp_path / "latin.md", "--home", home.path).err


@requirement("MEM-003-interop-each")
def test_an_import_that_ends_early_tells_how_far_it_came(csb, home, node, tmp_path) -> None:
    source = tmp_path / "server.jsonl"
    source.write_text('{"type": "entity"}\n')
    full = {"error": {"code": "storage_full", "reason": "the disk is full"}}
    node.answer(IMPORT, lines(STORED, full))
    ended = csb("memory", "import", source, "--home", home.path)
    assert ended.out == "It ended early, after 1 records; the same again goes on from there.\n"
    assert (ended.status, ended.err) == (3, "csb: the disk is full\n")
    node.answer(IMPORT, lines(STORED))
    ended = csb("memory", "import", source, "--home", home.path, "--json")
    assert ended.json == {"results": [STORED], "ended_early": True}
    assert ended.error["code"] == "peer_broke_protocol"
    node.answer(IMPORT, lines(STORED) + b'{"pla')
    assert csb("memory", "import", source, "--home", home.path).status != 0


@requirement("MEM-003-3.1-commands", "MEM-005-report-escaped")
def test_an_export_writes_documents_as_they_are_and_says_what_they_leave_out(csb, home, node, tmp_path) -> None:
    node.answer(EXPORT, lines(DOCUMENT, {"export": TOLD}))
    file = tmp_path / "memories.ndjson"
    ended = csb("memory", "export", "-o", file, "--tag", "tea", "--embeddings", "--home", home.path)
    assert ended.out.splitlines() == [f"1 memory written to {file}", "Left out: uses"]
    assert [json.loads(line) for line in file.read_text("utf-8").split("\n")[:-1]] == [DOCUMENT]
    assert "喝茶不加糖。" in file.read_text("utf-8")
    assert node.last.body == {"format": "interop", "embeddings": True, "filter": {"tag": "tea"}}
    node.answer(EXPORT, lines({"export": TOLD | {"memories": 0, "left_out": [], "lost": {"links": 2}}}))
    ended = csb("memory", "export", "-o", file, "--format", "published", "--home", home.path)
    assert ended.out.splitlines()[1:] == ["What the published form does not say, and of how many: links (2)"]
    assert csb("memory", "export", "-o", file, "--home", home.path, "--json").json["file"] == str(file)


def test_an_export_to_standard_output_is_the_documents_alone(csb, home, node, monkeypatch) -> None:
    node.answer(EXPORT, lines(DOCUMENT, {"export": TOLD}))
    shown = io.BytesIO()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", io.TextIOWrapper(shown, write_through=True))
        assert csb("memory", "export", "-o", "-", "--home", home.path).status == 0
        assert json.loads(shown.getvalue()) == DOCUMENT
    assert csb("memory", "export", "-o", "-", "--home", home.path, "--json").status == 2


def test_an_export_that_ends_early_leaves_the_file_as_it_was(csb, home, node, tmp_path) -> None:
    file = tmp_path / "memories.ndjson"
    file.write_text("before")
    for answer in (lines(DOCUMENT), lines(DOCUMENT, {"error": {"code": "storage_unavailable", "reason": "gone"}})):
        node.answer(EXPORT, answer)
        assert csb("memory", "export", "-o", file, "--home", home.path).status != 0
        assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["memories.ndjson"]
        assert file.read_text() == "before"
    assert csb("memory", "export", "-o", tmp_path / "no" / "file", "--home", home.path).status == 2


@requirement("MEM-003-3.1-commands")
def test_long_work_shows_how_far_it_is(csb, home, node, tmp_path, monkeypatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    node.answer(IMPORT, lines(STORED, total(stored=1)))
    csb("memory", "import", FOLDER / "mcp.jsonl", "--home", home.path)
    node.answer(EXPORT, lines(DOCUMENT, {"export": TOLD}))
    csb("memory", "export", "-o", tmp_path / "out", "--home", home.path)
    assert "Importing" in terminal.getvalue()
    assert "Exporting" in terminal.getvalue()
    assert LONG_S > 600


@requirement("MEM-003-interop-map")
def test_maps_are_listed_fitted_and_written_to_a_file(csb, home, node, tmp_path) -> None:
    model = {"fingerprint": "f1", "model": "other", "dimension": 768, "vectors": 61}
    node.answer(f"GET {MAPS}", {"models": [model, {**model, "fingerprint": "f2"}], "maps": [MAP]})
    ended = csb("memory", "map", "list", "--home", home.path)
    assert [line.split() for line in ended.out.splitlines()[1:]] == [
        ["61", "768", "0.123", "other", "f1"],
        ["61", "768", "other", "f2"],
    ]
    node.answer(f"POST {MAPS}", MAP, 201)
    ended = csb("memory", "map", "fit", "f1", "--home", home.path)
    assert "0.123 on those it was not fitted to" in ended.out
    assert node.last.body == {"fingerprint": "f1"}
    node.answer(f"GET {MAPS}", {"models": [model], "maps": [MAP | {"matrix": "AAAA"}]})
    ended = csb("memory", "map", "get", "f1", "-o", tmp_path / "f1.json", "--home", home.path)
    assert json.loads((tmp_path / "f1.json").read_text()) == MAP | {"matrix": "AAAA"}
    assert query(node) == {"matrix": "f1"}
    ended = csb("memory", "map", "get", "f2", "-o", tmp_path / "f2.json", "--home", home.path)
    assert (ended.status, (tmp_path / "f2.json").exists()) == (1, False)
    refused = {"error": {"code": "vector_map_refused", "reason": "too few", "next_step": "import more"}}
    node.answer(f"POST {MAPS}", refused, 409)
    ended = csb("memory", "map", "fit", "f1", "--home", home.path)
    assert (ended.status, ended.err) == (1, "csb: too few — import more\n")
