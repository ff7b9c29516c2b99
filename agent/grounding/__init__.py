"""What of a draft no source says: a deterministic look at its figures, dates, addresses and names.

Both the draft and its sources (the lead's words, the history, the company's facts) are read into claims, and
a claim of the draft counts as said where a source makes the same one in any spelling: 1 500 000 ₸ is
полтора миллиона, 12.03 is 12 марта, +7 (701) 555-01-42 is 87015550142.  Today is no claim.

It is fast on whatever people send: every pattern reads each letter a bounded number of times.
"""

from collections.abc import Iterable, Iterator

from agent.grounding.claim import Claim
from agent.grounding.names import known_words, read_names
from agent.grounding.plain import plain
from agent.grounding.reading import read
from agent.marks import Mark

# Letters of one source that are read; no message is longer (Bot API: 4096), no history need be.
LONGEST = 20_000
MOST = 20
LONGEST_MARK = 80


def ungrounded(draft: str, sources: Iterable[str]) -> tuple[Mark, ...]:
    """The claims of the draft that no source makes, in its order, at most `MOST`."""
    text = plain(draft)
    claims, rest = read(text)
    missing = [claim for claim in (*claims, *read_names(rest)) if not claim.is_said(())]
    for source in sources:
        if not missing:  # most drafts say little, and sources are long
            return ()
        said = _said(source)
        missing = [claim for claim in missing if not claim.is_said(said)]
    return tuple(dict.fromkeys(_mark(claim, text) for claim in _outermost(missing)))[:MOST]


def _said(source: str) -> set[str]:
    text = plain(source[:LONGEST])[:LONGEST]
    claims, rest = read(text)
    # In the rest too: what is glued to a link is a word of its own there.
    said = known_words(f"{text}\n{rest}")
    return said.union(*(claim.gives for claim in claims))


def _outermost(claims: Iterable[Claim]) -> Iterator[Claim]:
    """In the text's order, without those inside another: the 3 weeks of "2-3 weeks"."""
    end = -1
    for claim in sorted(claims, key=lambda claim: (claim.start, -claim.end)):
        if claim.end > end:
            end = claim.end
            yield claim


def _mark(claim: Claim, text: str) -> Mark:
    words = " ".join(text[claim.start : claim.end].split())
    return Mark(kind=claim.kind, text=words.rstrip(".,;:")[:LONGEST_MARK])
