"""Finding commands inside a record's text by fixed rules, whatever the model says of it.

A miss is no breach: the tools, the operations and their arguments are bound whatever a record says.  The
rules only decide that a person is told.
"""

import re
import unicodedata

_NEAR = r"[^.!?\n]{0,60}?"

_RULES = (
    r"(ограничени|инструкц|указани|правил|запрет|промпт|instruction|restriction|rule|limit|guardrail|prompt"
    r"|policy|policies|шектеу|нұсқау|ереже|тыйым)"
)
_IGNORE = (
    r"(игнорир|проигнорир|забудь|забыть|обойди|обойти|обход|не соблюда|наруш|отмени|отключи|ignore|forget"
    r"|disregard|bypass|override|disable|елеме|ескерме|ұмыт|айналып|бұз)"
)
_OTHERS = (
    r"(друг|чуж|все[хм]? |всю |остальн|соседн|other|another|all |every|neighbo|someone|басқа|барлық"
    r"|өзге|көрші)"
)
_OPEN = (
    r"(откр|покаж|прочита|прочти|выда|отправ|перешли|скопир|выгруз|read|open|show|send|reveal|dump|export"
    r"|list|fetch|аш|көрсет|жібер|оқы)"
)
_DATA = r"(запис|данн|клиент|контакт|record|data|customer|client|contact|жазба|дерек|мәлімет)"

_COMMANDS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_IGNORE}\w*{_NEAR}{_RULES}",
        rf"{_RULES}\w*{_NEAR}\b{_IGNORE}",
        rf"\b{_OPEN}\w*{_NEAR}\b{_OTHERS}\w*{_NEAR}{_DATA}",
        rf"\b{_OTHERS}\w*{_NEAR}{_DATA}\w*{_NEAR}\b{_OPEN}",
        r"\b(ты|вы) теперь\b|системн\w+ (промпт|инструкц|сообщен)|режим разработчик",
        r"\byou are now\b|\bsystem (prompt|message)|developer mode|\bact as\b",
        r"\bсен енді\b|жүйелік (нұсқау|хабарлама)",
    )
)
_RECORD_ID = re.compile(r"\br-?\d+[a-z]?\b")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")


def commands(text: str, record_id: str) -> bool:
    """Whether `text` tries to command the agent, or speaks of a record other than its own."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold().replace("ё", "е")
    others = set(_RECORD_ID.findall(plain)) - {record_id.casefold()}
    return bool(others) or any(command.search(plain) for command in _COMMANDS)
