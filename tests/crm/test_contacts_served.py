"""Contacts where people meet them: forms, the chat, the operators' group, the command line."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from bot.sandbox.script import Script, call, say, turn
from tests.bot.harness import escalating, labels_of, text_of
from tests.crm.forms import DANA_PHONE
from tests.hooks_http.site import Site

FORM = {"name": "Dana O.", "phone": "8 701 555 01 42", "email": "dana@example.kz", "message": "A clinic CRM."}


async def test_a_phone_shared_in_the_chat_is_known_from_the_form(site: Site) -> None:
    """Both leads are of one contact; the group is shown why, and what each is known by; a press undoes it."""
    bot = site.office
    await site.post(FORM)
    (form,) = await site.leads()
    assert form["contact_id"] == "C-1"
    dana = bot.lead("Dana")
    bot.world.share_contact(dana, "77015550142")
    card = await bot.shown("C-1 is C-2", "Telegram confirms the phone")
    assert f"{DANA_PHONE} ✓" in text_of(card)
    assert "dana@example.kz" in text_of(card)
    assert {lead["contact_id"] for lead in await site.leads()} == {"C-2"}

    assert (await bot.pressed(card, "Take back", bot.igor)).text == "Taken back: they are two contacts again."
    await bot.shows(card, "Taken back by Igor")
    assert labels_of(card) == []
    assert [lead["contact_id"] for lead in await site.leads()] == ["C-1", "C-2"]


async def test_operators_say_whether_it_is_one_person(site: Site) -> None:
    """Strangers may not; the first answer counts; what is merged can be taken back."""
    bot = site.office
    await site.post({**FORM, "email": ""})
    await site.post({**FORM, "phone": "", "message": "Another thing."})
    await site.post({**FORM, "message": "And a third."})
    await site.leads()
    card = await bot.shown("One person or two?", "Both have dana@example.kz")
    stranger = bot.world.add_person("Eve")
    assert (await bot.pressed(card, "One person", stranger)).alert
    assert (await bot.pressed(card, "One person")).text == "One person from now on."
    await bot.shows(card, "C-2 is C-1", "said Olga")
    assert {lead["contact_id"] for lead in await site.leads()} == {"C-1"}
    query = bot.press(card, "Take back")
    await bot.toast(query)
    await bot.shows(card, "Taken back by Olga")


async def test_a_forged_press_does_nothing(site: Site) -> None:
    """The data of a merge's button under another message, or of a merge that is none."""
    bot = site.office
    await site.post(FORM)
    dana = bot.lead("Dana")
    bot.world.share_contact(dana, "77015550142")
    card = await bot.shown("C-1 is C-2")
    other = await bot.command("/help")
    for message, data in ((other.id, "merge:undo:1"), (card.id, "merge:undo:2")):
        query = bot.world.press(bot.olga, bot.group_id, message, data)
        assert (await bot.toast(query)).alert
    assert bot.value("SELECT state FROM merges") == "merged"


async def test_what_a_form_claims_is_seen_and_undone_in_the_group(site: Site) -> None:
    """On the card of its lead, from there on one of its own; also after a restart and further leads."""
    bot = site.office
    bot.api.model = escalating()
    path = urlsplit(site.urls["site"]).path
    await site.post({**FORM, "email": ""})
    await bot.shown("A person is needed")
    claim = {**FORM, "email": "other@example.kz", "message": "A site."}
    await site.post(claim)
    await bot.shown("C-2 is taken for C-1", "/merge M-1")
    await bot.restart()
    site.urls["site"] = f"{bot.url}{path}"
    await site.post({**claim, "message": "One thing more."})
    assert [lead["contact_id"] for lead in await site.leads()] == ["C-1", "C-1", "C-1"]

    bot.world.say(bot.olga, "/merge M-1", chat_id=bot.group_id)
    merge = await bot.shown("C-2 is C-1", f"a form gave {DANA_PHONE} too")
    assert (await bot.pressed(merge, "Take back")).text == "Taken back: they are two contacts again."
    await bot.shows(merge, "Taken back by Olga")
    assert [lead["contact_id"] for lead in await site.leads()] == ["C-1", "C-2", "C-2"]
    await bot.until(lambda: not bot.cards("taken for"), "cards without the merge")


