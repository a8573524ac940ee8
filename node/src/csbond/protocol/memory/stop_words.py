"""Words that say nothing about what a text is about: dropped from queries, kept in the index."""

from __future__ import annotations

_ENGLISH = """
    a about after again all also am an and any are as at be because been before being but by
    can could d did do does doing don down during each few for from further had has have having
    he her here hers herself him himself his how i if in into is it its itself just ll m me more
    most my myself no nor not now of off on once only or other our ours out over own re s same
    she should so some such t than that the their theirs them themselves then there these they
    this those through to too under until up ve very was we were what when where which while who
    whom whose why will with would you your yours yourself
"""
ENGLISH_STOP_WORDS = frozenset(_ENGLISH.split())

CHINESE_PARTICLES = frozenset("的是吗呢吧啊呀嘛什么怎哪谁这个我你您他她它们")
"""Characters that make a pair say nothing, whatever stands beside them, but for `CHINESE_WORDS`."""

CHINESE_FUNCTION_CHARACTERS = CHINESE_PARTICLES | frozenset("了着在和与及或也都就而之其那")
"""Characters of which a pair says nothing when both are such; the others here begin or end many a word and name."""

_WORDS = """
    目的 的士 的确 是非 什锦 个人 个性 个体 个别 个股 哪吒 酒吧 网吧 吧台 喇嘛 吗啡 毛呢 呢绒 吉他 他人 其他 自我 我国
"""
CHINESE_WORDS = frozenset(_WORDS.split())
"""Pairs with a particle in them that are words."""
