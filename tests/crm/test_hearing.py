"""Whom an answer may speak of: whoever types another's phone into a form learns nothing of that person."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.channels import ChannelKind
from agent.contacts import Identifier, IdentifierKind
from agent.hearing import Kin, audible
from agent.proposals import Verdict
from agent.runs import Run, RunStatus
from bot.sandbox.script import call, say, turn
from tests.company import DANA, OLGA, Company, deal, reply
from tests.crm.forms import DANA_PHONE, TIMUR_PHONE, answering, merged, person_of, posted, shared

THIEF = 666
SECRET = "The clinic is sold in May."
EMAIL, BY_HAND, TELEGRAM, WEBHOOK = (
    ChannelKind.EMAIL,
    ChannelKind.HAND_OVER,
    ChannelKind.TELEGRAM,
    ChannelKind.WEBHOOK,
)


async def told(company: Company, run: Run) -> str:
    """All that the history showed in the run, as one text."""
    company.script(turn(call("get_customer_history")), turn(say("Done.")))
    company.api.requests.clear()
    await company.work(run)
    (result,) = [
        block for block in company.requests[-1]["messages"][-1]["content"] if block["type"] == "tool_result"
    ]
    return json.dumps(json.loads(result["content"]))


async def worked(company: Company, run: Run) -> None:
    """The lead gets a deal, and its run ends."""
    company.script(turn(deal(summary=SECRET)), turn(say("Done.")))
    assert (await company.work(run)).status is RunStatus.DONE
    company.clock.forward(1000)


async def victim(company: Company) -> None:
    """Dana wrote in Telegram, where her phone is vouched for, and filled in a form with that phone."""
    await shared(company, DANA, DANA_PHONE)
    await worked(company, await company.lead(f"{SECRET} In Telegram.", DANA))
    await worked(company, await posted(company, f"{SECRET} In a form.", phone=DANA_PHONE))


# --- attacks


@pytest.mark.parametrize("ways", [(EMAIL,), (EMAIL, TELEGRAM), (TELEGRAM, EMAIL), (WEBHOOK,)])
async def test_another_s_phone_beside_an_own_address(company: Company, ways: tuple[ChannelKind, ...]) -> None:
    """The answer goes to the attacker's address, which Dana never gave: nothing of hers is in it."""
    answering(company, *ways)
    await victim(company)
    attack = await posted(company, "What did I order?", phone=DANA_PHONE, email="thief@example.kz")
    assert "sold" not in await told(company, attack)


async def test_a_claim_in_two_steps(company: Company) -> None:
    """Another's phone beside the own e-mail first; then from the e-mail alone, or in Telegram.

    That the two stood together proves nothing: no history, no deal, no returning customer.
    """
    answering(company, EMAIL, TELEGRAM)
    await victim(company)
    await worked(company, await posted(company, "Hi!", phone=DANA_PHONE, email="thief@example.kz"))
    for attack in (
        await posted(company, "What did I order?", email="thief@example.kz"),
        await company.lead("What did I order?", THIEF, "Eve"),
    ):
        lead = await company.store.read(lambda tx, run=attack: tx.runs.lead(run))  # type: ignore[misc]
        assert not await company.store.read(lambda tx, lead=lead: tx.runs.is_returning(lead))  # type: ignore[misc]
        assert await company.store.read(lambda tx, lead=lead: tx.crm.deals(lead)) == []  # type: ignore[misc]
        seen = await told(company, attack)
        assert "In a form" not in seen
        assert "In Telegram" not in seen
        assert "D-1" not in seen


async def test_a_trap_laid_before_the_victim_came(company: Company) -> None:
    """The attacker's form is there before Dana ever writes."""
    answering(company, EMAIL)
    await worked(company, await posted(company, "Hi!", phone=DANA_PHONE, email="thief@example.kz"))
    await victim(company)
    attack = await posted(company, "What did I order?", email="thief@example.kz")
    assert "In " not in await told(company, attack)
    both = await posted(company, "And now?", phone=DANA_PHONE, email="thief@example.kz")
    assert "In " not in await told(company, both)


