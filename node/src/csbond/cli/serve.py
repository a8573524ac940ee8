"""`csb serve`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import flush, print_json, print_line
from csbond.config.home import Home
from csbond.config.lock import hold_home
from csbond.config.settings import Settings
from csbond.config.settings_file import read_settings
from csbond.config.settings_rules import check_exposure, check_settings, database_file
from csbond.config.system import SystemClock


def serve(
    home: HomeOption = None,
    host: Annotated[str | None, typer.Option("--host", metavar="ADDRESS", help="Instead of node.host.")] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, metavar="PORT", help="Instead of node.port; 0: a free one."),
    ] = None,
    database: Annotated[
        str | None, typer.Option("--database", metavar="URL", help="Instead of node.database: sqlite:///file.")
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="Instead of tls.cert: a chain in PEM.")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option("--tls-key", metavar="FILE", help="Instead of tls.key: its key in PEM.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Run the node of a home until it is told to stop.

    SIGTERM and Ctrl-C let running work end first; SIGHUP reads the TLS files again. An address that other machines
    reach needs TLS, or the proxy that ends it in node.trusted_proxies.

    Repeating: refused while the node runs; afterwards it goes on where it ended.
    """
    chosen = chosen_home(home)
    settings = _settings(chosen, host, port, database, tls_cert, tls_key)

    # The A2A library reads it once, when it is imported.
    os.environ["OTEL_INSTRUMENTATION_A2A_SDK_ENABLED"] = "true" if settings.a2a.tracing else "false"
    from csbond.asgi import run_server

    with hold_home(chosen, SystemClock()) as held:

        def on_ready(url: str) -> None:
            held.announce(url, settings.tls.cert)
            if as_json:
                public = settings.node.base_url or url
                print_json({"name": chosen.identity.name, "url": url, "public_url": public, "pid": os.getpid()})
            else:
                known = f", known as {settings.node.base_url}" if settings.node.base_url else ""
                print_line(f"{chosen.identity.name} is at home at {url}{known}")
            flush()

        return run_server(chosen, settings, on_ready)


def _settings(
    home: Home,
    host: str | None,
    port: int | None,
    database: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> Settings:
    """The settings of the home with what the command line says instead, whose relative paths start here."""
    settings = read_settings(home.settings_file)
    node = replace(
        settings.node,
        host=settings.node.host if host is None else host,
        port=settings.node.port if port is None else port,
        database=settings.node.database if database is None else f"sqlite:///{database_file(database, Path.cwd())}",
    )
    tls = replace(
        settings.tls,
        cert=str(tls_cert.absolute()) if tls_cert else settings.tls.cert,
        key=str(tls_key.absolute()) if tls_key else settings.tls.key,
    )
    settings = replace(settings, node=node, tls=tls)
    check_settings(settings)
    check_exposure(settings)
    return settings
