"""Whatever people and the model write, the card is accepted and shows exactly what then leaves."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.jsontext import clean, digest
from agent.limits import Limits
from agent.proposals import Proposal, ProposalState
from agent.runs import Lead, Person, Run, RunStatus
from agent.views import CardView, RunView
from bot.cards import LIMIT, CardStyle, Rendered, run_card
from bot.proposal_card import proposal_card
from bot.sandbox.chats import Chat, ChatType
from bot.sandbox.entities import plain
from bot.sandbox.keyboards import inline_keyboard
from bot.sandbox.script import Turn, lead_of, say, turn, turns_done
from bot.sandbox.telegram_html import parse_html
from bot.sandbox.transcript import Json
from bot.settings import Language
from bot.texts import texts
from tests.bot.harness import APPROVE, Office, block_of, data_of, office, reply, text_of

NASTY = {
    "tags": "</pre></blockquote><b>bold & <i>brash &lt; &amp; &#60;",
    "heart": "<3 <3 <3 I love it & so on <3",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 family and flags, all of it",
    "rtl": "مرحبا، نحتاج إلى نظام \u202eCRM\u202c من فضلك",
    "zero width": "a\u200bb\u200cc\u200dd\ufeffe\u2060f and twenty letters",
    "nul": "before\x00after, and more than twenty letters",
    "control": "bell\x07 escape\x1b[31m tab\t form\f feed letters",
    "surrogate": "half a pair \ud83d and the rest of the words",
    "lines": "one\n\n\n  two\r\nthree\u2028four\u2029five and so on",
    "kazakh": "Қайырлы күн! Сізге ертең хабарласамыз, рақмет.",
    "long": "<&>" * 166,
    "braces": "{name} {0} {} %s %(name)s and twenty letters more",
}
NAMES = ["<3", "</b>&amp;", "   ", "\u200b", "{who}", "🦄" * 32, "ᅟ", "a\nb", "&" * 64]
FAR = 2**52 - 1
"""The largest id that Telegram promises to use."""


@dataclass(frozen=True)
class Sayings:
    """A model that says the n-th text to the n-th lead."""

    said: list[str]

    def reply(self, body: Json) -> Turn:
        if turns_done(body) == 0:
            return turn(reply(self.said[int(lead_of(body).id.removeprefix("L-")) - 1]))
        return turn(say("Done."))


async def check_exact(bot: Office, said: list[str]) -> None:
    """Every card that waits shows the text that reaches its lead once it is approved, letter for letter."""
    cards = await bot.until(lambda: found if len(found := bot.waiting()) == len(said) else None, "all cards")
    shown = {data_of(card, APPROVE): block_of(card) for card in cards}
    for card in cards:
        bot.press(card, APPROVE)
    await bot.until(
        lambda: bot.value("SELECT count(*) FROM runs WHERE status = 'done'") == len(said), "the ends"
    )
    rows = bot.rows(
        "SELECT token, telegram_id, lead_id FROM proposals JOIN runs ON runs.id = proposals.run_id"
        " JOIN contacts ON contacts.id = runs.contact_id"
    )
    assert len(rows) == len(said)
    for token, telegram_id, lead_id in rows:
        (left,) = bot.sent_to(telegram_id)
        assert text_of(left) == plain(clean(said[lead_id - 1].strip())).text
        assert shown[f"a:{token}"].strip() == text_of(left)


def at_once(folder: Path) -> str:
    """A policy by which no text takes a second press, whatever stands in it."""
    policy = folder / "policy.toml"
    policy.write_text("second_press = false")
    return str(policy)


async def test_nasty_texts_of_the_model(tmp_path: Path) -> None:
    """Markup, emoji, right-to-left, NUL, half a surrogate pair: shown and sent alike."""
    said = list(NASTY.values())
    async with office(tmp_path, Sayings(said), policy_file=at_once(tmp_path)) as bot:
        await bot.start()
        for number in range(len(said)):
            bot.lead(f"Lead {number}")
        await check_exact(bot, said)


async def test_nasty_words_and_names_of_leads(tmp_path: Path) -> None:
    """A lead named <3, one without a visible name, ids beyond 32 bit, and 4096 letters of markup."""
    words = [text for kind, text in NASTY.items() if kind != "surrogate"] + [
        "<" * 4096,
        "&" * 4096,
        "😀" * 4096,
    ]
    said = ["Thank you, a person will call you."] * (len(words) + len(NAMES))
    async with office(tmp_path, Sayings(said), policy_file=at_once(tmp_path)) as bot:
        await bot.start()
        for number, text in enumerate(words):
            bot.lead(f"Lead {number}", text, user_id=FAR - number)
        for name in NAMES:
            bot.lead(name, "hello")
        await check_exact(bot, said)


TEXTS = st.text(min_size=20, max_size=500).filter(
    lambda text: len(clean(text).strip()) >= 20 and plain(clean(text)).text
)


@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(TEXTS, st.text(max_size=64), st.text(min_size=1, max_size=400)), min_size=6, max_size=6
    )
)
async def test_any_words(cases: list[tuple[str, str, str]]) -> None:
    """Any text of the model, any name, any words: the card comes, and what it shows is what leaves."""
    said = [text for text, _, _ in cases]
    with tempfile.TemporaryDirectory() as folder:
        async with office(Path(folder), Sayings(said), policy_file=at_once(Path(folder))) as bot:
            await bot.start()
            for _, name, words in cases:
                bot.lead(name.encode("utf-8", "replace").decode(), words.encode("utf-8", "replace").decode())
            await check_exact(bot, said)


# --- the same of cards alone, which is quicker

ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
STYLES = {language: CardStyle(texts=texts(language), zone=ZoneInfo("UTC")) for language in Language}


def view_of(name: str, words: str, *, reason: str = "") -> RunView:
    run = Run(
        id=2**40,
        agent="lead",
        lead_id=2**40,
        contact_id=1,
        spec_hash="",
        status=RunStatus.FAILED if reason else RunStatus.DONE,
        reason=reason or None,
        limits=Limits(),
        created_at=0,
    )
    lead = Lead(
        id=2**40,
        contact_id=1,
        source="telegram",
        name=name,
        phone="+77010000000",
        message=words,
        telegram_id=FAR,
    )
    return RunView(
        run=run,
        model="claude",
        lead=lead,
        username="a_user",
        blocked=False,
        deals=[],
        escalations=[reason] * 9,
        proposals=[],
        unread=[],
    )


def proposal_of(arguments: Json, state: ProposalState, who: str = "Olga") -> Proposal:
    return Proposal(
        id=2**40,
        run_id=1,
        call_id="toolu_1",
        tool="send_reply" if "text" in arguments else "refund",
        arguments=arguments,
        arguments_hash=digest(arguments),
        token="t" * 22,
        state=state,
        created_at=0,
        expires_at=10**12,
        decided_by=None if state is ProposalState.PENDING else Person(id=FAR, name=who),
        note=who,
    )


def check_accepted(card: Rendered) -> str:
    """What a message of Telegram would show; raises what Telegram would refuse."""
    shown = parse_html(card.text)
    assert 1 <= len(shown.text) <= len(card.text) <= LIMIT
    if card.markup:
        inline_keyboard(card.markup.to_dict(), Chat(id=-1, type=ChatType.SUPERGROUP), set())
    return shown.text


@pytest.mark.parametrize("language", Language)
@settings(max_examples=60)
@given(
    name=ANY, words=ANY, said=ANY.filter(lambda text: plain(text).text), state=st.sampled_from(ProposalState)
)
def test_a_card_is_always_accepted(
    language: Language, name: str, words: str, said: str, state: ProposalState
) -> None:
    """In every state, in both languages: valid HTML, within the limit, legal buttons, the whole text."""
    shown = CardView(proposals=[proposal_of({"text": said}, state, who=name)], view=view_of(name, words))
    card = proposal_card(shown, STYLES[language])
    assert plain(said).text in check_accepted(card)
    asking = (ProposalState.PENDING, ProposalState.UNCERTAIN, ProposalState.HANDED_OVER)
    assert (state in asking) is bool(card.buttons)


@pytest.mark.parametrize("language", Language)
@settings(max_examples=60)
@given(name=ANY, words=ANY, reason=st.text(st.sampled_from("<>&\"' aж"), max_size=300))
def test_a_card_of_a_run_is_always_accepted(language: Language, name: str, words: str, reason: str) -> None:
    """However long the reasons and words are."""
    check_accepted(run_card(view_of(name[:128], words, reason=reason), STYLES[language]))


@pytest.mark.parametrize("length", [2_000, 5_000, 100_000])
@pytest.mark.parametrize("letter", ["a", "<", "&", "😀"])
def test_no_approval_under_a_shortened_text(length: int, letter: str) -> None:
    """What leaves is on the card whole, or whole in the file that is posted before the card."""
    said = letter * length
    card = proposal_card(
        CardView(proposals=[proposal_of({"text": said}, ProposalState.PENDING)], view=view_of("Dana", "hi")),
        STYLES[Language.EN],
    )
    whole = said in check_accepted(card)
    assert whole or (card.document is not None and said in card.document)
    assert card.buttons


def test_every_argument_of_another_tool_is_shown() -> None:
    """A tool that sends no text is shown with all of its arguments."""
    arguments = {"amount": 100, "reason": "<double & paid>"}
    shown = CardView(proposals=[proposal_of(arguments, ProposalState.PENDING)], view=view_of("Dana", "hi"))
    text = check_accepted(proposal_card(shown, STYLES[Language.EN]))
    assert text.startswith("⚙️ refund for Dana")
    assert '{"amount":100,"reason":"<double & paid>"}' in text
