"""Every product with the request that carries given answers, and what is read from one."""

from collections.abc import Callable

from bot.hooks import Preset, Submission, read
from tests.hooks import posts
from tests.hooks.posts import Request

PERSON = {"Имя": "Айгерим Тестова", "Телефон": "8 701 555 01 42", "E-mail": "Aigerim@Example.test"}
WISH = {"Комментарий": "Нужен сайт, бюджет до 1 500 000 ₸"}


def of(preset: Preset, request: Request) -> Submission:
    content_type, body = request
    return read(preset, content_type, body, region="KZ")


def numbers(submission: Submission) -> list[str | None]:
    return [phone.trusted for phone in submission.phones]


SENDERS: dict[str, tuple[Preset, Callable[[dict[str, str]], Request], str | None]] = {
    "tilda": (Preset.TILDA, posts.tilda, "1234567:9876543"),
    "cf7": (Preset.CF7, posts.json_body, None),
    "elementor": (Preset.ELEMENTOR, posts.elementor, None),
    "elementor advanced": (Preset.ELEMENTOR, posts.elementor_advanced, None),
    "wpforms": (Preset.WPFORMS, posts.json_body, None),
    "typeform": (Preset.TYPEFORM, posts.typeform, "01HEVENT"),
    "jotform": (Preset.JOTFORM, posts.jotform, "6000"),
    "tally": (Preset.TALLY, posts.tally, "event-1"),
    "webflow": (Preset.WEBFLOW, posts.webflow, "6914"),
    "google-forms": (Preset.GOOGLE_FORMS, posts.google_forms, "2_ABa"),
    "google-ads": (Preset.GOOGLE_ADS, posts.google_ads, "lead-1"),
    "generic json": (Preset.GENERIC, posts.json_body, None),
    "generic form": (Preset.GENERIC, posts.form_body, None),
    "generic multipart": (Preset.GENERIC, posts.multipart_body, None),
}
