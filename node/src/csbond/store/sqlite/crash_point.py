"""Where a crash drill may end the process: between any two statements of a commit group.

`csbond.testing` sets `reached`; nothing else does. It is called with `before_begin`, `after_<statement>`,
`before_commit` and `after_commit`.
"""

from __future__ import annotations

from collections.abc import Callable

reached: Callable[[str], None] | None = None
