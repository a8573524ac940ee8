"""The other stores, each as its documentation shows it, with every write on disk before it counts as done.

Run by the Python of their own environment, one process a store: `python -m bench.memory.peers NAME FOLDER CORPUS`. They
are given the texts with their vectors, and asked for the nearest vectors alone; what they do not offer is not asked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from bench.memory.corpus import Corpus, Told
from bench.memory.pipe import Line, answer_lines, own_pipe
from bench.memory.texts import DECISION
from bench.memory.vectors import DIMENSION, Vectors

LIMIT = 10
CHROMA_BATCH = 100
"""Chroma takes some 40 ms for a call, whatever is in it; its adds are not compared."""


class Peer(Protocol):
    """A store that is open."""

    def add(self, told: Sequence[Told], first: int) -> list[float]:
        """Seconds of each call that added some; the first one has this number."""

    def search(self, vector: Vectors, *, filtered: bool) -> list[int]:
        """The numbers of the nearest, best first; of decisions alone if it is filtered."""


class Chroma:
    """chromadb, persistent."""

    package = "chromadb"

    def __init__(self, folder: Path) -> None:
        chroma, config = _library("chromadb"), _library("chromadb.config")
        settings = config.Settings(anonymized_telemetry=False)
        client = chroma.PersistentClient(str(folder), settings=settings)
        self._entries = client.create_collection(
            "bench", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def add(self, told: Sequence[Told], first: int) -> list[float]:
        taken = []
        for start in range(0, len(told), CHROMA_BATCH):
            batch = told[start : start + CHROMA_BATCH]
            began = perf_counter()
            self._entries.add(
                ids=[str(first + start + place) for place in range(len(batch))],
                embeddings=[each.vector for each in batch],
                documents=[each.document.text for each in batch],
                metadatas=[_fields(each) for each in batch],
            )
            taken.append(perf_counter() - began)
        return taken

    def search(self, vector: Vectors, *, filtered: bool) -> list[int]:
        where = {"type": DECISION} if filtered else None
        found = self._entries.query(query_embeddings=[vector], n_results=LIMIT, where=where)
        return [int(id_) for id_ in found["ids"][0]]


class Qdrant:
    """qdrant-client in its local mode."""

    package = "qdrant-client"

    def __init__(self, folder: Path) -> None:
        self._models = _library("qdrant_client.models")
        self._client = _library("qdrant_client").QdrantClient(path=str(folder))
        vectors = self._models.VectorParams(size=DIMENSION, distance=self._models.Distance.COSINE)
        self._client.create_collection("bench", vectors_config=vectors)

    def add(self, told: Sequence[Told], first: int) -> list[float]:
        taken = []
        for number, each in enumerate(told, first):
            began = perf_counter()
            payload = {"text": each.document.text, **_fields(each)}
            point = self._models.PointStruct(id=number, vector=each.vector.tolist(), payload=payload)
            self._client.upsert("bench", [point])
            taken.append(perf_counter() - began)
        return taken

    def search(self, vector: Vectors, *, filtered: bool) -> list[int]:
        match = self._models.FieldCondition(key="type", match=self._models.MatchValue(value=DECISION))
        narrowed = self._models.Filter(must=[match]) if filtered else None
        found = self._client.query_points("bench", query=vector.tolist(), query_filter=narrowed, limit=LIMIT)
        return [int(point.id) for point in found.points]


class LangGraph:
    """The SQLite store of LangGraph, on a connection as it opens one by itself."""

    package = "langgraph-checkpoint-sqlite"

    def __init__(self, folder: Path) -> None:
        self._given = np.zeros(DIMENSION, dtype=np.float32)
        sqlite3 = _sqlite3_with_extensions()
        connection = sqlite3.connect(str(folder / "store.db"), check_same_thread=False, isolation_level=None)
        index = {"dims": DIMENSION, "embed": self._vectors}
        self._store = _library("langgraph.store.sqlite").SqliteStore(connection, index=index)
        self._store.setup()

    def add(self, told: Sequence[Told], first: int) -> list[float]:
        taken = []
        for number, each in enumerate(told, first):
            self._given = each.vector
            began = perf_counter()
            self._store.put(("bench",), str(number), {"text": each.document.text, **_fields(each)})
            taken.append(perf_counter() - began)
        return taken

    def search(self, vector: Vectors, *, filtered: bool) -> list[int]:
        self._given = vector
        narrowed = {"type": DECISION} if filtered else None
        return [int(item.key) for item in self._store.search(("bench",), query="asked", filter=narrowed, limit=LIMIT)]

    def _vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """What it is given for an embedder: the vector of the text at hand."""
        return [self._given.tolist() for _ in texts]


PEERS: Mapping[str, type[Chroma | Qdrant | LangGraph]] = {"Chroma": Chroma, "Qdrant": Qdrant, "LangGraph": LangGraph}


def _library(name: str) -> Any:
    """A module of the peers' environment, which that of this project does not have."""
    return import_module(name)


def _sqlite3_with_extensions() -> Any:
    """The SQLite of this Python where it loads extensions, as the store needs it, else that of its own wheel."""
    own = _library("sqlite3")
    return own if hasattr(own.Connection, "enable_load_extension") else _library("pysqlite3")


def _fields(told: Told) -> dict[str, str]:
    document = told.document
    return {"level": document.level, "type": document.type, "tag": document.tag, "project": document.project}


class Answers:
    """Does what the run asks of a store."""

    def __init__(self, peer: Peer, corpus: Corpus) -> None:
        self._peer = peer
        self._corpus = corpus

    def __call__(self, line: Line) -> Line:
        """The answer to one line."""
        if line["do"] == "add":
            told = list(self._corpus.told(line["first"], line["count"]))
            began = perf_counter()
            calls = self._peer.add(told, line["first"])
            return {"seconds": perf_counter() - began, "calls": calls}
        return self._searched(line)

    def _searched(self, line: Line) -> Line:
        asked = self._corpus.asked(line["among"], line["first"], line["count"])
        calls, found = [], []
        for each in asked:
            began = perf_counter()
            found.append(self._peer.search(each.vector, filtered=line["filter"] == "type"))
            calls.append(perf_counter() - began)
        return {"calls": calls, "found": found}


def main() -> None:
    """Open the store and answer until the run hangs up; a store that cannot run here says why."""
    pipe = own_pipe()
    name, folder, corpus = sys.argv[1], Path(sys.argv[2]), Corpus(Path(sys.argv[3]))
    os.environ["ANONYMIZED_TELEMETRY"] = "False"
    np.seterr(all="raise")
    kind = PEERS[name]
    try:
        answers = Answers(kind(folder), corpus)
    except (ImportError, AttributeError, OSError) as fault:
        absent = {"absent": f"{type(fault).__name__}: {fault}"}
        answer_lines(lambda _: absent, pipe)
        return
    hello = {"version": f"{kind.package} {version(kind.package)}"}
    answer_lines(lambda line: hello if line["do"] == "open" else answers(line), pipe)


if __name__ == "__main__":
    main()
