"""What people copy and read names exactly the settings and commands that there are."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.__main__ import _parser
from bot.settings import Settings

ROOT = Path(__file__).parent.parent.parent
READMES = ("README.md", "README.ru.md")
REQUIRED = ("TELEGRAM_BOT_TOKEN", "OPERATORS_CHAT_ID", "OPERATOR_IDS", "ANTHROPIC_API_KEY")

# Names that scripts and people rely on: taking one away breaks somebody.
RELIED_ON = {
    *REQUIRED,
    "TELEGRAM_API_URL",
    "ADMIN_IDS",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "DATABASE_URL",
    "MAX_STEPS",
    "MAX_TOKENS",
    "APPROVAL_TTL",
    "LANGUAGE",
    "PUBLIC_URL",
    "TELEGRAM_WEBHOOK_SECRET",
    "HTTP_HOST",
    "HTTP_PORT",
    "PRICES",
}
COMMANDS = {
    *("serve", "demo", "sandbox", "runs", "show", "journal", "check", "migrate", "feedback", "replay"),
    *("events", "export"),
}

# What looks like a setting in the documents and is none.
OTHERS = {"FILE", "RUN", "NODE_FUNCTION_ALLOW_BUILTIN"}


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in names():
        monkeypatch.delenv(name, raising=False)


def names() -> set[str]:
    return {field.upper() for field in Settings.model_fields}


def example() -> dict[str, str]:
    """Every setting of .env.example and its value there, whether it is commented out or not."""
    found = re.findall(r"^#?([A-Z][A-Z0-9_]*)=(.*)$", text_of(".env.example"), re.MULTILINE)
    assert len(found) == len(dict(found)), "a setting stands there twice"
    return {name: value.strip("\"'") for name, value in found}


def table(readme: str) -> dict[str, str]:
    """Every setting of a README's table and its default there; empty for a dash."""
    rows = re.findall(r"^\| `([A-Z][A-Z0-9_]*)` \| (?:`([^`]+)`|–) \|", text_of(readme), re.MULTILINE)
    assert len(rows) == len(dict(rows)), "a setting stands there twice"
    return dict(rows)


def commands() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in _parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def test_the_example_names_every_setting_and_nothing_else() -> None:
    """Who fills in .env.example has seen all there is, and no name in it is read by nobody."""
    assert set(example()) == names()


def test_the_example_shows_the_defaults() -> None:
    """Taking the # away from a line changes nothing; what stands there empty is unset."""
    defaults = Settings(_env_file=None)
    for name, value in example().items():
        default = getattr(defaults, name.lower())
        if value:
            given = Settings.model_validate({name.lower(): value})
            assert getattr(given, name.lower()) == default, name
        else:
            assert not default, name


def test_a_copy_of_the_example_lacks_what_is_required_and_only_that(tmp_path: Path) -> None:
    """The required settings are open in the example; filled in, they are enough to serve."""
    text = text_of(".env.example")
    assert tuple(re.findall(r"^([A-Z0-9_]+)=", text, re.MULTILINE)) == REQUIRED
    values = ("123456:ABC-DEF", "-1001234567890", "members", "sk-ant-123")
    for name, value in zip(REQUIRED, values, strict=True):
        text = text.replace(f"\n{name}=\n", f"\n{name}={value}\n")
    copy = tmp_path / ".env"
    copy.write_text(text, encoding="utf-8")
    assert Settings.load(_env_file=copy).for_serving().everyone_decides


def test_the_example_for_prices_can_be_used_as_it_stands(tmp_path: Path) -> None:
    """The line that shows how to write PRICES is read as prices."""
    line = re.search(r"^# (PRICES=.*)$", text_of(".env.example"), re.MULTILINE)
    assert line
    copy = tmp_path / ".env"
    copy.write_text(line[1], encoding="utf-8")
    assert list(Settings.load(_env_file=copy).prices) == [Settings(_env_file=None).anthropic_model]


@pytest.mark.parametrize("readme", READMES)
def test_the_readme_shows_every_setting_with_its_default(readme: str) -> None:
    """The README's table and .env.example say the same of the same settings."""
    assert table(readme) == example()


@pytest.mark.parametrize(
    "document",
    [
        *READMES,
        "deploy/README.md",
        "docs/architecture.md",
        "docs/crm.md",
        "docs/evaluations.md",
        "docs/events.md",
        "docs/operations.md",
        "docs/webhooks.md",
    ],
)
def test_documents_name_no_unknown_setting(document: str) -> None:
    """A setting that a text mentions is one that the program reads."""
    mentioned = re.findall(r"`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`", text_of(document))
    assert set(mentioned) - OTHERS <= names()


def test_deployment_sets_no_unknown_setting() -> None:
    """What compose.yaml fixes for the container is read by the program."""
    fixed = re.findall(r"^ {6}([A-Z][A-Z0-9_]+): ", text_of("deploy/compose.yaml"), re.MULTILINE)
    assert fixed
    assert set(fixed) <= names()


@pytest.mark.parametrize("readme", READMES)
def test_the_readme_names_every_command_and_no_other(readme: str) -> None:
    """The commands that the README shows are those of the program."""
    there = {name for name, _ in commands()}
    text = text_of(readme)
    assert set(re.findall(r"^\| `lead-agent ([a-z]+)", text, re.MULTILINE)) == there
    assert set(re.findall(r"lead-agent ([a-z]+)\b", text)) <= there


@pytest.mark.parametrize("readme", READMES)
def test_the_readme_names_options_that_exist(readme: str) -> None:
    """The options in a command's rows are those of that command."""
    for name, parser in commands():
        rows = re.findall(rf"^\| `lead-agent {name}\b.*$", text_of(readme), re.MULTILINE)
        known = {option for action in parser._actions for option in action.option_strings}
        assert rows
        assert set(re.findall(r"--[a-z]+(?:-[a-z]+)*", " ".join(rows))) == known - {"-h", "--help"}


@pytest.mark.parametrize("readme", READMES)
def test_the_readme_names_targets_that_exist(readme: str) -> None:
    """`make WHAT` in the README is a target of the Makefile."""
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)(?=[`\s])", text_of(readme))) - {"on"} <= targets


@pytest.mark.parametrize(
    "document",
    [
        *READMES,
        "CONTRIBUTING.md",
        "docs/architecture.md",
        "docs/crm.md",
        "docs/evaluations.md",
        "docs/events.md",
        "docs/operations.md",
        "docs/webhooks.md",
        "docs/website-forms.md",
        "docs/google-forms.md",
        "deploy/README.md",
    ],
)
def test_links_between_documents_lead_somewhere(document: str) -> None:
    """Every relative link and picture is there."""
    links = re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", text_of(document))
    for target in (first or second for first, second in links):
        if "://" not in target:
            assert ((ROOT / document).parent / target).exists(), target


def test_nothing_that_people_rely_on_is_gone() -> None:
    """Settings and commands once promised keep their names."""
    assert names() >= RELIED_ON
    assert {name for name, _ in commands()} >= COMMANDS