async def test_merging_in_the_group(site: Site) -> None:
    """Two contacts become one person by a word of an operator; strangers are not answered."""
    bot = site.office
    await site.post({**FORM, "email": ""})
    await site.post({"name": "Timur", "email": "timur@example.kz", "message": "A website, please."})
    await site.leads()
    stranger = bot.world.add_person("Eve")
    bot.world.say(stranger, "/merge C-1 C-2", chat_id=bot.group_id)
    for words, answer in (
        ("/merge", "/merge M-3 shows"),
        ("/merge Dana", "/merge M-3 shows"),
        ("/merge M-1", "There is no M-1."),
        ("/merge C-1 C-9", "There is no C-9."),
        ("/merge C-1 C-1", "C-1 and C-1 are one person already."),
    ):
        assert answer in text_of(await bot.command(words)), words
    assert bot.value("SELECT count(*) FROM merges") == 0
    bot.world.say(bot.olga, "/merge C-1 C-2", chat_id=bot.group_id)
    card = await bot.shown("C-2 is C-1", "said Olga")
    assert "Take back" in " ".join(labels_of(card))


async def test_contacts_by_command(site: Site) -> None:
    """List, show, merge and unmerge while the bot serves; the card follows."""
    bot = site.office
    await site.post({**FORM, "email": ""})
    await site.post({"name": "Timur", "email": "timur@example.kz", "message": "A website, please."})
    await site.leads()
    listed = (await site.run("contacts", "--json")).json
    assert [(line["contact_id"], line["name"], line["leads"]) for line in listed] == [
        ("C-2", "Timur", 1),
        ("C-1", "Dana O.", 1),
    ]
    assert listed[1]["identifiers"][0] | {"since": ""} == {
        "kind": "phone",
        "value": DANA_PHONE,
        "verified": False,
        "source": "site",
        "since": "",
        "contact_id": "C-1",
    }
    assert "C-2 is C-1 now" in (await site.run("contacts", "merge", "C-1", "C-2")).out
    await bot.shown("C-2 is C-1", "said command line")
    shown = (await site.run("contacts", "show", "C-2", "--json")).json
    assert (shown["contact_id"], shown["merged"], shown["leads"]) == ("C-1", ["C-2"], ["L-2", "L-1"])
    assert [merge["state"] for merge in shown["merges"]] == ["merged"]
    assert "M-1" in (await site.run("contacts", "show", "C-1")).out
    assert (await site.run("contacts", "merge", "C-2", "C-1")).code == 2
    assert (await site.run("contacts", "unmerge", "M-1")).code == 0
    assert {lead["contact_id"] for lead in await site.leads()} == {"C-1", "C-2"}
    assert "Timur" in (await site.run("contacts")).out


WRONG = [
    (("show", "Dana"), 2, "like C-1"),
    (("show", "C-99"), 1, "no contact C-99"),
    (("merge", "C-1"), 2, "merge C-1 C-2"),
    (("merge", "C-1", "C-99"), 1, "no contact C-99"),
    (("unmerge", "M-99"), 1, "no merge M-99"),
]


async def test_wrong_commands_are_told_in_plain_words(site: Site) -> None:
    """What is no name of a contact or merge, or names none that there is."""
    await site.post(FORM)
    await site.leads()
    for argv, code, words in WRONG:
        ran = await site.run("contacts", *argv)
        assert (ran.code, ran.out) == (code, ""), argv
        assert words in ran.err


async def test_the_form_of_a_stranger_is_told_nothing(site: Site) -> None:
    """Served whole: Dana's chat, then a form with her phone and another's e-mail, answered by e-mail."""
    bot = site.office
    path = urlsplit(site.urls["site"]).path
    await bot.restart(
        smtp_host="127.0.0.1", smtp_port=1, smtp_from="a@example.kz", reply_channels="email,telegram"
    )
    site.urls["site"] = f"{bot.url}{path}"
    bot.api.model = Script([turn(call("get_customer_history")), turn(say("Done."))])
    dana = bot.lead("Dana", "The clinic is sold in May.")
    bot.world.share_contact(dana, "77015550142")
    await bot.ended()
    await site.post({**FORM, "email": "thief@example.kz", "message": "What did I order?"})
    await bot.ended(2)
    attack = json.dumps([request for request in bot.api.requests if "What did I" in json.dumps(request)])
    assert "What did I" in attack
    assert "sold in May" not in attack
