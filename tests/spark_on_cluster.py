"""A session on a cluster, in a process of its own: Q1 to Q5, sums per person, and Q2 after an executor was killed.

`python -m tests.spark_on_cluster FOLDER MASTER WORKER WORKER`: the folder has the table, the workers are processes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark import SparkContext

import sfumato as sf
from sfumato.errors import SfumatoError
from tests.contract.test_spark import OF_PEOPLE, PER_PERSON, QUERIES, opened, surveyed
from tests.spark import Executors


def run(folder: Path, master: str, workers: list[str]) -> dict[str, object]:
    dataset = opened(folder / "adult.parquet", master=master, ledger=folder / "adult.ledger")
    people = opened(folder / "adult.parquet", OF_PEOPLE, master=master, ledger=folder / "people.ledger")
    figures = {name: surveyed(dataset, sql)[1] for name, sql in QUERIES.items()}
    figures["per person"] = surveyed(people, PER_PERSON)[1]
    executors = Executors(tuple(map(int, workers)))
    killed = executors.kill_first()
    again = opened(folder / "adult.parquet", master=master, ledger=folder / "again.ledger")
    after = surveyed(again, QUERIES["Q2"])[1]
    release = opened(folder / "adult.parquet", master=master, ledger=folder / "release.ledger")
    release.query(QUERIES["Q1"]).release(epsilon=1.0)
    lost = after_the_driver_is_gone(release)
    return {
        "figures": figures,
        "after the kill": after,
        "killed": killed not in executors.running(),
        "releases": release.ledger.total.releases,
        "lost": lost,
    }


def after_the_driver_is_gone(dataset: sf.Dataset) -> list[str]:
    """What is said once the Java process that leads the cluster's work was killed."""
    assert SparkContext._gateway is not None
    SparkContext._gateway.proc.kill()
    SparkContext._gateway.proc.wait()
    messages = []
    for epsilon in (0.25, 0.5):
        try:
            dataset.query(QUERIES["Q3"]).release(epsilon=epsilon)
        except SfumatoError as error:
            messages.append(str(error))
    return messages


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])))
