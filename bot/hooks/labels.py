"""What a field is for, told by its label or key in Russian, Kazakh, English or a form builder's slang.

A label decides little by itself: a field that asks for a phone and holds none is an ordinary answer.  So
these lists may be generous with phones and e-mails, and have to be strict with names.
"""

import re
import unicodedata
from enum import StrEnum
from functools import lru_cache


class Role(StrEnum):
    """What a field is for."""

    NAME = "name"
    FIRST_NAME = "first name"
    MIDDLE_NAME = "middle name"
    LAST_NAME = "last name"
    PHONE = "phone"
    EMAIL = "email"
    MESSAGE = "message"
    ANSWER = "answer"
    PAGE = "page"
    META = "meta"


# Of labels as `_words` leaves them: lower case, no signs, no "your".
_EXACT: dict[Role, str] = {
    Role.NAME: (
        "name|full name|fullname|name surname|contact person|name person|lead name|"
        "fio|имя|имя и фамилия|имя фамилия|фамилия и имя|фамилия имя|фамилия имя отчество|фио|ф и о|"
        "контактное лицо|имя клиента|представьтесь|аты|атыңыз|аты жөні|аты жөніңіз|есім|есімі|есіміңіз|"
        "ism|ismingiz|имя полностью|полное имя|имя контакта|nome|nombre|имя отправителя|sender name"
    ),
    Role.FIRST_NAME: "first name|firstname|fname|given name|first|forename",
    Role.MIDDLE_NAME: "middle name|middlename|middle|patronymic|отчество|әкесінің аты",
    Role.LAST_NAME: "last name|lastname|lname|surname|family name|last|фамилия|тегі|тегіңіз",
    Role.PHONE: "phone|tel|т|тел|моб|номер|нөмір|нөмірі|cell|mobile|contact number|number phone|work phone",
    Role.EMAIL: "email|mail|e mail|work email|эл адрес",
    Role.MESSAGE: (
        "message|messages|msg|text|textarea|text area|input|comment|comments|question|description|details|"
        "notes|note|request|enquiry|inquiry|body|content|сообщение|текст|текст сообщения|комментарий|"
        "комментарии|коммент|вопрос|описание|примечание|пожелания|задача|запрос|хабарлама|хат|мәтін|пікір|"
        "сұрақ|түсініктеме|өтініш|long text"
    ),
    Role.PAGE: (
        "page|page url|pageurl|page link|url страницы|адрес страницы|страница|referer|referrer|source url|"
        "landing page|landing url|landing|href|current url|location href|origin page"
    ),
}
_BY_LABEL = {label: role for role, labels in _EXACT.items() for label in labels.split("|")}