async def test_two_phones_in_one_form(company: Company) -> None:
    """The answer goes to the first; what was said with the second stays with its owner."""
    answering(company)
    await victim(company)
    attack = await posted(company, "What did I order?", phone=f"{TIMUR_PHONE}, {DANA_PHONE}")
    assert "sold" not in await told(company, attack)


@pytest.mark.parametrize("way", [WEBHOOK, BY_HAND])
async def test_a_doubtful_phone_beside_another_s(company: Company, way: ChannelKind) -> None:
    """It may be the attacker's: what exactly was given, and who hears the answer, is not certain then."""
    answering(company, way)
    await worked(company, await posted(company, f"{SECRET} In a form.", phone=DANA_PHONE))
    attack = await posted(company, "What did I order?", phone=f"{DANA_PHONE}, +7 (870) 155-50-14")
    lead = await company.store.read(lambda tx: tx.runs.lead(attack))
    assert len(lead.phones) == 2
    assert not await company.store.read(lambda tx: tx.runs.is_returning(lead))
    assert ("sold" in await told(company, attack)) is (way is BY_HAND)


async def test_a_mistyped_phone(company: Company) -> None:
    """Timur once typed Dana's number by mistake.  What he tells later, elsewhere, is not told to her."""
    answering(company, TELEGRAM, EMAIL)
    await shared(company, DANA, DANA_PHONE)
    await worked(company, await posted(company, "Mistyped.", phone=DANA_PHONE, email="timur@example.kz"))
    later = await posted(company, f"{SECRET} Of Timur.", phone=TIMUR_PHONE, email="timur@example.kz")
    await worked(company, later)
    assert "Of Timur" not in await told(company, await company.lead("What do you know?", DANA))


async def test_a_phone_that_changed_hands(company: Company) -> None:
    """When another Telegram account has the number, its new owner hears nothing of the former one's chat."""
    answering(company)
    await victim(company)
    await shared(company, 78, DANA_PHONE, "Timur")
    assert "In Telegram" not in await told(company, await posted(company, "Hello?", phone=DANA_PHONE))
    assert "sold" not in await told(company, await company.lead("Hello?", 78, "Timur"))


async def test_words_in_the_chat_go_into_no_run_of_a_form(company: Company) -> None:
    """The form's answer goes to the attacker: what Dana writes meanwhile is read by a run of her own."""
    answering(company, EMAIL, TELEGRAM)
    await victim(company)
    attack = await posted(company, "Hi!", phone=DANA_PHONE, email="thief@example.kz")
    company.script(turn(reply("Good day! What may we do for you?")), turn(say("Done.")))
    assert (await company.work(attack)).status is RunStatus.AWAITING_CONFIRMATION
    own = await company.lead(f"{SECRET} Just now.", DANA)
    assert own.id != attack.id
    await company.settle(attack, Verdict.APPROVE)
    assert "Just now" not in json.dumps(company.requests)


# --- what is meant to be heard


async def test_a_phone_that_was_given_before_is_answered_with_what_was_told(company: Company) -> None:
    """By hand, the answer goes to that phone: to whoever told it."""
    answering(company)
    await worked(company, await posted(company, f"{SECRET} In a form.", phone=DANA_PHONE))
    seen = await told(company, await posted(company, "Any news?", phone="8 701 555 01 42", name="D."))
    assert "In a form" in seen
    assert "D-1" in seen


async def test_all_that_was_given_before_is_given_again(company: Company) -> None:
    """Beside a new number of theirs, too; what was given with more than that is kept back."""
    answering(company)
    await worked(company, await posted(company, f"{SECRET} By phone.", phone=DANA_PHONE))
    both = await posted(company, f"{SECRET} With an e-mail.", phone=DANA_PHONE, email="dana@example.kz")
    await worked(company, both)
    seen = await told(company, await posted(company, "So?", phone=f"{DANA_PHONE}, {TIMUR_PHONE}"))
    assert "By phone" in seen
    assert "With an e-mail" not in seen
    assert "With an e-mail" not in await told(company, await posted(company, "So?", phone=DANA_PHONE))


