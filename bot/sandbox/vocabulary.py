"""The stand-in model's vocabulary: keyword stems in Russian, Kazakh and English, with the usual misspellings.

Every pattern is matched against text that `reading.normal` made: lower case, ё as е, single spaces.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Service(StrEnum):
    """What the studio sells; the values are those of the tool's argument."""

    WEBSITE = "website"
    MOBILE_APP = "mobile_app"
    CRM = "crm"
    AUTOMATION = "automation"


class Language(StrEnum):
    """The languages the stand-in answers in."""

    RU = "ru"
    KK = "kk"
    EN = "en"


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _vocabulary(text: str) -> re.Pattern[str]:
    """Compile a list of words; a star stands for any ending."""
    return re.compile(rf"\b(?:{'|'.join(text.split())})\b".replace("*", r"\w*"))


LINK = _any(r"https?://\S+", r"\bwww\.\S+", r"\bt\.me/\S+")

_SERVICE_PARTS = {
    Service.WEBSITE: (
        r"\b(?:(?:веб|интернет)[- ]?)?са[йи]т\w*",
        r"\bл[еэ]нд[иіе]нг\w*",
        r"\b(?:интернет|онлайн)[- ]?(?:магаз[иы]н|д[үу]кен)\w*",
        r"\bвеб[- ]?(?:страни|портал|приложени|қосымша|парақша)\w*",
        r"\bодностранични\w*|\bпортал\w*|\bредизайн\w*|\bверстк\w*|\bтильд\w*",
        r"\bweb[- ]?sites?\b|\bwebsit\w*|\bwebist\w*|\bwesite\b",
        r"(?<!on )(?<!on-)\bsites?\b",
        r"\blanding(?:[- ]?pages?)?\b|\bhome ?page\b|\bredesign\w*",
        r"\b(?:online|web|internet|e)[- ]?(?:shop|store)s?\b|\be-?commerce\b",
        r"\bweb[- ]?(?:page|portal|app|application)s?\b",
        r"\bwordpress\b|\bshopify\b",
        r"\b(?:(?:web|veb)[- ]?)?sa[iyj]t\w*|\binternet[- ]?magazin\w*",
    ),
    Service.MOBILE_APP: (
        r"\bпр[ие]л[оа]жени\w*|\bприложух\w*|\bапп\b",
        r"\bандро[ий]д\w*|\bайос\b|\bмобильд[іи]\w*",
        r"\b[қк]осымша(?! (?:а[қк]парат|м[әа]л[іи]мет|с[ұу]ра[қк]|[қк][ұу]жат|а[қк]ы))\w*",
        r"(?<!whats )(?<!what's )\bapps?\b|(?<!job )\bapplications?\b",
        r"\bandroid\b|\bios\b",
        r"\bprilo[zj]h?en\w*|\b[qk]osymsha\w*",
    ),
    Service.CRM: (
        r"\b[cсц][rр][mм]\w{0,5}\b",
        r"\bси[- ]?[эе]р[- ]?[эе]м\b",
        r"\bbitrix\w*|\bбитрикс\w*|\b(?:amo|амо)[- ]?(?:crm|срм|црм)\w*",
        r"\bучет\w* клиент\w*|\bклиентск\w+ баз\w*|\bбаз[аыуе] клиент\w*|\bклиент\w* базасы\w*",
        r"\bcustomer (?:relationship|database)\b",
    ),
    Service.AUTOMATION: (
        r"\bавт[оа]м[ао]ти[зч]\w*|\bавтоматтанд\w*|\bроботиз\w*",
        r"\b(?:(?:чат|телеграмм?|ватсап)[- ]?)?бот(?:а|у|ом|е|ы|ов|ам|ами|ах|тар\w*|т[ыің]+|пен|қа|ка)?\b",
        r"\bинтеграци\w*|\bинтегрир\w*|\bпарс(?:ер|инг)\w*|\b1[сc]\b",
        r"\bautom[ai]t\w*|\bautomiz\w*|\bavtomat\w*|\bintegrat\w*|\brpa\b|\bzapier\b|\bn8n\b",
        r"\b(?:(?:chat|telegram|whatsapp)[- ]?)?bot[syi]?\b",
    ),
}

SERVICES = re.compile(
    "|".join(f"(?P<{service}>{'|'.join(parts)})" for service, parts in _SERVICE_PARTS.items())
)

