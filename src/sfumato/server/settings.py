"""What a server is told when it is made."""

from __future__ import annotations

from dataclasses import dataclass

GIB = 1 << 30


@dataclass(frozen=True)
class Guest:
    """A person of the demo, whose password is public; `begins` is the first page they see."""

    name: str
    password: str
    role: str
    begins: str


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """`secure`: people reach this server by TLS, its own or a proxy's. Limits hold for each server process.

    `calls` are quick, `asking` waits for workers or computes; `deciding` is both of controllers, in lanes of their own.
    Of each: how many run at once, for one person at once, and how many of one person may wait.
    """

    secure: bool = False
    sign_ins_a_minute: int = 10
    calls_a_minute: int = 600
    body_bytes: int = 1 << 20
    data_bytes: int = 64 * GIB
    signing_in_at_once: int = 2
    signing_in_waiting_each: int = 4
    calls_at_once: int = 12
    calls_at_once_each: int = 2
    calls_waiting_each: int = 40
    asking_at_once: int = 8
    asking_at_once_each: int = 2
    asking_waiting_each: int = 8
    deciding_at_once: int = 12
    deciding_at_once_each: int = 4
    deciding_waiting_each: int = 40
    delivering_at_once: int = 8
    delivering_at_once_each: int = 2
    body_seconds: float = 60.0
    guests: tuple[Guest, ...] = ()
