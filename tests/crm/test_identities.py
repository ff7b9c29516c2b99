"""One contact for a person, found by what nobody else has; never by a name, never by a guess."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.contacts import MergeReason, MergeState, email
from agent.errors import NotFound
from agent.outgoing import CardKind
from tests.company import DANA, IGOR, OLGA, Company
from tests.crm.forms import (
    DANA_PHONE,
    TIMUR_PHONE,
    filled_in,
    merge_view,
    merged,
    person_of,
    shared,
    standing,
)


async def test_the_same_details_are_the_same_contact(company: Company) -> None:
    """However they are written, and whatever name stands beside them."""
    first = await filled_in(company, phone="8 (701) 555-01-42", email="Dana@Example.KZ", name="Dana")
    again = await filled_in(company, phone=DANA_PHONE, email="dana@example.kz", name="D. Ospanova")
    assert again.id == first.id
    assert [known.identifier.value for known in (await person_of(company, first)).contacts[0].known] == [
        "dana@example.kz",
        DANA_PHONE,
    ]


async def test_one_known_detail_is_enough(company: Company) -> None:
    """What is new beside it becomes known too, as claimed."""
    first = await filled_in(company, phone=DANA_PHONE)
    second = await filled_in(company, phone=DANA_PHONE, email="dana@example.kz")
    third = await filled_in(company, email="dana@example.kz")
    assert {await standing(company, contact) for contact in (second, third)} == {first.id}
    person = await person_of(company, first)
    assert not any(known.verified for view in person.contacts for known in view.known)
    assert {merge.reason for merge in person.merges} == {MergeReason.CLAIMED}


async def test_a_name_recognises_nobody(company: Company) -> None:
    """Two people of one name stay two, and so do two who left nothing else."""
    ids = [
        (await filled_in(company, phone=phone, name="Dana Ospanova")).id
        for phone in (DANA_PHONE, TIMUR_PHONE, "", "")
    ]
    assert len(set(ids)) == 4


@pytest.mark.parametrize("doubtful", ["8 701 555 01", "+77777777777", "+7 (870) 155-50-14"])
async def test_a_doubtful_phone_recognises_nobody(company: Company, doubtful: str) -> None:
    """A number with a digit missing, of one digit, or shifted by a form's mask."""
    first = await filled_in(company, phone=doubtful)
    assert (await filled_in(company, phone=doubtful)).id != first.id
    assert (await person_of(company, first)).contacts[0].known == []


async def test_a_switchboard_is_nobody_s(company: Company) -> None:
    """Two extensions are two people, one given again is the same one, and the number itself is neither."""
    first, second, again, bare = [
        await filled_in(company, phone=phone)
        for phone in (
            "+7 727 250 10 10 доб. 104",
            "8 727 250 10 10 вн. 105",
            "8 (727) 250-10-10 доб 104",
            "+77272501010",
        )
    ]
    assert again.id == first.id
    assert len({await standing(company, contact) for contact in (first, second, bare)}) == 3


async def test_details_of_two_people_merge_nobody(company: Company) -> None:
    """The lead goes to the one of the phone; the operators are asked about the other, once."""
    dana = await filled_in(company, phone=DANA_PHONE)
    timur = await filled_in(company, email="timur@example.kz")
    both = await filled_in(company, phone=DANA_PHONE, email="timur@example.kz")
    await filled_in(company, phone=f"{DANA_PHONE}, {TIMUR_PHONE}", email="timur@example.kz")
    assert await standing(company, both) == dana.id
    assert await standing(company, timur) == timur.id
    (asked,) = [
        merge for merge in (await person_of(company, timur)).merges if merge.state is MergeState.SUGGESTED
    ]
    assert (asked.winner, asked.loser) == (dana.id, timur.id)
    assert asked.shared == email("timur@example.kz")
    assert await company.store.read(lambda tx: tx.cards.of(CardKind.MERGE, asked.id)) is not None


async def test_what_telegram_vouches_for_is_stronger(company: Company) -> None:
    """Before a phone that was only typed, however old that is."""
    typed = await filled_in(company, phone=TIMUR_PHONE)
    vouched = await shared(company, DANA, DANA_PHONE)
    lead = await filled_in(company, phone=f"{TIMUR_PHONE}, {DANA_PHONE}")
    assert await standing(company, lead) == vouched.id
    assert await standing(company, typed) == typed.id


async def test_sharing_the_own_phone_merges_at_once(company: Company) -> None:
    """The contact of the form is the Telegram user's; the group is shown it; it can be taken back."""
    form = await filled_in(company, phone=DANA_PHONE, email="dana@example.kz")
    dana = await shared(company, DANA, DANA_PHONE)
    assert await standing(company, form) == dana.id
    (merge,) = (await person_of(company, form)).merges
    assert (merge.state, merge.reason, merge.decided_by) == (MergeState.MERGED, MergeReason.VOUCHED, None)
    assert await company.store.read(lambda tx: tx.cards.of(CardKind.MERGE, merge.id)) is not None
    undone = await company.store.transaction(lambda tx: tx.merges.undo(merge, OLGA, company.clock()))
    assert undone is not None
    assert (undone.state, undone.undone_by) == (MergeState.UNDONE, OLGA)
    assert await standing(company, form) == form.id


