"""Phones as people write them."""

import time

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.phones import Confidence, Phone, phones_in

# What is written, and the numbers that can be told from it.
SPELLINGS = [
    ("8 701 555 01 42", "+77015550142"),
    ("+7 (701) 555-01-42", "+77015550142"),
    ("87015550142", "+77015550142"),
    ("77015550142", "+77015550142"),
    (" 77015550142", "+77015550142"),
    ("7015550142", "+77015550142"),
    ("77015550142.0", "+77015550142"),
    ("8.701.555.01.42", "+77015550142"),
    ("8‒701‒555‒01‒42", "+77015550142"),
    ("8\u00a0701\u00a0555\u200b01\u00a042", "+77015550142"),
    ("+7 7172 55 01 42", "+77172550142"),
    ("+7 701 555 01 42, 8 747 555 01 43", "+77015550142 +77475550143"),
    ("87015550142 87475550143", "+77015550142 +77475550143"),
    ("87015550142/87475550143", "+77015550142 +77475550143"),
    ("8 701 555 01 42 8 747 555 01 43", "+77015550142 +77475550143"),
    ("8 747 555 01 43 (Дана) или 8 701 555 01 42 (Айгерим)", "+77475550143 +77015550142"),
    ("+7 701 555 01 42 +7 701 555 01 42", "+77015550142"),
    ("8 701 555 01 42, 87015550142", "+77015550142"),
    ("+7 900 555-01-42", "+79005550142"),
    ("8 (495) 555-01-42", "+74955550142"),
    ("8 800 080 01 42", "+78000800142"),
    ("https://wa.me/77015550142", "+77015550142"),
    ("wa.me/87015550142", "+77015550142"),
    ("https://wa.me/998905550142?text=8", "+998905550142"),
    ("https://api.whatsapp.com/send?phone=77015550142&text=hi", "+77015550142"),
    ("https://api.whatsapp.com/send/?phone=%2B77015550142&type=phone_number", "+77015550142"),
    ("+7(701)5550142 (WhatsApp)", "+77015550142"),
    ("tel87015550142", "+77015550142"),
    ("87015550142WhatsApp", "+77015550142"),
    ("тел: 8701 555 01 42 Айгерим", "+77015550142"),
    ("звоните после 18:00 на 8 701 555 0142", "+77015550142"),
    ("восемь 701 555 01 42", "+77015550142"),
    ("8 10 7 701 555 01 42", "+77015550142"),
    ("8 10 998 90 555 01 42", "+998905550142"),
    ("００998905550142", "+998905550142"),
    ("８７０１５５５０１４２", "+77015550142"),
    ("٨٧٠١٥٥٥٠١٤٢", "+77015550142"),
    ("+998 90 555 01 42", "+998905550142"),
    ("998905550142", "+998905550142"),
    ("Telegram: 998 90 555 01 42", "+998905550142"),
    ("+996 555 01 42 01", "+996555014201"),
    ("+1 (415) 555-0142", "+14155550142"),
    ("+90 532 123 45 67", "+905321234567"),
    ("+49 1512 3456789", "+4915123456789"),
]

# What cannot be told without a guess, and how it is kept.
UNREADABLE = [
    "+7 7O1 555 O1 42",
    "8 701 555 О1 42",
    "+7 (870) 155-50-14",
    "555-01-42",
    "11111111111",
    "8 700 ***-**-42",
    "8 701 xxx xx 42",
    "0555 01 42 01",
    "8 701 555 01 4",
    "+7 701 555 01 422",
    "8 701 555 01 42 5",
    "+87015550142",
]

EXTENSIONS = [
    ("8(701)555-01-42 доб. 12", "12"),
    ("8 701 555 01 42 добавочный 12", "12"),
    ("8-701-555-01-42 ext 7", "7"),
    ("8-701-555-01-42 x7", "7"),
    ("+7 727 355 01 42 вн. 104", "104"),
    ("+7 727 355 01 42 (вн 104)", "104"),
    ("+7 727 355 01 42, внутренний номер 104", "104"),
    ("+7 727 355 01 42 ішкі нөмірі 104", "104"),
    ("+7 727 355 01 42 #104", "104"),
    ("+7 727 355 01 42;ext=104", "104"),
]

NO_PHONE = [
    "",
    "нет телефона, пишите в телеграм @user",
    "user87015550142@mail.ru",
    "https://shop.example/item/87015550142",
    "+7 (___) ___-__-__",
    "18:00",
]


def e164(phones: list[Phone]) -> list[str]:
    return [phone.trusted for phone in phones if phone.trusted]


@pytest.mark.parametrize(("written", "wanted"), SPELLINGS)
def test_a_number_is_read_however_it_is_written(written: str, wanted: str) -> None:
    """Every number of the text, each once, in order, and sure."""
    phones = phones_in(written, "KZ")
    assert [phone.trusted for phone in phones] == wanted.split()


