"""Words of a lead that read like orders to the agent: shown to people, who then look twice.

The agent itself is kept from obeying by other means (the words are data, its tools reach nothing else).
"""

import re
import unicodedata

from agent.marks import Mark, MarkKind

LONGEST = 20_000
MOST = 5
_GAP = r"\W{1,5}(?:\w{1,20}\W{1,5}){0,4}?"


def _order(*parts: str) -> str:
    """Words that follow each other with at most four others in between."""
    return _GAP.join(rf"\b(?:{part})" for part in parts)


_PATTERNS = (
    _order("ignore|disregard|forget|override", "instructions?|rules|prompt|guidelines|above"),
    _order(
        "игнорируй\\w*|забудь\\w*|не обращай\\w* внимани\\w*",
        "инструкци\\w*|правил\\w*|указани\\w*|промпт\\w*",
    ),
    _order("елеме\\w*|ұмыт\\w*", "нұсқау\\w*|ереже\\w*"),
    _order("инструкци\\w*|правил\\w*|нұсқау\\w*", "игнорируй\\w*|забудь\\w*|елеме\\w*|ұмыт\\w*"),
    r"\bsystem\s+prompt\b|\bсистемн\w+\s+(?:промпт|сообщени)\w*|\bdeveloper\s+mode\b|\bjailbreak\b",
    r"\byou\s+are\s+(?:now|no\s+longer)\b|\bты\s+(?:теперь|больше\s+не)\b|\bсен\s+енді\b|\bact\s+as\s+(?:an?\s+)?(?:admin|system)\w*",
    _order(
        "send|give|show|list|reveal|export",
        "(?:other|your|all|the) (?:customers|clients)|database|phone numbers|passwords|api keys?",
    ),
    _order(
        "отправь\\w*|пришли\\w*|покажи\\w*|выгрузи\\w*|перечисли\\w*|дай\\w*",
        "клиентск\\w+ баз\\w*|баз\\w+|всех клиентов|других клиентов|парол\\w*|ключ\\w* api",
    ),
    _order("жібер\\w*|көрсет\\w*", "клиенттер\\w*|деректер\\w*|құпиясөз\\w*"),
    r"</?\s*(?:lead|system|assistant|user|tool|instructions?|prompt)\b[^>]{0,40}>|\[/?(?:SYSTEM|INST|ADMIN)\]|<\|\w{1,20}\|>",
    r"(?<![\w+/=])[A-Za-z0-9+/]{120,}={0,2}(?![\w+/=])",
)
_ORDERS = re.compile("|".join(_PATTERNS), re.IGNORECASE)
# Directions and tags that nobody sees, and that make a text read otherwise than it is.
_INVISIBLE = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def instructions_in(words: str) -> tuple[Mark, ...]:
    """The passages that look like orders, at most `MOST`, as they stand in the words."""
    read = unicodedata.normalize("NFKC", words[:LONGEST])
    seen = "".join(letter for letter in read if unicodedata.category(letter) != "Cf")
    found = [match[0] for match in _ORDERS.finditer(seen)]
    if _INVISIBLE.search(words):
        found.append("⟨invisible⟩")
    return tuple(Mark(kind=MarkKind.INSTRUCTION, text=text[:80]) for text in dict.fromkeys(found))[:MOST]
