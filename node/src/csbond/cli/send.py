"""`csb send`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from csbond.cli.destination import Destination, destination_of
from csbond.cli.options import HomeOption, JsonOption
from csbond.cli.outgoing import Typed, message_of
from csbond.cli.output import print_json, print_line, print_piece
from csbond.config.system import SystemIdentifiers
from csbond.protocol.errors import EXIT_STATUS, Exit
from csbond.protocol.messages.message import Message

if TYPE_CHECKING:
    from csbond.cli.answer import Answer


def send(
    url: Annotated[str, typer.Argument(metavar="URL", help="The agent's address, e.g. http://127.0.0.1:3100.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to say; - reads it from standard input.")],
    stream: Annotated[bool, typer.Option("--stream", help="Show the answer while it grows.")] = False,
    thread: Annotated[str, typer.Option("--thread", metavar="T", help="The long conversation it belongs to.")] = "",
    task: Annotated[str, typer.Option("--task", metavar="ID", help="The task that waits for this.")] = "",
    sender: Annotated[str, typer.Option("--as", metavar="NAME", help="Who you say you are.")] = "",
    file: Annotated[list[Path] | None, typer.Option("--file", metavar="PATH", help="A file to send along.")] = None,
    data: Annotated[list[str] | None, typer.Option("--data", metavar="JSON", help="Data to send along.")] = None,
    file_url: Annotated[
        list[str] | None, typer.Option("--url", metavar="U", help="The address of a file to send along.")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", metavar="F", help="The token to show; only its owner may read it.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say something to an agent and show what it answers.

    The node of the home itself is spoken to as its owner; every other agent without a token, unless one is given.

    Repeating: a new message each time, with a task and an answer of its own.
    """
    to = destination_of(url, token_file, home)
    typed = Typed(text, file or (), data or (), file_url or (), thread, task, sender)
    message = message_of(typed, SystemIdentifiers().unique())
    answer = asyncio.run(answer_to(to, message, stream=stream, quiet=as_json))
    return shown(answer, to.url, as_json)


async def answer_to(to: Destination, message: Message, *, stream: bool, quiet: bool) -> Answer:
    """What an agent answers to a message; its texts are shown as they come, unless it is quiet."""
    from a2a.client import ClientCallContext
    from a2a.extensions.common import HTTP_EXTENSION_HEADER
    from a2a.types import GetTaskRequest, SendMessageRequest
    from google.protobuf.json_format import MessageToDict, ParseDict

    from csbond.cli.agent_call import client_of, translated
    from csbond.cli.answer import Answer
    from csbond.protocol.messages.message import message_to_json

    answer = Answer()
    async with client_of(to, stream=stream) as client:
        with translated(to.url):
            request = ParseDict({"message": message_to_json(message)}, SendMessageRequest())
            context = ClientCallContext(service_parameters={HTTP_EXTENSION_HEADER: ", ".join(message.extensions)})
            async for event in client.send_message(request, context=context if message.extensions else None):
                for piece in answer.pieces_of(event):
                    if not quiet:
                        print_piece(piece)
            if quiet and stream and answer.task_id:
                answer.document = MessageToDict(await client.get_task(GetTaskRequest(id=answer.task_id)))
    return answer


def shown(answer: Answer, url: str, as_json: bool) -> int:
    """The status of a command, after the rest of an answer is shown."""
    if as_json:
        print_json(answer.document)
    else:
        if answer.spoken:
            print_line("")
        if answer.waits:
            print_line(f"It waits for you: csb send {url} TEXT --task {answer.task_id}")
        elif answer.failed:
            print_line(f"The task {answer.task_id} ended as: {answer.state_name}")
    return EXIT_STATUS[Exit.NEGATIVE] if answer.failed else 0
