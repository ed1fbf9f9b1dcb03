"""The introduction: four questions, which the server checks."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from sfumato.presentation.wording.introduction import QUIZ
from sfumato.server.dependencies import EscrowDep, ReadingUser, WritingUser
from sfumato.server.openapi import SENT, SIGNED_IN
from sfumato.server.texts import Body, Number

routes = APIRouter(prefix="/introduction", tags=["introduction"])


class QuizAnswers(Body):
    """For each question the index of a choice, from 0."""

    answers: Annotated[list[Number], Field(min_length=len(QUIZ), max_length=len(QUIZ))]


class QuestionShown(BaseModel):
    asked: str
    choices: list[str]


class Introduction(BaseModel):
    """`passed_at`: when the user first passed it."""

    questions: list[QuestionShown]
    passed_at: str | None


class Wrong(BaseModel):
    """The index of a question, from 0, and an explanation."""

    question: int
    why: str


class QuizOutcome(BaseModel):
    wrong: list[Wrong]
    passed_at: str | None


@routes.get("", responses=SIGNED_IN)
def questions(actor: ReadingUser, escrow: EscrowDep) -> Introduction:
    """The questions, and whether the user passed them."""
    questions = [QuestionShown.model_validate(one.as_dict()) for one in QUIZ]
    return Introduction(questions=questions, passed_at=escrow.accounts.introduced(actor))


@routes.post("", responses=SENT)
def answer(actor: WritingUser, body: QuizAnswers, escrow: EscrowDep) -> QuizOutcome:
    """Check answers. It can be repeated; with no wrong answer the introduction is passed."""
    wrong = [Wrong(question=number, why=QUIZ[number].why) for number in escrow.accounts.introduce(actor, body.answers)]
    return QuizOutcome(wrong=wrong, passed_at=escrow.accounts.introduced(actor))
