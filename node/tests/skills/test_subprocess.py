from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import textwrap
from contextlib import aclosing
from pathlib import Path

import pytest
import uvloop

from csbond.flows.turn import Done, Fail, Say
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.messages.part import text_part
from csbond.skills.load import load_skill
from csbond_tests.turns import answers_of, memory, spoken, turn_of

SKILL = "csbond.skills.subprocess"


def skill_of(home: Path, script: str, **table):
    """A skill that runs a Python script out of the home's folder skills/."""
    folder = home / "skills"
    folder.mkdir(exist_ok=True)
    (folder / "script.py").write_text(textwrap.dedent(script), encoding="utf-8")
    command = [sys.executable, "-S", "script.py"]
    return load_skill({"kind": "subprocess", "command": command, "files": ["skills/script.py"]} | table, home)


async def answers(home: Path, script: str, message="hello", **table):
    return await answers_of(skill_of(home, script, **table), turn_of(message, [memory("Tea is ready.")]))


async def test_each_line_is_a_chunk_of_the_answer(tmp_path):
    heard = await answers(tmp_path, "print('one'); print(); print('three')")
    assert heard == [
        Say((text_part("one"),)),
        Say((text_part("\n"),), append=True),
        Say((text_part("\nthree"),), append=True),
    ]


async def test_the_message_stands_on_standard_input_as_json(tmp_path):
    script = "import json, sys; asked = json.load(sys.stdin); print(asked['text'], asked['agent'], asked['memories'])"
    assert spoken(await answers(tmp_path, script, message="你好 <world>")) == "你好 <world> Luna []"


async def test_memories_are_handed_over_only_when_set(tmp_path):
    script = "import json, sys; print(json.load(sys.stdin)['memories'][0]['content'])"
    assert spoken(await answers(tmp_path, script, memories=3)) == "Tea is ready."


async def test_a_line_is_heard_before_the_command_has_ended(tmp_path):
    script = "import sys, time; print('first', flush=True); time.sleep(60)"
    async with aclosing(skill_of(tmp_path, script).answer(turn_of("x"))) as stream:
        assert await anext(stream) == Say((text_part("first"),))


async def test_json_lines_are_answers(tmp_path):
    script = """
        print('{"working": "thinking"}'); print()
        print('{"say": [{"data": {"n": 1}}]}'); print('{"done": "bye"}'); print('{"say": "never heard"}')
    """
    heard = await answers(tmp_path, script, output="json")
    assert [type(each).__name__ for each in heard] == ["Working", "Say", "Done"]
    assert heard[-1] == Done((text_part("bye"),))


async def test_a_line_that_is_no_answer_fails_without_its_text(tmp_path):
    heard = await answers(tmp_path, "print('swordfish')", output="json")
    assert heard == [Fail("The skill answered outside its contract.")]


async def test_the_environment_holds_four_variables_and_those_listed(tmp_path, monkeypatch):
    monkeypatch.setenv("CSB_HOME", "/nowhere")
    monkeypatch.setenv("OWNER_TOKEN", "swordfish")
    monkeypatch.setenv("WANTED", "yes")
    script = "import json, os; print(json.dumps(dict(os.environ)))"
    heard = json.loads(spoken(await answers(tmp_path, script, environment=["WANTED", "NOT_SET"])))
    heard.pop("LC_CTYPE", None)  # Python adds it to its own environment
    assert set(heard) == {"PATH", "LANG", "HOME", "TMPDIR", "WANTED"}
    assert heard["WANTED"] == "yes"
    assert str(tmp_path) not in json.dumps(heard)


async def test_the_command_runs_in_an_empty_folder_of_its_own_that_goes_away(tmp_path):
    script = """
        import json, os, stat, sys
        here = os.getcwd()
        print(json.dumps([here, os.environ["HOME"], oct(os.stat(here).st_mode & 0o777), os.listdir(here), sys.argv]))
        open("left", "w").write("x")
        print(oct(os.stat("left").st_mode & 0o777))
    """
    first, mode = spoken(await answers(tmp_path, script)).splitlines()
    here, home, folder_mode, files, arguments = json.loads(first)
    assert here == home
    assert folder_mode == "0o700"
    assert files == ["script.py"]
    assert arguments == ["script.py"]
    assert mode == "0o600"
    assert not Path(here).exists()


