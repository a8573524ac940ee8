"""Why likeness alone decides nothing: encoders lay opposites as near each other as twins."""

from __future__ import annotations

import pytest

from csbond.engines.embedder_choice import EmbedderSettings, load_embedder
from csbond.engines.embedding_model import ENCODERS, EncoderName
from csbond.protocol.memory.calibration import calibration_of
from csbond.protocol.memory.near_duplicates import verdict
from csbond.protocol.memory.vectors import cosine
from csbond_tests.ledger_samples import an_entry
from csbond_tests.requirements import requirement
from csbond_tests.triplets import TRIPLETS


@requirement("MEM-002-2.2-never-by-likeness")
@pytest.mark.parametrize("name", ENCODERS)
async def test_a_real_encoder_finds_every_twin_and_nearly_every_opposite_and_words_tell_them_apart(name: EncoderName):
    embedder = load_embedder(EmbedderSettings(wish=name)).embedder
    if embedder is None:
        pytest.skip(f"absent extra: {ENCODERS[name].extra}")
    try:
        texts = [text for triplet in TRIPLETS for text in triplet]
        vectors = dict(zip(texts, await embedder.embed(texts, "document"), strict=True))
        least = calibration_of(embedder.model_id).near
    finally:
        await embedder.close()

    def likeness(one: str, other: str) -> str:
        alike = cosine(vectors[one], vectors[other])
        return verdict(an_entry(content=one), an_entry("mem_2", content=other), alike, least).likeness

    opposites = [cosine(vectors[text], vectors[opposite]) for text, _, opposite in TRIPLETS]
    assert sum(alike >= least for alike in opposites) >= 18, "likeness would have linked nearly all opposites"
    for text, twin, opposite in TRIPLETS:
        assert likeness(text, twin) in ("near", "same_text")
        assert likeness(text, opposite) == likeness(twin, opposite) == "different"
