"""What `sf.connect` returns: one server, as one person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sfumato.client import accounts
from sfumato.client.accounts import RemotePerson, RemoteToken, RemoteUser
from sfumato.client.asgi import InProcess
from sfumato.client.connection import PATIENCE, Connection
from sfumato.client.records import Listing, RemoteRecord, record_of
from sfumato.client.remote_audit_log import RemoteAuditEntry, RemoteAuditHead, RemoteVerification
from sfumato.client.remote_dataset import Described, RemoteDataset, RemotePolicy, policy_of, schema_text
from sfumato.client.submissions import RemoteRequest, RemoteSignal, Tasks, signals
from sfumato.client.upload import delivery
from sfumato.errors import BadInput, Conflict, NotFound
from sfumato.presentation.escrow import listing as escrow
from sfumato.presentation.escrow.notifications_view import WordedNotification
from sfumato.schema.read import parse_schema

_AT_ONCE = 200


class RemoteNotification(RemoteRecord):
    """`.notification` has its sentence, and when it was read."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        super().__init__(facts)
        self.notification = record_of(WordedNotification, facts)


class Client:
    """Asks a server as one person; may be used in a `with`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    # Datasets

    def datasets(self) -> Listing[RemoteDataset]:
        datasets = (RemoteDataset(self._connection, facts) for facts in self._connection.items("datasets"))
        return Listing.of(datasets, escrow.DATASETS, "There are no datasets here that you may see.")

    def dataset(self, name: str) -> RemoteDataset:
        return RemoteDataset(self._connection, self._connection.get("datasets", name))

    def register(
        self,
        source: object,
        schema: Described,
        *,
        title: str = "",
        reference: str | None = None,
        population: str = "",
    ) -> RemoteDataset:
        """Hand a table over with its schema: a CSV or Parquet file, or a pandas, polars or Arrow table.

        Whatever can be seen to be wrong is said before anything is sent. A `reference` names data that the server
        reaches by itself; then there is no source. `population` names the people in it, in place of the schema.
        """
        if (source is None) == (reference is None):
            raise BadInput("A dataset has a source or a reference", hint="pass one of them.")
        text = schema_text(schema)
        data = None if source is None else delivery(source)
        body = {"schema_text": text, "title": title, "reference": reference}
        body |= {"population": population} if population else {}
        try:
            dataset = RemoteDataset(self._connection, self._connection.post("datasets", body=body))
        except Conflict as taken:
            try:
                dataset = self.dataset(parse_schema(text).name)
            except NotFound:
                raise taken from None  # it is somebody else's
            if data is None or dataset.version is not None:
                raise
            dataset.describe(schema)  # an earlier attempt broke off before its data was there
        if data is None:
            return dataset
        try:
            return dataset.receive(data)
        except BadInput:
            dataset.retire()  # nothing was ever delivered: it is as if it had not been registered
            raise

    def set_policy(
        self, dataset: str, policy: str | Path | Mapping[str, Any], *, allow_no_guarantee: bool = False
    ) -> RemotePolicy:
        """Write down who may ask what of a dataset: a TOML file, or the same as a mapping."""
        tables = policy_of(policy)
        return self.dataset(dataset).set_policy(tables, allow_no_guarantee=allow_no_guarantee)

    # Requests

    def requests(self, *, state: str | None = None, dataset: str | None = None) -> Listing[RemoteRequest]:
        """Those that this person may see, newest or oldest first as the server has them."""
        items = self._connection.items("requests", state=state, dataset=dataset)
        return Listing.of(
            (RemoteRequest(self._connection, each) for each in items), escrow.REQUESTS, "There are no requests."
        )

    def inbox(self, *, dataset: str | None = None) -> Listing[RemoteRequest]:
        """Those that wait for a decision."""
        states = ("submitted", "computed")
        waiting = [each for state in states for each in self.requests(state=state, dataset=dataset)]
        return Listing.of(waiting, escrow.REQUESTS, "Nothing waits for a decision.")

    def request(self, id: str | int) -> RemoteRequest:
        """By its id, or by the number that notifications call it by."""
        return RemoteRequest(self._connection, self._connection.get("requests", str(id)))

    def tasks(self) -> Tasks:
        """What may be asked about the noise of a release: tasks, kinds of signals, and whether own code can run."""
        return Tasks(self._connection.get("tasks"))

    def signals(self, *, state: str | None = None, waiting: bool = False) -> Listing[RemoteSignal]:
        """Those that this person may see; or those that wait for their decision."""
        if waiting:
            return signals(self._connection, self._connection.get("signals", waiting=True, limit=_AT_ONCE)["items"])
        return signals(self._connection, self._connection.items("signals", state=state))

    def signal(self, id: str | int) -> RemoteSignal:
        """By its id, or by the number that notifications call it by."""
        return RemoteSignal(self._connection, self._connection.get("signals", str(id)))

    def notifications(self, *, unread: bool = False) -> Listing[RemoteNotification]:
        items = self._connection.items("notifications", unread=unread or None)
        return Listing.of(map(RemoteNotification, items), escrow.NOTIFICATIONS, "There are no notifications.")

    def read_notification(self, id: str) -> None:
        self._connection.post("notifications", id, "read")

    # People

    @property
    def me(self) -> RemoteUser:
        """Who this is, as the server knows them."""
        return RemoteUser(self._connection.get("session"))

    def people(self) -> Listing[RemotePerson]:
        return accounts.people(self._connection)

    def add_person(
        self, name: str, roles: str | Sequence[str], *, organisation: str = "", password: str | None = None
    ) -> RemotePerson:
        """Let somebody in: as admin, controller, analyst or auditor, or several of these."""
        return accounts.add(self._connection, name, roles, organisation, password)

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
        """An admin changes anybody; whoever changes their own password states it as it is so far."""
        to: dict[str, Any] = {"roles": roles, "organisation": organisation, "disabled": disabled, "password": password}
        to |= {} if current_password is None else {"current_password": current_password}
        return accounts.change(self._connection, name, **to)

    def tokens(self) -> Listing[RemoteToken]:
        return accounts.tokens(self._connection)

    def new_token(
        self,
        label: str = "",
        *,
        days: float = 90,
        scopes: Sequence[str] = ("read", "write"),
        person: str | None = None,
    ) -> RemoteToken:
        """A token for a program of yours, or as an admin of that `person`; its `.secret` is told once."""
        return accounts.new_token(self._connection, label, days, scopes, person)

    def revoke_token(self, id: str) -> None:
        self._connection.delete("tokens", id)

    # The record

    def audit(self, *, after: int | None = None) -> Listing[RemoteAuditEntry]:
        """Who did what, oldest first."""
        items = self._connection.items("audit", start=after)
        columns = {"number": "entry", "at": "at", "who": "who", "verb": "did", "about": "about"}
        return Listing.of(map(RemoteAuditEntry, items), columns, "The record is empty.")

    def audit_head(self) -> RemoteAuditHead:
        """The end of the record, signed: kept elsewhere, it shows later whether something was taken back."""
        return RemoteAuditHead(self._connection.get("audit", "head"))

    def verify_audit(self, head: Mapping[str, Any] | None = None) -> RemoteVerification:
        """Follow the record from its first entry to its last, and to a head that was kept."""
        body = {"head": None if head is None else dict(head)}
        return RemoteVerification(self._connection.post("audit", "verify", body=body))

    def sign_out(self) -> None:
        """End the session of whoever signed in with a password."""
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
    """Reach a server with a token, or sign in with a name and a password."""
    connection = Connection(url, "" if name else token, authority=authority, insecure=insecure, timeout=timeout)
    if name:
        connection.sign_in(name, password)
    return Client(connection)


def inside(app: object, token: str, called: str) -> Client:
    """An app of this process, in sentences `called` so: the same verbs, and no network."""
    return Client(Connection("http://localhost", token, transport=InProcess(app), called=called))
