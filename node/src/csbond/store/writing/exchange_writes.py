"""How it is kept what came from elsewhere: the name of a record, a vector of another model, a map."""

from __future__ import annotations

from csbond.flows.memory_changes import KeepForeignVector, PutForeignName, PutVectorMap
from csbond.store.writing.writing import Writing


def put_foreign_name(transaction: Writing, write: PutForeignName) -> None:
    """Keep which memory a record became; of a memory that is gone nothing is kept."""
    transaction.run(
        "put_foreign_name",
        {
            "space": write.space,
            "agent": write.name.agent,
            "timestamp": write.name.timestamp,
            "key": write.name.key,
            "entry_id": write.entry_id,
            "digest": write.digest,
            "linked": write.linked,
        },
    )


def keep_foreign_vector(transaction: Writing, write: KeepForeignVector, seq: int) -> None:
    """Keep a vector beside a memory; of a memory that is gone nothing is kept."""
    vector = write.vector
    transaction.run(
        "keep_foreign_vector",
        {
            "entry_id": write.entry_id,
            "fingerprint": vector.fingerprint,
            "model": vector.model,
            "dimension": vector.dimension,
            "seq": seq,
            "vector": vector.numbers,
        },
    )


def put_vector_map(transaction: Writing, write: PutVectorMap) -> None:
    """Keep a map in place of the one before."""
    kept = write.map
    transaction.run(
        "put_vector_map",
        {
            "from_fingerprint": kept.from_fingerprint,
            "to_model": kept.to_model,
            "from_dimension": kept.from_dimension,
            "to_dimension": kept.to_dimension,
            "matrix": kept.matrix,
            "pairs": kept.pairs,
            "error": kept.error,
            "made_at": kept.made_at,
        },
    )
