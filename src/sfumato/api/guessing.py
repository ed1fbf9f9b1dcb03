"""What a guess at someone's value comes to under a query, per epsilon, as its holder sees it. No data is read."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from sfumato.api.display import Printed
from sfumato.api.figure import Picture
from sfumato.errors import PreferenceError
from sfumato.presentation import guessing_view as view
from sfumato.presentation.document import Document
from sfumato.privacy.preferences.guessing_preferences import level
from sfumato.privacy.risk import sharing
from sfumato.release.risk.guessing_risk import GuessingRisk


class Guessing(Printed, GuessingRisk):
    """Made by `Query.guessing`: public, free, and no look. `epsilon` is what the limit allows, None without one."""

    def plot(self) -> Picture:
        """Noise against risk, with the limit; without a partner, noise against the chance of a right guess."""
        return Picture(view.figure(self.view), of_the_people=False)

    def by_trust(self) -> Picture:
        """The same with a line for each of the five words of trust."""
        each = {word: self._with_trust(word).view for word in sharing.LEVELS}
        return Picture(view.by_trust(self.view, each), of_the_people=False)

    def surface(self, epsilon: float | None = None) -> Picture:
        """The risk over trust and sensitivity, at this epsilon or at the one that the limit allows."""
        at = self.epsilon if epsilon is None else epsilon
        if at is None:
            raise PreferenceError("The surface needs an epsilon", hint="state an epsilon, or a limit.")
        chance = self.at(at).chance
        drawn = view.surface(self.view, chance, *sharing.surface(chance, self.blind))
        return Picture(drawn, of_the_people=False)

    def _with_trust(self, word: str) -> Guessing:
        """The same for a partner of another trust."""
        if self.terms is None:
            raise PreferenceError("Levels of trust need a partner", hint="add trust and data_sensitivity.")
        other = copy(self)
        other.terms = replace(self.terms, trust=level("trust", word))
        return other

    def _document(self) -> Document:
        return view.document(self.view)
