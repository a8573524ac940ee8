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

CHINESE_FUNCTION_CHARACTERS = frozenset("的了吗呢吧啊呀嘛么着是在和与及或也都就而之其这那什哪谁怎我你您他她它们个")
