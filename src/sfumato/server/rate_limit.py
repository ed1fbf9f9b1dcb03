"""How many calls a person may make in any minute, counted in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from ipaddress import IPv6Address, ip_address
from math import ceil
from threading import Lock
from time import monotonic

from sfumato.errors import TooMany


class TooOften(TooMany):
    """Says how long to wait."""

    def __init__(self, seconds: int) -> None:
        super().__init__("That was too often", hint=f"try again in {seconds} s.")
        self.seconds = seconds


class Rate:
    """At most `most` calls of one key in any `seconds`; keys that fell silent are forgotten."""

    def __init__(self, most: int, *, seconds: float = 60, clock: Callable[[], float] = monotonic) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._calls: dict[Hashable, deque[float]] = {}
        self._swept = clock()
        self._lock = Lock()

    def count(self, key: Hashable) -> None:
        """One more call of this key, or a refusal, which does not count."""
        with self._lock:
            now = self._clock()
            self._sweep(now)
            calls = self._calls.setdefault(key, deque())
            while calls and calls[0] <= now - self._seconds:
                calls.popleft()
            if len(calls) >= self._most:
                raise TooOften(ceil(calls[0] + self._seconds - now))
            calls.append(now)

    def _sweep(self, now: float) -> None:
        if now - self._swept >= self._seconds:
            self._calls = {key: calls for key, calls in self._calls.items() if calls[-1] > now - self._seconds}
            self._swept = now

    def __len__(self) -> int:
        return len(self._calls)


def network(address: str) -> str:
    """Whom an address is counted as: in IPv6 the /64 that one subscriber has to choose addresses from.

    >>> network("2001:db8:1:2:3::4") == network("2001:db8:1:2::9"), network("192.0.2.7")
    (True, '192.0.2.7')
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    return str(parsed.ipv4_mapped) if parsed.ipv4_mapped else f"{IPv6Address(int(parsed) >> 64 << 64)}/64"
