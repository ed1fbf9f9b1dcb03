"""Each task in a sentence, and its Lipschitz constant in words where it has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SENTENCES = {
    "above": "Is the figure of one row above that of another, or above a number? With a width, gradually.",
    "chi_square": "Does a chi-square test reject that counts are shared out as the reference says?",
    "classifier": "How often a classifier is right that is trained on other rows of the answer.",
    "formula": "The value of an expression over the answer's cells.",
    "histogram_distance": "How far a column is from a reference, as a share: the total variation distance.",
    "rank_agreement": "Kendall's tau between the order of a column and a reference order.",
    "regression": "The error of a regression that is trained on other rows, over that of always saying the mean.",
    "top_k": "The share of the k largest that are among the first k of a reference order.",
    "trend": "Whether a column rises or falls along a stated order of its rows.",
    "t_test": "Does Welch's t-test find that the means of two rows differ?",
}
LIPSCHITZ = {
    "above": "1 / (2 width), with a width",
    "formula": "of sums, multiples, min, max and abs",
    "histogram_distance": "1 / (2 sum of the reference)",
}


def worded(task: Mapping[str, Any]) -> dict[str, Any]:
    """A task of the library with its sentence, and its Lipschitz constant in words."""
    return {**task, "lipschitz": LIPSCHITZ.get(task["name"]), "sentence": SENTENCES[task["name"]]}
