"""Names of people and companies: words written large where no sentence begins.

Modest by design.  A sentence's first word is a name only if it is a well-known one, and a name is known in
any case of Russian and Kazakh and in either alphabet: Марату, Marat.
"""

import re
from collections.abc import Iterator

from agent.grounding.claim import Claim, claim
from agent.marks import MarkKind

_LETTER = r"A-Za-zÀ-ɏА-Яа-яЁёӘәҒғҚқҢңӨөҰұҮүҺһІі"
_WORD = re.compile(rf"[{_LETTER}]+")
_CAPITAL = re.compile(rf"(?<![{_LETTER}\d_@])[A-ZÀ-ÞА-ЯЁӘҒҚҢӨҰҮҺІ][{_LETTER}]+")
# What a quotation or an aside opens with: its first word is judged by what stands before it.
_OPENERS = " \"'(-*_"
_ENDS = frozenset(".!?:;")
_ABBREVIATED = re.compile(r"(?<!\w)(?:mr|mrs|ms|dr|prof|г|гр|им|пр|тов|д|ул)\.$", re.IGNORECASE)
_LONGEST_ABBREVIATION = 5
# A letter's last line: only names, after a line that ends with a comma.
_SIGNED = re.compile(r"(?<=,\n)\s*[^\W\d_]{2,20}(?: [^\W\d_]{2,20}){0,2}[.!]?\s*(?=\n|\Z)")

_NO_NAMES = frozenset(
    """
    mr mrs ms dr prof dear hello hi hey good best kind warm the thank thanks welcome regards sincerely team
    manager managers support customer sir madam yes no please english russian kazakh american european
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december
    вы вас вам вами здравствуйте привет приветствуем добрый доброе спасибо благодарим пожалуйста да нет
    менеджер менеджеры менеджером команда уважением уважаемый уважаемая
    мырза ханым сәлеметсіз сәлем рахмет рақмет құрметпен қайырлы иә жоқ менеджеріміз
    kazakhstan almaty astana казахстан алматы астана қазақстан
    telegram телеграм whatsapp ватсап instagram инстаграм facebook youtube tiktok linkedin google apple
    chrome safari firefox edge app store appstore play pay market
    android iphone ios ipad windows mac linux internet интернет web email mail sms push excel word office
    wordpress tilda тильда wix shopify webflow figma react angular vue flutter kotlin swift python java
    javascript typescript node laravel django битрикс bitrix amocrm мойсклад хабспот hubspot chatgpt zoom
    """.split()  # noqa: SIM905, a list of words reads best as words
)
_COURTESY = ("ваш", "сіз")
_FIRST_NAMES = """
    александр алексей андрей антон артём борис вадим валерий василий виктор виталий владимир владислав
    вячеслав геннадий георгий григорий даниил денис дмитрий евгений егор иван игорь илья кирилл константин
    леонид максим михаил никита николай олег павел пётр руслан семён сергей станислав степан фёдор юрий
    александра алёна алина анастасия анна валентина валерия вероника дарья евгения екатерина елена елизавета
    ирина ксения кристина лариса людмила маргарита марина мария наталья оксана олеся ольга полина
    светлана татьяна юлия яна
    айбек айдар айдос алихан алмас алмат арман аскар асхат азамат бауыржан бауржан болат данияр дамир даурен
    ерлан ержан ербол жандос канат қанат қайрат кайрат марат мурат нурлан нұрлан нуржан рустам санжар
    серик серік талгат талғат тимур айгерим айгерім айгуль айгүл айнур айнұр алия әлия асель әсел ботагоз
    гульнара динара жанна жанар камила карлыгаш лаура мадина маржан сауле сәуле зарина
    john james michael david robert william thomas daniel peter george andrew olivia sophia emily jane emma
    """
