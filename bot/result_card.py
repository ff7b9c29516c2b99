"""The card of a run that has a result: the object itself, field by field."""

from html import escape

from agent.records.report import object_lines
from agent.views import RunView
from bot.cards import CardStyle, Rendered


def result_card(view: RunView, style: CardStyle) -> Rendered:
    """What the run came to.  At most 300 letters a field, so it always fits a message."""
    run, texts = view.run, style.texts
    assert run.result is not None, "the run has a result"
    title = texts.result_title.format(
        name=escape(view.lead.name, quote=False), status=texts.statuses[run.status]
    )
    fields = escape("\n".join(object_lines(run.result)), quote=False)
    return Rendered(text=f"{title}\n<pre>{fields}</pre>\n<i>{run.run_id}</i>")
