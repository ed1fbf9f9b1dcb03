"""One line of help for each option of a preference, and headings for the options of a command."""

from __future__ import annotations

from sfumato.privacy.preferences.registry import OPTIONS

HELP = {option.name: option.help for option in OPTIONS} | {
    "priority": "Weight of this query: the preferences allow W times the epsilon.",
    "larger_than_spent": "Allow only epsilons above all that was spent before, as the papers do.",
}
METAVARS = {option.name: option.metavar for option in OPTIONS} | {"priority": "W"}
_ATTACKER = (
    *("attack_chance", "guess", "choices", "secret", "radius", "prior", "advantage", "sharing_risk", "trust"),
    *("data_sensitivity", "belief", "worlds", "missing", "bound"),
    "together",
)
_ACCURACY = ("within", "relative_error", "expected", "confidence", "each", "expected_count")
_RISK = (option.name for option in OPTIONS if option.name not in {"gap", *_ATTACKER, *_ACCURACY})
# Options by heading, in the order of help. A command has a heading if it has the first option below it.
HEADINGS: dict[str, tuple[str, ...]] = {
    "Preferences: people at risk": ("gap", *_RISK),
    "Preferences: what an attacker learns": _ATTACKER,
    "Preferences: accuracy": _ACCURACY,
    "Preferences: several queries": ("priority", "larger_than_spent"),
    "Noise": ("mechanism", "delta", "calibration", "candidates", "epsilon_max", "bounds_from_data"),
    "Ledger and budget": ("ledger", "budget", "preregistered", "redraw", "allow_no_guarantee"),
    "Connection": (
        *("workspace", "server", "as_name", "token_file", "password_file", "passphrase_file", "key_file"),
        *("authority", "insecure"),
    ),
    "Output": ("as_json", "out", "intervals", "certificate", "html", "plot", "svg", "people", "most_exposed", "help"),
}


def heading(option: str, options: frozenset[str]) -> str:
    """The heading of an option in the help of a command that has these options.

    >>> heading("delta", frozenset({"mechanism", "delta"})), heading("delta", frozenset({"delta"}))
    ('Noise', 'Options')
    """
    return next((name for name, own in HEADINGS.items() if option in own and own[0] in options), "Options")