# Names of other things, and of people who are not the one who writes.
_NOT_A_PERSON = re.compile(
    r"\b(?:компани|организац|фирм|проект|товар|файл|домен|сайт|бренд|реб[её]н|ребенк|питом|пользовател|событи|"
    r"мероприят|город|улиц|жоба|ұйым|company|business|organi[sz]ation|firm|file|domain|site|product|project|"
    r"brand|form|user|nick|event|group|child|pet|team|school|card|page|city|street|service|campaign|field|host)"
)
_PHRASES: tuple[tuple[re.Pattern[str], Role], ...] = (
    (re.compile(r"e ?mail\b|\b(?:и|е|э)?мейл|\b(?:эл|электронн\w+) почт|\bпочта\b|\bпошта"), Role.EMAIL),
    (
        re.compile(
            r"\bтелефон|\bтел\b|\bмобильн|\bмоб\b|\bсотов|\bұялы|phone|\bmobile\b|\btel\b|whats ?app|"
            r"\bват?с ?ап|\bвотс ?ап|\bвайбер|\bviber|\btelefon|\bcell\b"
        ),
        Role.PHONE,
    ),
    (re.compile(r"\b(?:зовут|обращаться)\b|\bатыңыз|\bаты жөн|\bесіміңіз"), Role.NAME),
    (re.compile(r"\bwhats? (?:is )?(?:\w+ )?name\b|\bcall you\b"), Role.NAME),
    (re.compile(r"^(?:\w+ )?(?:имя|фио)(?: \w+){0,2}$"), Role.NAME),
    (
        re.compile(r"^(?:contact|client|customer|guest|parent|buyer|applicant|author|patient) name$"),
        Role.NAME,
    ),
)
# Keys of products and sites themselves, never of a person's answer.
_META = re.compile(
    r"_.*|utm[_-].*|utm|(?:g|fb|y|ym|tt|dc)clid|[gw]braid|msclkid|gcl_?id|roistat.*|calltouch.*|cookies?|"
    r"tildaspec.*|tranid|form[_-]?(?:id|name|title|url)|post_?id|queried_id|client_?id|event_?type|"
    r"(?:event|response|submission|submitter|respondent|entry|visitor|session|request|site|campaign|adgroup|"
    r"creative|asset_group|lead)_?id|api_version|is_test|token|hidden|submit(?:ted|_?date)?|"
    r"(?:submitted|created|updated|landed)[ _]?at|timestamp|date_?created|"
    r".*captcha.*|cf-turnstile.*|smart-token|csrf.*|.*nonce|authenticity_token|"
    r"honeypot|bot-field|website_hp|antispam|nospam|"
    r"ip|remote[ _]?ip|ip[ _]?address|user[ _-]?agent|powered[ _]by|"
    r"acceptance.*|consent.*|gdpr.*|agree(?:ment)?|privacy.*|i agree.*|i accept.*|"
    r"политика.*|согласи.*|согласен.*|я согла.*|я даю согласие.*|жеке дерек.*",
    re.IGNORECASE | re.DOTALL,
)
_NOISE = re.compile(
    r"(?:your|ваш[аеиу]?|ваше|вашего|сіздің|please|enter|введите|укажите|no|label|form|fields?|wpf?)"
)
_LONGEST_LABEL = 120


@lru_cache(maxsize=1024)
def role_of(key: str, label: str) -> Role:
    """The role of a field: by its label as a person sees it, else, for contact details, by its key."""
    if any(_META.fullmatch(name.strip()) for name in (key, label) if len(name) <= _LONGEST_LABEL):
        return Role.PAGE if key.strip("_ ").lower() in ("url", "page_url") else Role.META
    role = _role(label)
    if role is Role.ANSWER and _role(key) is not Role.MESSAGE:
        role = _role(key)
    return role


def _role(name: str) -> Role:
    if len(name) > _LONGEST_LABEL:
        return Role.ANSWER
    words = _words(name)
    if words in _BY_LABEL:
        return _BY_LABEL[words]
    for phrase, role in _PHRASES:
        if phrase.search(words) and not (role is Role.NAME and _NOT_A_PERSON.search(words)):
            return role
    return Role.ANSWER


def _words(name: str) -> str:
    """`q3_yourName[]` and "Ваше имя*" in plain words: "name", "имя"."""
    name = re.sub(r"(?<=[a-zа-я])(?=[A-ZА-Я])", " ", unicodedata.normalize("NFKC", name)).casefold()
    words = re.findall(r"[^\W_]+", name)
    plain = [word for word in words if not (_NOISE.fullmatch(word) or re.fullmatch(r"q?\d+", word))]
    if len(plain) > 1 and plain[0] in ("text", "input"):  # text-name in CF7
        plain = plain[1:]
    return " ".join(plain or words)


def shown(key: str) -> str:
    """A label for people: a slug without its joints (`your-subject`: subject), anything else as it is."""
    if re.fullmatch(r"[a-z\d]+(?:[_-][A-Za-z\d]+)*", key):
        words = re.sub(r"^(?:q\d+_+|your[_-])|_\d+$", "", key)
        return re.sub(r"[_-]", " ", words) or key
    return key
