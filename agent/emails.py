"""E-mail addresses as people write them."""


def emails_in(text: str) -> list[str]:
    """The addresses of a text in their order, each once, the domain in lower case."""
    raise NotImplementedError
