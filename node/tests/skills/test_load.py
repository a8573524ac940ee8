from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest

from csbond.flows.turn import SkillCard
from csbond.protocol.errors import LocalProtocolError
from csbond.skills import load, skill
from csbond.skills.echo import EchoSkill
from csbond.skills.kind import Kind
from csbond.skills.load import BUILT_IN, GROUP, load_skill
from csbond.skills.memory import MemorySkill
from csbond.skills.settings import SkillSettings
from csbond.skills.settings_doc import SKILL_SETTINGS_DOC
from csbond_tests.repository import REPOSITORY
from csbond_tests.turns import answers_of, spoken, turn_of


def refusal(table, home) -> LocalProtocolError:
    with pytest.raises(LocalProtocolError) as fault:
        load_skill(table, home)
    assert fault.value.code.name == "setting_invalid"
    return fault.value


def test_without_settings_the_skill_is_memory(tmp_path):
    assert isinstance(load_skill({}, tmp_path), MemorySkill)


def test_a_kind_and_its_settings_are_taken(tmp_path):
    made = load_skill({"kind": "echo", "window": 3, "timeout_s": 5, "repeat": 2}, tmp_path)
    assert isinstance(made, EchoSkill)
    assert (made.card.window, made.card.timeout_s) == (3, 5.0)


def test_an_unknown_key_is_refused_with_the_one_that_was_meant(tmp_path):
    fault = refusal({"kind": "echo", "windoww": 3}, tmp_path)
    assert fault.field == "skill.windoww"
    assert "window" in fault.next_step
    assert "repeat" in refusal({"kind": "echo", "xyzzy": 1}, tmp_path).next_step


@pytest.mark.parametrize(
    "table",
    [
        {"window": -1},
        {"window": 501},
        {"window": "20"},
        {"window": 2.5},
        {"window": True},
        {"timeout_s": 0},
        {"timeout_s": float("inf")},
        {"timeout_s": float("nan")},
        {"timeout_s": "60"},
        {"quotes": 0},
        {"quotes": [1]},
    ],
)
def test_a_value_out_of_bounds_or_of_another_type_is_refused(tmp_path, table):
    (key,) = table
    assert refusal(table, tmp_path).field == f"skill.{key}"


def test_a_date_is_refused_like_any_other_wrong_value(tmp_path):
    assert refusal(tomllib.loads("window = 2026-05-10"), tmp_path).field == "skill.window"


@pytest.mark.parametrize("kind", ["no-such-kind", "", 7, None])
def test_an_unknown_kind_is_refused_with_those_there_are(tmp_path, kind):
    fault = refusal({"kind": kind}, tmp_path)
    assert fault.field == "skill.kind"
    assert "memory" in fault.next_step
    assert "conformance" not in fault.next_step


def test_the_test_skill_needs_a_permission(tmp_path):
    assert refusal({"kind": "conformance"}, tmp_path).field == "skill.kind"
    assert refusal({"kind": "conformance", "allow_test_skill": False}, tmp_path).field == "skill.kind"
    assert load_skill({"kind": "conformance", "allow_test_skill": True}, tmp_path).card.id == "conformance"


def offer(monkeypatch, *offered: tuple[str, Any]) -> None:
    """Pretend that distributions offer these objects as entry points."""

    class Offer(EntryPoint):
        def load(self) -> Any:
            value = dict(offered)[self.name]
            if isinstance(value, Exception):
                raise value
            return value

    points = [Offer(name, f"somewhere:thing_{number}", GROUP) for number, (name, _) in enumerate(offered)]

    def entry_points(group: str, name: str = "") -> EntryPoints:
        assert group == GROUP
        return EntryPoints(point for point in points if name in ("", point.name))

    monkeypatch.setattr(load, "entry_points", entry_points)


async def test_a_decorated_function_can_be_an_entry_point(tmp_path, monkeypatch):
    offer(monkeypatch, ("shout", skill(lambda text: text.upper())))
    made = load_skill({"kind": "shout", "window": 2}, tmp_path)
    assert spoken(await answers_of(made, turn_of("hi"))) == "HI"
    assert made.card.window == 2
    assert refusal({"kind": "shout", "volume": 2}, tmp_path).field == "skill.volume"


def test_a_kind_or_another_callable_can_be_an_entry_point(tmp_path, monkeypatch):
    taken: list[object] = []

    def factory(table, home):
        taken.append((table, home))
        return EchoSkill()

    offer(
        monkeypatch, ("plain", factory), ("whole", Kind("whole", SkillSettings, lambda _settings, _home: EchoSkill()))
    )
    assert isinstance(load_skill({"kind": "plain", "any": 1}, tmp_path), EchoSkill)
    assert taken == [({"any": 1}, tmp_path)]
    assert isinstance(load_skill({"kind": "whole"}, tmp_path), EchoSkill)
    assert refusal({"kind": "whole", "any": 1}, tmp_path).field == "skill.any"


def test_a_skill_itself_can_be_an_entry_point_but_takes_no_settings(tmp_path, monkeypatch):
    ready = EchoSkill()
    offer(monkeypatch, ("ready", ready))
    assert load_skill({"kind": "ready"}, tmp_path) is ready
    assert refusal({"kind": "ready", "window": 1}, tmp_path).field == "skill.window"


@pytest.mark.parametrize("value", [7, lambda table, home: 7, ImportError("gone"), AttributeError("gone")])
def test_an_entry_point_that_gives_no_skill_is_refused(tmp_path, monkeypatch, value):
    offer(monkeypatch, ("odd", value))
    assert refusal({"kind": "odd"}, tmp_path).field == "skill.kind"


def test_two_distributions_with_one_name_are_refused(tmp_path, monkeypatch):
    offer(monkeypatch, ("twin", EchoSkill()), ("twin", EchoSkill()))
    assert "several" in refusal({"kind": "twin"}, tmp_path).reason


def test_an_entry_point_cannot_take_the_name_of_a_built_in_kind(tmp_path, monkeypatch):
    offer(monkeypatch, ("echo", skill(lambda text: "taken over")))
    assert isinstance(load_skill({"kind": "echo"}, tmp_path), EchoSkill)


def test_every_built_in_kind_is_an_entry_point_of_the_distribution():
    project = tomllib.loads((REPOSITORY / "node" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["entry-points"][GROUP]
    assert {name: EntryPoint(name, value, GROUP).load() for name, value in declared.items()} == BUILT_IN


def test_every_setting_of_every_kind_has_a_default_and_a_sentence():
    assert {kind for kind, _, _, _ in SKILL_SETTINGS_DOC} == set(BUILT_IN)
    for kind, key, default, sentence in SKILL_SETTINGS_DOC:
        assert sentence.endswith("."), (kind, key)
        assert getattr(BUILT_IN[kind].settings(), key) == default


def test_window_and_time_are_settings_of_every_kind():
    for kind in BUILT_IN:
        keys = {key for name, key, _, _ in SKILL_SETTINGS_DOC if name == kind}
        assert {"window", "timeout_s"} <= keys


def test_the_defaults_of_settings_and_card_agree():
    card, settings = SkillCard("x", "x", "x", ()), SkillSettings()
    assert (card.window, card.timeout_s) == (settings.window, settings.timeout_s)
