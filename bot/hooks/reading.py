"""From the body of a request to a Submission."""

import re
from collections.abc import Iterable, Iterator

from agent.emails import emails_in
from agent.jsontext import clean, one_line
from agent.phones import LONGEST, Phone, phones_in
from bot.hooks.bodies import Unreadable, tree_of
from bot.hooks.forms import Field, Form
from bot.hooks.labels import Role
from bot.hooks.presets import Preset
from bot.hooks.products import form_of
from bot.hooks.submission import Submission

_LONGEST_NAME = 100
_MOST_PHONES = 50
# In the order in which they are put together.
_NAMES = (Role.FIRST_NAME, Role.NAME, Role.MIDDLE_NAME, Role.LAST_NAME)
_ADDED = (Role.META, Role.PAGE)


def read(preset: Preset, content_type: str | None, body: bytes, *, region: str) -> Submission:
    """What the form told; never raises, whatever the bytes.  `region` reads phones without country code."""
    try:
        form = form_of(preset, tree_of(content_type, body))
    except Unreadable as error:
        return _unread(error.text, region)
    except RecursionError:
        return _unread(str(clean(body.decode(errors="replace"))).strip(), region)
    return _submission(form, region)


def _unread(text: str, region: str) -> Submission:
    """A body nobody can parse is still somebody's request; an empty one is nobody's."""
    phones = tuple(phone for phone in phones_in(text, region) if phone.trusted)
    return Submission(
        phones=phones, emails=tuple(emails_in(text)), message=text, raw_only=bool(text), ping=not text
    )


def _submission(form: Form, region: str) -> Submission:
    answers = [each for each in form.fields if each.role not in _ADDED]
    added = [each for each in form.fields if each.role in _ADDED]
    name, named = _name(answers)
    phones, emails = _phones(answers, region), _emails(answers)
    told = [each.raw for each in phones] + emails
    return Submission(
        name=name,
        phones=tuple(phones),
        emails=tuple(emails),
        message=_message(each for each in answers if each not in named and not _is_told(each, told)),
        provider_id=form.provider_id,
        ping=form.ping or not answers,
        fields=tuple((each.label, each.text) for each in answers),
        meta=tuple((each.label, each.text) for each in added),
        page=next((each.text for each in added if each.role is Role.PAGE), None),
    )


def _name(answers: list[Field]) -> tuple[str | None, list[Field]]:
    """The person's name and the fields it was put together from."""
    given: dict[Role, Field] = {}
    for each in answers:
        if each.role in _NAMES and _may_be_a_name(each.text):
            given.setdefault(each.role, each)
    if Role.FIRST_NAME in given:
        given.pop(Role.NAME, None)
    used: list[Field] = []
    for role in _NAMES:
        words = given[role].text.casefold().split() if role in given else []
        if not set(words) <= {word for each in used for word in each.text.casefold().split()}:
            used.append(given[role])
    return (one_line(" ".join(each.text for each in used)) or None), used


def _may_be_a_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and not re.search(r"\n|@|://|(?:\d[\s()-]*){7}", text)


def _phones(answers: list[Field], region: str) -> list[Phone]:
    """The numbers of the fields that ask for one; only where they hold none, those said anywhere else."""
    asked = (each.text for each in answers if each.role is Role.PHONE)
    phones = _each_once(phone for text in _bounded(asked) for phone in phones_in(text, region))
    if any(phone.trusted for phone in phones):
        return phones
    # With its label: twelve digits after "ИИН" are none.
    elsewhere = (f"{each.label}: {each.text}" for each in answers if each.role is not Role.PHONE)
    found = (phone for text in _bounded(elsewhere) for phone in phones_in(text, region))
    return _each_once([*phones, *(phone for phone in found if phone.trusted)])


def _each_once(phones: Iterable[Phone]) -> list[Phone]:
    firsts: dict[tuple[str, str | None], Phone] = {}
    for phone in phones:
        firsts.setdefault((phone.e164 or phone.raw, phone.extension), phone)
    return list(firsts.values())[:_MOST_PHONES]


def _emails(answers: list[Field]) -> list[str]:
    asked = [each.text for each in answers if each.role is Role.EMAIL]
    found = [address for text in _bounded(asked) for address in emails_in(text)]
    if not found:
        found = [address for text in _bounded(each.text for each in answers) for address in emails_in(text)]
    return list(dict.fromkeys(found))


def _bounded(texts: Iterable[str]) -> Iterator[str]:
    """As much of the texts as is worth looking at: a body may be a million characters of numbers."""
    left = LONGEST
    for text in texts:
        if left <= 0:
            return
        yield text[:left]
        left -= len(text)


def _is_told(answer: Field, told: list[str]) -> bool:
    """Whether nothing in a field for contact details is left to say once they are read."""
    if answer.role not in (Role.PHONE, Role.EMAIL):
        return False
    rest = answer.text.casefold()
    for detail in told:
        rest = rest.replace(detail.casefold(), "")
    return rest != answer.text.casefold() and not re.search(r"\w", rest)


def _message(answers: Iterable[Field]) -> str:
    """The comment as it was written, then every other answer with its label."""
    comments: list[str] = []
    others: list[str] = []
    for each in answers:
        if each.role is Role.MESSAGE:
            comments.append(each.text)
        else:
            others.append(f"{each.label}: {each.text}" if each.label else each.text)
    return "\n".join([*comments, *others])
