"""`add --supersedes`: one plan that writes an entry and marks the one it replaces (§6.2)."""

from __future__ import annotations

from csbond_tests import custodian_adding
from csbond_tests.custodian_adding import CONFIRMED, entries, refused
from csbond_tests.custodian_world import Project, plan_id_in
from csbond_tests.marks import requirement

world, about = custodian_adding.world, custodian_adding.about


@requirement(
    "CUST-06.2-06", "CUST-08-05", "CUST-13.1-05", "CUST-13.1-27", "CUST-06.2-02", "CUST-06.2-03", "CUST-06.2-04"
)
def test_a_supersede_is_previewed_and_applied_as_one_plan(world: Project, about: tuple[str, ...]) -> None:
    world.done("add", "Print in grey.", "--type", "decision", *about, "behavior", *CONFIRMED)
    (old,) = entries(world, "decisions.md")
    before = world.files()
    again = ("add", "Print in blue.", "--type", "decision", *about, "behavior", *CONFIRMED, "--supersedes", old.id)
    preview = world.run(*again)
    assert (preview.code, preview.err) == (0, "")
    assert world.files() == before
    assert f"--apply --confirm-plan {plan_id_in(preview.out)}" in preview.out
    assert world.run(*again, "--apply").code == 2
    assert world.run(*again, "--apply", "--confirm-plan", "0" * 16).code == 2
    assert world.files() == before
    done = world.run(*again, "--apply", "--confirm-plan", plan_id_in(preview.out))
    assert (done.code, done.err) == (0, "")
    new, superseded = entries(world, "decisions.md")
    assert new.id in preview.out
    assert (new.status, new.field("Supersedes")) == ("active", old.id)
    assert (superseded.status, superseded.field("Superseded-By")) == ("superseded", new.id)
    assert superseded.fields[:2] == (("Status", "superseded"), ("Superseded-By", new.id))
    said = refused(world, *again[1:], "--apply", "--confirm-plan", plan_id_in(preview.out))
    assert f"--supersedes {old.id} is already superseded by {new.id}; accepted: an active entry, as {new.id}" in said


@requirement("CUST-06.2-03", "CUST-11.3-01", "CUST-P-08")
def test_bare_bullets_hold_on_when_the_entry_in_front_of_them_is_superseded(
    world: Project, about: tuple[str, ...]
) -> None:
    world.write("constraints.md", "# Constraints\n\n- Work offline.\n")
    new = ("--type", "constraint", *about, "behavior", *CONFIRMED)
    world.done("add", "Print in grey.", *new)
    (old,) = entries(world, "constraints.md")
    assert "is superseded with it" not in world.done("add", "Print in blue.", *new, "--supersedes", old.id)
    assert world.confirmed("add", "Print in blue.", *new, "--supersedes", old.id).code == 0
    read = world.done("read", "--task", "planning")
    assert "\n- Work offline.\n" in read
    assert "Print in blue." in read
    assert "Print in grey." not in read


@requirement("CUST-06.2-03")
def test_bullets_that_are_superseded_with_the_entry_above_them_are_named_first(
    world: Project, about: tuple[str, ...]
) -> None:
    new = ("--type", "constraint", *about, "behavior", *CONFIRMED)
    world.done("add", "Print in grey.", *new)
    world.write("constraints.md", world.text("constraints.md") + "\n- on paper\n- and on cloth\n\n")
    (old,) = entries(world, "constraints.md")
    last = len(world.text("constraints.md").rstrip().split("\n"))
    preview = world.done("add", "Print in blue.", *new, "--supersedes", old.id)
    named = f"- constraints.md: what stands on lines {last - 1}–{last}, below {old.id}, is superseded with it; "
    assert named in preview
    assert world.confirmed("add", "Print in blue.", *new, "--supersedes", old.id).code == 0
    assert "- on paper" not in world.done("read", "--task", "planning")


@requirement("CUST-06.2-07", "CUST-06.2-01", "CUST-06.2-08")
def test_a_supersede_that_fails_any_check_writes_nothing(world: Project, about: tuple[str, ...]) -> None:
    world.done("add", "Print in grey.", "--type", "decision", *about, "behavior", *CONFIRMED)
    (old,) = entries(world, "decisions.md")
    decision = ("Print in blue.", "--type", "decision", *about)
    assert "does not exist" in refused(
        world, *decision, "security", *CONFIRMED, "--supersedes", "MC-DEC-20200101-00000000"
    )
    assert "keeps the identity" in refused(world, *decision, "security", *CONFIRMED, "--supersedes", old.id)
    assert "cannot create" in refused(
        world, *decision, "behavior", "--evidence", "agent-observed", "--supersedes", old.id
    )
    assert "no such file" in refused(world, *decision, "behavior", "--evidence", "repo:gone", "--supersedes", old.id)
    world.write(
        "decisions.md",
        world.text("decisions.md").replace(
            "Status: active\n", "Status: superseded\nSuperseded-By: MC-DEC-20200101-00000009\n"
        ),
    )
    said = refused(world, *decision, "behavior", *CONFIRMED, "--supersedes", old.id)
    assert "is already superseded by MC-DEC-20200101-00000009" in said


def test_an_entry_that_replaces_none_is_not_confirmed(world: Project) -> None:
    for options in (("--apply",), ("--confirm-plan", "0" * 16)):
        assert "go with --supersedes" in refused(world, "A note.", *CONFIRMED, *options)
