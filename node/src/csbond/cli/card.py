"""`csb card`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from csbond.cli.destination import destination_of
from csbond.cli.options import HomeOption, JsonOption
from csbond.cli.output import print_fields, print_json
from csbond.protocol.errors import EXIT_STATUS, Exit

if TYPE_CHECKING:
    from a2a.types import AgentCard

    from csbond.cli.card_check import Signature


def card(
    url: Annotated[str, typer.Argument(metavar="URL", help="The agent's address.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show the card of an agent, and whether its signature holds.

    The signature is checked with the keys of the place the card came from; keys elsewhere are not asked for. Ends
    with 1 when a signature does not hold.
    """
    from csbond.cli.card_check import CardSource, parsed

    with CardSource(destination_of(url, None, home)) as source:
        document = source.card()
        signature = source.signature(document)
    if as_json:
        verdict = {"verdict": signature.verdict, "reason": signature.reason, "key_id": signature.key_id}
        print_json({"card": document, "signature": verdict})
    else:
        print_fields(_lines(parsed(document), signature))
    return EXIT_STATUS[Exit.NEGATIVE] if signature.verdict == "invalid" else 0


def _lines(shown: AgentCard, signature: Signature) -> dict[str, str]:
    able = {
        "streaming": shown.capabilities.streaming,
        "push notifications": shown.capabilities.push_notifications,
        "extended card": shown.capabilities.extended_agent_card,
    }
    lines = {
        "name": shown.name,
        "description": shown.description,
        "version": shown.version,
        "signature": f"{signature.verdict}: {signature.reason}",
        "key": signature.key_id,
        "can": ", ".join(name for name, can in able.items() if can),
        "skills": "\n".join(f"{skill.name}: {skill.description}" for skill in shown.skills),
        "reached at": "\n".join(
            f"{each.protocol_binding} {each.protocol_version}  {each.url}" for each in shown.supported_interfaces
        ),
        "extensions": "\n".join(
            each.uri + (" (required)" if each.required else "") for each in shown.capabilities.extensions
        ),
    }
    return {name: text for name, text in lines.items() if text}
