"""One line of help for each option of a preference, and headings for the options of a command."""

from __future__ import annotations

_LEVELS = "very low, low, medium, high, very high, or a number from 0 to 1"
HELP = {
    "epsilon": "Use exactly this epsilon.",
    "gap": "Maximum risk gap: the highest disclosure risk over the lowest.",
    "ratio": "Minimum of the lowest disclosure risk over the highest, as in the RDR paper.",
    "worst_case": "Meet --gap or --ratio in every possible dataset, from public facts only.",
    "exact": "Use the exact RDR, not its upper bound.",
    "between": "Compare two medians in --gap or --ratio: people who meet this condition, and all others.",
    "attack_chance": "Maximum success rate of a membership attack, such as 0.6.",
    "variance": "Maximum variance of the disclosure risks, each as a share of the largest possible risk.",
    "exposure_cap": "Maximum of epsilon times exposure, for every person.",
    "allow": "Share of people allowed above --exposure-cap.",
    "select_epsilon": "Epsilon to spend on selecting epsilon privately; charged in addition to the release.",
    "beta": "Maximum probability that a private selection misses its preference; 0.05 by default.",
    "as_published": "Use the paper's version: Algorithm 3 for --variance (no guarantee), the floor for --sharing-risk.",
    "pri": "Use Find-eps-from-PRI as published, with all PRIs within P percent; no guarantee.",
    "guess": "Maximum chance to guess a person's value; needs --choices or --secret.",
    "choices": "Number of values that an attacker chooses from.",
    "secret": "Column whose value an attacker guesses; the schema lists its categories.",
    "radius": "Largest distance at which a guess of a number in --secret counts as correct.",
    "prior": "Chance of a correct guess before the answer is published.",
    "advantage": "Maximum increase of an attacker's belief about a person, for any answer.",
    "sharing_risk": f"Maximum risk of sharing the answer: {_LEVELS}.",
    "trust": "Trust in the recipient of the answer, for --sharing-risk.",
    "data_sensitivity": "Harm that a correct guess does, for --sharing-risk.",
    "belief": "Maximum belief of an attacker in any of the possible --worlds.",
    "worlds": "Public table of everyone who could be in the data, or a file with the answer in each world.",
    "missing": "Number of people in --worlds who are not in the data; 1 by default.",
    "bound": "Use the paper's upper bound for --belief, which is stricter.",
    "within": "Maximum error of any figure.",
    "relative_error": "Maximum error of any figure, as a share of --expected.",
    "expected": "Public estimate of the (smallest) answer, for --relative-error.",
    "confidence": "Probability that --within (0.95 by default) or --relative-error (0.9) holds.",
    "each": "Apply --within or --relative-error to each figure separately, not to all figures together.",
    "expected_count": "Public guess of the size of the smallest group; the interval of an average depends on it.",
    "priority": "Weight of this query: the preferences allow W times the epsilon.",
    "larger_than_spent": "Allow only epsilons above all that was spent before, as the papers do.",
}
METAVARS = {  # what stands for the value, where its kind does not say enough
    "epsilon": "E",
    "between": "CONDITION",
    "allow": "SHARE",
    "select_epsilon": "E",
    "pri": "P",
    "choices": "N",
    "secret": "COLUMN",
    "sharing_risk": "RISK",
    "trust": "LEVEL",
    "data_sensitivity": "LEVEL",
    "belief": "RHO",
    "worlds": "FILE",
    "missing": "N",
    "within": "ERROR",
    "relative_error": "SHARE",
    "expected": "ANSWER",
    "expected_count": "N",
    "priority": "W",
}
# Options by heading, in the order of help. A command has a heading if it has the first option below it.
HEADINGS: dict[str, tuple[str, ...]] = {
    "Preferences: people at risk": (
        *("gap", "epsilon", "ratio", "worst_case", "exact", "between", "variance", "exposure_cap", "allow"),
        *("select_epsilon", "beta", "as_published", "pri"),
    ),
    "Preferences: what an attacker learns": (
        *("attack_chance", "guess", "choices", "secret", "radius", "prior", "advantage", "sharing_risk", "trust"),
        *("data_sensitivity", "belief", "worlds", "missing", "bound"),
    ),
    "Preferences: accuracy": ("within", "relative_error", "expected", "confidence", "each", "expected_count"),
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
