"""The introduction for controllers: six short screens, and four questions about them."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.escrow.identity.accounts import QUIZ_ANSWERS
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import guessing_sentences as of_guessing
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.presentation.wording.numbers import percent_up
from sfumato.privacy.risk.membership import attack_chance

EPSILON = 0.75  # of the example
CHANCE = attack_chance(EPSILON)
PASSED = "All four answers are right. You can now approve requests."


@dataclass(frozen=True)
class Screen:
    title: str
    sentences: tuple[str, ...]
    dots: bool = False  # with two arrays of 100 dots, for CHANCE


@dataclass(frozen=True)
class QuizQuestion:
    text: str
    choices: tuple[str, ...]
    right: int  # the index of the right choice
    why: str  # the explanation for a wrong answer

    def as_dict(self) -> dict[str, object]:
        """For the browser: without the right choice."""
        return {"asked": self.text, "choices": list(self.choices)}


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


SCREENS = (
    Screen(
        "What a release reveals",
        (
            "A statistic about many people also reveals a little about each of them: without your record it would be "
            "slightly different.",
            "Noise hides that difference. It is drawn once, when the answer is released, and no one sees it before. "
            "New noise is charged again, so no one can redraw for free until the answer suits them.",
            "A release cannot be taken back. What several releases reveal about the same people adds up, and the "
            "ledger keeps the total.",
        ),
    ),
    Screen(
        "Epsilon and membership attacks",
        (
            f"Epsilon states {_lower(of_risk.EPSILON)}",
            f"At epsilon {EPSILON:g}, {_lower(of_guarantee.attack(CHANCE))}",
            "At epsilon 0 it would be 50%: the answer is only noise and reveals nothing.",
            "Below, each dot is one of 100 possible answers, in the worst case. A filled dot suggests to the attacker "
            "that the person is included.",
        ),
        dots=True,
    ),
    Screen(
        "Risk gap",
        (
            f"An answer may depend on some people more than on others. {of_risk.GAP}",
            "A small risk gap means that people are treated alike. It does not mean that little is revealed about "
            "them: for that, read epsilon and the success rate of an attack.",
        ),
    ),
    Screen(
        "90% noise interval",
        (
            "With 90% probability, the noise of a figure lies within its 90% noise interval.",
            f"For example, with an interval of ±23, {of_guessing.hundred((77, 123))}.",
            "The interval covers the noise only. Clipping, dropped rows and errors in the data are not covered.",
        ),
    ),
    Screen(
        "Guarantee",
        (
            "Every release has one of three guarantees.",
            *(f"{of_guarantee.LABELS[one]} ({one.value}). {means}" for one, means in of_guarantee.MEANINGS.items()),
        ),
    ),
    Screen(
        "Looks",
        (
            "Two views of the risk are free: the worst case uses public facts, and the rehearsal uses synthetic data. "
            "A private exposure histogram is charged a small epsilon. None of them counts as looking at the data.",
            "Viewing individual risks is a look. It stays in the ledger for good. A decision that a person makes after "
            "a look, approval or refusal, has no guarantee unless it was preregistered: the decision itself can reveal "
            "something about the people.",
            "So plan first. Look afterwards, if you need to look at all.",
        ),
    ),
)
QUIZ = (
    QuizQuestion(
        f"A release has epsilon {EPSILON:g} and the guarantee dp. What does that mean?",
        (
            f"In {100 * EPSILON:g}% of releases, no one in the data can be identified.",
            of_guarantee.attack(CHANCE),
            f"The figures are off by at most {100 * EPSILON:g}%.",
        ),
        QUIZ_ANSWERS[0],
        f"Epsilon limits the success rate of a membership attack: at epsilon {EPSILON:g} it is at most "
        f"{percent_up(CHANCE)}, where a coin flip has 50%. It says neither who can be identified nor how large the "
        "error of a figure is.",
    ),
    QuizQuestion(
        "The risk gap is 1.2. What does that mean?",
        (
            "The highest disclosure risk of a person is 1.2 times the lowest.",
            "With 20% probability, a person will be identified.",
            "Little is revealed about each person.",
        ),
        QUIZ_ANSWERS[1],
        of_risk.GAP_IS_NO_PROBABILITY + " People can be treated alike while much is revealed about all of them.",
    ),
    QuizQuestion(
        "A figure has a 90% noise interval of ±92. What can you conclude?",
        (
            "The figure is certainly within 92 of the truth.",
            "If the figure looks odd, new noise can be drawn at no cost.",
            "With 90% probability the noise is at most 92. Clipping and dropped rows are not covered.",
        ),
        QUIZ_ANSWERS[2],
        "The interval holds with 90% probability and covers the noise only. Noise is drawn once: each further draw "
        "reveals more and is charged.",
    ),
    QuizQuestion(
        "You viewed individual risks and then changed epsilon. Which guarantee does the release have?",
        (
            "dp, if epsilon is small enough.",
            "none: a decision that a person makes after a look has no guarantee unless it was preregistered.",
            "dp-selected, because the look is in the ledger.",
        ),
        QUIZ_ANSWERS[3],
        "An epsilon that was chosen after a look reveals something about the people, however small it is. The ledger "
        "records the look; it does not undo it.",
    ),
)
