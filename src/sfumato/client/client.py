"""The client that `sf.connect` returns: one server, as one user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sfumato.client.accounts import RemotePerson, RemoteToken, RemoteUser
from sfumato.client.asgi import InProcess
from sfumato.client.connection import PATIENCE, Connection
from sfumato.client.records import Listing, RemoteRecord, record_of
from sfumato.client.remote_audit_log import RemoteAuditEntry, RemoteAuditHead, RemoteVerification
from sfumato.client.remote_dataset import Described, RemoteDataset, RemotePolicy, policy_of, schema_text
from sfumato.client.submissions import RemoteRequest, RemoteSignal, Tasks, signals
from sfumato.client.upload import delivery
from sfumato.errors import BadInput, Conflict, NotFound
from sfumato.escrow.identity.accounts import IssuedToken
from sfumato.presentation.escrow import listing as escrow
from sfumato.presentation.escrow.notifications_view import WordedNotification
from sfumato.schema.read import parse_schema

_AT_ONCE = 200


class RemoteNotification(RemoteRecord):
    """`.notification` has its sentence and the time when it was read."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        super().__init__(facts)
        self.notification = record_of(WordedNotification, facts)


class Client:
    """A connection to a server as one user; usable in a `with` statement."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    # Datasets

    def datasets(self) -> Listing[RemoteDataset]:
        datasets = (RemoteDataset(self._connection, facts) for facts in self._connection.items("datasets"))
        return Listing.of(datasets, escrow.DATASETS, "There are no datasets that you have access to.")

    def dataset(self, name: str) -> RemoteDataset:
        return RemoteDataset(self._connection, self._connection.get("datasets", name))

    def register(
        self,
        source: object,
        schema: Described,
        *,
        title: str = "",
        reference: str | None = None,
        connection: Mapping[str, str] | None = None,
        population: str = "",
    ) -> RemoteDataset:
        """Register a table with its schema: a CSV or Parquet file, or a pandas, polars or Arrow table.

        Of a schema with several tables, `source` is a dictionary of these by the names of the tables.

        Errors that can be found here are raised before anything is sent. A `reference` names data that the server
        reads from its own disk, in place of a source; a `connection` has the `url`, the `table` and the `password` of
        one in a database, and maybe a `version`. `population` overrides the schema's name of the people.
        """
        if sum(place is not None for place in (source, reference, connection)) != 1:
            raise BadInput("A dataset needs a source, a reference or a connection", hint="state one of them.")
        text = schema_text(schema)
        data = None if source is None else delivery(source)
        body: dict[str, Any] = {"schema_text": text, "title": title, "reference": reference}
        body |= {} if connection is None else {"connection": dict(connection)}
        body |= {"population": population} if population else {}
        try:
            dataset = RemoteDataset(self._connection, self._connection.post("datasets", body=body))
        except Conflict as taken:
            try:
                dataset = self.dataset(parse_schema(text).name)
            except NotFound:
                raise taken from None  # another controller's
            if data is None or dataset.version is not None:
                raise
            dataset.describe(schema)  # an earlier attempt ended before the data was delivered
        if data is None:
            return dataset
        try:
            return dataset.receive(data)
        except BadInput:
            dataset.retire()  # no data was delivered: take the registration back
            raise

    def set_policy(
        self, dataset: str, policy: str | Path | Mapping[str, Any], *, allow_no_guarantee: bool = False
    ) -> RemotePolicy:
        """Set the policy of a dataset, from a TOML file or a mapping."""
        tables = policy_of(policy)
        return self.dataset(dataset).set_policy(tables, allow_no_guarantee=allow_no_guarantee)

    # Requests

    def requests(
        self, *, search: str = "", state: str | None = None, dataset: str | None = None
    ) -> Listing[RemoteRequest]:
        """Requests that this person may see, in the server's order.

        Each word of `search` is in the purpose, a query, the analyst or the dataset, or is the number.
        """
        items = self._connection.items("requests", search=search or None, state=state, dataset=dataset)
        return Listing.of(
            (RemoteRequest(self._connection, each) for each in items), escrow.REQUESTS, "There are no requests."
        )

    def inbox(self, *, search: str = "", dataset: str | None = None) -> Listing[RemoteRequest]:
        """Requests that wait for a decision; `search` as in `requests`."""
        states = ("submitted", "computed")
        waiting = [each for state in states for each in self.requests(search=search, state=state, dataset=dataset)]
        return Listing.of(waiting, escrow.REQUESTS, "No request waits for a decision.")

    def request(self, id: str | int) -> RemoteRequest:
        """Find it by its id, or by its number."""
        return RemoteRequest(self._connection, self._connection.get("requests", str(id)))

    def tasks(self) -> Tasks:
        """Tasks and kinds of signals, and whether code of your own can run on the server."""
        return Tasks(self._connection.get("tasks"))

    def signals(self, *, search: str = "", state: str | None = None, waiting: bool = False) -> Listing[RemoteSignal]:
        """Signals that this person may see; `waiting`: those that wait for their decision."""
        words = search or None
        if waiting:
            page = self._connection.get("signals", search=words, waiting=True, limit=_AT_ONCE)
            return signals(self._connection, page["items"])
        return signals(self._connection, self._connection.items("signals", search=words, state=state))

    def signal(self, id: str | int) -> RemoteSignal:
        """Find it by its id, or by its number."""
        return RemoteSignal(self._connection, self._connection.get("signals", str(id)))

    def notifications(self, *, unread: bool = False) -> Listing[RemoteNotification]:
        items = self._connection.items("notifications", unread=unread or None)
        return Listing.of(map(RemoteNotification, items), escrow.NOTIFICATIONS, "There are no notifications.")

    def read_notification(self, id: str) -> None:
        self._connection.post("notifications", id, "read")

    # People

    @property
    def me(self) -> RemoteUser:
        """The connected user."""
        return RemoteUser(self._connection.get("session"))

    def people(self) -> Listing[RemotePerson]:
        items = self._connection.items("people")
        return Listing.of(map(RemotePerson, items), escrow.PEOPLE, "There are no users.")

    def add_person(
        self, name: str, roles: str | Sequence[str], *, organisation: str = "", password: str | None = None
    ) -> RemotePerson:
        """Add a user as admin, controller, analyst or auditor, or several of these."""
        body = {"name": name, "roles": _names(roles), "organisation": organisation, "password": password}
        return RemotePerson(self._connection.post("people", body=body))

    def change_person(
        self,
        name: str,
        *,
        roles: str | Sequence[str] | None = None,
        organisation: str | None = None,
        disabled: bool | None = None,
        password: str | None = None,
        current_password: str | None = None,
    ) -> RemotePerson:
        """Change a user, as an admin; or your own password, which takes the current one. None changes nothing."""
        to: dict[str, object] = {"organisation": organisation, "disabled": disabled, "password": password}
        to |= {"roles": None if roles is None else _names(roles), "current_password": current_password}
        body = {field: value for field, value in to.items() if value is not None}
        return RemotePerson(self._connection.patch("people", name, body=body))

    def tokens(self) -> Listing[RemoteToken]:
        items = self._connection.items("tokens")
        return Listing.of(map(RemoteToken, items), escrow.TOKENS, "There are no tokens.")

    def new_token(
        self,
        label: str = "",
        *,
        days: float = 90,
        scopes: Sequence[str] = ("read", "write"),
        person: str | None = None,
    ) -> RemoteToken:
        """Create a token for yourself, or as an admin for `person`; its `.secret` is set only now."""
        body = {"label": label, "days": days, "scopes": list(scopes), "person": person}
        facts = self._connection.post("tokens", body=body)
        token = RemoteToken(facts["token"])
        vars(token)["secret"] = record_of(IssuedToken, facts).secret
        return token

    def revoke_token(self, id: str) -> None:
        self._connection.delete("tokens", id)

    # The audit log

    def audit(self, *, after: int | None = None) -> Listing[RemoteAuditEntry]:
        """The audit log, oldest entry first."""
        items = self._connection.items("audit", start=after)
        columns = {"number": "entry", "at": "time", "who": "user", "verb": "action", "about": "about"}
        return Listing.of(map(RemoteAuditEntry, items), columns, "The audit log is empty.")

    def audit_head(self) -> RemoteAuditHead:
        """Save a checkpoint: the signed end of the audit log. Compared later, it shows whether entries were removed."""
        return RemoteAuditHead(self._connection.get("audit", "head"))

    def verify_audit(self, head: Mapping[str, Any] | None = None) -> RemoteVerification:
        """Verify the audit log from its first entry to its last, and against a checkpoint."""
        body = {"head": None if head is None else dict(head)}
        return RemoteVerification(self._connection.post("audit", "verify", body=body))

    def sign_out(self) -> None:
        """End a session that began with a name and a password."""
        self._connection.sign_out()

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<sfumato at {self._connection.name}: .datasets(), .inbox(), .notifications()>"


def _names(roles: str | Sequence[str]) -> list[str]:
    return [roles] if isinstance(roles, str) else list(roles)


def connect(
    url: str,
    token: str = "",
    *,
    name: str = "",
    password: str = "",
    authority: str | Path | None = None,
    insecure: bool = False,
    timeout: float = PATIENCE,
) -> Client:
    """Connect to a server with a token, or sign in with a name and a password."""
    connection = Connection(url, "" if name else token, authority=authority, insecure=insecure, timeout=timeout)
    if name:
        connection.sign_in(name, password)
    return Client(connection)


def inside(app: object, token: str, called: str) -> Client:
    """A client of an app in this process; messages call it `called`."""
    return Client(Connection("http://localhost", token, transport=InProcess(app), called=called))
