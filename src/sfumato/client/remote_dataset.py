"""A dataset that a server holds in trust: its public description, and what may be asked of it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.client.connection import Connection, new_key
from sfumato.client.dry_run import DryRun
from sfumato.client.records import Listing, RemoteRecord, record_of
from sfumato.client.remote_query import RemoteEstimate, RemoteQuery
from sfumato.client.remote_risk import ConfidentialRecord
from sfumato.client.stated import Stated, preference, queries
from sfumato.client.submissions import RemoteRequest
from sfumato.client.upload import Delivery, delivery
from sfumato.errors import BadInput, PreferenceError, SchemaError
from sfumato.escrow.catalogue.entries import CatalogueEntry, DatasetAccess, DatasetDetails, FullEntry
from sfumato.escrow.dataset import Version
from sfumato.model.fit import Fit
from sfumato.model.schema import Schema
from sfumato.presentation import schema_view as fit_view
from sfumato.presentation.escrow import listing as escrow
from sfumato.presentation.escrow.dataset_view import WordedLedger
from sfumato.presentation.escrow.policy_view import WordedPolicy
from sfumato.presentation.escrow.questions_view import WordedComparison
from sfumato.schema.read import from_dict, load, parse_schema
from sfumato.schema.write import write
from sfumato.sql.parser.statement import parse

_ENTRY: Any = DatasetDetails | DatasetAccess | FullEntry | CatalogueEntry  # by what this person may see
Described = str | Path | Mapping[str, Any] | Schema


class RemotePolicy(RemoteRecord, WordedPolicy):
    """A policy as its author signed it; prints its sentences."""

    def text(self) -> str:
        facts = {name: self._facts[name] for name in ("dataset", "number", "author", "at")}
        return escrow.outlined(facts | {"policy": self._facts["sentences"]})


class RemoteLedger(RemoteRecord, WordedLedger): ...


class RemoteVersion(RemoteRecord, Version): ...


class RemoteFit(ConfidentialRecord):
    """How a table fits its schema: `.fit` has the counts."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.fit = record_of(Fit, facts)
        super().__init__(facts, fit_view.document(self.fit).text())


class RemoteComparison(RemoteRecord, WordedComparison):
    """Every method side by side, as a table; `.methods` has all that is said of each."""

    def text(self) -> str:
        return f"{self._facts['query']}\n\n{escrow.listed(escrow.METHODS, self._facts['methods'], '')}"


