"""What somebody should know who decides about others' data: six short screens, and four questions about them."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.escrow.identity.accounts import QUIZ_ANSWERS
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import guessing_sentences as of_guessing
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.privacy.risk.membership import attack_chance

EPSILON = 0.75  # of the example
CHANCE = attack_chance(EPSILON)
PASSED = "All four are right. You may decide."
_RIGHT = of_guarantee.in_100(CHANCE)


@dataclass(frozen=True)
class Screen:
    title: str
    sentences: tuple[str, ...]
    dots: bool = False  # two arrays of 100 dots, of CHANCE


@dataclass(frozen=True)
class QuizQuestion:
    text: str
    choices: tuple[str, ...]
    right: int  # of the choices, from 0
    why: str  # the explanation for a wrong answer

    def as_dict(self) -> dict[str, object]:
        """Without what is right: that is for the server to tell."""
        return {"asked": self.text, "choices": list(self.choices)}


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


SCREENS = (
    Screen(
        "What a release tells",
        (
            "An answer about many people also tells a little about each of them: without you it would be a little "
            "different.",
            "Noise hides that difference. It is drawn once, when the answer leaves. Nobody sees it before, and nobody "
            "draws again until they like it.",
            "What was released stays released. What several answers tell about the same people adds up, and the "
            "ledger keeps count.",
        ),
    ),
    Screen(
        "Epsilon, as odds",
        (
            f"Epsilon says {_lower(of_risk.EPSILON)}",
            f"At epsilon {EPSILON:g}, {_lower(of_request.odds(CHANCE))}",
            "At epsilon 0 it would be 50 and 50, a coin: nothing is told, and the answer is only noise.",
        ),
        dots=True,
    ),
    Screen(
        "The gap, and what it is not",
        (
            f"An answer may depend on some people more than on others. The gap says {_lower(of_risk.GAP)}",
            "A small gap says that people are treated alike. It does not say that little is told about them: for "
            "that, look at epsilon and at the odds beside it.",
        ),
    ),
    Screen(
        "The noise range",
        (
            f"The noise range says {_lower(of_risk.NOISE_RANGE)}",
            f"An example: with a noise range of ±23, {of_guessing.hundred((77, 123))}.",
            "It is about the noise alone. What was clipped, what was left out and what was wrong in the data comes "
            "on top.",
        ),
    ),
    Screen(
        "Three words",
        (
            "Whatever leaves carries one of three words, which says what is promised about it.",
            *(f"{word.value}: {_lower(meaning)}" for word, meaning in of_guarantee.MEANINGS.items()),
        ),
    ),
    Screen(
        "A look, and what it costs",
        (
            "The worst case comes from public facts, and the rehearsal from invented rows: both are free. A private "
            "exposure histogram costs a small epsilon, and leaves every choice open.",
            "To look at the people themselves is a step of its own, and stays in the ledger for ever. "
            "What a person decides after it, yes or no, carries the word none, unless it was fixed beforehand: whoever "
            "learns of the decision may learn something about the people.",
            "So: plan first, then look, if at all.",
        ),
    ),
)
QUIZ = (
    QuizQuestion(
        f"A release has epsilon {EPSILON:g}, and carries the word dp. What does that promise?",
        (
            f"Nobody in the data can be found, in {100 * EPSILON:g} of 100 releases.",
            f"Whoever knows everybody else still guesses at most {_RIGHT} times of 100 right whether a person is in "
            "the data.",
            f"The figures are at most {100 * EPSILON:g} percent off.",
        ),
        QUIZ_ANSWERS[0],
        f"Epsilon bounds odds: at {EPSILON:g} a guess whether somebody is in the data is right at most {_RIGHT} times "
        "of 100, where a coin has 50. It says nothing about who can be found, and not how far figures are off.",
    ),
    QuizQuestion(
        "The gap is 1.2. What does it say?",
        (
            "The person most at risk carries 1.2 times the risk of the one least at risk.",
            "Somebody will be found with a probability of 20 percent.",
            "Little is told about anybody.",
        ),
        QUIZ_ANSWERS[1],
        of_risk.GAP_IS_NO_PROBABILITY + " People may be treated alike while much is told about all of them.",
    ),
    QuizQuestion(
        "A figure has a noise range of ±92. What may you say?",
        (
            "The figure is certainly within 92 of what is true in the world.",
            "If it looks odd, drawing the noise again costs nothing.",
            "The noise moved it by 92 at most, 90 times of 100; what was clipped or left out comes on top.",
        ),
        QUIZ_ANSWERS[2],
        "A noise range holds 90 times of 100, and covers the noise alone. The noise is drawn once: every further draw "
        "would tell more, and is charged.",
    ),
    QuizQuestion(
        "You looked at the people, and then changed the epsilon. Which word does the release carry?",
        (
            "dp, if the epsilon is small enough.",
            "none: what a person decides after a look carries no guarantee, unless it was fixed beforehand.",
            "dp-selected, because the look is in the ledger.",
        ),
        QUIZ_ANSWERS[3],
        "An epsilon that was chosen by looking tells about the people that were looked at, however small it is. The "
        "ledger records the look; it does not undo it.",
    ),
)
