"""What the built-in skill says, in Chinese and English: everything but the memories themselves, which it quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from csbond.protocol.continuity.language import Language
from csbond.protocol.memory.entry import MemoryEntry

_SELF = re.compile(
    r"你(?:们)?是(?:谁|什么|不是|真人|机器|语言模型|大模型|人工智能|ai\b|gpt|chatgpt)|你(?:会|能)(?:做|干)?(?:什么|啥)|"
    r"\b(?:who|what) are you\b|\bwhat can you do\b|"
    r"\bare you (?:an? |the |some kind of )?(?:real |large )?"
    r"(?:ai|llm|gpt|chatgpt|chatbot|bot|robot|machine|human|person|language model|model)\b",
    re.IGNORECASE,
)


def asks_about_self(sentence: str) -> bool:
    """Whether a question is about the one who is asked."""
    return _SELF.search(sentence) is not None


@dataclass(frozen=True, slots=True)
class Phrases:
    """The sentences of one language."""

    thanks: str
    thanks_name: str
    received: str
    greeting: str
    self: str
    remembers: str
    nearest: str
    nothing: str
    too_many: str
    told_by: str
    told: str
    noted: str
    file: str
    data: str
    url: str
    between: str

    def quoted(self, entry: MemoryEntry, extract: str) -> str:
        """A memory with its date and, when it is known, who told it."""
        day = datetime.fromtimestamp(entry.timestamp / 1000, UTC).date().isoformat()
        if entry.source not in ("session", "agent"):
            return self.noted.format(day=day, text=extract)
        if entry.origin.speaker:
            return self.told_by.format(day=day, name=entry.origin.speaker, text=extract)
        return self.told.format(day=day, text=extract)

    def listed(self, items: Sequence[str]) -> str:
        """Things one after the other."""
        return self.between.join(items)


PHRASES: dict[Language, Phrases] = {
    "en-US": Phrases(
        thanks="Thank you. I will remember: “{text}”",
        thanks_name="Thank you, {name}. I will remember: “{text}”",
        received="I received {things}. It is kept in this conversation; what I answer from is text only.",
        greeting="Hello, I am {agent}. Tell me something, and I will remember it; ask me, and I answer from memory.",
        self="I am {agent}, a memory and no language model: I keep what I am told and answer with it, word for word.",
        remembers="I remember:",
        nearest="Nothing I was told says that in these words. The closest that I remember:",
        nothing="I have been told nothing about that. I am no language model: I know only what I was told.",
        too_many="I answer {count} questions at a time. Please ask the others again.",
        told_by="On {day}, {name} told me: “{text}”",
        told="On {day}, I was told: “{text}”",
        noted="On {day}, this was noted: “{text}”",
        file="the file {name} ({media}, {size} bytes)",
        data="data ({what})",
        url="the address {url}, which I did not open",
        between=", ",
    ),
    "zh-CN": Phrases(
        thanks="谢谢。我会记住：“{text}”",
        thanks_name="谢谢，{name}。我会记住：“{text}”",
        received="我收到了{things}。它保存在这次对话里；我只能根据文字回答。",
        greeting="你好，我是{agent}。告诉我一件事，我会记住；问我一个问题，我从记忆里回答。",
        self="我是{agent}，我是记忆，不是语言模型：我保存别人告诉我的话，并用原话回答。",
        remembers="我记得：",
        nearest="没有人用这样的话告诉过我。最接近的记忆是：",
        nothing="这件事还没有人告诉过我。我不是语言模型，只知道别人告诉我的内容。",
        too_many="我一次回答{count}个问题，其余的请再问一遍。",
        told_by="{day}，{name}告诉我：“{text}”",
        told="{day}，有人告诉我：“{text}”",
        noted="{day} 的记录：“{text}”",
        file="文件 {name}（{media}，{size} 字节）",
        data="数据（{what}）",
        url="地址 {url}（我没有打开它）",
        between="，",
    ),
}
