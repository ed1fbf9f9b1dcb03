"""The questions that are measured: Q1 to Q5 of the RDR paper (section 6.2)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """One aggregate of the table `adult`, in the parts that leaving one person out needs."""

    name: str
    aggregate: str  # COUNT, AVG or SUM
    reads: tuple[str, ...]  # the columns that the query reads
    argument: str | None = None  # the column that is aggregated; None is *
    where: str = ""
    key: str | None = None

    def sql(self, and_also: str = "") -> str:
        """The query, as a user writes it; `and_also` narrows it further, outside the parentheses of its WHERE."""
        conditions = [f"({self.where})" if and_also and self.where else self.where, and_also]
        where = " AND ".join(c for c in conditions if c)
        shown = f"{self.aggregate}({self.argument or '*'})"
        return (
            f"SELECT {f'{self.key}, ' if self.key else ''}{shown} FROM adult"
            f"{f' WHERE {where}' if where else ''}{f' GROUP BY {self.key}' if self.key else ''}"
        )


QUESTIONS = (
    Question(
        "Q1",
        "COUNT",
        ("income", "education_num", "age"),
        where="income = '>50K' AND education_num = 13 AND age = 25",
    ),
    Question(
        "Q2",
        "COUNT",
        ("marital_status", "race", "age"),
        where="race = 'Asian-Pac-Islander' AND age BETWEEN 30 AND 40",
        key="marital_status",
    ),
    Question(
        "Q3",
        "COUNT",
        ("native_country", "sex"),
        where="native_country <> 'United-States' AND sex = 'Female'",
    ),
    Question(
        "Q4",
        "AVG",
        ("hours_per_week", "workclass"),
        "hours_per_week",
        where="workclass IN ('Federal-gov', 'Local-gov', 'State-gov')",
    ),
    Question("Q5", "SUM", ("capital_gain",), "capital_gain"),
)
