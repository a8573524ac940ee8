"""Texts that each row of the scanners must find, and near misses that it must not. Everything here is invented."""

from __future__ import annotations

from csbond_tests.custodian_secret_samples import DASHES, LETTERS, SECRET_SAMPLES, Sample

__all__ = ["DASHES", "HARMLESS", "LETTERS", "SAMPLES", "Sample", "sample"]

SAMPLES = (
    *SECRET_SAMPLES,
    Sample(
        "privacy",
        "machine-path",
        "WARNING",
        (
            ("See /Users/" + "mirabel/maps/x.py", "mirabel"),
            ("/home/" + "mirabel/maps", "mirabel"),
            ("mounted at /Volumes/" + "mirabel-disk", "mirabel"),
            ("ends with /Users/" + "mirabel", "mirabel"),
            ("C:" + "\\Users\\" + "mirabel\\maps", "mirabel"),
            ("d:" + "\\users\\" + "mirabel", "mirabel"),
            ("D:" + "/Users/" + "mirabel/maps", "mirabel"),
            ("C:" + "\\Users\\" + "Mirabel Ott\\maps", "Mirabel Ott"),
            ("runs in /root/" + "maps", "/root"),
            ("runs as /root", "/root"),
            ("file:///home/" + "mirabel/maps", "mirabel"),
            ("PATH=/usr/bin:/home/" + "mirabel/bin", "mirabel"),
            ("/Users/" + "张伟/maps", "张伟"),
            ("/mnt/c/Users/" + "mirabel/maps", "mirabel"),
            ("at /c/Users/" + "mirabel", "mirabel"),
        ),
        (
            "/home/<name>/maps",
            "/Users/you/maps",
            "/home/$USER/maps",
            "/home/*/maps",
            "/Users/.../maps",
            "https://maps.internal/home/tiles",
            "docs/home/tiles.md",
            "GET /v/users/42",
            "docs/c/Users/tiles.md",
            "./home/tiles.md",
            "/homes/tiles",
            "/rootless/tiles",
            "C:\\Windows\\System32",
            "C:\\Users\\<name>\\maps",
            "git@host:/home/git/maps.git",
        ),
    ),
    Sample(
        "privacy",
        "email",
        "WARNING",
        (
            ("Ask mirabel.ott@" + "papermaps.io.", "mirabel.ott"),
            ("<mirabel+maps@" + "mail.papermaps.co.uk>", "mirabel"),
        ),
        (
            "mirabel@example.com",
            "mirabel@mail.example.org",
            "mirabel@maps.test",
            "mirabel@maps.invalid",
            "git@git.internal.io:maps.git",
            "deploy@git.papermaps.io:maps.git",
            "uses @papermaps/ui and maps@1.2.3",
            "mirabel@localhost",
            "https://admin:" + "password@db.papermaps.io",
            "https://username:password@db.internal",
        ),
    ),
    Sample(
        "privacy",
        "phone",
        "WARNING",
        (
            ("+49 30 " + "9018 2077", "9018"),
            ("+1 (555) " + "010-7788", "010-7788"),
            ("(555) " + "010-7788", "010-7788"),
            ("555-" + "010-7788", "010-7788"),
            ("555." + "010.7788", "010.7788"),
            ("电话13800" + "138000", "138000"),
            ("138 0013 " + "8000", "0013"),
            ("phone: 030 " + "9018 77", "9018"),
            ("Tel. no. 0309" + "01877", "01877"),
            ("手机：021-" + "55667788", "55667788"),
        ),
        (
            "3f2b8c1e-6a4d-4c55-9b1a-0d7e5a2f9c34",
            "12345678-1234-4234-9234-123456789012",
            "3.10 3.11 3.12 3.13",
            "## 2026-07-28 - 10 retries",
            "500 800 400 400 300",
            "phone 2026-03-02 12:30",
            "built at +20260728120000",
            "MC-DEC-20260302-12345678",
            "commit 1380013e8000",
            "1690000000000 milliseconds",
            "10.0.138.101",
            "pixels 1920 1080 60",
            "telemetry 1234567",
            "the phone shows 3 maps",
        ),
    ),
    Sample(
        "privacy",
        "postal-address",
        "WARNING",
        (
            ("Office: 12 Lantern " + "Street", "12 Lantern"),
            ("7 Old Mill " + "Rd. in the woods", "Old Mill"),
            ("浙江省杭州市西湖区" + "灯笼路12号", "灯笼路12号"),
        ),
        (
            "Rule 5 Main Road",
            "the 5 Lantern Road map",
            "12 street lamps",
            "Version 3 of Road",
            "2026-03-02 Lantern Street",
            "第12号",
        ),
    ),
)

HARMLESS = (
    "The project supports clinics and never stores a diagnosis.",
    "Elections are drawn in grey, without party colours.",
    "Residence permits of helpers are no matter of this project.",
)
"""Delicate by meaning, without any pattern."""


def sample(kind: str) -> Sample:
    """The samples of one kind."""
    return next(row for row in SAMPLES if row.kind == kind)