async def test_no_descriptor_but_the_three_pipes_is_inherited(tmp_path):
    with (tmp_path / "open.txt").open("w") as held:
        os.set_inheritable(held.fileno(), True)
        script = """
            import os, stat
            for number in range(256):
                try:
                    print(number, stat.S_ISFIFO(os.fstat(number).st_mode) or stat.S_ISSOCK(os.fstat(number).st_mode))
                except OSError:
                    pass
        """
        heard = spoken(await answers(tmp_path, script)).split("\n")
    assert heard == ["0 True", "1 True", "2 True"]


async def test_standard_error_goes_to_the_log_and_never_to_the_caller(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, SKILL):
        heard = await answers(tmp_path, r"import sys; sys.stderr.write('swordfish\x1b[31m\n'); sys.exit(3)")
    assert heard == [Fail("The command ended with an error.")]
    assert "swordfish" in caplog.text
    assert "\x1b" not in caplog.text


async def test_time_over_ends_the_command_and_its_children(tmp_path):
    script = """
        import os, subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        print(os.getpid(), child.pid, flush=True)
        time.sleep(60)
    """
    heard = await answers(tmp_path, script, timeout_s=1.0)
    assert heard[-1] == Fail("The command gave no answer within 1 seconds.")
    await gone(spoken(heard).split())


async def test_closing_the_answer_ends_the_command(tmp_path):
    script = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    stream = skill_of(tmp_path, script).answer(turn_of("x"))
    first = await anext(stream)
    await stream.aclose()
    await gone([spoken([first])])


async def test_a_child_that_outlives_the_command_is_ended_with_it(tmp_path):
    script = """
        import subprocess, sys
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        print(child.pid)
    """
    heard = await answers(tmp_path, script, timeout_s=20)
    assert not any(isinstance(each, Fail) for each in heard)
    await gone([spoken(heard)])


async def gone(pids):
    """Wait until processes have ended; an orphan is a zombie until init takes it."""
    for pid in pids:
        for _ in range(1000):
            try:
                state = Path(f"/proc/{int(pid)}/stat").read_text().rpartition(")")[2].split()[0]
            except FileNotFoundError:
                break
            if state == "Z":
                break
            await asyncio.sleep(0.01)
        else:
            pytest.fail(f"process {pid} still runs")


async def test_too_much_output_ends_the_command(tmp_path):
    heard = await answers(tmp_path, "while True: print('x' * 1000)", output_bytes=10_000)
    assert heard[-1] == Fail("The command answered with more than 10000 bytes.")
    assert len(spoken(heard)) <= 10_000


async def test_processor_time_is_limited(tmp_path):
    heard = await answers(tmp_path, "while True: pass", cpu_s=1, timeout_s=60)
    assert heard == [Fail("The command was ended by a limit.")]


async def test_memory_is_limited(tmp_path):
    script = """
        try:
            held = bytearray(600 * 1024 * 1024)
            print("got it")
        except MemoryError:
            print("refused")
    """
    assert spoken(await answers(tmp_path, script, memory_bytes=400 * 1024 * 1024)) == "refused"


async def test_the_size_of_a_file_is_limited(tmp_path):
    script = """
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            with open("big", "wb") as file:
                file.write(b"x" * 100_000)
            print("written")
        except OSError:
            print("refused")
    """
    assert spoken(await answers(tmp_path, script, file_bytes=50_000)) == "refused"


async def test_open_files_and_core_dumps_are_limited(tmp_path):
    script = "import resource as r; print(r.getrlimit(r.RLIMIT_NOFILE), r.getrlimit(r.RLIMIT_CORE))"
    assert spoken(await answers(tmp_path, script, open_files=32)) == "(32, 32) (0, 0)"


async def test_no_more_commands_run_at_once_than_set(tmp_path):
    log = tmp_path / "log"
    script = f"""
        with open({str(log)!r}, "a", buffering=1) as log:
            log.write("in\\n")
            print(sum(range(10000)))
            log.write("out\\n")
    """
    one = skill_of(tmp_path, script, processes=1)
    await asyncio.gather(*(answers_of(one, turn_of("x")) for _ in range(3)))
    assert log.read_text().split() == ["in", "out"] * 3


