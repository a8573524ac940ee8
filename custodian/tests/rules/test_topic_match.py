"""Whether a text holds a topic (§10.3)."""

from __future__ import annotations

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.topic_match import folded, holds


@requirement("CUST-B2.9-01")
@pytest.mark.parametrize(
    "text, topic, found",
    [
        ("Use Kafka for events", "kafka", True),
        ("KAFKA", "Kafka", True),
        ("kafkaesque", "kafka", True),
        ("kaf ka", "kafka", False),
        ("Straße", "STRASSE", True),
        ("cafe\u0301 menu", "caf\u00e9", True),
        ("caf\u00e9", "cafe\u0301", True),
        ("灯笼地图", "灯笼", True),
        ("a.b", "a?b", False),
    ],
)
def test_a_topic_is_a_literal_part_whatever_its_case_and_composition(text: str, topic: str, found: bool) -> None:
    assert holds(text, folded(topic)) is found
