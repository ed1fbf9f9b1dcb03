"""Datasets of a server and their queries: description, estimates, requests, and a controller's verbs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from sfumato.api.release import Release
from sfumato.client.connection import Connection, new_key
from sfumato.client.dry_run import DryRun
from sfumato.client.records import Listing, RemoteRecord, record_of
from sfumato.client.remote_risk import ConfidentialRecord, RemoteRisk
from sfumato.client.request_body import PreferenceInput, preference_table, weighted_queries
from sfumato.client.submissions import RemoteRequest
from sfumato.client.upload import Delivery, delivery
from sfumato.errors import AwaitingApproval, BadInput, PreferenceError, Refused, SchemaError
from sfumato.escrow.catalogue.entries import CatalogueEntry, DatasetAccess, DatasetDetails, FullEntry
from sfumato.escrow.dataset import Version
from sfumato.escrow.questions.risk_facts import RehearsalFacts, RiskFacts
from sfumato.model.fit import Fit
from sfumato.model.schema import Schema
from sfumato.presentation import noise_view
from sfumato.presentation import schema_view as fit_view
from sfumato.presentation.escrow import listing as escrow
from sfumato.presentation.escrow.dataset_view import WordedLedger
from sfumato.presentation.escrow.policy_view import WordedPolicy
from sfumato.presentation.escrow.questions_view import WordedComparison, WordedEstimate, WordedHistogram
from sfumato.presentation.noise_view import WordedNoise
from sfumato.release.keywords import HistogramKeywords, NoiseQuestion, RiskKeywords, SearchKeywords
from sfumato.schema.read import from_dict, load, parse_schema
from sfumato.schema.write import write
from sfumato.sql.parser.parameters import Parameters
from sfumato.sql.parser.statement import parse

_ENTRY: Any = DatasetDetails | DatasetAccess | FullEntry | CatalogueEntry  # by what this person may see
Described = str | Path | Mapping[str, Any] | Schema


class RemotePolicy(RemoteRecord, WordedPolicy):
    """A signed policy; prints its sentences."""

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
    """Comparison of every method, as a table; `.methods` has the details."""

    def text(self) -> str:
        return f"{self._facts['query']}\n\n{escrow.listed(escrow.METHODS, self._facts['methods'], '')}"


class RemoteNoise(RemoteRecord, WordedNoise):
    """Noise of a query at any probability, and the smallest meaningful answer; `.columns` has the figures."""

    def text(self) -> str:
        return noise_view.document(self).text()


class RemoteEstimate(RemoteRecord, WordedEstimate):
    """Cost and guarantee of a request, from public facts: nothing was drawn, charged or entered."""

    preference: Mapping[str, Any] | None  # None: the preregistered rule

    def __init__(self, facts: Mapping[str, Any], preference: Mapping[str, Any] | None) -> None:
        super().__init__(facts)
        vars(self)["preference"] = preference

    def text(self) -> str:
        return escrow.preview(self._facts)


class RemoteDataset(RemoteRecord):
    """A dataset of a server; made by `Client.dataset` and `Client.register`."""

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
        """Names of its controllers, if this person may see them."""
        return self.entry.controllers if isinstance(self.entry, FullEntry) else ()

    @property
    def population(self) -> str | None:
        """Name of its population: datasets of one population share looks, plans and budget."""
        return self.entry.population

    @property
    def version(self) -> str | None:
        """Opaque id of the data; None if no data was delivered yet."""
        return self.entry.version

    @property
    def schema_text(self) -> str:
        """The schema file, as its controller wrote it."""
        return self.entry.schema

    @property
    def schema(self) -> Schema:
        return parse_schema(self.schema_text, f"the schema of {self.name}")

    def query(self, sql: str, parameters: Parameters = ()) -> RemoteQuery:
        """Parse one SELECT of aggregates; a statement that is not supported is refused before anything is sent.

        `parameters`: values for `?` and `$1` in a list, or for `:name` and `$name` in a dictionary.
        """
        return RemoteQuery(self, parse(sql, self.schema, parameters=parameters).text)

    def estimate(
        self,
        queries: Sequence[str | RemoteQuery],
        *preferences: PreferenceInput,
        weights: Sequence[float] | None = None,
        index: Sequence[float] | None = None,
        expected: Sequence[float] | None = None,
        expected_count: float | None = None,
        **how: Unpack[SearchKeywords],
    ) -> RemoteEstimate:
        """Cost and guarantee of a request, from public facts: nothing is drawn, charged or entered.

        `index` splits one epsilon so that the noise of each query is as wide as it says (DIFF); `expected` answers find
        the index that makes the largest relative error smallest. `expected_count`: how many are in the smallest group,
        by public knowledge, for the interval of an average.
        """
        terms = preference_table(preferences, how)
        body = _question(queries, (weights, index, expected), terms) | _counted(expected_count)
        return RemoteEstimate(self.ask("estimate", body), terms)

    def dry_run(
        self,
        queries: Sequence[str | RemoteQuery],
        *preferences: PreferenceInput,
        weights: Sequence[float] | None = None,
        index: Sequence[float] | None = None,
        expected: Sequence[float] | None = None,
        **how: Unpack[SearchKeywords],
    ) -> DryRun:
        """Answer a request from synthetic rows that follow the schema: the answers have their shape, and no data."""
        return DryRun(
            self.ask("dry-run", _question(queries, (weights, index, expected), preference_table(preferences, how)))
        )

    def submit(
        self,
        queries: Sequence[str | RemoteQuery],
        *preferences: PreferenceInput | RemoteEstimate,
        purpose: str,
        weights: Sequence[float] | None = None,
        index: Sequence[float] | None = None,
        expected: Sequence[float] | None = None,
        accuracy: float | None = None,
        due: str = "",
        key: str = "",
        signals: Sequence[Mapping[str, Any] | None] | None = None,
        **how: Unpack[SearchKeywords],
    ) -> RemoteRequest:
        """Request several queries as one release, with one total. Sent twice with one `key`, it is one request.

        `signals`: a utility signal for each query, such as {"task": {...}, "kind": "free"}, or None; one approval
        covers the answers and their signals.

        `accuracy`: the answer is useful if the 90% interval of a figure is within plus or minus this. `due`: the day by
        which you need the decision, as 2026-12-31.
        """
        terms = preference_table(_preferences(preferences), how)
        body: dict[str, Any] = {"dataset": self.name, "purpose": purpose}
        body |= _question(queries, (weights, index, expected), terms, signals)
        body |= {"accuracy": accuracy} if accuracy is not None else {}
        body |= {"due": due} if due else {}
        return RemoteRequest(self._connection, self._connection.post("requests", body=body, key=key or new_key()))

    def compare(
        self,
        sql: str,
        preferences: PreferenceInput | Sequence[PreferenceInput] = (),
        *,
        expected_count: float | None = None,
        **how: Unpack[SearchKeywords],
    ) -> RemoteComparison:
        """Compare every method, from public facts."""
        listed = preferences if isinstance(preferences, Sequence) else (preferences,)
        terms = {"preference": preference_table(listed, how)} | _counted(expected_count)
        return RemoteComparison(self.ask("compare", {"sql": sql, **terms}))

    @property
    def ledger(self) -> RemoteLedger:
        """Looks, plans and charges that this person may see."""
        return RemoteLedger(self._connection.get("datasets", self.name, "ledger"))

    @property
    def policy(self) -> RemotePolicy:
        return RemotePolicy(self._connection.get("datasets", self.name, "policy"))

    # For its controllers

    def check(self) -> RemoteFit:
        """How the data fits its schema: logged as a look."""
        return RemoteFit(self.ask("check", {}))

    def state_cause(self, entry: int, cause: str) -> RemoteLedger:
        """State that the failure in an entry of the ledger had a cause outside the data, such as a full disk."""
        body = {"entry": entry, "cause": cause}
        return RemoteLedger(self._connection.post("datasets", self.name, "failures", body=body))

    def versions(self) -> Listing[RemoteVersion]:
        items = self._connection.items("datasets", self.name, "versions")
        return Listing.of(map(RemoteVersion, items), escrow.VERSIONS, "No data was delivered yet.")

    def deliver(self, source: object) -> RemoteDataset:
        """Send newer data: a CSV or Parquet file, a pandas, polars or Arrow table, or a dictionary of tables."""
        return self.receive(delivery(source))

    def receive(self, data: Delivery) -> RemoteDataset:
        self._connection.stream("datasets", self.name, "data", content=data.content, kind=data.kind)
        return self.refresh()

    def connect(self, connection: Mapping[str, str] | None = None) -> RemoteDataset:
        """Read its table, which stays in a database, in the state that it is in now.

        By the connection that the server keeps, or by another with `url`, `table`, `password` and maybe `version`.
        """
        body = {"connection": None if connection is None else dict(connection)}
        self._connection.put("datasets", self.name, "connection", body=body)
        return self.refresh()

    def describe(self, schema: Described) -> RemoteDataset:
        """Replace its schema."""
        self._connection.put("datasets", self.name, "schema", body={"schema_text": schema_text(schema)})
        return self.refresh()

    def set_controllers(self, names: Sequence[str]) -> RemoteDataset:
        self._connection.put("datasets", self.name, "controllers", body={"controllers": list(names)})
        return self.refresh()

    def set_population(self, population: str) -> RemoteDataset:
        """Name its population; a name cannot be removed."""
        self._connection.put("datasets", self.name, "population", body={"population": population})
        return self.refresh()

    def set_policy(self, policy: str | Path | Mapping[str, Any], *, allow_no_guarantee: bool = False) -> RemotePolicy:
        """Sign a policy, which replaces the current one.

        After a look, a policy that removes access has no guarantee, which `allow_no_guarantee` accepts.
        """
        body, accepted = policy_of(policy), allow_no_guarantee or None
        return RemotePolicy(
            self._connection.put("datasets", self.name, "policy", body=body, allow_no_guarantee=accepted)
        )

    def policies(self) -> Listing[RemotePolicy]:
        """All of its policies, oldest first."""
        items = self._connection.items("datasets", self.name, "policies")
        columns = {"number": "policy", "author": "author", "at": "time"}
        return Listing.of(map(RemotePolicy, items), columns, "There is no policy.")

    def retire(self) -> None:
        """Retire it: its data is deleted, its ledger stays."""
        self._connection.delete("datasets", self.name)

    def refresh(self) -> RemoteDataset:
        vars(self).update(vars(RemoteDataset(self._connection, self._connection.get("datasets", self.name))))
        return self

    def ask(self, verb: str, body: Mapping[str, Any]) -> Any:
        return self._connection.post("datasets", self.name, verb, body=body)

    def text(self) -> str:
        return escrow.outlined(self._facts, leave=("schema", "id"))


class RemoteQuery:
    """Made by `RemoteDataset.query`. Public facts are free; individual risks are for controllers."""

    def __init__(self, dataset: RemoteDataset, sql: str) -> None:
        self.dataset = dataset
        self.sql = sql

    def worst_case(
        self, mechanism: str = "laplace", delta: float | None = None, **how: Unpack[RiskKeywords]
    ) -> RemoteRisk:
        """Risk from public facts alone, true for any data: free."""
        return self._risk(RiskFacts, "worst-case", {"mechanism": mechanism, "delta": delta, **how})

    def noise(self, epsilon: float | Sequence[float], **how: Unpack[NoiseQuestion]) -> RemoteNoise:
        """How far the noise of each figure goes how often, and the smallest meaningful answer: free, public."""
        listed = [epsilon] if isinstance(epsilon, int | float) else list(epsilon)
        return RemoteNoise(self.dataset.ask("noise", {"sql": self.sql, "epsilon": listed, **how}))

    def rehearse(
        self, *preferences: PreferenceInput, expected_count: float | None = None, **how: Unpack[SearchKeywords]
    ) -> RemoteRisk:
        """Risk of the query on synthetic rows that follow the schema: free, no data is read."""
        table = preference_table(preferences, how)
        body = {"sql": self.sql, "preference": table} | _counted(expected_count)
        return RemoteRisk(self.dataset.ask("rehearse", body), self.sql, how.get("delta"), RehearsalFacts)

    def choose(self, *preferences: PreferenceInput, **how: Unpack[SearchKeywords]) -> RemoteEstimate:
        """Estimate by these preferences, or by the preregistered rule: nothing is entered."""
        return self.dataset.estimate([self], *preferences, **how)

    def submit(
        self,
        *preferences: PreferenceInput | RemoteEstimate,
        purpose: str,
        weight: float = 1.0,
        accuracy: float | None = None,
        due: str = "",
        **how: Unpack[SearchKeywords],
    ) -> RemoteRequest:
        """Request it. An estimate is submitted with the preference that it was made with."""
        also: dict[str, Any] = {"accuracy": accuracy, "due": due}
        return self.dataset.submit([self], *preferences, weights=[weight], purpose=purpose, **also, **how)

    def release(
        self,
        *preferences: PreferenceInput | RemoteEstimate,
        purpose: str,
        wait: bool = True,
        seconds: float | None = None,
        **how: Unpack[SearchKeywords],
    ) -> Release:
        """Submit it, wait until it is decided and computed, and fetch the answer.

        Without `wait` it is fetched if the policy approves by itself, and `AwaitingApproval` is raised otherwise.
        """
        request = self.submit(*preferences, purpose=purpose, **how)
        if wait or request.state in ("approved", "running"):
            request.wait(seconds)
        if request.state == "submitted":
            raise AwaitingApproval(f"Request {request.number} awaits approval", hint=request.next)
        if request.state in ("refused", "returned", "withdrawn"):
            raise Refused(f"Request {request.number} was {request.state}", hint=request.note)
        return request.result()[0]

    # For controllers

    def risk(self, mechanism: str = "laplace", delta: float | None = None, **how: Unpack[RiskKeywords]) -> RemoteRisk:
        """Risks of the people in the data, for the dataset's controllers: logged as a look."""
        return self._risk(RiskFacts, "risk", {"mechanism": mechanism, "delta": delta, **how})

    def exposure_histogram(self, epsilon: float, **how: Unpack[HistogramKeywords]) -> RemoteRisk:
        """Private exposure histogram: noisy, charged; it does not count as looking at the data."""
        return self._risk(WordedHistogram, "exposure-histogram", how, epsilon=epsilon)

    def _risk(self, kind: type[RiskFacts], verb: str, how: Mapping[str, Any], **more: object) -> RemoteRisk:
        candidates = how.get("candidates")
        listed = {} if candidates is None or isinstance(candidates, str) else {"candidates": list(candidates)}
        body = {"sql": self.sql, "how": {**how, **listed}} | more
        return RemoteRisk(self.dataset.ask(verb, body), self.sql, how.get("delta"), kind)

    def __repr__(self) -> str:
        return f"<Query of {self.dataset.name}: {self.sql}>"