async def test_a_command_that_does_not_read_its_input_is_no_error(tmp_path):
    heard = await answers(tmp_path, "import os; os.close(0); print('deaf')", message="x" * 1_000_000)
    assert heard == [Say((text_part("deaf"),))]


def test_a_command_runs_in_the_loop_of_the_server_too(tmp_path):
    script = """
        import sys, time
        print(len(sys.stdin.read()) > 1_000_000)
        print("x" * 200_000, flush=True)
        time.sleep(60)
    """
    heard = uvloop.run(answers(tmp_path, script, message="y" * 1_000_000, timeout_s=2.0))
    assert spoken(heard) == "True\n" + "x" * 200_000
    assert heard[-1] == Fail("The command gave no answer within 2 seconds.")


async def test_silence_with_status_zero_is_an_empty_answer(tmp_path):
    assert await answers(tmp_path, "") == []


async def test_bytes_that_are_no_utf_8_are_shown_as_such(tmp_path):
    assert spoken(await answers(tmp_path, "import os; os.write(1, b'a\\xff\\n')")) == "a\ufffd"


async def test_an_executable_file_of_the_home_can_be_the_command(tmp_path):
    (tmp_path / "skills").mkdir()
    script = tmp_path / "skills" / "answer.sh"
    script.write_text("#!/bin/sh\necho hi\n")
    script.chmod(0o755)
    made = load_skill({"kind": "subprocess", "command": ["./answer.sh"], "files": ["skills/answer.sh"]}, tmp_path)
    assert spoken(await answers_of(made, turn_of("x"))) == "hi"


async def test_a_command_that_cannot_be_started_fails(tmp_path, caplog):
    folder = tmp_path / "skills"
    folder.mkdir()
    (folder / "answer.sh").write_text("no program")
    (folder / "answer.sh").chmod(0o755)
    made = load_skill({"kind": "subprocess", "command": ["./answer.sh"], "files": ["skills/answer.sh"]}, tmp_path)
    assert await answers_of(made, turn_of("x")) == [Fail("The command ended with an error.")]
    assert "cannot be started" in caplog.text


@pytest.mark.parametrize(
    "table, field",
    [
        ({}, "command"),
        ({"command": []}, "command"),
        ({"command": ["no-such-program-here"]}, "command"),
        ({"command": ["./answer.sh"]}, "command"),
        ({"command": ["sh"], "environment": ["CSB_HOME"]}, "environment"),
        ({"command": ["sh"], "environment": ["csb_token"]}, "environment"),
        ({"command": ["sh"], "environment": ["A=B"]}, "environment"),
        ({"command": ["sh"], "files": ["owner.token"]}, "files"),
        ({"command": ["sh"], "files": ["skills/../owner.token"]}, "files"),
        ({"command": ["sh"], "files": ["skills/link"]}, "files"),
        ({"command": ["sh"], "files": ["skills/absent"]}, "files"),
        ({"command": ["sh"], "open_files": 2}, "open_files"),
    ],
)
def test_what_would_not_run_or_give_secrets_away_is_refused_when_loaded(tmp_path, table, field):
    (tmp_path / "owner.token").write_text("swordfish")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "link").symlink_to(tmp_path / "owner.token")
    with pytest.raises(LocalProtocolError) as fault:
        load_skill({"kind": "subprocess"} | table, tmp_path)
    assert fault.value.field == f"skill.{field}"


def test_the_card_names_the_command_and_takes_what_is_set(tmp_path):
    made = load_skill({"kind": "subprocess", "command": ["sh"]}, tmp_path)
    assert (made.card.id, made.card.description) == ("command", "Answers by the command sh.")
    named = load_skill(
        {"kind": "subprocess", "command": ["sh"], "id": "x", "name": "X", "description": "D", "tags": ["t"]}, tmp_path
    )
    assert (named.card.id, named.card.name, named.card.description, named.card.tags) == ("x", "X", "D", ("t",))
