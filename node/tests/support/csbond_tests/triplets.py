"""A text, one that says nearly the same, and one that says the opposite in nearly the same words."""

from __future__ import annotations

__all__ = ["TRIPLETS"]

TRIPLETS = (
    (
        "The price of the new office chairs is too high.",
        "The price of the new office chairs is much too high.",
        "The price of the new office chairs is too low.",
    ),
    (
        "Ann Weaver prefers green tea with lemon after lunch.",
        "Ann Weaver prefers green tea with lemon, after a late lunch.",
        "Ann Weaver avoids green tea with lemon after lunch.",
    ),
    (
        "The backup server restarts every Sunday night at 23:00.",
        "Our backup server restarts every Sunday night at 23:00, automatically.",
        "The backup server restarts every Sunday night at 22:00.",
    ),
    (
        "The wifi password is written on the whiteboard beside the kitchen.",
        "Wifi password: written on the whiteboard beside the kitchen!",
        "The wifi password isn't written on the whiteboard beside the kitchen.",
    ),
    (
        "Rent for the studio is due on the third of each month.",
        "Rent for the studio is always due on the third of each month.",
        "Rent for the studio is due on the fourth of each month.",
    ),
    (
        "Please turn the garden lights on when guests arrive for dinner.",
        "Please turn the garden lights on when our guests arrive for dinner.",
        "Please turn the garden lights off when guests arrive for dinner.",
    ),
    (
        "The committee approved the budget for the harbour bridge repairs.",
        "The city committee approved the budget for the harbour bridge repairs.",
        "The committee rejected the budget for the harbour bridge repairs.",
    ),
    (
        "Deliveries to the bakery are possible before seven in the morning.",
        "Deliveries to the bakery are possible before seven in the early morning.",
        "Deliveries to the bakery are possible after seven in the morning.",
    ),
    (
        "Bo owes Mia 30 euros for the concert tickets.",
        "Bo still owes Mia 30 euros for the concert tickets.",
        "Mia owes Bo 30 euros for the concert tickets.",
    ),
    (
        "The north entrance of the library stays unlocked during exams.",
        "The north entrance of the library stays unlocked during the exams.",
        "The north entrance of the library stays locked during exams.",
    ),
    ("这批办公椅的价格实在太高了", "这批办公椅的价格实在太高了啊", "这批办公椅的价格实在太低了"),
    ("陈安每天午饭后都喝一杯柠檬绿茶", "陈安每天午饭后都会喝一杯柠檬绿茶", "陈安每天午饭后都不喝一杯柠檬绿茶"),
    (
        "备份服务器每周日晚上十一点自动重启",
        "备份服务器，每周日晚上十一点自动重启。",
        "备份服务器每周日晚上十点自动重启",
    ),
    ("无线网密码写在厨房旁边的白板上面", "无线网密码就写在厨房旁边的白板上面", "无线网密码没写在厨房旁边的白板上面"),
    ("工作室的房租每个月三号之前要付清", "工作室的房租每个月三号之前要付清哦", "工作室的房租每个月四号之前要付清"),
    ("客人来吃晚饭的时候请打开花园的灯", "客人来吃晚饭的时候，请打开花园的灯吧", "客人来吃晚饭的时候请关掉花园的灯"),
    ("委员会批准了海港大桥维修工程的预算", "委员会批准了海港大桥维修工程预算", "委员会否决了海港大桥维修工程的预算"),
    ("面包店早上七点以前可以送货上门", "面包店早上七点以前可以送货上门的", "面包店早上七点以后可以送货上门"),
    (
        "图书馆北门在考试期间一直开放到深夜",
        "图书馆北门在考试期间一直开放到深夜呢",
        "图书馆南门在考试期间一直开放到深夜",
    ),
    ("王芳比李雷更喜欢周末去山里露营", "王芳比李雷更喜欢周末去山里露营了", "李雷比王芳更喜欢周末去山里露营"),
)
"""Ten in English, ten in Chinese."""
