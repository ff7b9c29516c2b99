"""How each product shapes its requests.

A reader takes a tree of answers and returns a form, or None where the shape is not its own.  The shapes are
those of the products' documentation and plugin sources; everything that is not special to a product is left
to the reading of any tree.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from agent.jsontext import JsonObject
from bot.hooks.bodies import Unreadable, tree_of
from bot.hooks.forms import Field, Form, field_of, fields_of, text_of
from bot.hooks.labels import Role
from bot.hooks.presets import Preset

Reader = Callable[[JsonObject], Form | None]

_LONGEST_ID = 200
_CONTACT = {Role.NAME, Role.FIRST_NAME, Role.LAST_NAME, Role.PHONE, Role.EMAIL}

# Elementor's own last lines in the plain mode, in the site's language; before them a date is an answer.
_ELEMENTOR_LINES = {
    *("date", "time", "page url", "user agent", "remote ip", "powered by", "form_id", "form_name"),
    *("дата", "время", "url страницы", "агент пользователя", "удалённый ip", "удаленный ip", "создано на"),
    *("күні", "уақыты", "работает на", "разработано на", "пользовательский агент"),
}
# Jotform's own parts around the answers, and in them.
_JOTFORM_OWN = {
    *("slug", "jsExecutionTracker", "submitSource", "submitDate", "buildDate", "uploadServerUrl", "path"),
    *("eventObserver", "event_id", "timeToSubmit", "validatedNewRequiredFieldIDs", "temp_upload", "preview"),
    *("visitedPages", "file_server", "target_env", "dropdown_update", "embedUrl", "embedUrlHash", "website"),
}


def form_of(preset: Preset, tree: JsonObject) -> Form:
    """The form: as its preset shapes it, else as another product does, else as any tree."""
    own = _READERS.get(preset)
    for reader in [*([own] if own else []), *_READERS.values()]:
        if form := reader(tree):
            break
    else:
        form = _generic(preset, tree)
    return replace(form, fields=[each for each in form.fields if each.text])


def _generic(preset: Preset, tree: JsonObject) -> Form:
    """Any tree.  The `id` of our own documented format is trusted from such a source only."""
    fields = fields_of({key: value for key, value in tree.items() if key != "id"})
    given = tree.get("id")
    if preset is not Preset.GENERIC and given is not None:
        fields += _beside({"id": given})
    answers = [(each.label.lower(), each.text.lower()) for each in fields if each.role is not Role.META]
    return Form(
        fields=fields,
        provider_id=_id(given) if preset is Preset.GENERIC else None,
        ping=answers in ([("test", "test")], [("test", "true")]),
    )


def _tilda(tree: JsonObject) -> Form | None:
    """A flat form with `tranid` (help-ru.tilda.cc/formsscript)."""
    if "tranid" not in tree:
        return None
    return Form(fields=fields_of(tree), provider_id=_id(tree["tranid"]))


def _elementor(tree: JsonObject) -> Form | None:
    """Two modes: labels as keys, or `fields[id][title|type|value]` and `form[name]`, the name of the form."""
    if isinstance(tree.get("form"), dict) and isinstance(tree.get("fields"), dict):
        meta = _dict(tree.get("meta"))
        values = {key: item.get("value") if isinstance(item, dict) else item for key, item in meta.items()}
        return Form(fields=fields_of({**tree, "meta": values}))
    answers = list(tree.items())
    own: JsonObject = {}
    while answers and answers[-1][0].strip().lower() in _ELEMENTOR_LINES:
        key, own[key] = answers.pop()
    if not {"form_id", "form_name"} & own.keys():
        return None
    labelled = {key.removeprefix("No Label "): value for key, value in answers}
    return Form(fields=[*fields_of(labelled), *_beside(dict(reversed(own.items())))])


def _typeform(tree: JsonObject) -> Form | None:
    """Answers joined to the titles of the definition; contact blocks and groups hold fields of their own."""
    response = tree.get("form_response")
    if not isinstance(response, dict):
        return None
    definition = _dict(response.get("definition"))
    titles = dict(_titles(definition.get("fields")))
    fields = [_typeform_answer(answer, titles) for answer in _dicts(response.get("answers"))]
    fields += [
        each if each.role in _CONTACT else _as_meta(each) for each in fields_of(_dict(response.get("hidden")))
    ]
    fields += _beside({"form": definition.get("title")})
    fields += _beside(response, "definition", "answers", "hidden")
    return Form(fields=fields, provider_id=_id(tree.get("event_id") or response.get("token")))


def _titles(fields: Any) -> Iterator[tuple[str, str]]:
    for each in _dicts(fields):
        yield text_of(each.get("id")), text_of(each.get("title"))
        yield from _titles(_dict(each.get("properties")).get("fields"))


def _typeform_answer(answer: JsonObject, titles: dict[str, str]) -> Field:
    asked, kind = _dict(answer.get("field")), text_of(answer.get("type"))
    value = answer.get(kind)
    if kind in ("choice", "choices") and isinstance(value, dict):
        value = [value.get("label"), value.get("labels"), value.get("other")]
    label = titles.get(text_of(asked.get("id"))) or text_of(asked.get("title"))
    return field_of(text_of(asked.get("ref")), label, text_of(value), text_of(asked.get("type")))


def _tally(tree: JsonObject) -> Form | None:
    """Choices come as option ids, and once more as one yes or no for each option."""
    data = _dict(tree.get("data"))
    if "eventId" not in tree or not isinstance(data.get("fields"), list):
        return None
    asked = _dicts(data["fields"])
    lists = tuple(f"{text_of(each.get('key'))}_" for each in asked if isinstance(each.get("value"), list))
    fields = []
    for each in asked:
        key = text_of(each.get("key"))
        if not (isinstance(each.get("value"), bool) and key.startswith(lists)):
            label, kind = text_of(each.get("label")), text_of(each.get("type"))
            fields.append(_unhidden(field_of("", label, _tally_text(each), kind)))
    return Form(fields=[*fields, *_beside(data, "fields")], provider_id=_id(tree["eventId"]))


def _unhidden(found: Field) -> Field:
    """A hidden field that hands over a contact detail (`?email=…` in a mailing) is still one."""
    visible = field_of("", found.label, found.text)
    return visible if found.role is Role.META and visible.role in _CONTACT else found


def _tally_text(asked: JsonObject) -> str:
    value = asked.get("value")
    names = {
        text_of(option.get("id")): text_of(option.get("text"))
        for options in ("options", "rows", "columns")
        for option in _dicts(asked.get(options))
    }
    if isinstance(value, dict):  # a matrix: what was chosen in each row
        rows = ((names.get(row, row), _chosen(columns, names)) for row, columns in value.items())
        return ", ".join(f"{row}: {chosen}" for row, chosen in rows if chosen)
    return _chosen(value, names)


def _chosen(value: Any, names: dict[str, str]) -> str:
    values = value if isinstance(value, list) else [value]
    texts = (text_of(each.get("url", each)) if isinstance(each, dict) else text_of(each) for each in values)
    return ", ".join(names.get(text, text) for text in texts if text)


def _jotform(tree: JsonObject) -> Form | None:
    """The answers are JSON or a form in `rawRequest`; `pretty` says them again, and serves without it."""
    if "submissionID" not in tree or not {"rawRequest", "pretty"} & tree.keys():
        return None
    answers = tree.get("rawRequest")
    if isinstance(answers, str):
        try:
            answers = tree_of(None, answers.encode())  # in some deliveries JSON is wrapped twice
        except Unreadable:
            answers = {"message": tree.get("pretty") or answers}
    fields = fields_of({key: value for key, value in _dict(answers).items() if key not in _JOTFORM_OWN})
    return Form(
        fields=[*fields, *_beside(tree, "rawRequest", "pretty", "webhookURL")],  # our own URL is a secret
        provider_id=_id(tree["submissionID"]),
    )


def _webflow(tree: JsonObject) -> Form | None:
    """`payload.name` is the name of the form; version 1 of their API sends the payload alone."""
    payload = tree.get("payload", tree)
    if not (isinstance(payload, dict) and isinstance(payload.get("data"), dict)):
        return None
    if not ({"siteId", "formId"} & payload.keys() or {"site", "_id"} <= payload.keys()):
        return None
    return Form(
        fields=[*fields_of(payload["data"]), *_beside(payload, "data", "schema")],
        provider_id=_id(payload.get("id") or payload.get("_id")),
    )


def _google_forms(tree: JsonObject) -> Form | None:
    """What our own script sends (docs/google-forms.md)."""
    response = _dict(tree.get("response"))
    if not isinstance(response.get("payload"), dict):
        return None
    fields = fields_of({**response["payload"], "email": response.get("email")})
    fields += [*_beside(_dict(tree.get("form"))), *_beside(response, "payload", "email")]
    return Form(fields=fields, provider_id=_id(response.get("id")), ping=text_of(tree.get("test")) == "true")


def _google_ads(tree: JsonObject) -> Form | None:
    """The key shared with us stands in the body and goes no further; `is_test` is a button in Google Ads."""
    columns = tree.get("user_column_data")
    if not isinstance(columns, list):
        return None
    return Form(
        fields=[*fields_of({"data": columns}), *_beside(tree, "user_column_data", "google_key")],
        provider_id=_id(tree.get("lead_id")),
        ping=text_of(tree.get("is_test")) == "true",
    )


def _beside(tree: JsonObject, *told: str) -> list[Field]:
    """What the product adds to the answers."""
    return [_as_meta(each) for each in fields_of({key: tree[key] for key in tree if key not in told})]


def _as_meta(found: Field) -> Field:
    return found if found.role is Role.PAGE else replace(found, role=Role.META)


def _dict(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _id(value: Any) -> str | None:
    """An id as a product gives it; what is too long for one is none."""
    text = text_of(value)
    return text if 0 < len(text) <= _LONGEST_ID else None


_READERS: dict[Preset, Reader] = {
    Preset.TILDA: _tilda,
    Preset.TYPEFORM: _typeform,
    Preset.TALLY: _tally,
    Preset.JOTFORM: _jotform,
    Preset.GOOGLE_FORMS: _google_forms,
    Preset.GOOGLE_ADS: _google_ads,
    Preset.ELEMENTOR: _elementor,
    Preset.WEBFLOW: _webflow,
}
