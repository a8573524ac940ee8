"""Words by which a text becomes another one, or its opposite, though nearly all of it stays as it is."""

from __future__ import annotations

_NEGATIONS = """
    no not none never nothing nobody nowhere neither nor without cannot hardly barely rarely seldom except unless only
    former formerly almost maybe perhaps instead stop stops stopped cancel cancels cancelled canceled refuse refuses
    refused deny denies denied fail fails failed reject rejects rejected decline declines declined ban bans banned
    forbid forbids forbidden lack lacks false wrong fake if whether who whom whose which what why how
"""
_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion half
    quarter dozen double triple twice first second third fourth fifth last both all every each some few many
"""
DECIDING_WORDS = frozenset(f"{_NEGATIONS} {_NUMBERS}".split())
"""English words that say something else by being there."""
DECIDING_CHARACTERS = frozenset(
    "不没无非未别勿莫否拒禁免停消废退失败假误仅只除若〇零一二三四五六七八九十百千万亿两半双几第首末每各全吗谁什何"
)
"""The same for Chinese: negations, amounts, conditions and questions."""

_TIMES = """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december today tomorrow yesterday tonight morning noon afternoon evening night midnight
    am pm weekday weekend daily weekly monthly yearly spring summer autumn winter now later soon always often sometimes
    usually next previous
"""
_PERSONS = "i me my mine you your yours he him his she her hers we us our ours they them their theirs"
_POLES = """
    on off up down in out over under above below before after from to with against for into onto inside outside
    left right north south east west front back top bottom near far here there this that these those
    more less most least better worse best worst high low higher lower highest lowest expensive cheap cheaper dear
    affordable big small bigger smaller large little long short longer shorter wide narrow deep shallow thick thin
    heavy light fast slow faster slower early late hot cold warm cool wet dry hard soft easy difficult simple complex
    strong weak rich poor old new young good bad great terrible true correct safe dangerous clean dirty full empty loud
    quiet bright dark open opened closed close shut public private internal external positive negative optional
    required allowed possible same different like likes liked love loves loved enjoy enjoys prefer prefers hate hates
    hated dislike dislikes avoid avoids accept accepts accepted approve approves approved agree agrees agreed oppose
    opposes opposed confirm confirmed start starts started begin begins began end ends ended finish finished continue
    resume pause buy buys bought sell sells sold lend lends lent borrow borrows borrowed give gives gave take takes
    took get gets got lose loses lost win wins won find found send sends sent receive receives received arrive arrives
    arrived leave leaves come comes came go goes went enter exit push pull add added remove removed include included
    exclude excluded enable enabled disable disabled raise raised rise rises rose increase increased fall falls fell
    drop drops dropped reduce reduced decrease decreased grow grew shrink shrank gain gained keep keeps kept delete
    deleted create created build built destroy destroyed pass passed succeed succeeded success failure profit loss
    import export upload download lock locked unlock unlocked married divorced alive dead born died asleep awake
    must should might can could will would shall
"""
_COLOURS = """
    red orange yellow green blue purple violet pink brown black white grey gray gold golden silver beige turquoise cyan
    magenta
"""
_MONEY = "dollar dollars euro euros pound pounds yen yuan franc francs cent cents"
OPPOSED_WORDS = frozenset(f"{_TIMES} {_PERSONS} {_POLES} {_COLOURS} {_MONEY}".split())
"""English words that say something else when they stand in the place of another one."""
OPPOSED_CHARACTERS = frozenset(
    "年月日周天昨今明早晚晨午夜春夏秋冬前后先再已将刚常总偶久永"  # times
    "我你您他她它们咱男女父母兄弟姐妹"  # persons
    "上下左右东西南北里外内中旁高低大小长短宽窄深浅厚薄重轻快慢迟新旧老幼多少好坏优劣对错真"
    "贵廉便宜冷热暖凉干湿软硬难易强弱富穷净脏满空亮暗开关闭启始终止完续公私同异爱恨喜厌讨愿肯"
    "买卖借还给拿收发取送得输赢胜来去进出到离走留回加减增升降涨跌添删存丢建拆毁生死成过允许准"
    "可能必须应该要赞反支持推拉接结醒睡"  # poles
    "红橙黄绿青蓝紫粉黑白灰棕褐金银"  # colours
    "美欧英法德俄韩港"  # whose money
)
"""The same for Chinese."""

OPPOSING_PREFIXES = ("un", "dis", "in", "im", "ir", "il", "non", "mis", "de", "anti")
"""With one of them a word says the opposite of what it says without."""
