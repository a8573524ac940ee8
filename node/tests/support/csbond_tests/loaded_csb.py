"""A `csb` that is loaded already: each call is a process of its own, forked from one that has imported everything.

Loading takes most of the time of a command, and documents have many commands. The command in the folder is a small
client: it hands its arguments, directory, environment and open files to a fork, passes signals on, and ends as it does.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["loaded_csb"]

_CLIENT = """\
#!{python} -IS
import json, os, signal, socket, sys
call = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [len(call).to_bytes(4, "big")], [0, 1, 2])
    server.sendall(call)
    pid = int.from_bytes(server.recv(4, socket.MSG_WAITALL), "big")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: os.kill(pid, number))
    sys.exit((server.recv(1) or b"\\x01")[0])
"""


@contextmanager
def loaded_csb(folder: Path) -> Iterator[Path]:
    """The folder with a command `csb` in it, for the front of PATH."""
    address = str(folder / "csb.socket")
    command = folder / "csb"
    command.write_text(_CLIENT.format(python=sys.executable, address=address), encoding="utf-8")
    command.chmod(0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        server = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import serve; serve({listener.fileno()})"],
            pass_fds=[listener.fileno()],
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        )
    try:
        yield folder
    finally:
        server.terminate()
        server.wait(timeout=60)


def serve(listener_fd: int) -> None:
    """Load the command once, then run it in a fork for each client."""
    _load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks but their clients
    with socket.socket(fileno=listener_fd) as listener:
        while True:
            client, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _run(client)
            client.close()


def _load() -> None:
    os.environ["OTEL_INSTRUMENTATION_A2A_SDK_ENABLED"] = "false"
    import csbond.asgi
    import csbond.cli.agent_call
    import csbond.cli.answer
    import csbond.cli.card_check  # noqa: F401 - what commands import when they are called


def _run(client: socket.socket) -> None:
    """One command, with everything of its client; never returns."""
    from csbond.cli import main

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    head, files, *_ = socket.recv_fds(client, 4, 3)
    size, call = int.from_bytes(head, "big"), b""
    while len(call) < size:
        call += client.recv(size - len(call))
    arguments, directory, environment = json.loads(call)
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(file, mode, 1, "utf-8") for file, mode in enumerate("rww"))
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    client.sendall(os.getpid().to_bytes(4, "big"))
    status = 1
    try:
        status = main(arguments)
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
            client.sendall(bytes([status]))
        os._exit(status)
