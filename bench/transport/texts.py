"""What is said to every server: statements of 200 characters, Chinese and English mixed, no two alike."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

LENGTH = 200
"""Characters of one message."""

_CHINESE = (
    "今天下午我们在会议室讨论了新的发布计划",
    "小林负责整理客户反馈并写成周报",
    "数据库的备份每天凌晨三点自动运行",
    "项目的预算已经由财务部门批准",
    "服务器的证书将在下个月底到期",
    "王工建议先修复登录页面的错误",
    "测试环境使用的是上海机房的机器",
    "团队决定把文档翻译成英文和日文",
    "这个接口的响应时间应当低于二百毫秒",
    "新来的同事喜欢在早上喝乌龙茶",
)
_ENGLISH = (
    "The quarterly review moves to Thursday morning",
    "Mira keeps the release notes in the shared folder",
    "The staging cluster runs on four small machines",
    "Invoices are sent on the first working day",
    "Our partner prefers calls before noon",
    "The cache is cleared after every deployment",
    "Jonas will order two more sensors for the lab",
    "Every customer record has an owner and a region",
    "The night train to Lisbon leaves at ten",
    "Backups are kept for ninety days",
)


def texts(seed: str) -> Iterator[str]:
    """Statements without end; one seed always gives the same ones, two seeds share none."""
    random = Random(seed)  # noqa: S311 - the same texts again, not secrets
    number = 0
    while True:
        number += 1
        text = f"{seed}-{number}: "
        while len(text) < LENGTH:
            text += (
                f"{random.choice(_CHINESE)}{random.randrange(1000)}。{random.choice(_ENGLISH)} {random.random():.3f}. "
            )
        yield text[: LENGTH - 1] + "."