@pytest.mark.parametrize("written", UNREADABLE)
def test_what_cannot_be_read_is_kept_as_written_and_never_guessed(written: str) -> None:
    """Doubtful, without E.164, for a person to look at."""
    assert phones_in(written, "KZ") == [
        Phone(raw=written, e164=None, extension=None, confidence=Confidence.DOUBTFUL)
    ]


@pytest.mark.parametrize("written", ["+77777777777", "+7 (877) 555-50-14"])
def test_a_number_that_exists_may_be_doubtful_all_the_same(written: str) -> None:
    """One digit repeated, or 8 775 555 50 14 whose 8 a mask took for a digit: as written, and not trusted."""
    (phone,) = phones_in(written, "KZ")
    assert (phone.e164 is not None, phone.trusted) == (True, None)


def test_a_trunk_in_a_mask_is_suspected_only_where_it_happens() -> None:
    """The same digits are a landline of Adygea when they are dialled so, or to a company in Russia."""
    assert e164(phones_in("8 (877) 255-01-42", "KZ")) == ["+78772550142"]
    assert e164(phones_in("+7 (877) 255-01-42", "RU")) == ["+78772550142"]


@pytest.mark.parametrize(("written", "extension"), EXTENSIONS)
def test_an_extension_is_kept_beside_the_number(written: str, extension: str) -> None:
    """In Russian, Kazakh, English and signs; it never becomes part of the number."""
    (phone,) = phones_in(written, "KZ")
    assert (phone.extension, phone.confidence) == (extension, Confidence.SURE)
    assert phone.e164 is not None
    assert len(phone.e164) == len("+77015550142")


@pytest.mark.parametrize("written", NO_PHONE)
def test_other_digits_are_no_phone(written: str) -> None:
    """Addresses, links, handles and an empty mask hold nothing, not even something doubtful."""
    assert phones_in(written, "KZ") == []


@pytest.mark.parametrize("text", ["мой ИИН 900101300123", "заказ 14155550142", "с 12.11 по 905321234567"])
def test_a_number_of_abroad_without_plus_is_not_looked_for_in_a_sentence(text: str) -> None:
    """Twelve digits among other words may be anything."""
    assert e164(phones_in(text, "KZ")) == []


@pytest.mark.parametrize(
    ("region", "written", "wanted"),
    [
        ("KG", "0555 01 42 01", "+996555014201"),
        ("UZ", "90 555 01 42", "+998905550142"),
        ("RU", "8 900 555-01-42", "+79005550142"),
        ("DE", "01512 3456789", "+4915123456789"),
        ("US", "(415) 555-2671", "+14155552671"),
    ],
)
def test_the_region_reads_national_numbers(region: str, written: str, wanted: str) -> None:
    """What is doubtful in one country is plain in another."""
    assert e164(phones_in(written, region)) == [wanted]


@given(
    region=st.sampled_from(["KZ", "RU", "UZ", "KG", "TR", "DE", "US", "GB"]),
    format=st.sampled_from(
        [phonenumbers.PhoneNumberFormat.E164, phonenumbers.PhoneNumberFormat.INTERNATIONAL]
    ),
    words=st.sampled_from(["{}", "тел. {}", "{} (WhatsApp)", "Айгерим, {}, после обеда", "tel:{}"]),
)
def test_a_valid_number_survives_any_spelling(region: str, format: int, words: str) -> None:
    """Round trip: written internationally, among words, it comes back the same."""
    example = phonenumbers.example_number_for_type(region, phonenumbers.PhoneNumberType.MOBILE)
    assert example is not None
    wanted = phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)
    assert e164(phones_in(words.format(phonenumbers.format_number(example, format)), "KZ")) == [wanted]


@given(
    text=st.text(alphabet=st.sampled_from("0123456789+-() .,/*xоОo\u200b٨８\n@:"), max_size=60)
    | st.text(max_size=60)
)
def test_any_text_is_read_without_a_fault(text: str) -> None:
    """Whatever is found was written there, and E.164 looks like E.164."""
    for phone in phones_in(text, "KZ"):
        assert phone.raw
        assert phone.e164 is None or phonenumbers.is_valid_number(phonenumbers.parse(phone.e164))


@pytest.mark.parametrize(
    "unit", ["1", "1 ", "(1)", "+7", "12/34", "87015550142 ", "1.", "8701555 доб ", "1x", "x", "@", "1*"]
)
def test_hostile_text_costs_milliseconds(unit: str) -> None:
    """A million characters made for backtracking are looked at for a moment only."""
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    phones = phones_in(text, "KZ")
    assert time.process_time() - start < 0.5
    assert len(phones) <= 100
