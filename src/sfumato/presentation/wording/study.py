"""What the participants of a study read: consent, tutorial, quiz, tasks, and the usability scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CONSENT = (
    "This study is about how people choose how much noise to add to statistics about people. It takes about 10 "
    "minutes. All data in it is generated: no one in it is a real person.",
    "We record your choices and how long each page takes. We record neither your name nor your address, and no time of "
    "day. Taking part is voluntary, and you can stop at any time by closing this page.",
)
KNEW = "Before today, did you know what differential privacy is?"
TUTORIAL = (
    "A statistic about many people also reveals a little about each of them. Differential privacy hides this: random "
    "noise is added to the answer of a query before it is published.",
    "The parameter epsilon controls the noise. A larger epsilon means less noise: the answer is more accurate, and "
    "more is revealed about each person. A smaller epsilon means more noise: people are better protected, and the "
    "answer is less accurate.",
    "The noise is random, so the published answer could be any of many. Each page shows the range in which it lies "
    "with 90% probability.",
)
SHARING_TUTORIAL = (
    "A statistic about many people also reveals a little about each of them. Random noise that is added to the shared "
    "counts makes it harder for the partner who receives them to guess something about one person.",
    "More noise means a lower chance that the partner guesses right, and so a lower risk of sharing. It also makes the "
    "counts less accurate: with 10% noise, a shared count of 100 is between 90 and 110 with 90% probability.",
    "The risk also depends on how sensitive the data is and on how much you trust the partner.",
)


@dataclass(frozen=True)
class Question:
    """A question of the quiz; `right` is the index of the right choice."""

    text: str
    choices: tuple[str, ...]
    right: int


QUIZ = (
    Question(
        "What happens to the published answer if epsilon is larger?",
        ("It has more noise.", "It has less noise.", "The noise stays the same."),
        1,
    ),
    Question(
        "Which epsilon protects the people in the data better?",
        ("0.5", "5", "Both protect them equally."),
        0,
    ),
    Question(
        "Why is noise added to the answer?",
        ("To hide how much one person changes it.", "To correct errors in the data.", "To compute it faster."),
        0,
    ),
)
SHARING_QUIZ = (
    Question(
        "What happens to the risk of sharing if more noise is added?",
        ("It becomes higher.", "It becomes lower.", "It stays the same."),
        1,
    ),
    Question(
        "10% noise is added to a count of 200. Where does the shared count lie with 90% probability?",
        ("Between 190 and 210", "Between 180 and 220", "Between 100 and 300"),
        1,
    ),
    Question(
        "You trust the partner less than before. What happens to the risk, with the same noise?",
        ("It becomes higher.", "It becomes lower.", "It stays the same."),
        0,
    ),
)
QUERIES: Mapping[str, str] = {
    "young-and-rich": "The number of people with an income above 50,000 who are younger than 40",
    "educated-by-race": "The number of people with a Master's degree or more and an income of at most 50,000, by race",
}
SITUATIONS: Mapping[str, str] = {
    "epidemic": (
        "An epidemic spreads. You hold the state of each inhabitant: susceptible, infected, recovered or deceased. "
        "A neighbouring nation asks for the counts of a village, to place medical supplies."
    ),
    "genes": (
        "You hold whether each patient has a gene that predicts a disease. A research institute asks for the counts of "
        "each hospital."
    ),
    "evacuation": (
        "You hold which of six shelters each inhabitant of a town is in. A transport company asks for the counts, to "
        "plan its buses."
    ),
}
GOAL = "Choose the epsilon that protects the privacy of the people in the data, with answers as accurate as possible."
SHARING_GOAL = (
    "Choose the noise to add to the counts, in percent, so that risk and noise stay within what you tolerate."
)
INDICATORS: Mapping[str, tuple[str, str]] = {
    "rdr": (
        "Relative disclosure risk (RDR)",
        "The relative disclosure risk indicator (RDR) says how much the published answer is expected to reveal about a "
        "person, compared with the other people in the data. The further the RDRs lie apart, the more unequal the "
        "people's risks are.",
    ),
    "pri": (
        "Privacy risk indicator (PRI)",
        "The privacy risk indicator (PRI) says how far the published answer lies from the true answer without a "
        "person. The further the PRIs lie apart, the more unequal the people's risks are.",
    ),
    "sharing": (
        "Risk of sharing",
        "The curve shows the risk of sharing at each percentage of noise. The line is the risk that you tolerate.",
    ),
}
USED: Mapping[str, str] = {
    "rdr": "Did you use the RDRs when you chose epsilon?",
    "pri": "Did you use the PRIs when you chose epsilon?",
    "sharing": "Did you use the curve when you chose the noise?",
}
SUS = (
    "I think that I would like to use this tool frequently.",
    "I found the tool unnecessarily complex.",
    "I thought the tool was easy to use.",
    "I think that I would need the support of a technical person to be able to use this tool.",
    "I found the various functions in this tool were well integrated.",
    "I thought there was too much inconsistency in this tool.",
    "I would imagine that most people would learn to use this tool very quickly.",
    "I found the tool very cumbersome to use.",
    "I felt very confident using the tool.",
    "I needed to learn a lot of things before I could get going with this tool.",
)
"""System usability scale: Brooke (1996), with "tool" for "system"."""
END = "Thank you. Your answers were recorded, and you can close this page."
FAILED = "Thank you. At least one answer was wrong, so the study ends here for you. You can close this page."


def is_sharing(kind: str) -> bool:
    return kind == "sharing"


def tutorial(kind: str) -> tuple[str, ...]:
    return SHARING_TUTORIAL if is_sharing(kind) else TUTORIAL


def quiz(kind: str) -> tuple[Question, ...]:
    return SHARING_QUIZ if is_sharing(kind) else QUIZ
