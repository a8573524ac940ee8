"""`csb memory graph`: a picture, or a page, of what hangs together."""

from __future__ import annotations

import base64
import hashlib
import re
import xml.dom.minidom
from html.parser import HTMLParser

import pytest

from csbond.cli.graph.page import page
from csbond.cli.graph.svg import svg, told
from csbond.cli.graph.text import escaped
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.graph_layout import layout
from csbond.protocol.memory.level_names import LevelNames, level_names
from csbond.protocol.memory.network import Edge, Network, Node, Place
from csbond_tests.memory_answers import ENTRY, ID, NETWORK, PLACE, rows
from csbond_tests.requirements import requirement

EVIL = (
    '"><script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>'
    "' & ]]> --> javascript:alert(3) \u202egnp"
)
NAMES = LevelNames()


def drawn(title=EVIL, tag=EVIL, relation="contradicts"):
    """A picture in which every text is somebody's."""
    place = Place("net_1", 0.5, (tag,))
    nodes = tuple(Node(f"mem_{n}_x", Level.HOT, "event", title, (tag,), place) for n in range(3))
    edges = (Edge("mem_0_x", "mem_1_x", relation, 1.0), Edge("mem_2_x", "mem_1_x", "causes", 0.1))
    return layout(Network(nodes, edges, center="mem_0_x"))


class Elements(HTMLParser):
    """What a browser makes of a page."""

    def __init__(self, text):
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


FORMS = {"svg": svg, "page": page}
HARMLESS = {"svg", "title", "desc", "style", "rect", "text", "g", "circle", "path", "a", "html", "head", "meta", "body"}
HARMLESS |= {"main", "details", "summary", "ul", "li", "bdi", "span", "p"}


@requirement("MEM-001-graph-escaped")
@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_a_content_is_markup(form) -> None:
    text = FORMS[form](drawn(), EVIL, NAMES)
    elements = Elements(text)
    assert {tag for tag, _ in elements.found} <= HARMLESS
    names = {name for _, attributes in elements.found for name in attributes}
    assert not [name for name in names if name.startswith("on")]
    assert not names & {"src", "style", "srcset", "xlink:href", "formaction"}
    assert "<script>" in "".join(elements.texts), "it is shown as what it is"


@requirement("MEM-001-graph-escaped")
@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_a_content_is_an_address(form) -> None:
    elements = Elements(FORMS[form](drawn(), EVIL, NAMES))
    addresses = [attributes["href"] for _, attributes in elements.found if "href" in attributes]
    assert all(re.fullmatch(r"#m\d+", address or "") for address in addresses)
    assert bool(addresses) is (form == "page")


@requirement("MEM-001-graph-escaped")
@pytest.mark.parametrize("form", FORMS)
def test_what_turns_reading_round_or_hides_is_shown_instead_of_done(form) -> None:
    hidden = "\u202a\u202e\u2066\u2069\u200e\u200f\u061c\u200b\u2060\ufeff\u2028\x07\x1b\x7f\x9b\ufffe\uffff\U000e0041"
    text = FORMS[form](drawn(f"a{hidden}b", f"tag{hidden}"), f"Luna{hidden}", NAMES)
    assert not set(hidden) & set(text)
    assert "a" + "␦" * len(hidden) + "b" in text


@requirement("MEM-001-graph-escaped")
def test_a_picture_is_well_formed_whatever_is_in_it() -> None:
    everything = "".join(map(chr, [*range(0x300), *range(0x2000, 0x2070), *range(0xFDD0, 0xFDF0), 0xFFFE, 0x10FFFF]))
    xml.dom.minidom.parseString(svg(drawn(everything[:400] + EVIL, everything[400:]), everything, NAMES))


def test_marks_heaped_on_a_letter_do_not_cover_the_lines_above() -> None:
    assert escaped("Z" + "\u0301" * 50 + "a") == "Z\u0301\u0301\u0301a"
    assert escaped("Tiếng Việt é") == "Tiếng Việt é"
    assert escaped("two\nlines\tand more") == "two lines and more"


@requirement("MEM-001-graph-page")
def test_a_page_is_one_file_that_loads_and_runs_nothing() -> None:
    text = page(drawn("Tea.", "tea"), "Luna", NAMES)
    elements = Elements(text)
    policy = next(a["content"] for tag, a in elements.found if tag == "meta" and "http-equiv" in a) or ""
    sheets = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert len(sheets) == 1
    digest = base64.b64encode(hashlib.sha256(sheets[0].encode()).digest()).decode()
    expected = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert policy == expected
    assert not re.search(r"url\(|@import|@font-face|https?:", text.replace('xmlns="http://www.w3.org/2000/svg"', ""))
    assert not {tag for tag, _ in elements.found} & {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "image",
        "use",
    }


@requirement("MEM-001-graph-page")
def test_a_picture_loads_and_runs_nothing() -> None:
    text = svg(drawn("Tea.", "tea"), "Luna", NAMES)
    assert not re.search(r"url\(|@import|script|href|https?:", text.replace('xmlns="http://www.w3.org/2000/svg"', ""))
    assert "prefers-color-scheme:dark" in text


