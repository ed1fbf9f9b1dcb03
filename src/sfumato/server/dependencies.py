"""What every route asks for by type: the escrow, the person who calls, the lanes of slow work, a page's place."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, get_args

from fastapi import Depends, Path, Query, Request
from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from sfumato.errors import Forbidden
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.service import Escrow
from sfumato.model.plain import to_plain
from sfumato.server.concurrency import WorkPool
from sfumato.server.middleware.authentication import Caller
from sfumato.server.settings import ServerSettings
from sfumato.server.texts import Name, Number, Search

P = ParamSpec("P")
T = TypeVar("T")


class _Plain:
    """Writes a dataclass as it is, with the fields of the type that a route declares: the document names these."""

    def __get_pydantic_core_schema__(self, declared: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        kinds = get_args(declared) or (declared,)

        def plain(value: Any):  # type: ignore[no-untyped-def]  # a type here would be the document's
            if isinstance(value, Mapping):  # what is there of it depends on who asks
                return {each.name: value[each.name] for each in fields(kinds[0]) if each.name in value}
            return to_plain(value, next(kind for kind in kinds if isinstance(value, kind)))

        written = core_schema.plain_serializer_function_ser_schema(plain)
        return core_schema.no_info_wrap_validator_function(
            lambda value, _: value, handler(declared), serialization=written
        )


Plain = Annotated[T, _Plain()]


@dataclass(frozen=True)
class WorkPools:
    """Signing in burns memory, calls are quick, asking waits for workers, delivering waits for the network.

    Calls and questions of controllers have lanes of their own, which others cannot fill.
    """

    signing_in: WorkPool
    calls: WorkPool
    asking: WorkPool
    deciding_calls: WorkPool
    deciding: WorkPool
    delivering: WorkPool

    def calls_of(self, person: Person) -> WorkPool:
        return self.deciding_calls if person.has(Role.CONTROLLER) else self.calls

    def questions_of(self, person: Person) -> WorkPool:
        return self.deciding if person.has(Role.CONTROLLER) else self.asking

    def stop(self) -> None:
        for pool in vars(self).values():
            pool.stop()


def _escrow(request: Request) -> Escrow:
    escrow: Escrow = request.app.state.escrow
    return escrow


def _settings(request: Request) -> ServerSettings:
    settings: ServerSettings = request.app.state.settings
    return settings


def _lanes(request: Request) -> WorkPools:
    pools: WorkPools = request.app.state.lanes
    return pools


def _caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


def _with(scope: str) -> Callable[[Caller], Person]:
    def person(caller: Annotated[Caller, Depends(_caller)]) -> Person:
        if scope not in caller.scopes:
            raise Forbidden(f"This token has no scope '{scope}'", hint="create a token with this scope.")
        return caller.person

    return person


EscrowDep: TypeAlias = Annotated[Escrow, Depends(_escrow)]
SettingsDep: TypeAlias = Annotated[ServerSettings, Depends(_settings)]
WorkPoolsDep: TypeAlias = Annotated[WorkPools, Depends(_lanes)]
CallerDep: TypeAlias = Annotated[Caller, Depends(_caller)]
Reader: TypeAlias = Annotated[Person, Depends(_with("read"))]
Writer: TypeAlias = Annotated[Person, Depends(_with("write"))]


async def _reader_in_turn(person: Reader, pools: WorkPoolsDep) -> AsyncIterator[Person]:
    async with pools.calls_of(person).turn(person.name):
        yield person


async def _writer_in_turn(person: Writer, pools: WorkPoolsDep) -> AsyncIterator[Person]:
    async with pools.calls_of(person).turn(person.name):
        yield person


# For quick calls; what has a lane of its own takes a turn there, and is a Reader's or a Writer's.
ReadingUser: TypeAlias = Annotated[Person, Depends(_reader_in_turn, scope="function")]
WritingUser: TypeAlias = Annotated[Person, Depends(_writer_in_turn, scope="function")]


@dataclass(frozen=True)
class UserPool:
    """The pool of slow questions, as one user: each work is called with that user first."""

    person: Person
    pool: WorkPool

    async def run(self, work: Callable[Concatenate[Person, P], T], *given: P.args, **named: P.kwargs) -> T:
        return await self.pool.run(self.person.name, work, self.person, *given, **named)


def _reading_pool(person: Reader, pools: WorkPoolsDep) -> UserPool:
    return UserPool(person, pools.questions_of(person))


def _writing_pool(person: Writer, pools: WorkPoolsDep) -> UserPool:
    return UserPool(person, pools.questions_of(person))


ReadingPool: TypeAlias = Annotated[UserPool, Depends(_reading_pool)]
WritingPool: TypeAlias = Annotated[UserPool, Depends(_writing_pool)]
NameInPath: TypeAlias = Annotated[Name, Path()]

Limit: TypeAlias = Annotated[int, Query(ge=1, le=200)]
AfterName: TypeAlias = Annotated[Name | None, Query()]
AfterNumber: TypeAlias = Annotated[Number | None, Query()]
SearchText: TypeAlias = Annotated[Search, Query()]
FilterName: TypeAlias = Annotated[Name | None, Query()]


class Page(BaseModel, Generic[T]):
    """Some of many: `next` is the `after` of the page that follows, null on the last.

    `total` is the number of items on all pages, of a list that can be searched.
    """

    items: list[Plain[T]]
    next: str | int | None
    total: int | None = None


def page(rows: Iterable[T], limit: int, cursor: str, total: int | None = None) -> Page[T]:
    """A page of `rows`, which have one more than `limit` if there is another page."""
    items = list(rows)
    more = len(items) > limit
    return Page(items=items[:limit], next=getattr(items[limit - 1], cursor) if more else None, total=total)