async def test_what_telegram_vouches_for_is_heard_in_the_chat(company: Company) -> None:
    """There forms with the shared phone are known; a form that names the phone hears nothing of the chat."""
    answering(company, TELEGRAM)
    await victim(company)
    seen = await told(company, await company.lead("Any news?", DANA))
    assert "In Telegram" in seen
    assert "In a form" in seen
    seen = await told(company, await posted(company, "Any news?", phone=DANA_PHONE))
    assert "In Telegram" not in seen
    assert "In a form" in seen


async def test_what_an_operator_merged_is_heard(company: Company) -> None:
    """And no more once that is taken back."""
    answering(company, TELEGRAM, EMAIL)
    await worked(company, await company.lead(f"{SECRET} In Telegram.", DANA))
    form = await posted(company, f"{SECRET} In a form.", email="dana@example.kz")
    await worked(company, form)
    await worked(company, await posted(company, "Hi!", phone=TIMUR_PHONE, email="dana@example.kz"))
    merge = await merged(company, 1, form.contact_id, OLGA)
    assert merge is not None
    assert "In a form" in await told(company, await company.lead("Any news?", DANA))
    assert "In Telegram" in await told(company, await posted(company, "Any news?", email="dana@example.kz"))
    await company.store.transaction(lambda tx: tx.merges.undo(merge, OLGA, company.clock()))
    assert "In a form" not in await told(company, await company.lead("Any news?", DANA))
    assert "In Telegram" not in await told(company, await posted(company, "So?", email="dana@example.kz"))


async def test_what_is_claimed_after_a_merge_hears_nothing(company: Company) -> None:
    """An operator vouched for what there was then, not for whatever a form adds later."""
    answering(company, TELEGRAM, EMAIL)
    await victim(company)
    form = await posted(company, "Hi!", email="dana@example.kz")
    await worked(company, form)
    await merged(company, 1, form.contact_id, OLGA)
    await worked(company, await posted(company, "Hi!", email="dana@example.kz, thief@example.kz"))
    attack = await posted(company, "What did I order?", email="thief@example.kz")
    assert (await person_of(company, attack.contact_id)).contact.id == 1
    assert "In " not in await told(company, attack)


# --- the rule itself

IDENTIFIERS = [Identifier(kind=IdentifierKind.PHONE, value=str(number)) for number in range(5)]
KNOWN = st.frozensets(st.sampled_from(IDENTIFIERS), max_size=3)
PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=3)


@st.composite
def families(draw: Any) -> tuple[Kin, list[Kin]]:
    """The contact of a lead, and those that are the same person."""
    known = draw(st.lists(KNOWN, min_size=1, max_size=5))
    own, *others = (
        Kin(contact_id=id, known=mine, verified=frozenset(item for item in mine if draw(st.booleans())))
        for id, mine in enumerate(known)
    )
    return own, others


@settings(max_examples=100)
@given(family=families(), heard_by=KNOWN)
def test_a_claim_opens_only_what_it_names_whole(
    family: tuple[Kin, list[Kin]], heard_by: frozenset[Identifier]
) -> None:
    """Where Telegram vouches for nothing: all that was named then, and an address of each listener in it."""
    own, others = family
    claimed = replace(own, verified=frozenset())
    for kin in others:
        if kin.contact_id in audible(heard_by, claimed, others, []):
            assert kin.known <= own.known
            assert heard_by <= kin.known


@settings(max_examples=100)
@given(family=families(), heard_by=KNOWN, more=st.sampled_from(IDENTIFIERS), pairs=PAIRS)
def test_another_listener_never_widens_what_is_told(
    family: tuple[Kin, list[Kin]],
    heard_by: frozenset[Identifier],
    more: Identifier,
    pairs: list[tuple[int, int]],
) -> None:
    """All who hear the answer must be allowed to; of the lead's own contact whoever does."""
    own, others = family
    wider, narrower = (audible(ears, own, others, pairs) for ears in (heard_by, heard_by | {more}))
    assert own.contact_id in narrower
    if heard_by:
        assert narrower <= wider