def test_a_page_lists_each_memory_with_its_links_and_is_reached_from_its_circle() -> None:
    text = page(drawn("Tea.", "tea", "resolved_by"), "Luna", NAMES)
    for number in range(3):
        assert text.count(f'id="m{number}"') == 1
        assert f'<a href="#m{number}"><circle' in text
    assert "resolved by →" in text
    assert "mem_2_x" in text


def test_tiers_have_the_names_of_the_home() -> None:
    names = level_names({"hot": "山 & sea", "warm": "湖", "cold": "底"})
    for text in (svg(drawn(), "Luna", names), page(drawn(), "Luna", names)):
        assert "山 &amp; sea" in text
        assert ">湖<" in text


def test_the_memory_in_the_middle_has_a_ring() -> None:
    assert svg(drawn(), "Luna", NAMES).count('class="center"') == 1


@requirement("MEM-001-graph-bounded")
def test_10000_memories_make_a_small_file_that_says_what_it_left_out() -> None:
    nodes = tuple(
        Node(f"mem_{n}", Level.WARM, "event", EVIL, ("tag",), Place("net_1", 1 - n / 10_000, (f"c{n % 9}",)))
        for n in range(10_000)
    )
    edges = tuple(Edge(f"mem_{n}", f"mem_{(n * 7 + k) % 300}", "causes", 0.5) for n in range(10_000) for k in range(5))
    picture = layout(Network(nodes, edges, unlinked=2))
    for form in FORMS.values():
        text = form(picture, "Luna", NAMES)
        assert len(text.encode()) < 2_000_000
        assert "300 of 10,000 memories" in text
        assert "of 50,000 links" in text
        assert "2 memories have no link" in text


def test_what_is_drawn_is_told_in_numbers() -> None:
    assert told(layout(Network((Node("mem_1", Level.HOT, "event", "One."),), (), unlinked=1))) == (
        "1 memory · 0 links · 1 memory has no link"
    )


@requirement("MEM-001-graph-bounded", "MEM-003-3.1-commands")
def test_the_network_is_written_into_a_file(csb, home, node, tmp_path) -> None:
    node.answer("GET /v1/memory/network", NETWORK)
    file = tmp_path / "memories.svg"
    ended = csb("memory", "graph", "-o", file, "--nodes", "40", "--home", home.path)
    assert (ended.status, ended.out) == (0, f"{file}: 2 of 6 memories · 1 link · 1 memory has no link\n")
    assert node.last.path == "/v1/memory/network?limit=40"
    text = file.read_text(encoding="utf-8")
    assert "Heng: memories and their links" in text
    assert "茶在三点 tea at three" in text
    csb("memory", "graph", "-o", file, "--home", home.path)
    assert file.read_text(encoding="utf-8") == text
    assert list(tmp_path.glob(".mem*")) == []


def test_the_network_around_a_memory_is_written_as_a_page(csb, home, node, tmp_path) -> None:
    node.answer(f"GET /v1/memory/network/{ID}", {**NETWORK, "center": ID, "depth": 3})
    file = tmp_path / "near.html"
    ended = csb("memory", "graph", "-o", file, "--center", ID, "--depth", "3", "--home", home.path, "--json")
    assert ended.json == {"file": str(file), "nodes": 2, "links": 1}
    assert node.last.path == f"/v1/memory/network/{ID}?depth=3&limit=300"
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    "arguments, field",
    [(["-o", "x.svg", "--depth", "2"], "depth"), (["-o", "x.png"], "format"), (["-o", "no/such/place.svg"], "output")],
)
def test_what_cannot_be_drawn_is_refused(csb, home, node, arguments, field) -> None:
    node.answer("GET /v1/memory/network", NETWORK)
    ended = csb("memory", "graph", *arguments, "--home", home.path, "--json")
    assert (ended.status, ended.error["field"]) == (2, field)


def test_a_file_that_cannot_be_written_stays_as_it_was(csb, home, node, tmp_path, monkeypatch) -> None:
    node.answer("GET /v1/memory/network", NETWORK)
    file = tmp_path / "memories.svg"
    file.write_text("before", encoding="utf-8")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    ended = csb("memory", "graph", "-o", file, "--home", home.path, "--json")
    assert ended.error["code"] == "storage_full"
    assert file.read_text(encoding="utf-8") == "before"
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


@requirement("MEM-001-1.5-computed")
def test_an_entry_is_shown_with_its_place_in_the_network(csb, home, node) -> None:
    computed = {"network_id": "net_1", "centrality": 0.75, "clusters": ["决策链", "故障链"], "declared": {}}
    node.answer(f"GET {PLACE}", {**ENTRY, "link_metadata": computed})
    assert "network net_1, centrality 0.75, in 决策链, 故障链" in rows(csb("memory", "show", ID, "--home", home.path))
    node.answer(f"GET {PLACE}", {**ENTRY, "link_metadata": {"declared": {"network_id": "net_xxx"}}})
    assert "network" not in csb("memory", "show", ID, "--home", home.path).out