async def test_what_people_took_apart_stays_apart(company: Company) -> None:
    """The program does not merge it again, not even when Telegram vouches for the phone once more."""
    form = await filled_in(company, phone=DANA_PHONE)
    await shared(company, DANA, DANA_PHONE)
    (merge,) = (await person_of(company, form)).merges
    await company.store.transaction(lambda tx: tx.merges.undo(merge, OLGA, company.clock()))
    await shared(company, DANA, TIMUR_PHONE)
    dana = await shared(company, DANA, DANA_PHONE)
    assert await standing(company, form) == form.id
    assert [known.identifier.value for known in (await person_of(company, dana)).contacts[0].known] == [
        str(DANA),
        DANA_PHONE,
    ]


async def test_a_phone_goes_with_its_telegram_account(company: Company) -> None:
    """Who shares it last has it: it is no longer the former owner's, and two accounts are never merged."""
    form = await filled_in(company, phone=DANA_PHONE)
    former = await shared(company, DANA, DANA_PHONE)
    present = await shared(company, 78, DANA_PHONE, "Timur")
    assert await standing(company, form) == former.id
    assert await standing(company, present) == present.id
    assert (await company.store.read(lambda tx: tx.merges.contact(former.id))).phone is None
    states = [merge.state for merge in (await person_of(company, present)).merges]
    assert states == [MergeState.SUGGESTED]


async def test_whoever_floods_the_form_asks_nobody(company: Company) -> None:
    """Of questions that wait there are twenty at most, whatever anybody makes up."""
    for number in range(30):
        first, second = f"a{number}@example.kz", f"b{number}@example.kz"
        for emails in (first, second, f"{first}, {second}"):
            await filled_in(company, email=emails)
    assert company.tamper("SELECT count(*) FROM merges WHERE state = 'suggested'") == [(20,)]


async def test_an_answer_to_a_suggestion_counts_once(company: Company) -> None:
    """One person or two, as the first operator said; the second changes nothing."""
    dana = await filled_in(company, phone=DANA_PHONE)
    timur = await filled_in(company, email="timur@example.kz")
    await filled_in(company, phone=DANA_PHONE, email="timur@example.kz")
    (_, asked) = (await person_of(company, dana)).merges
    decide = company.store.transaction
    refused = await decide(lambda tx: tx.merges.decide(asked, OLGA, 1, same=False))
    assert refused is not None
    assert (refused.state, refused.decided_by) == (MergeState.REFUSED, OLGA)
    assert await decide(lambda tx: tx.merges.decide(asked, IGOR, 2, same=True)) is None
    assert await standing(company, timur) == timur.id


async def test_merging_by_hand_settles_what_was_asked(company: Company) -> None:
    """A suggestion about two that are one by now needs nobody any more."""
    dana = await filled_in(company, phone=DANA_PHONE)
    timur = await filled_in(company, email="timur@example.kz")
    await filled_in(company, phone=DANA_PHONE, email="timur@example.kz")
    await merged(company, timur.id, dana.id, OLGA)
    assert await standing(company, dana) == timur.id
    states = {merge.reason: merge.state for merge in (await person_of(company, dana)).merges}
    assert states == {MergeReason.CLAIMED: MergeState.MERGED, MergeReason.PERSON: MergeState.MERGED}
    asked = await merge_view(company, 2)
    assert asked.merge.state is MergeState.SETTLED
    assert await merged(company, timur.id, dana.id, OLGA) is None


async def test_unknown_contacts_and_merges_are_named(company: Company) -> None:
    with pytest.raises(NotFound, match="C-9"):
        await merged(company, 9, 1, OLGA)
    with pytest.raises(NotFound, match="M-9"):
        await company.store.read(lambda tx: tx.merges.get(9))


async def take_back(company: Company, number: int) -> None:
    await company.store.transaction(lambda tx: tx.merges.undo(tx.merges.get(number), OLGA, 1))


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_any_merge_can_be_taken_back_exactly(company: Company, data: st.DataObject) -> None:
    """In whatever order merges are made and undone, who is whom follows from those that hold alone."""
    contacts = [await filled_in(company) for _ in range(6)]
    ids = st.sampled_from([contact.id for contact in contacts])
    holding: dict[int, tuple[int, int]] = {}
    for undoing, first, second in data.draw(st.lists(st.tuples(st.booleans(), ids, ids), max_size=12)):
        if undoing and holding:
            number = data.draw(st.sampled_from(sorted(holding)))
            await take_back(company, number)
            del holding[number]
        elif (merge := await merged(company, first, second, OLGA)) is not None:
            holding[merge.id] = (merge.winner, merge.loser)
    for contact in contacts:
        assert await standing(company, contact) == _root(contact.id, holding)


def _root(id: int, holding: dict[int, tuple[int, int]]) -> int:
    """Follow the merges that hold to their end."""
    for winner, loser in holding.values():
        if loser == id:
            return _root(winner, holding)
    return id


@settings(max_examples=50)
@given(st.text(max_size=40), st.text(max_size=40))
def test_identifiers_are_made_of_anything(name: str, domain: str) -> None:
    """Whatever stands in an address: one spelling, the same whatever its case; nothing is raised."""
    found = email(f"{name}@{domain}")
    assert found == email(found.value)
