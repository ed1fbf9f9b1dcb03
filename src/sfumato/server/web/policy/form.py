"""The form of a policy: users and organisations to choose from, and the usual rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.escrow.identity.person import EVERYONE, Role
from sfumato.escrow.policy.policy import AccessRule, Policy
from sfumato.escrow.policy.presets import presets
from sfumato.escrow.service import Escrow
from sfumato.model.statement import AggregateKind
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import rule as of_rule
from sfumato.presentation.wording.signals import pages as of_signal_pages
from sfumato.privacy.risk.sharing import LEVELS
from sfumato.server.web.signals.tasks import kinds

_SWITCHES = {
    "public_page": of_rule.PUBLIC_PAGE,
    "separation": of_rule.SEPARATION,
    "introduction": of_rule.INTRODUCTION,
}


def form_content(escrow: Escrow, controllers: int, columns: Sequence[str] = ()) -> dict[str, Any]:
    """Users, organisations, presets and rules that the form offers. The rest of a policy is edited as text."""
    starts = presets(controllers)
    people = [person for person in escrow.accounts.all() if not person.disabled]
    return {
        "everyone": EVERYONE,
        "organisations": sorted({person.organisation for person in people if person.organisation}, key=str.casefold),
        "people": [person for person in people if person.has(Role.ANALYST)],
        "columns": columns,
        "aggregates": [kind.value for kind in AggregateKind],
        "presets": [
            (name, title, of_rule.preset(starts[name]), starts[name]) for name, title in of_rule.PRESETS.items()
        ],
        "kinds": of_rule.KINDS,
        "own": {name: kind.title for name, kind in of_rule.KINDS.items() if kind.label},
        "levels": list(LEVELS),
        "approve": of_rule.APPROVE,
        "controllers": controllers,
        "signals": {kind["kind"]: (kind["title"], kind["said"]) for kind in kinds()},
        "signal_bits": AccessRule.signal_bits,
        "switches": {name: sentence for name, sentence in _SWITCHES.items() if name in Policy.__dataclass_fields__},
        "words": {
            "presets": of_rule.ABOUT_PRESETS,
            "columns": of_rule.COLUMNS,
            "aggregates": of_rule.AGGREGATES,
            "rule": of_rule.PREREGISTERED_RULE,
            "epsilon_max": of_rule.EPSILON_MAX,
            "budget": of_rule.BUDGET,
            "budget_delta": of_rule.BUDGET_DELTA,
            "odds": of_rule.ODDS,
            "where": of_rule.WHERE_PREREGISTERED,
            "declare": of_guarantee.DECLARE,
            "otherwise": of_rule.OTHERWISE,
            "signals": of_signal_pages.ALLOWED,
            "code": of_signal_pages.CODE_ALLOWED,
            "bits": of_signal_pages.BITS,
        },
    }
