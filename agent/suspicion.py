"""Words of a lead that read like orders to the agent: shown to people, who then look twice.

The agent itself is kept from obeying by other means (the words are data, its tools reach nothing else), so
this is modest: customers speak of rules, systems, instructions and customers too, and ask to be shown things.
"""

import re
import unicodedata
from collections.abc import Iterator

from agent.marks import Mark, MarkKind

LONGEST = 20_000
MOST = 5
LONGEST_MARK = 80

_GAP = r"\W{1,5}(?:\w{1,20}\W{1,5}){0,4}?"
_BEGINS = r"(?:(?:^|[.!?,;:>\n])\s{0,3}|\b(?:and|please|now|then|also|you|и|пожалуйста|теперь)\s)"


def _near(*parts: str) -> str:
    """Words that follow each other with at most four others in between."""
    return _GAP.join(rf"\b(?:{part})" for part in parts)


_DROP_EN = r"ignore|disregard|forget|override|bypass"
_DROP_RU = (
    r"(?:про)?игнорируй(?:те)?|забудь(?:те)?|отмени(?:те)?|нарушь|обойди|не обращай(?:те)? внимания"
    r"|не (?:следуй|соблюдай|выполняй|слушай)"
)
_DROP_KK = r"елеме\w*|ескерме\w*|ұмыт(?:ыңыз)?(?!\w)|орындама\w*"
_RULES_EN = r"instructions?|rules|prompts?|guidelines|everything above|(?:all|the) above"
_RULES_RU = r"инструкци[июя]\w*|правил[а]?(?!\w)|указани[яей]\w*|промпт\w*|вс[её],? что (?:было )?выше"
_RULES_KK = r"нұсқау\w*|ереже\w*"

_CUSTOMERS_RU = r"(?:клиент|заказчик|покупател|пользовател)(?:а|ов|я|ей|ам|ям)(?!\w)"
_OTHERS_RU = r"друг(?:их|ого|им)|чуж(?:их|ого)|остальных|ваших|твоих"
_DATA_RU = r"баз\w+|спис\w+|телефон\w*|номер\w*|контакт\w*|данн\w+|почт\w+|адрес\w*|имена|заказ\w*|сделк\w*"
_TELL_RU = r"(?:отправь|пришли|скинь|вышли|покажи|дай|выгрузи|перечисли|выведи|раскрой|сообщи|назови)(?:те)?"
_SMALL_RU = r"(?: мне| нам| сюда| пожалуйста,?| вс[юеё]| весь| полн\w+| вашу| ваши| свою| свои)*"
_CUSTOMERS_EN = r"(?:customers?|clients?|users?|leads?)\b"
_DATA_EN = (
    r"(?:phone |e-?mail )?(?:numbers?|phones?|contacts?|data|databases?|lists?|details|deals|orders|e-?mails?"
    r"|names|addresses)"
)
_TELL_KK = r"(?:бер|жібер|көрсет|айт)(?:ші|іңіз|ңіз|іңізші)?(?!\w)"
_TELL_EN = r"(?:send|give|show|tell|list|reveal|export|dump|print|share)"

_TOLD = (
    _near(_DROP_EN, _RULES_EN),
    _near(_DROP_RU, _RULES_RU),
    _near(_RULES_KK, _DROP_KK),
    _near(_DROP_KK, _RULES_KK),
    r"\bsystem[ _]prompt|\bсистемн\w+ (?:промпт|подсказк|инструкци)\w*|\bжүйелік (?:промпт|нұсқау)\w*",
    r"\b(?:reveal|repeat|print|show|output|what (?:is|are)) (?:me )?your (?:\w+ )?(?:prompt|instructions)\b",
    r"\b(?:твой|твои|свой|свои) (?:\w+ )?(?:промпт|инструкци)\w*|\bваш\w? промпт\w*",
)
_PLAYED = (
    r"\byou are (?:now (?:an?|in|the|dan)|no longer)\b|\bfrom now on,? you\b|\bpretend (?:to be|you are)\b",
    r"\bact as (?:an? )?(?:unrestricted |system )?(?:admin\w*|system|developer|root|dan)\b",
    r"\bjailbreak|\bdan mode\b|\bdo anything now\b|\bdeveloper mode (?:on|enabled|activated)\b",
    r"\b(?:i am|i'm|this is) your (?:developer|creator|admin\w*)\b",
    r"\bты теперь (?!с |со |у |наш)|\bтеперь ты\b|\bты больше не\b|\bотныне ты\b|\bсен енді\b",
    r"\bпритворись\b|\bпредставь,? что ты\b|\bведи себя как\b|\bя твой (?:разработчик|создатель|админ\w*)",
)
_DONE = (
    r"\b(?:call|invoke|use|run|execute|вызови\w*|запусти\w*|используй\w*) (?:the )?"
    r"(?:tools? |functions? |функци\w+ |инструмент\w* )?[a-z]{2,20}(?:_[a-z]{2,20})+",
    r"\b(?:reply|answer|respond|say|output|write) (?:exactly|verbatim|word for word)\b",
    r"\bответь(?:те)? (?:ровно|дословно)\b|\bскажи(?:те)? дословно\b",
    r"\bapprove (?:everything|all)\b|\bодобри(?:те)? (?:вс[её]|мне|скидк\w*|возврат)\b",
)
_OTHERS = (
    rf"\b{_TELL_RU}{_SMALL_RU} (?:\w{{1,20}} )?(?:{_DATA_RU}) (?:(?:всех|{_OTHERS_RU}) )*{_CUSTOMERS_RU}",
    rf"\b{_TELL_RU}{_SMALL_RU} (?:клиентск\w+ баз\w+|парол\w+|(?:api[ -]?)?ключ\w* (?:api|доступа))",
    r"\b(?:как(?:ие|ой|ая)|сколько|расскажи(?:те)?|нужн[аоы]?|хочу)\W{1,3}(?:\w{1,20}\W{1,3}){0,2}"
    rf"(?:{_DATA_RU}) (?:у |о |про |по )?(?:{_OTHERS_RU}) {_CUSTOMERS_RU}",
    r"\bклиент\w{1,2} (?:с|по) номер\w+ \+?\d",
    rf"\b(?:басқа|барлық|өзге) клиенттер\w*(?: \w{{1,20}}){{0,3}} {_TELL_KK}",
    rf"\b(?:деректер базасы|құпиясөз)\w* (?:\w{{1,20}} )?{_TELL_KK}",
)
_BEGUN = (
    rf"{_BEGINS}{_TELL_EN} (?:me |us |out )?(?:\w{{1,12}} ){{0,4}}?"
    rf"{_DATA_EN} (?:of|for|from) (?:\w{{1,10}} ){{0,2}}{_CUSTOMERS_EN}",
    rf"{_BEGINS}{_TELL_EN} (?:me |us |out )?(?:the |all |your |other |of )*"
    rf"(?:(?:customer|client)s?'? {_DATA_EN}|(?:other|another) {_CUSTOMERS_EN}"
    r"|(?:customer )?database|passwords?|api keys?)",
)
_FOR_MACHINES = (
    r"</?(?:lead|message|system|assistant|user|human|tool\w*|function\w*|instructions?|prompt)\b[^<>\n]{0,40}>?",
    r"\[/?(?:system|inst|admin|assistant)\]|<\|\w{1,20}\|>|<</?sys>>",
    r"(?:^|[\n>])[# *]{0,6}(?:system|assistant|developer)[ *]?:(?! ?(?:windows|mac|linux|android|ios))",
    r"(?<![\w+/=])[A-Za-z0-9+/]{100,}={0,2}(?![\w+/=])",
)


