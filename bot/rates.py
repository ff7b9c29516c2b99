"""How much a source and an address may send at once."""

from ipaddress import ip_address, ip_network
from time import monotonic

from starlette.requests import Request

# Of which the fullest are kept: beyond that many senders at once their addresses tell nothing.
MOST_SENDERS = 10_000


class Rates:
    """A bucket for each sender: so many at once, and refilled over a minute.  In memory: floods are now."""

    def __init__(self, per_minute: int) -> None:
        """per_minute: 0 for any number."""
        self._per_minute = per_minute
        self._buckets: dict[object, tuple[float, float]] = {}

    def exceeded(self, sender: object) -> bool:
        """Count one; whether it is one too many."""
        if self._per_minute == 0:
            return False
        now = monotonic()
        level, at = self._buckets.pop(sender, (0.0, now))
        level = max(0.0, level - (now - at) * self._per_minute / 60)
        over = level + 1 > self._per_minute
        self._buckets[sender] = (level if over else level + 1, now)  # the latest stands last
        if len(self._buckets) > MOST_SENDERS:
            del self._buckets[next(iter(self._buckets))]
        return over


class Addresses:
    """Where a request comes from: of X-Forwarded-For only what proxies of our own have written."""

    def __init__(self, proxies: tuple[str, ...]) -> None:
        self._proxies = [ip_network(proxy, strict=False) for proxy in proxies]

    def of(self, request: Request) -> str:
        """The nearest address that is no proxy of ours; of IPv6 the network, which one sender has whole."""
        address = request.client.host if request.client else ""
        forwarded = [hop.strip() for hop in request.headers.get("x-forwarded-for", "").split(",")]
        while forwarded and self._is_proxy(address):
            address = forwarded.pop()
        return _network(address)

    def _is_proxy(self, address: str) -> bool:
        try:
            found = ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self._proxies)


def _network(address: str) -> str:
    try:
        found = ip_address(address)
    except ValueError:
        return "unknown"
    return str(found) if found.version == 4 else str(ip_network(f"{found}/64", strict=False))
