"""Each task in a sentence, and its Lipschitz constant in words where it has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SENTENCES = {
    "above": "Whether the figure of one row is above that of another, or above a number. With a width, it is gradual.",
    "chi_square": "Whether a chi-square test rejects the shares of the reference.",
    "classifier": "Accuracy of a classifier that is trained on other rows of the answer.",
    "formula": "Value of an expression over the cells of the answer.",
    "histogram_distance": "Total variation distance between a column and a reference, as a share.",
    "rank_agreement": "Kendall's tau between the order of a column and a reference order.",
    "regression": "Error of a regression that is trained on other rows, over that of always predicting the mean.",
    "top_k": "Share of the k largest rows that are among the first k of a reference order.",
    "trend": "Whether a column rises or falls along a stated order of its rows.",
    "t_test": "Whether Welch's t-test finds that the means of two rows differ.",
}
LIPSCHITZ = {
    "above": "1 / (2 width), with a width",
    "formula": "of sums, multiples, min, max and abs",
    "histogram_distance": "1 / (2 sum of the reference)",
}


def worded(task: Mapping[str, Any]) -> dict[str, Any]:
    """A task of the library with its sentence, and its Lipschitz constant in words."""
    return {**task, "lipschitz": LIPSCHITZ.get(task["name"]), "sentence": SENTENCES[task["name"]]}