# Words long enough to be recognised with a letter wrong, missing or swapped.
SPELLINGS = {
    "лендинг": Service.WEBSITE,
    "вебсайт": Service.WEBSITE,
    "website": Service.WEBSITE,
    "приложение": Service.MOBILE_APP,
    "приложения": Service.MOBILE_APP,
    "application": Service.MOBILE_APP,
    "битрикс": Service.CRM,
    "автоматизация": Service.AUTOMATION,
    "автоматизировать": Service.AUTOMATION,
    "автоматтандыру": Service.AUTOMATION,
    "automation": Service.AUTOMATION,
    "чатбот": Service.AUTOMATION,
    "chatbot": Service.AUTOMATION,
}

# Phrases that name a service without asking for it: our own site, or the one who answers.
NO_MENTION = _any(
    r"\b(?:на|с|со|через|из) ваш\w* (?:веб-?)?сайт\w*",
    r"\b(?:увидел|нашел|нашл|видел|посмотрел|смотрел|зашел|зашл)\w* ваш сайт\w*",
    r"\byour (?:web)?site\b",
    r"\bс[іи]зд[іи][ңн] сайт\w*",
    r"\b(?:ты|вы|это|тут)(?: же| что)?,? (?:чат[- ]?)?бот\b|\bс (?:чат[- ]?)?бот(?:ом|ами)\b|\bне бот\w*",
    r"\bбот(?:сың|сыз|пен сөйлес\w*)\b",
    r"\bare you (?:an? )?(?:ro|chat)?bot\b",
    r"\b(?:talk|speak|chat)\w* (?:to|with) (?:an? |the )?(?:chat)?bots?\b",
)
DENIED_BEFORE = re.compile(
    r"(?:\bне|\bбез|\bno|(?:\bnot|\bdon't need|\bwithout|\bforget(?: about)?)(?: an?| the)?) $"
)
DENIED_AFTER = re.compile(
    r"^ (?:(?:мне|нам|пока|уже|больше) )*не (?:нуж|надо|хо|треб|интерес)\w*|^ керек емес\b|^ қажет емес\b"
)
OWNED_BEFORE = re.compile(
    r"(?:\bесть|\bимеется|\balready have|\bhave|\bhas|\b(?:с|со|для|на|из|from|for|on|via))"
    r"(?: уже| свой| наш\w*| мо\w+| готовый| an?| our| my| the)* $"
)
OWNED_AFTER = re.compile(r"^ (?:у нас |у меня )?(?:уже )?(?:есть|имеется|бар)\b(?! ма\b)")

REQUEST = _any(
    r"\bнуж(?:ен|н[аоы])\w*|\bхо(?:чу|тим|тел)\w*\b(?! (?:вернуть|возврат|деньги))",
    r"\bнадо\b|\bтребу\w+ся\b|\bзака[зж]\w*",
    r"\b(?:с|по)дела(?:йте|ть|й)\b|\bразработ\w*",
    r"\bсозда(?:ть|йте|й|ние)\b|\bделаете\b|\bищ(?:у|ем)\b|\bинтересу\w*",
    r"\bможно\b|\bсколько\b|\bhow much\b",
    r"\bneed\w*|\bwant\w*\b(?! (?:an? |my |the )?(?:refund|money))",
    r"\blooking for\b|\bwould like\b|\b(?:can|could) you\b",
    r"\b(?:build|make|create|develop|order)\b",
    r"\bкерек\b|\bқажет\b|\bжаса(?:п|й|у)\w*|\bтапсырыс\w*|\bkerek\b|\bnu(?:zh|j)[en]\w*",
)

