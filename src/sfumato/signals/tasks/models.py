"""Tasks that train a model on the rows of a table: the only module that knows scikit-learn, loaded when it is used."""

from __future__ import annotations

import importlib.util
import warnings
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, ClassVar

from sfumato.errors import BadInput
from sfumato.signals.tasks.table import Table
from sfumato.signals.tasks.task import Reference, Task, is_whole, names, reference

_CLASSIFIERS, _REGRESSORS = ("logistic", "tree"), ("linear", "tree")


@dataclass(frozen=True, kw_only=True)
class _Learned(Task):
    """Trained on all folds but one, tried on that one, in turn; rows are dealt out by their labels, in order."""

    features: tuple[str, ...]
    label: str = ""
    reference: Reference = ()
    folds: int = 5

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", names(self.features))
        object.__setattr__(self, "reference", reference(self.reference))
        if not self.features:
            raise BadInput.because("task-features-missing", task=self.name)
        if bool(self.label) == bool(self.reference):
            raise BadInput.because("task-predicts-one-thing", task=self.name)
        if not is_whole(self.folds) or not 2 <= self.folds <= 20:
            raise BadInput.because("task-folds", task=self.name, folds=str(self.folds))

    @property
    def reads(self) -> tuple[str, ...]:
        return (*self.features, self.label) if self.label else self.features

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.reference)

    @property
    def missing(self) -> str | None:
        return "scikit-learn" if importlib.util.find_spec("sklearn") is None else None

    def _rows(self, table: Table) -> tuple[list[list[float]], list[float]]:
        """Features and what is predicted, where all of them are there, in the order of the labels."""
        columns = [table.figure(name) for name in self.features]
        wanted = table.figure(self.label) if self.label else dict(self.reference)
        whole = sorted(row for row in wanted if all(row in column for column in columns))
        return [[column[row] for column in columns] for row in whole], [wanted[row] for row in whole]

    def _foretold(self, model: Any, rows: list[list[float]], wanted: list[float]) -> list[float]:
        """What is predicted for each row by a model that was trained without its fold."""
        predictions = [0.0] * len(rows)
        for fold in range(self.folds):
            tried = [i for i in range(len(rows)) if i % self.folds == fold]
            known = [i for i in range(len(rows)) if i % self.folds != fold]
            if not tried or not known:
                continue
            targets = [wanted[i] for i in known]
            if len(set(targets)) == 1:
                values = [targets[0]] * len(tried)
            else:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # what a library remarks on the way would tell about the rows
                    values = model.fit([rows[i] for i in known], targets).predict([rows[i] for i in tried])
            for i, value in zip(tried, values, strict=True):
                predictions[i] = float(value)
        return predictions


@dataclass(frozen=True, kw_only=True)
class Classifier(_Learned):
    """The accuracy of a classifier that predicts, from the figures of a row, whether it is in the upper class.

    The class is whether the column `label` is above `above` (left out: above the median of the table), or what the
    public `reference` says of the row: 1 or 0. `model` is "logistic" (on standardised features) or "tree" (depth 3).
    Fewer rows than folds are undefined: 0.5, a coin.

    >>> Classifier(features=("n", "price"), label="income", above=40000).range
    (0.0, 1.0)
    """

    name: ClassVar[str] = "classifier"
    above: float | None = None
    model: str = "logistic"

    undefined = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_model(self, self.model, _CLASSIFIERS)

    def _score(self, table: Table) -> float | None:
        rows, targets = self._rows(table)
        if len(rows) < self.folds:
            return None
        middle = (median(targets) if self.above is None else self.above) if self.label else 0.5
        classes = [float(value > middle) for value in targets]
        foretold = self._foretold(_classifier(self.model), rows, classes)
        return sum(a == b for a, b in zip(foretold, classes, strict=True)) / len(rows)


@dataclass(frozen=True, kw_only=True)
class Regression(_Learned):
    """The error of a regression over that of always saying the mean: `sum |y - f(x)| / sum |y - mean|`, at most 1.

    `y` is the column `label`, or the public `reference` of the row. `model` is "linear" or "tree" (depth 3). Fewer rows
    than folds, or a y that is the same throughout, are undefined: 1.

    >>> Regression(features=("n",), label="income").as_dict()["folds"]
    5
    """

    name: ClassVar[str] = "regression"
    model: str = "linear"

    undefined = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_model(self, self.model, _REGRESSORS)

    def _score(self, table: Table) -> float | None:
        rows, targets = self._rows(table)
        if len(rows) < self.folds:
            return None
        foretold = self._foretold(_regressor(self.model), rows, targets)
        off = sum(abs(a - b) for a, b in zip(foretold, targets, strict=True))
        middle = fmean(targets)
        return off / sum(abs(value - middle) for value in targets)


def _require_model(task: Task, model: str, known: tuple[str, ...]) -> None:
    if model not in known:
        raise BadInput.because("task-model-unknown", task=task.name, model=repr(model), models=list(known))


def _classifier(model: str) -> Any:
    if model == "tree":
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=3, random_state=0)
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))


def _regressor(model: str) -> Any:
    if model == "tree":
        from sklearn.tree import DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=3, random_state=0)
    from sklearn.linear_model import LinearRegression

    return LinearRegression()