def schema_text(schema: Described) -> str:
    """A schema as TOML, validated; a TOML file is sent unchanged."""
    if isinstance(schema, Schema):
        return write(schema)
    if isinstance(schema, Mapping):
        return write(from_dict(schema))
    read = load(schema)
    if Path(schema).suffix.lower() in (".yaml", ".yml"):
        return write(read, f"Converted by sfumato from {Path(schema).name}.")
    return Path(schema).read_text("utf-8")


def policy_of(policy: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    """A policy from a TOML file or a mapping; the server validates it."""
    if isinstance(policy, Mapping):
        return dict(policy)
    try:
        return tomllib.loads(Path(policy).read_text("utf-8"))
    except OSError:
        raise BadInput(f"There is no policy file {policy}", hint="check the path.") from None
    except (UnicodeError, tomllib.TOMLDecodeError) as error:
        reason = f": {error}" if isinstance(error, tomllib.TOMLDecodeError) else ""
        raise SchemaError(f"{Path(policy).name} is not valid TOML{reason}", hint="correct the file.") from None


def _question(
    queries: Sequence[str | RemoteQuery],
    numbers: tuple[Sequence[float] | None, Sequence[float] | None, Sequence[float] | None],
    preference: Mapping[str, Any] | None,
    signals: Sequence[Mapping[str, Any] | None] | None = None,
) -> dict[str, Any]:
    if isinstance(queries, str | RemoteQuery):
        raise PreferenceError("A request takes a list of queries", hint="write [query], also for one.")
    texts = [one.sql if isinstance(one, RemoteQuery) else one for one in queries]
    return {"queries": weighted_queries(texts, *numbers, signals), "preference": preference}


def _counted(expected_count: float | None) -> dict[str, Any]:
    return {} if expected_count is None else {"expected_count": expected_count}


def _preferences(terms: Sequence[PreferenceInput | RemoteEstimate]) -> list[PreferenceInput]:
    """Preferences, those of estimates among them; an estimate by the preregistered rule has none."""
    each = [one.preference if isinstance(one, RemoteEstimate) else one for one in terms]
    return [preference for preference in each if preference is not None]