def _any(*patterns: str) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns)


# What begins with a word is looked for where a word begins, and not at each letter.
_ORDERS = re.compile(
    rf"(?=\b\w)(?:{_any(*_TOLD, *_PLAYED, *_DONE, *_OTHERS)})|{_any(*_BEGUN, *_FOR_MACHINES)}", re.IGNORECASE
)

# A phone that was copied from an address book stands between directions: those are harmless.
_COPIED_PHONE = re.compile(r"[\u202a-\u202d\u2066-\u2068]+[+\d\s().-]*[\u202c\u2069]*")
# The flags of England, Scotland and Wales are spelt with tags.
_FLAG = re.compile("\U0001f3f4[\U000e0060-\U000e007f]{1,8}")
# Directions and tags that nobody sees and that make a text read otherwise than it is; letters hidden in runs
# of signs without a width.
_INVISIBLE = re.compile(
    "[\u202d\u202e\U000e0000-\U000e007f]|[\u200b-\u200d\u2060-\u2064\ufeff]{8,}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}"
)
_HEBREW_OR_ARABIC = re.compile("[\u0590-\u08ff]")

_LATIN = "aceopxyABCEHKMOPTXi"
_CYRILLIC = "асеорхуАВСЕНКМОРТХі"
_TO_LATIN = str.maketrans(_CYRILLIC, _LATIN)
_TO_CYRILLIC = str.maketrans(_LATIN, _CYRILLIC)
_WORD = re.compile(r"[^\W\d_]+")
_ASCII = re.compile("[a-z]", re.IGNORECASE)


def instructions_in(words: str) -> tuple[Mark, ...]:
    """The passages that look like orders, at most `MOST`, as they stand in the words."""
    found = list(_orders(words[:LONGEST]))
    if _hides_letters(words[:LONGEST]):
        found.append("⟨invisible⟩")
    texts = dict.fromkeys(text.strip(" \n.,;:!?>")[:LONGEST_MARK] or text for text in found)
    return tuple(Mark(kind=MarkKind.INSTRUCTION, text=text) for text in texts)[:MOST]


def _orders(words: str) -> Iterator[str]:
    read = unicodedata.normalize("NFKC", words)
    seen = "".join(letter for letter in read if unicodedata.category(letter) != "Cf")
    alike = _WORD.sub(_in_one_script, re.sub(r"[^\S\n]", " ", seen))
    return (seen[match.start() : match.end()] for match in _ORDERS.finditer(alike))


def _in_one_script(match: re.Match[str]) -> str:
    """A word with letters of another script in disguise, in the script of most of it."""
    word = match[0]
    latin = len(_ASCII.findall(word))
    if not 0 < latin < len(word):
        return word
    return word.translate(_TO_LATIN if 2 * latin >= len(word) else _TO_CYRILLIC)


def _hides_letters(words: str) -> bool:
    if _HEBREW_OR_ARABIC.search(words):  # such texts need directions
        words = re.sub("[\u202a-\u202e]", "", words)
    return _INVISIBLE.search(_FLAG.sub("", _COPIED_PHONE.sub("", words))) is not None
