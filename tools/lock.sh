#!/usr/bin/env bash
# Recompile requirements/*.txt from requirements/*.in: every release pinned and hashed, markers for every supported
# Python, no index address. Needs `uv` on the PATH. Pip's own settings are left out, so no machine's mirror leaks in.
set -euo pipefail
cd "$(dirname "$0")/.."
unset "${!PIP_@}" "${!UV_@}"
export UV_NO_CONFIG=1 UV_CUSTOM_COMPILE_COMMAND="make lock"
compile() {
    uv pip compile --quiet --universal --python-version "$1" --generate-hashes --strip-extras --no-annotate \
        --no-emit-package csbond "${@:2}"
}
compile 3.11 -o requirements/runtime.txt requirements/runtime.in
compile 3.11 -o requirements/build.txt requirements/build.in
compile 3.11 -c requirements/runtime.txt -c requirements/build.txt -o requirements/dev.txt requirements/dev.in
compile 3.11 -c requirements/runtime.txt -o requirements/engines.txt requirements/engines.in
compile 3.10 -c requirements/dev.txt -o requirements/custodian-test.txt requirements/custodian-test.in
compile 3.11 -o requirements/peer-a2a-0.3.26.txt requirements/peer-a2a-0.3.26.in
compile 3.11 -o requirements/peer-a2a-0.2.16.txt requirements/peer-a2a-0.2.16.in
compile 3.11 -c requirements/runtime.txt -o requirements/bench.txt requirements/bench.in
compile 3.11 -o requirements/bench-memory.txt requirements/bench-memory.in
