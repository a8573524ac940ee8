from __future__ import annotations

import pytest

from csbond.protocol.errors import CsbError
from csbond.protocol.messages.dialects import Version
from csbond.protocol.messages.version import check_version
from csbond_tests.requirements import requirement

V1_0, V0_3, DRAFT = Version.V1_0, Version.V0_3, Version.DRAFT

SPOKEN = {
    V1_0: {"1.0", "1.0.0", "1.0.1", " 1.0 "},
    V0_3: {"", "0.1", "0.2.5", "0.3", "0.3.0", "0.6", "1.0", "1.0.0", "1.0.1", " 1.0 "},
    DRAFT: {"", "0.1", "0.2.5", "0.3", "0.3.0", "0.6", "1.0", "1.0.0", "1.0.1", " 1.0 "},
}
REFUSED = ("1.7", "2.0", "1", "0.7", "10.0", "junk", "1.0.x", "v1.0", "1.0.0.0", "1.0\n2.0", "٣.٠", "9" * 500)
EVERY = sorted(set().union(*SPOKEN.values(), REFUSED))


@requirement("A2A-VER-001", "A2A-VER-002", "A2A-VER-004", "FAULT-11", "FAULT-34")
@pytest.mark.parametrize("dialect", Version)
@pytest.mark.parametrize("stated", EVERY)
def test_a_dialect_is_spoken_to_those_who_name_its_version_and_to_nobody_else(stated: str, dialect: Version) -> None:
    if stated in SPOKEN[dialect]:
        check_version(stated, dialect, lenient=False)
    else:
        with pytest.raises(CsbError) as refused:
            check_version(stated, dialect, lenient=False)
        assert refused.value.code.name == "version_not_supported"


@requirement("A2A-VER-002")
def test_a_lenient_node_takes_a_call_of_1_0_that_names_no_version() -> None:
    check_version("", V1_0, lenient=True)


@pytest.mark.parametrize("stated", ["0.3", *REFUSED])
def test_a_lenient_node_still_refuses_a_call_of_1_0_that_names_another_version(stated: str) -> None:
    with pytest.raises(CsbError):
        check_version(stated, V1_0, lenient=True)


def test_a_refusal_names_the_versions_that_are_spoken_and_repeats_no_long_text() -> None:
    with pytest.raises(CsbError) as refused:
        check_version("9" * 500, V1_0, lenient=False)
    assert "1.0, 0.3" in refused.value.next_step
    assert len(refused.value.reason) < 100