class RemoteDataset(RemoteRecord):
    """Found by `Client.dataset`, or made by `Client.register`."""

    def __init__(self, connection: Connection, facts: Mapping[str, Any]) -> None:
        super().__init__(facts)
        self._connection = connection
        self.entry: CatalogueEntry = record_of(_ENTRY, facts)

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def title(self) -> str:
        return self.entry.title

    @property
    def controllers(self) -> tuple[str, ...]:
        """Those who hold it, as far as this person may know them."""
        return self.entry.controllers if isinstance(self.entry, FullEntry) else ()

    @property
    def population(self) -> str | None:
        """The people in it, as a controller named them: datasets of one population share looks, plans and budget."""
        return self.entry.population

    @property
    def version(self) -> str | None:
        """Which data it is, opaquely; None: it was described and not delivered yet."""
        return self.entry.version

    @property
    def schema_text(self) -> str:
        """The schema file, as its controller wrote it."""
        return self.entry.schema

    @property
    def schema(self) -> Schema:
        return parse_schema(self.schema_text, f"the schema of {self.name}")

    def query(self, sql: str) -> RemoteQuery:
        """Read one SELECT of aggregates; whatever cannot be answered is refused here, before anything is sent."""
        return RemoteQuery(self, parse(sql, self.schema).text)

    def estimate(
        self,
        asked: Sequence[str | RemoteQuery],
        *stated: Stated,
        weights: Sequence[float] | None = None,
        mechanism: str | None = None,
        delta: float | None = None,
    ) -> RemoteEstimate:
        """What a request would cost and promise, from public facts: nothing is drawn, charged or entered."""
        terms = preference(stated, mechanism, delta)
        return RemoteEstimate(self.ask("estimate", self._asked(asked, weights, terms)), terms)

    def dry_run(
        self,
        asked: Sequence[str | RemoteQuery],
        *stated: Stated,
        weights: Sequence[float] | None = None,
        mechanism: str | None = None,
        delta: float | None = None,
    ) -> DryRun:
        """The whole way on invented rows that follow the schema: what the answers will look like, and nobody's."""
        terms = preference(stated, mechanism, delta)
        return DryRun(self.ask("dry-run", self._asked(asked, weights, terms)))

    def submit(
        self,
        asked: Sequence[str | RemoteQuery],
        *stated: Stated | RemoteEstimate,
        purpose: str,
        weights: Sequence[float] | None = None,
        mechanism: str | None = None,
        delta: float | None = None,
        key: str = "",
    ) -> RemoteRequest:
        """Ask for several queries as one release, with one total. Sent twice with one `key`, it is one request."""
        terms = preference(_of_estimates(stated), mechanism, delta)
        body = {"dataset": self.name, "purpose": purpose} | self._asked(asked, weights, terms)
        return RemoteRequest(self._connection, self._connection.post("requests", body=body, key=key or new_key()))

    def compare(
        self, sql: str, preferences: Stated | Sequence[Stated] = (), *, mechanism: str | None = None,
        delta: float | None = None,
    ) -> RemoteComparison:  # fmt: skip
        """Every method side by side, from public facts."""
        listed = preferences if isinstance(preferences, Sequence) else (preferences,)
        return RemoteComparison(self.ask("compare", {"sql": sql, "preference": preference(listed, mechanism, delta)}))

    @property
    def ledger(self) -> RemoteLedger:
        """What was looked at, planned and spent, as far as this person may see it."""
        return RemoteLedger(self._connection.get("datasets", self.name, "ledger"))

    @property
    def policy(self) -> RemotePolicy:
        return RemotePolicy(self._connection.get("datasets", self.name, "policy"))

    # For its controllers

    def check(self) -> RemoteFit:
        """What of the table is missing, unfit, clamped or unlisted: a look."""
        return RemoteFit(self.ask("check", {}))

    def state_cause(self, entry: int, cause: str) -> RemoteLedger:
        """State that the failure in an entry of the ledger had a cause outside the data, such as a full disk."""
        body = {"entry": entry, "cause": cause}
        return RemoteLedger(self._connection.post("datasets", self.name, "failures", body=body))

    def versions(self) -> Listing[RemoteVersion]:
        items = self._connection.items("datasets", self.name, "versions")
        return Listing.of(map(RemoteVersion, items), escrow.VERSIONS, "Nothing was delivered yet.")

    def deliver(self, source: object) -> RemoteDataset:
        """Send newer data: a CSV or Parquet file, or a pandas, polars or Arrow table."""
        return self.receive(delivery(source))

    def receive(self, data: Delivery) -> RemoteDataset:
        self._connection.stream("datasets", self.name, "data", content=data.content, kind=data.kind)
        return self.refresh()

    def describe(self, schema: Described) -> RemoteDataset:
        """Another schema for it."""
        self._connection.put("datasets", self.name, "schema", body={"schema_text": schema_text(schema)})
        return self.refresh()

    def set_controllers(self, names: Sequence[str]) -> RemoteDataset:
        self._connection.put("datasets", self.name, "controllers", body={"controllers": list(names)})
        return self.refresh()

    def set_population(self, population: str) -> RemoteDataset:
        """Name the people in it; it is not taken back."""
        self._connection.put("datasets", self.name, "population", body={"population": population})
        return self.refresh()

    def set_policy(self, policy: str | Path | Mapping[str, Any], *, allow_no_guarantee: bool = False) -> RemotePolicy:
        """Write down who may ask what; it is signed, and replaces the policy before.

        After a look, what takes access away has no guarantee, which `allow_no_guarantee` accepts.
        """
        body, accepted = policy_of(policy), allow_no_guarantee or None
        return RemotePolicy(
            self._connection.put("datasets", self.name, "policy", body=body, allow_no_guarantee=accepted)
        )

    def policies(self) -> Listing[RemotePolicy]:
        """Every policy that it has had, oldest first."""
        items = self._connection.items("datasets", self.name, "policies")
        columns = {"number": "policy", "author": "by", "at": "at"}
        return Listing.of(map(RemotePolicy, items), columns, "There is no policy.")

    def retire(self) -> None:
        """Nothing may be asked of it any more, and its data is forgotten; the record stays."""
        self._connection.delete("datasets", self.name)

    def refresh(self) -> RemoteDataset:
        vars(self).update(vars(RemoteDataset(self._connection, self._connection.get("datasets", self.name))))
        return self

    def ask(self, verb: str, body: Mapping[str, Any]) -> Any:
        return self._connection.post("datasets", self.name, verb, body=body)

    def _asked(
        self, asked: Sequence[str | RemoteQuery], weights: Sequence[float] | None, stated: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        if isinstance(asked, str | RemoteQuery):
            raise PreferenceError("A request takes a list", hint="write [first, second], of one too.")
        texts = [one.sql if isinstance(one, RemoteQuery) else one for one in asked]
        return {"queries": queries(texts, weights), "preference": stated}

    def text(self) -> str:
        return escrow.outlined(self._facts, leave=("schema", "id"))


def schema_text(schema: Described) -> str:
    """A schema as TOML: a file as it stands, if that is what it is; whatever is wrong in it is said here."""
    if isinstance(schema, Schema):
        return write(schema)
    if isinstance(schema, Mapping):
        return write(from_dict(schema))
    read = load(schema)
    if Path(schema).suffix.lower() in (".yaml", ".yml"):
        return write(read, f"Converted by sfumato from {Path(schema).name}.")
    return Path(schema).read_text("utf-8")


def policy_of(policy: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    """A policy from a TOML file, or stated in Python; the server reads it."""
    if isinstance(policy, Mapping):
        return dict(policy)
    try:
        return tomllib.loads(Path(policy).read_text("utf-8"))
    except OSError:
        raise BadInput(f"There is no policy file {policy}", hint="check the path.") from None
    except (UnicodeError, tomllib.TOMLDecodeError) as error:
        reason = f": {error}" if isinstance(error, tomllib.TOMLDecodeError) else ""
        raise SchemaError(f"{Path(policy).name} is not TOML{reason}") from None


def _of_estimates(stated: Sequence[Stated | RemoteEstimate]) -> list[Stated]:
    """Estimates by what they were made with; the rule of record is nothing stated."""
    preferences: list[Stated] = []
    for one in stated:
        if not isinstance(one, RemoteEstimate):
            preferences.append(one)
        elif one.preference is not None:
            preferences.append(one.preference)
    return preferences
