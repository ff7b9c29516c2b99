"""What to click in each form product, in Russian and English.

`steps` name the URL as {url}; `proof` follows where the source has a secret.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.hooks.presets import Preset
from bot.settings import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Clicks:
    """The steps in one product, and the one that needs the secret."""

    steps: tuple[str, ...]
    proof: str | None = None


_RU: Mapping[Preset, Clicks] = {
    Preset.TILDA: Clicks(
        steps=(
            "Настройки сайта → Формы → Webhook. Вставьте адрес: {url}",
            "В блоке с формой: Контент → Приём данных → отметьте Webhook.",
            "Опубликуйте все страницы и отправьте форму один раз сами.",
        )
    ),
    Preset.CF7: Clicks(
        steps=(
            "Поставьте плагин «CF7 to Webhook».",
            "Контактная форма → вкладка Webhook → включите «Send to Webhook» и вставьте адрес: {url}",
            "Поле Custom Body оставьте пустым: шаблон портит кавычки в тексте клиента.",
        )
    ),
    Preset.ELEMENTOR: Clicks(
        steps=(
            "Виджет формы → Actions After Submit → добавьте Webhook.",
            "Webhook → вставьте адрес: {url}",
            "Включите Advanced Data и обновите страницу.",
        )
    ),
    Preset.WPFORMS: Clicks(
        steps=(
            "Форма → Settings → Webhooks → включите.",
            "Request URL: {url}",
            "Request Method: POST, Request Format: JSON.",
            "Request Body: ключи name, phone, email, comment и поля формы к ним.",
        ),
        proof="Secret: {secret}",
    ),
    Preset.TYPEFORM: Clicks(
        steps=("Форма → Connect → Webhooks → Add a webhook. Endpoint: {url}", "Включите переключатель."),
        proof="Edit → Secret: {secret}",
    ),
    Preset.JOTFORM: Clicks(
        steps=(
            "Форма → Settings → Integrations → Webhooks.",
            "Add Webhook: {url} → Complete Integration.",
        )
    ),
    Preset.TALLY: Clicks(
        steps=("Форма → Integrations → Webhooks → Connect. Endpoint URL: {url}",),
        proof="Add signing secret: {secret}",
    ),
    Preset.WEBFLOW: Clicks(
        steps=(
            "Site settings → Apps & integrations → Webhooks → Add webhook.",
            "Trigger: Form submission. URL: {url}",
        ),
        proof=(
            "Подпись есть только у вебхуков, созданных через API: секрет — client secret приложения. "
            "Для вебхука из панели добавьте источник без --secret."
        ),
    ),
    Preset.GOOGLE_FORMS: Clicks(
        steps=(
            "Форма → ⋮ → Apps Script. Вставьте скрипт из docs/google-forms.md.",
            "В начале скрипта: URL = {url}",
            "Запустите в редакторе функцию install и разрешите доступ; затем функцию test.",
        ),
        proof="Там же: SECRET = {secret}",
    ),
    Preset.GOOGLE_ADS: Clicks(
        steps=(
            "Объект «Форма для лидов» → Экспорт лидов → Другие способы интеграции → Webhook.",
            "URL вебхука: {url}",
            "«Отправить тестовые данные» должно ответить успехом; лид при этом не создаётся.",
        ),
        proof="Ключ: {secret}",
    ),
    Preset.GENERIC: Clicks(
        steps=(
            "Отправляйте POST на {url}",
            "Тело: JSON или форма: name, phone, email, message; id (или Idempotency-Key) отличает повтор.",
            "Ответ 200: лид сохранён. 503: повторите позже.",
        ),
        proof="Заголовок: Authorization: Bearer {secret} (или подпись Standard Webhooks)",
    ),
}

_EN: Mapping[Preset, Clicks] = {
    Preset.TILDA: Clicks(
        steps=(
            "Site Settings → Forms → Webhook. Paste the URL: {url}",
            "In the block with the form: Content → Data collection → tick Webhook.",
            "Publish all pages and send the form once yourself.",
        )
    ),
    Preset.CF7: Clicks(
        steps=(
            "Install the plugin “CF7 to Webhook”.",
            "Contact form → tab Webhook → tick “Send to Webhook” and paste the URL: {url}",
            "Leave Custom Body empty: a template breaks on quotes in what people write.",
        )
    ),
    Preset.ELEMENTOR: Clicks(
        steps=(
            "Form widget → Actions After Submit → add Webhook.",
            "Webhook → paste the URL: {url}",
            "Switch Advanced Data on and update the page.",
        )
    ),
    Preset.WPFORMS: Clicks(
        steps=(
            "Form → Settings → Webhooks → switch on.",
            "Request URL: {url}",
            "Request Method: POST, Request Format: JSON.",
            "Request Body: the keys name, phone, email, comment, each with its field of the form.",
        ),
        proof="Secret: {secret}",
    ),
    Preset.TYPEFORM: Clicks(
        steps=("Form → Connect → Webhooks → Add a webhook. Endpoint: {url}", "Turn its switch on."),
        proof="Edit → Secret: {secret}",
    ),
    Preset.JOTFORM: Clicks(
        steps=(
            "Form → Settings → Integrations → Webhooks.",
            "Add Webhook: {url} → Complete Integration.",
        )
    ),
    Preset.TALLY: Clicks(
        steps=("Form → Integrations → Webhooks → Connect. Endpoint URL: {url}",),
        proof="Add signing secret: {secret}",
    ),
    Preset.WEBFLOW: Clicks(
        steps=(
            "Site settings → Apps & integrations → Webhooks → Add webhook.",
            "Trigger: Form submission. URL: {url}",
        ),
        proof=(
            "Only webhooks made by the API are signed: the secret has to be the app's client secret. "
            "For one made in the dashboard add the source without --secret."
        ),
    ),
    Preset.GOOGLE_FORMS: Clicks(
        steps=(
            "Form → ⋮ → Apps Script. Paste the script of docs/google-forms.md.",
            "At its top: URL = {url}",
            "Run the function install in the editor and allow access; then the function test.",
        ),
        proof="There too: SECRET = {secret}",
    ),
    Preset.GOOGLE_ADS: Clicks(
        steps=(
            "Lead form asset → Export leads → Other data integration options → Webhook.",
            "Webhook URL: {url}",
            "“Send test data” has to succeed; it makes no lead.",
        ),
        proof="Key: {secret}",
    ),
    Preset.GENERIC: Clicks(
        steps=(
            "POST to {url}",
            "Body: JSON or a form: name, phone, email, message; id (or Idempotency-Key) tells a repetition.",
            "200: the lead is stored. 503: try again later.",
        ),
        proof="Header: Authorization: Bearer {secret} (or a Standard Webhooks signature)",
    ),
}

CLICKS: Mapping[Language, Mapping[Preset, Clicks]] = {Language.RU: _RU, Language.EN: _EN}