_ALPHABET = str.maketrans(
    dict(zip("абвгдеёзийіклмнопрстуфхцыэәғқңөұүһj", "abvgdeezijiklmnoprstufhcieagkno" + "uuhj", strict=True))
    | {"ж": "j", "ч": "ch", "ш": "sh", "щ": "sh", "ю": "iu", "я": "ia", "ъ": "", "ь": "", "й": "i", "y": "i"}
    | {"q": "k", "w": "v", "ц": "ts", "x": "ks"}
)
_SPELLINGS = (("shch", "sh"), ("kh", "h"), ("zh", "j"), ("gh", "g"), ("ph", "f"))
_TWICE = re.compile(r"(.)\1+")
_ENDINGS = """
    a u e i o om em oi ei oiu eiu iu ia eia iem iei am ami ah im ogo omu aia
    ga ge ka ke ni di ti nin din tin da de ta te dan den tan ten nan nen men ben pen
    """
_SHORTEST_STEM = 2
_SHORTEST_COMMON = 5
_LONGEST_PARTICLE = 3
_FLEETING = re.compile(r"(?<=[^aeiou])[eo](?=[^aeiou]$)")


def latin(word: str) -> str:
    """The word in small Latin letters, alike however it is spelt: Ерлан, Yerlan."""
    small = word.casefold().translate(_ALPHABET)
    for written, meant in _SPELLINGS:
        small = small.replace(written, meant)
    return _TWICE.sub(r"\1", small.removeprefix("i") if small.startswith("ie") else small)


_CASES = _ENDINGS.split()
_COMMON_STEMS = frozenset(latin(word) for word in _NO_NAMES if len(word) > _SHORTEST_COMMON)
_KNOWN_NAMES = frozenset(map(latin, _FIRST_NAMES.split()))


def known_words(text: str) -> set[str]:
    """What the words of a source give to names.

    Small words of a language (или, an) would be the stems of names (Илья, Анна): short ones are known only
    as they stand, and Latin ones are cut only where they are written large.
    """
    known = set()
    for word in set(_WORD.findall(text)):
        whole = latin(word)
        known.add(f"w:{word.casefold()}")
        if word[0].isupper() or len(word) > _LONGEST_PARTICLE:
            known |= _stems(whole) if word[0].isupper() or not word.isascii() else {f"s:{whole}"}
    return known


def _stems(whole: str) -> set[str]:
    """The word and what is left of it without the endings of its cases."""
    cut = {whole[: -len(end)] for end in _CASES if whole.endswith(end)}
    found = {stem for stem in cut if len(stem) >= _SHORTEST_STEM} | {whole}
    found |= {_FLEETING.sub("", stem) for stem in found if len(stem) > _SHORTEST_STEM + 1}
    return {f"s:{stem}" for stem in found}


def read_names(text: str) -> Iterator[Claim]:
    """The names of a text in which other claims are blank."""
    signed = [match.span() for match in _SIGNED.finditer(text)]
    shouted = _is_shouted(text)
    for match in _CAPITAL.finditer(text):
        word = match[0]
        if _is_common(word) or (word.isupper() and (shouted or len(word) < _LONGEST_ABBREVIATION)):
            continue
        in_signature = any(start <= match.start() < end for start, end in signed)
        if in_signature or _is_inside(text, match.start()) or latin(word) in _KNOWN_NAMES:
            yield claim(MarkKind.NAME, match.span(), f"w:{word.casefold()}", *_stems(latin(word)))


def _is_common(word: str) -> bool:
    small = word.casefold()
    if small in _NO_NAMES or small.startswith(_COURTESY):
        return True
    return any(stem.removeprefix("s:") in _COMMON_STEMS for stem in _stems(latin(word)))


def _is_shouted(text: str) -> bool:
    words = _CAPITAL.findall(text)
    return 2 * sum(map(str.isupper, words)) > len(words)


def _is_inside(text: str, start: int) -> bool:
    """Whether a sentence has begun before: the sign before the word is a letter, a figure or a comma."""
    at = start
    while at and text[at - 1] in _OPENERS:
        at -= 1
    before = text[at - 1] if at else "\n"
    if before == ".":
        return _ABBREVIATED.search(text, max(0, at - 6), at) is not None
    return before not in _ENDS and (before.isalnum() or before in ",\0&/+%")
