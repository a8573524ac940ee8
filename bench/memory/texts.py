"""What is remembered and what is asked: three texts in five are Chinese, and one seed always gives the same ones.

Words come as often as those of a language that are no stop words: the commonest is in one text of eight, most are rare
(the law of Zipf and Mandelbrot). Half of a text is of its topic, so that texts of one topic share words as their
vectors share a direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

__all__ = ["DECISION", "HOT_ENTRIES", "PROJECT_ENTRIES", "TOPICS", "Document", "Question", "documents", "questions"]

TOPICS = 400
WORDS = 4_000
"""Of each language, beside those of the topics."""
STOP_WORDS = 30
"""Ranks before the first word: those that a search leaves out anyway."""
TOPIC_WORDS = 40
TOPIC_SHARE = 0.5
CHINESE_SHARE = 0.6
HOT_ENTRIES = 100
"""The first documents are hot: as many as that tier holds by default."""
PROJECT_ENTRIES = 150
"""Documents of one project, fewer than its warm tier holds by default."""
TYPES = (
    "event",
    "lesson",
    "discovery",
    "preference",
    "todo",
    "identity",
    "correction",
    "decision",
    "other",
    "relation",
)
DECISION = "decision"
TAGS = 20
"""Every document has one of so many tags."""

_HAN = (
    "人大中上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力"
    "里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内"
    "数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品"
    "式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处理世车"
)
_ONSETS = ("b", "br", "c", "d", "dr", "f", "g", "gl", "h", "k", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "v")
_RHYMES = ("a", "an", "ar", "e", "el", "en", "er", "i", "in", "is", "o", "on", "or", "u", "um", "us")


@dataclass(frozen=True, slots=True)
class Document:
    """One text to remember, with what filters go by."""

    text: str
    topic: int
    level: str
    type: str
    tag: str
    project: str


@dataclass(frozen=True, slots=True)
class Question:
    """Some words of a document, which is the one they ask for."""

    text: str
    document: int


class _Language:
    """The words of a language, and what stands between two of them."""

    def __init__(self, words: Sequence[str], between: str) -> None:
        self._general = words[:WORDS]
        self._of_topic = [words[WORDS + n * TOPIC_WORDS : WORDS + (n + 1) * TOPIC_WORDS] for n in range(TOPICS)]
        self._between = between

    def sentence(self, random: Random, topic: int, length: int) -> str:
        """Words, one in two of the topic, the others as often as their rank has it."""
        number, general, of_topic = random.random, self._general, self._of_topic[topic]
        return self._between.join(
            of_topic[int(TOPIC_WORDS * number())] if number() < TOPIC_SHARE else general[_rank(number())]
            for _ in range(length)
        )


def _chinese() -> _Language:
    random = Random("chinese")  # noqa: S311 - the same words again, not secrets
    han = list(dict.fromkeys(_HAN))
    pairs = [one + other for one in han for other in han if one != other]
    return _Language(random.sample(pairs, WORDS + TOPICS * TOPIC_WORDS), "")


def _english() -> _Language:
    random = Random("english")  # noqa: S311 - the same words again, not secrets
    syllables = [onset + rhyme for onset in _ONSETS for rhyme in _RHYMES]
    words = [one + other for one in syllables for other in syllables]
    return _Language(random.sample(words, WORDS + TOPICS * TOPIC_WORDS), " ")


_CHINESE, _ENGLISH = _chinese(), _english()


def _rank(number: float) -> int:
    """The rank of a word for a number from 0 to 1; the word comes as often as one over its rank and the stop words."""
    return int(STOP_WORDS * (1 + WORDS / STOP_WORDS) ** number) - STOP_WORDS


def documents(first: int, count: int) -> Iterator[Document]:
    """The documents from a place on; each is the same wherever one begins."""
    for number in range(first, first + count):
        random = Random(f"document {number}")  # noqa: S311
        chinese = random.random() < CHINESE_SHARE
        topic = random.randrange(TOPICS)
        yield Document(
            text=_text(random, chinese, topic, number),
            topic=topic,
            level="hot" if number < HOT_ENTRIES else "warm",
            type=random.choice(TYPES),
            tag=f"tag-{random.randrange(TAGS)}",
            project=f"project-{number // PROJECT_ENTRIES}",
        )


def questions(seed: str, among: int, count: int) -> Iterator[Question]:
    """Questions to the first so many documents: three or four words of one, as they stand apart in it."""
    random = Random(seed)  # noqa: S311
    for _ in range(count):
        number = random.randrange(among)
        (document,) = documents(number, 1)
        body = document.text.split(": ", 1)[1].rstrip("。.")
        if " " in body:
            words = random.sample(body.split(" "), 4)
            yield Question(" ".join(words), number)
        else:
            places = random.sample(range(0, len(body) - 1, 2), 3)
            yield Question("，".join(body[place : place + 2] for place in places), number)


def _text(random: Random, chinese: bool, topic: int, number: int) -> str:
    """A text that no other document has: it begins with its number."""
    language = _CHINESE if chinese else _ENGLISH
    sentence = language.sentence(random, topic, random.randint(20, 65))
    return f"{number}: {sentence}{'。' if chinese else '.'}"
