"""Two pools of workers: what analysts ask for takes none of those that controllers wait for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.adapters.workers.pool import Workers


@dataclass(frozen=True)
class WorkerLanes:
    common: Workers
    deciding: Workers

    def run(self, name: str, job: Mapping[str, Any], person: str, *, deciding: bool = False) -> Mapping[str, Any]:
        return (self.deciding if deciding else self.common).run(name, job, person)

    def progress(self, name: str) -> float | None:
        return self.common.progress(name) or self.deciding.progress(name)

    def cancel(self, name: str) -> bool:
        return self.common.cancel(name) or self.deciding.cancel(name)

    def stop(self) -> None:
        self.common.stop()
        self.deciding.stop()

    def close(self) -> None:
        self.common.close()
        self.deciding.close()
