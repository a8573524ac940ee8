"""What kind of thing a sentence says, by plain words of Chinese and English (types of MEM-001 §1.3).

When in doubt the answer is the plainer kind: a wrong guess misfiles a memory, no guess only files it as an event.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from csbond.protocol.memory.entry import EntryType
from csbond.protocol.memory.sentences import is_question


def _mark(chinese: str, *english: str) -> re.Pattern[str]:
    return re.compile(rf"{chinese}|\b(?:{'|'.join(english)})\b", re.IGNORECASE)


_UNDECIDED = _mark(
    r"(?:没有?|未|暂不|无法)(?:做出?|作出?)?(?:决定|确认|敲定|定下)|待(?:决定|确认|定)",
    r"un(?:decided|confirmed)",
    r"(?:not|never|\w+n['’]t)\s+(?:yet\s+)?(?:been\s+)?(?:decided?|agreed?|confirm(?:ed)?|settled)",
)
_DECIDED = _mark(
    r"决定|决议|同意|敲定|选定|商定|约定|改为|改成|改用|定为|定于|就用",
    r"decided",
    r"decision",
    r"agreed?",
    r"agreement",
    r"settled on",
    r"going with",
    r"opted for",
    r"switch(?:ed|ing)? to",
    r"chose",
    r"chosen",
    r"(?:will|(?:we|i)['’]ll|are going to) use",
)
_BINDING = _mark(
    r"确认|批准|必须|务必|截止|期限|不得|禁止",
    r"confirm(?:ed|s)?",
    r"approved?",
    r"must",
    r"shall",
    r"required?",
    r"deadline",
    r"due (?:by|on)",
    r"no later than",
)
_MARKS: dict[EntryType, re.Pattern[str]] = {
    "decision": _DECIDED,
    "todo": _mark(
        r"待办|记得(?:要|去|把|在)|别忘了|不要忘记|截止",
        r"to-?do",
        r"remember to",
        r"don['’]t forget to",
        r"needs? to",
        r"deadline",
        r"due (?:by|on)",
    ),
    "preference": _mark(
        r"喜欢|偏好|偏爱|更倾向|讨厌|最爱",
        r"prefers?",
        r"favou?rite",
        r"(?:i|we|she|he|they)\s+(?:(?:really|do not|don['’]t)\s+)?(?:like|love|hate|dislike)s?",
    ),
    "identity": _mark(
        r"我叫|我的名字|我姓|我来自|我住在|我的生日|我的职业",
        r"my name is",
        r"call me",
        r"i(?:['’]m| am) called",
        r"i live in",
        r"i(?:['’]m| am| come) from",
        r"i was born",
        r"my birthday",
        r"i work (?:at|for|as)",
    ),
    "lesson": _mark(
        r"教训|学到了|吸取|踩坑|下次(?:要|应|别|不要|得|先)",
        r"lessons?",
        r"(?:i|we)(?:['’]ve| have)? learn(?:ed|t)",
        r"next time",
        r"turn(?:s|ed) out",
        r"root cause",
    ),
}
"""The first of these whose words a statement has is its type."""
_GREETING = re.compile(
    r"^(?:你好|您好|嗨|哈喽|早上好|下午好|晚上好|谢谢|多谢|再见|"
    r"hello|hi|hey|good (?:morning|afternoon|evening)|thanks|thank you|bye)"
    r"[\s,，]*(?:there|all|a lot|very much|so much|你|您|啊|呀)?[\s!！.。~～]*$",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:请|麻烦)?(?:告诉我|说说|讲讲|回忆一下|查一下|找一下)|"
    r"^(?:please\s+)?(?:tell me\b(?! that)|remind me\b(?! to)|show me\b|find\b|search for\b)|"
    r"^what do you (?:know|remember)",
    re.IGNORECASE,
)


def greets(sentence: str) -> bool:
    """Whether a sentence is a greeting or thanks and nothing else."""
    return _GREETING.match(sentence.strip()) is not None


def asks(sentence: str) -> bool:
    """Whether a sentence wants to be told something: a question, or a request such as "tell me about it"."""
    return is_question(sentence) or _REQUEST.match(sentence.strip()) is not None


def is_key_decision(statement: str) -> bool:
    """Whether a statement binds those who talk: a decision, a confirmation, a must or a deadline (A2A-004 §4.3)."""
    return _decides(statement) or (_BINDING.search(statement) is not None and _UNDECIDED.search(statement) is None)


def guessed_type(statements: Sequence[str]) -> EntryType:
    """The type of a memory made of these statements; `event` when no plain word names another."""
    for kind, mark in _MARKS.items():
        for statement in statements:
            if _decides(statement) if kind == "decision" else mark.search(statement):
                return kind
    return "event"


def _decides(statement: str) -> bool:
    return _DECIDED.search(statement) is not None and _UNDECIDED.search(statement) is None