PRICE = _any(
    r"\bсколько (?:\w+ ){0,3}сто[ия]\w*|\bстоимост\w*",
    r"\bцен(?:а|ы|у|е|ам|ник\w*)?\b|\bпрайс\w*|\bпочем\b",
    r"\bрасцен\w*|\bсмет[аыу]\b",
    r"\bhow much\b|\bpric(?:e|es|ing)\b|\bcosts?\b|\bquotes?\b|\bestimate\b",
    r"\b[қк]анша (?:т[ұу]рады|болады)\b|\b(?:баға|бага)\w*|\b[qk]ansha tura?d\w*|\bskolko sto\w*",
)
DEADLINE = _any(
    r"\bсрок\w*|\bза сколько (?:дней|недел\w+|времени|месяц\w+)",
    r"\bкак (?:быстро|скоро)\b|\bуспе(?:ете|ем)\b|\bсрочн\w*",
    r"\bкогда (?:будет|сможете|сделаете)\b",
    r"\bdeadlines?\b|\bhow (?:long|soon|fast|quick)\w*|\burgent\w*|\basap\b|\bturnaround\b",
    r"\bмерз[іи]м\w*|\b[қк]анша уа[қк]ыт\w*|\b[қк]ашан\b|\bшұғыл\w*|\bтез арада\b",
)
HUMAN = _any(
    r"\b(?:позов|соедин|переключ|свяж|пригла|дайте|поговор|общат|живо)\w*[^.,?!]{0,30}"
    r"\b(?:человек|оператор|менеджер|сотрудник|специалист|директор|руковод|начальник)\w*",
    r"\b(?:нуж\w*|хочу|дай)(?: мне| живо\w+| ваш\w*| с)* (?:человек|оператор|менеджер|специалист)\w*",
    r"\b(?:пере|по)звон\w*|\bнаберите\b|\bне (?:хочу )?(?:говорить )?с ботом\b|\bживой человек\b",
    r"\bcall (?:me|us|back)\b|\bgive me a (?:call|ring)\b|\bphone me\b|\bcallback\b",
    r"\b(?:speak|talk|chat|connect|transfer)\w*[^.?!]{0,20}"
    r"\b(?:human|person|people|manager|operator|someone|agent|representative)\b",
    r"\b(?:real|live) (?:human|person|agent)\b|\bhuman,? please\b|\bneed a human\b",
    r"\b(?:адам|менеджер|оператор|маман)\w*[^.?!]{0,20}\b(?:сөйлес|соилес|шақыр|шакыр|қос|байланыс)\w*",
    r"\bхабарлас(?:ың|у[ғг]|са|шы)\w*|\b[қк]о[ңн]ырау шал\w*|\bзвонда\w*|\bpozvoni\w*|\bperezvoni\w*",
)
COMPLAINT = _any(
    r"\bжалоб\w*|\bжалу\w*|\bверните деньги\b|\bвозврат\w*",
    r"\bне работает\b|\bсломал\w*|\bгде мо[йяе]\b|\bобман\w*",
    r"\bвзломали\b|\bупал\b|\bhacked\b|\bis down\b",
    r"\bcomplain\w*|\brefund\w*|\bnot working\b|\bdoesn't work\b",
    r"\bbroken?\b|\bwhere is my\b|\bscam(?:med|mers?)?\b",
    r"\bшағым\w*|\bшагым\w*|\bжұмыс істемей\w*|\bақшамды қайтар\w*",
)
CANCEL = _any(
    r"\bотмен(?:ите|ить|а|яю|яем)\b|\bпередумал\w*|\b(?:удалите|сотрите) (?:мо|все мо|меня)\w*",
    r"\bcancel\w*|\b(?:delete|remove|erase) my\b|\b(?:бас|болдырм)\w* тарт\w*|\bөшір(?:іңіз|іп)\w*",
)
JOB = _any(
    r"\bищу работу\b|\bна работу\b|\bесть (?:ли )?(?:у вас )?ваканси\w*",
    r"\bмое резюме\b|\bваканси\w+ (?:есть|открыт)\w*",
    r"\blooking for (?:an? )?(?:job|work|position|internship)\b|\bhiring\b|\bvacanc\w*|\bmy (?:cv|resume)\b",
    r"\bapply for\b|\bжұмыс (?:іздеп|керек|бар ма)\w*|\bжумыс (?:издеп|керек|бар ма)\w*",
)

