"""The audit log: a table that is only added to, in one chain."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from sfumato.adapters.storage.conditions import keepable
from sfumato.adapters.storage.table import InTransaction
from sfumato.adapters.storage.tables import audit
from sfumato.ledger.audit_log import AuditEntry, seal
from sfumato.ledger.hash_chain import GENESIS
from sfumato.ports import Row

_NEWEST = sa.select(audit.c.number, audit.c.digest).order_by(audit.c.number.desc()).limit(1)
_OF = (
    sa.select(audit)
    .where(audit.c.verb == sa.bindparam("verb"), audit.c.about == sa.bindparam("about"))
    .order_by(audit.c.number.desc())
    .limit(1)
)


class AuditTable:
    def __init__(self, within: InTransaction) -> None:
        self._within = within

    def append(self, at: str, who: str, verb: str, about: str, details: Row) -> int:
        line = keepable({"at": at, "who": who, "verb": verb, "about": about})

        def add(connection: sa.Connection) -> int:
            newest = connection.execute(_NEWEST).first()
            number, previous = (newest.number + 1, newest.digest) if newest else (1, GENESIS)
            entry = seal(number, previous, details=details, **line)
            connection.execute(sa.insert(audit).values(entry.as_dict()))
            return entry.number

        return self._within(add, writing=True)

    def newest(self, verb: str, about: str) -> AuditEntry | None:
        where = keepable({"verb": verb, "about": about})

        def find(connection: sa.Connection) -> AuditEntry | None:
            row = connection.execute(_OF, where).first()
            return None if row is None else AuditEntry(**row._asdict())

        return self._within(find, writing=False)

    def newest_of_each(self, verb: str, about: Sequence[str] | None = None) -> Sequence[AuditEntry]:
        where = keepable({"verb": verb, "about": None if about is None else list(about)})
        those = [audit.c.verb == where["verb"], *([] if about is None else [audit.c.about.in_(where["about"])])]
        last = sa.select(sa.func.max(audit.c.number)).where(*those).group_by(audit.c.about)
        query = sa.select(audit).where(audit.c.number.in_(last))
        return self._within(
            lambda connection: [AuditEntry(**row._asdict()) for row in connection.execute(query)], writing=False
        )

    def read(
        self,
        after: int = 0,
        limit: int | None = None,
        *,
        newest_first: bool = False,
        who: str | None = None,
        about: str | None = None,
    ) -> Sequence[AuditEntry]:
        place = keepable({"after": after, "who": who, "about": about})
        query = sa.select(audit).limit(limit)
        for name in ("who", "about"):
            query = query if place[name] is None else query.where(audit.c[name] == place[name])
        if newest_first:
            query = query.order_by(audit.c.number.desc())
            query = query.where(audit.c.number < place["after"]) if after else query
        else:
            query = query.order_by(audit.c.number).where(audit.c.number > place["after"])
        return self._within(
            lambda connection: [AuditEntry(**row._asdict()) for row in connection.execute(query)],
            writing=False,
        )
