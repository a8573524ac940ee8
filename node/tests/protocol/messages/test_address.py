"""An address of another machine is one, or it is said why it is none."""

from __future__ import annotations

import pytest

from csbond.protocol.messages.address import URL_LENGTH, host_and_port

ADDRESSES = {
    "http://bo.example": ("bo.example", 80),
    "https://bo.example/a?b=c#d": ("bo.example", 443),
    "HTTP://Bo.Example:8080/": ("bo.example", 8080),
    "http://bo.example:/": ("bo.example", 80),
    "http://[::1]:8000/": ("::1", 8000),
    "https://b\u00fccher.example/\u8def\u5f84@": ("b\u00fccher.example", 443),
    "http://bo.example/" + "a" * (URL_LENGTH - 18): ("bo.example", 80),
}
NONE = {
    "": "begins with http",
    "x": "begins with http",
    "//bo.example/": "begins with http",
    "http://": "begins with http",
    "http:///path": "begins with http",
    "file:///etc/passwd": "begins with http",
    "ftp://bo.example/": "begins with http",
    "javascript:alert(1)": "begins with http",
    "mailto:bo@bo.example": "begins with http",
    "http://user:geheim@bo.example/": "no user name",
    "http://user@bo.example/": "no user name",
    "http://@bo.example/": "no user name",
    "http://bo.example:99999/": "port",
    "http://bo.example:0/": "port",
    "http://bo.example:eighty/": "port",
    "http://bo.example:\u0663/": "port",
    "http://bo.example:80:80/": "host of the address",
    "http://:80/": "host of the address",
    "http://bo.example\\\\.evil.example/": "host of the address",
    "http://[bo.example]/": "host of the address",
    "http://[]/": "host of the address",
    "http://[::1": "host of the address",
    "http://a..b.example/": "host of the address",
    "http://bo\x00.example/": "cannot be printed",
    "http://bo\r\n.example/": "cannot be printed",
    "http://bo.example/\nx": "cannot be printed",
    " http://bo.example/": "no spaces",
    "http://\ud7ff\ud800/": "cannot be printed",
    "http://bo.example/" + "a" * (URL_LENGTH - 17): "at most 2048",
}


@pytest.mark.parametrize("url", ADDRESSES)
def test_an_address_leads_to_a_host_and_a_port(url: str) -> None:
    assert host_and_port(url) == ADDRESSES[url]


@pytest.mark.parametrize("url", NONE)
def test_it_is_said_why_an_address_is_none(url: str) -> None:
    with pytest.raises(ValueError, match=NONE[url]) as refused:
        host_and_port(url)
    assert "geheim" not in str(refused.value)