_DROP = (
    r"(?:(?:про)?игнорир\w*|забуд\w+|забыть|отмени\w*|не (?:следуй|соблюдай|выполняй)\w*"
    r"|ignor\w*|disregard\w*|forget|override|bypass|елеме\w*|ескерме\w*|[ұу]мыт\w*)"
)
_ORDERS = (
    r"(?:инструкци\w*|указани\w*|правил[ао]?\b|промпт\w*|все,? (?:что )?(?:выше|предыдущее)"
    r"|instruction\w*|prompts?\b|rules?\b|guideline\w*|everything above|(?:all|the) (?:of the )?above"
    r"|н[ұу]с[қк]ау\w*|ереже\w*)"
)
INJECTION = _any(
    rf"\b{_DROP}\b.{{0,60}}\b{_ORDERS}",
    rf"\b{_ORDERS}.{{0,60}}\b{_DROP}",
    r"\bsystem ?prompt\w*|\bсистемн\w+ (?:промпт|подсказк|инструкц|сообщени)\w*",
    r"\bжүйелік (?:промпт|нұсқау)\w*",
    r"\b(?:твой|свой|ваш|покажи|выведи|раскрой)\W+(?:\w+\W+){0,2}промпт\w*",
    r"\b(?:show|reveal|print|repeat|your)\W+(?:\w+\W+){0,2}prompt\w*",
    r"\b(?:initial|hidden|secret) instructions\b|\bначальн\w+ инструкц\w*",
    r"\bdeveloper mode\b|\bрежим разработчика\b|\bjailbreak\w*|\bджейлбрейк\w*",
    r"\byou are now\b|\bfrom now on,? you\b|\bты теперь\b|\bтеперь ты\b|\bотныне ты\b|\bсен енді\b",
    r"</?(?:lead|system|message|assistant|user|tool\w*)\b|\[/?(?:system|inst)\]|^(?:system|assistant) ?:",
    r"\b(?:get_customer_history|create_deal|send_reply|escalate_to_manager|tool_use|tool_result)\b",
)

_TELL = (
    r"(?:(?:дай|покажи|скинь|пришли|вышли|отправь|перечисли|выгрузи|сообщи|назови|скажи|расскажи)(?:те)?\b"
    r"|\bкак(?:ой|ие|ая)\b|\bкто\b|\bхочу (?:узнать|знать)\b|\bузнать\b)"
)
_FOREIGN_RU = (
    r"(?:друг(?:ого|их|ой|им|ому)|чуж\w+|остальн\w+|всех(?: ваших| других)?|ваш(?:их|его|ей)(?: других)?)"
    r" (?:\w+ )?(?:клиент|заказчик|покупател|лид|пользовател|контакт)\w*"
)
_DATA_RU = r"(?:телефон|номер|контакт|данн|баз|спис|истори|сделк|почт|адрес|имен|заказ|переписк)\w*"
_TELL_EN = r"(?:give|send|show|tell|list|export|share|reveal|dump)"
_FOREIGN_EN = (
    r"(?:(?:other|another|previous|different)(?: \w+)? |someone else's |your other )"
    r"(?:customer|client|lead|user|buyer)s?\b"
)
_ALL_EN = r"(?:all (?:of )?(?:the |your )?|your )(?:customer|client|lead)s\b"
_DATA_EN = (
    r"(?:phone|number|contact|data|list|database|detail|deal|histor|email|address|name|order|information)\w*"
)
_FOREIGN_KK = r"(?:басқа|баска|өзге|барлық) (?:клиент|тұтынушы|тапсырыс беруші|адам)\w*"
_DATA_KK = r"(?:телефон|нөмір|номер|дерек|мәлімет|тізім|байланыс|мекенжай|ақпарат)\w*"

OTHERS_DATA = _any(
    rf"{_TELL}(?: мне| нам| всю| весь| все)* {_DATA_RU} (?:\w+ )?(?:клиент|заказчик|покупател|лид)(?:а|ов)\b",
    rf"\bнужн\w+ {_DATA_RU} (?:друг\w+|чуж\w+|ваш\w+) (?:клиент|заказчик|покупател)\w*",
    r"\b(?:сделк|заказ|истори|данн)\w* (?:у |по |о |про )?клиент\w*.{0,25}\d{5,}",
    r"\b(?:deals|orders|history|data) (?:of|for) (?:the )?(?:customer|client|number|phone).{0,25}\d{5,}",
    rf"\b{_TELL_EN}\b(?: me| us| out)?(?: the| your| all)* (?:customer|client)s?'? {_DATA_EN}",
    rf"{_TELL}.{{0,60}}\b{_DATA_RU}.{{0,30}}\b{_FOREIGN_RU}",
    rf"{_TELL}.{{0,40}}\b{_FOREIGN_RU}.{{0,40}}\b{_DATA_RU}",
    rf"\b{_TELL_EN}\b.{{0,60}}\b{_DATA_EN}.{{0,30}}\b{_FOREIGN_EN}",
    rf"\b{_TELL_EN}\b (?:me |us |out )?(?:the )?{_FOREIGN_EN}",
    rf"\b{_TELL_EN} (?:me|us) (?:.{{0,40}}\b{_DATA_EN}.{{0,20}}\b{_ALL_EN}|{_ALL_EN})",
    rf"\bwhat(?:'s| is| are)?\b.{{0,30}}\bother (?:customer|client)s?\b.{{0,20}}\b{_DATA_EN}",
    rf"\b{_FOREIGN_KK}.{{0,40}}\b{_DATA_KK}.{{0,40}}\b(?:бер|жібер|жибер|көрсет|корсет|айт)\w*",
)
CRIME = _any(
    r"\bвзлома(?:й|ть|йте|ете|ешь)\b|\bдля взлома\b|\bд?дос(?:ить| ?атак\w*)\b|\bddos\b|\bфишинг\w*",
    r"\bphishing\b|\bhack(?:er|ing)?\b|\bransomware\b|\bmalware\b|\bcarding\b|\bкардинг\w*|\bбұзып кір\w*",
)
SPAM = _any(
    r"\bкрипт(?:а|у|ы|о\w*)\b|\bбиткои?[нй]\w*|\bфорекс\w*",
    r"\bказино\b|\bставк[аиу]\b|\b(?:микро)?за[йи]м\w*|\bкредит\w*",
    r"\bзарабат\w*|\bзаработ(?:ок|ка|ай)\w*|\bпассивн\w+ доход\w*|\bинвестици\w*|\bвыигра\w*|\bнесие\w*",
    r"\bcrypto\w*|\bbitcoin\w*|\bbtc\b|\busdt\b|\bforex\b|\bcasino\w*|\bloans?\b|\bpassive income\b",
    r"\binvest(?:ment|ing|ors?)?\b|\bprize\b|\bviagra\b|\b1xbet\b|\bearn (?:money|\$|up to)\b|\bbacklinks?\b",
)
OFFER = _any(
    r"\bпредлага(?:ем|ю)\b|\bсотрудничеств\w*|\bнаши услуги\b|\bмы продвигаем\b|\bраскрут\w*",
    r"\bwe (?:offer|provide)\b|\bi offer\b|\bour (?:agency|services)\b|\bpartnership\b|\bguest post\w*",
    r"\bұсынамыз\b|\bусынамыз\b",
)

GREETINGS = _words(
    "здравствуйте здравствуй здрасте здрасьте привет приветствую добрый доброе доброго день дня утро утра"
    " вечер вечера времени суток всем ало алло ассалам ассалаумағалейкум ассалаумагалейкум салам салем сәлем"
    " сәлеметсіз сәлеметсізбе салеметсиз салеметсизбе бе ме қайырлы кайырлы күн кун таң тан кеш"
    " hello hi hey hallo good morning afternoon evening day there dear start salem salam privet zdravstvuyte"
)
THANKS = _words(
    "спасибо спс благодарю большое огромное вам ок окей хорошо понял поняла ясно отлично супер да ага"
    " рахмет рақмет үлкен улкен көп коп жақсы жаксы түсінікті"
    " thanks thank you thx ok okay great fine got it very much so yes rahmet spasibo"
)

SAME_IN_ALL = _any(r"\b[cс][rр][mм]\b", LINK.pattern)

# Without і, which Ukrainian has too.
KAZAKH_LETTERS = frozenset("әғқңөұүһ")
KAZAKH_WORDS = _vocabulary(
    "салем* керек* маган бизге бизде* канша турады жаса* берес* болады бола калай рахмет ушин жане емес жок"
    " комек* хабарлас* тапсырыс* сиз* мен сен ме бе ба ма багасы косымша дукен* адаммен шагым* кажет шал*"
    " salem* kerek maghan magan bizge kansha qansha turady rahmet jasa* zhasa* beresiz* ushin qalai kalai"
)
RUSSIAN_WORDS = _vocabulary(
    "нуж* хочу хотим хотел* надо здрав* привет* добрый доброе мне нам для и в на с не что как сколько стоит"
    " сдела* можно вы у меня нас есть это по мой наш* ли или а но бы вас вам пожалуйста спасибо я мы от к"
    " ты кто подскажите расскажите посоветуйте позвоните перезвоните клиентов компании который ваш* где когда"
    " privet* zdra* nuzh* nuj* nado hochu skolko stoit sdela* mne nam dlya spasibo pozvon* perezvon*"
)
ENGLISH_WORDS = _vocabulary(
    "the a an i we you need* want* for our my is are hello hi hey please how much many can could with and to"
    " of website app build make do does would like call me us help thank* price cost your what when looking"
    " in on it this that have not where who"
)
