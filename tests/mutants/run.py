"""Break the code on purpose, one break at a time: each break must turn a test red.

A mutant is a patch beside this file. It is applied to a copy of src/, and the same tests as ever run on the copy, at
the depth of `make test`: those of noise, or the one that guards what this mutant breaks. The copy as it is must stay
green. No test knows of any of this.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
AT_ONCE = 2

# A fresh process, sure to import the copy: an editable install has the tree itself on its path as well.
TESTS = """
import sys
import pytest, sfumato
if not sfumato.__file__.startswith(sys.argv[1]):
    sys.exit(f"{sfumato.__file__} was imported, not the copy in {sys.argv[1]}.")
sys.exit(pytest.main([*sys.argv[2:], "-x", "--tb=no", "-rf", "-p", "no:cacheprovider"]))
"""

STATISTICAL = "tests/statistical"
NEIGHBOURS, PEOPLE = "tests/property/test_neighbours.py", "tests/property/test_people.py"
BINNED, AT_REST = "tests/property/test_sketch.py", "tests/contract/test_at_rest.py"
CONTRIBUTION = "tests/property/test_contribution.py"
AUDIT, SELECTED = f"{STATISTICAL}/test_audit.py", f"{STATISTICAL}/test_private_selection.py"
OF_NOISE = [AUDIT, f"{STATISTICAL}/test_bits.py", f"{STATISTICAL}/test_coverage.py"]  # of noise of any kind
SIZES = "tests/contract/test_escrow_sizes.py"
STORED, REPLACED = "tests/contract/test_stored.py", "tests/unit/test_replaced.py"
ESCROW, LOOKS = "tests/contract/test_security.py", "tests/contract/test_escrow_looks.py"
TOTAL = "tests/contract/test_total_sql.py"
SEPARATION = "tests/contract/test_separation.py"
CHARGES = "tests/property/test_charges.py"
GUARDS = {
    "access-given-back": f"{LOOKS}::test_taking_access_away_after_a_look_is_a_decision_and_so_is_giving_it_back",
    "approved-unbound": f"{ESCROW}::test_5_what_is_changed_after_its_approval_does_not_run",
    "bounds-from-data": f"{AUDIT}::test_no_guesser_beats_epsilon_in_groups[sum beyond the bounds]",
    "cap-without-slack": f"{SELECTED}::test_no_more_people_than_allowed_lie_above_a_cap",
    "casts-that-fail": f"{TOTAL}::test_no_operation_of_a_plan_fails_on_a_value_of_its_types",
    "constants-read-as-whole": f"{TOTAL}::test_no_constant_is_read_as_a_whole_number_beyond_64_bits",
    "failure-unrecorded": "tests/unit/test_failures.py::test_a_failure_after_a_charge_leaves_no_total",
    "copy-number-forgotten": f"{CONTRIBUTION}::test_a_long_stay_among_nine_short_ones_counts_once_in_ten",
    "decided-blindly": f"{LOOKS}::test_a_look_before_the_approval_leaves_no_guarantee",
    "vault-of-anybody": "tests/unit/test_vault.py::test_an_old_version_put_back",
    "counts-apart": "tests/unit/test_rank.py::test_the_counts_of_a_group_come_together",
    "groups-held": "tests/unit/test_drawn.py::test_groups_that_do_not_show_take_no_memory",
    "requests-unlimited": f"{SIZES}::test_many_fine_quantiles_are_refused_with_one_person_and_without_them",
    "texts-matched-in-full": "tests/unit/test_sizes.py::test_a_stored_text_beyond_the_limit_is_missing",
    "computed-unclamped": f"{NEIGHBOURS}::test_columns_are_clamped_before_they_are_computed_with",
    "drawn-unasked": "tests/unit/test_displays.py::test_nothing_confidential_shows_itself[session.choice.Choice]",
    "drafted-before-its-look": (
        "tests/unit/test_drafts.py::test_the_look_of_a_draft_is_entered_before_the_schema_and_once"
    ),
    "distance-of-rows": f"{NEIGHBOURS}::test_nobody_moves_the_groups_further_than_gaussian_noise_covers",
    "error-of-one": f"{STATISTICAL}/test_guesses.py::test_answers_keep_the_error_they_promise",
    "extremes-of-rows": f"{STATISTICAL}/test_selection.py",
    "gaussian-halved": f"{STATISTICAL}/test_gaussian.py",
    "gaussian-on-integers": f"{STATISTICAL}/test_gaussian.py",
    "groups-forgotten": f"{NEIGHBOURS}::test_somebody_in_as_many_groups_as_may_count_moves_all_of_them",
    "groups-in-order": f"{CONTRIBUTION}::test_every_group_counts_with_the_same_chance",
    "groups-unbounded": f"{NEIGHBOURS}::test_somebody_in_as_many_groups_as_may_count_moves_all_of_them",
    "guessed-in-one-step": "tests/property/test_guessing.py::test_the_epsilon_of_a_chance_has_that_chance",
    "histogram-as-bound": f"{BINNED}::test_nothing_printed_as_a_bound_is_below_what_the_people_give",
    "key-in-the-open": f"{AT_REST}::test_the_chain_is_followed_without_the_keys[sqlite]",
    "ledger-in-the-open": f"{AT_REST}::test_no_exact_fact_lies_in_the_database_its_journal_or_the_logs[sqlite]",
    "looked-under-another-name": (
        "tests/unit/test_population.py::test_a_look_under_one_name_ends_the_guarantee_under_the_other"
    ),
    "max-rows-forgotten": f"{NEIGHBOURS}::test_somebody_moves_each_number_by_its_whole_sensitivity",
    "nan-by-statistics": f"{NEIGHBOURS}::test_what_is_not_a_number_is_missing_whatever_others_have",
    "recorded-drawn-anew": f"{CHARGES}::test_an_answer_in_other_words_is_the_noisy_numbers_of_the_first",
    "scale-uncharged": f"{CHARGES}::test_another_epsilon_mechanism_or_version_is_charged",
    "truncation-uncharged": f"{CHARGES}::test_which_rows_of_a_person_count_is_in_the_key",
    "version-uncharged": f"{CHARGES}::test_another_epsilon_mechanism_or_version_is_charged",
    "where-uncharged": f"{CHARGES}::test_another_where_on_the_same_columns_is_charged",
    "replaced-in-one-step": f"{NEIGHBOURS}::test_somebody_who_is_replaced_moves_a_sum_by_two_steps",
    "replaced-unnoticed": f"{REPLACED}::test_no_count_of_one_file_is_held_against_another",
    "replaced-while-read": f"{REPLACED}::test_it_is_reported_when_it_changes_while_it_is_read[moved_over]",
    "rows-alike-for-everybody": f"{CONTRIBUTION}::test_a_long_stay_among_nine_short_ones_counts_once_in_ten",
    "rows-kept-in-order": f"{PEOPLE}::test_nobody_draws_the_others_anew",
    "rows-kept-of-everybody": f"{PEOPLE}::test_nobody_draws_the_others_anew",
    "selected-for-nothing": "tests/unit/test_private_selection.py::test_it_is_charged_even_when_nothing_is_selected",
    "selected-without-margin": f"{SELECTED}::test_the_variance_is_truly_met_with_the_probability_that_is_said",
    "selection-called-dp": "tests/unit/test_private_selection.py::test_a_release_charges_the_rest_and_says_so",
    "selection-halved": f"{STATISTICAL}/test_selection.py",
    "signal-halved": f"{STATISTICAL}/test_signal.py::test_no_guesser_beats_the_epsilon_of_a_noisy_difference",
    "sparse-vector-bare": f"{SELECTED}::test_every_place_comes_up_as_often_as_it_should",
    "spread-halved": f"{SELECTED}::test_no_guesser_beats_what_a_selection_charges",
    "squares-uncharged": f"{AUDIT}::test_no_guesser_beats_epsilon_in_groups[variance]",
    "stored-guarded-by-case": f"{STORED}::test_no_value_of_a_file_fails_a_query[moment us]",
    "stored-under-nulls": "tests/unit/test_arrow.py::test_what_lies_under_a_null_is_nothing_to_the_engine",
    "stored-unread": f"{STORED}::test_every_way_to_open_a_file_refuses_it",
    "sum-noise-of-one": f"{STATISTICAL}/test_sketch.py::test_the_people_above_an_exposure_are_as_few_as_stated",
    "viewers-decide": f"{SEPARATION}::test_what_a_viewer_wrote_before_separation_stays_without_guarantee",
    "void-approvals-count": f"{SEPARATION}::test_an_approval_that_is_void_does_not_run_whatever_the_database_says",
    "threshold-on-rows": f"{STATISTICAL}/test_private_keys.py",
    "totals-of-gaussian-noise": "tests/unit/test_odometer.py",
    "truncated-for-one": f"{STATISTICAL}/test_truncated.py",
    "version-of-sizes": "tests/unit/test_sources.py::test_the_version_of_a_folder_tells_nothing_about_the_data",
    "worlds-apart": "tests/property/test_belief.py::test_the_risk_is_bayes_at_the_worst_output",
}

# Only a failed assertion, of a refusal too, catches a mutant: code that merely falls over was not seen through.
SEEN = "AssertionError|assert|Failed: DID NOT RAISE"
CAUGHT = re.compile(rf"^FAILED \S+::(test_\S+?(?:\[.*\])?) - (?:{SEEN})", re.MULTILINE)


class Untested(Exception):
    """A mutant that says nothing about the tests: it could not be made, or they could not run."""


def main() -> int:
    """One line for the code as it is and one per mutant; 0 when all is as it should be."""
    if shutil.which("git") is None:
        print("Mutants are made with `git apply`: install git.", file=sys.stderr)
        return 1
    patches = [None, *sorted(HERE.glob("*.patch"))]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = list(pool.map(_told, patches))
    return 0 if all(outcomes) else 1


def _told(patch: Path | None) -> bool:
    name = patch.stem if patch else "the code as it is"
    try:
        caught = _caught_by(patch)
    except Untested as error:
        print(f"{name} … {error}", flush=True)
        return False
    if patch:
        print(f"{name} … {f'caught by {caught}' if caught else 'SURVIVED'}", flush=True)
        return caught is not None
    print(f"{name} … {f'RED: {caught}' if caught else 'green'}", flush=True)
    return caught is None


def _caught_by(patch: Path | None) -> str | None:
    """The first test that fails on a copy of src/ with the patch applied."""
    with TemporaryDirectory(prefix="sfumato-mutant-") as folder:
        copy = Path(folder).resolve()
        shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__"))
        if patch:
            _apply(patch, copy)
        if patch is None:
            guards = [*OF_NOISE, *sorted(set(GUARDS.values()))]
        else:
            guards = [GUARDS[patch.stem]] if patch.stem in GUARDS else OF_NOISE
        return _first_red(copy / "src", guards)


def _apply(patch: Path, copy: Path) -> None:
    done = _run(["git", "apply", "-p1", "-C1", str(patch)], copy, GIT_CEILING_DIRECTORIES=str(copy.parent))
    if done.returncode:
        raise Untested(f"{patch.name} no longer applies to src/: write it anew ({done.stderr.strip()})")


def _first_red(source: Path, tests: Sequence[str]) -> str | None:
    paths = os.pathsep.join(filter(None, (str(source), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-c", TESTS, str(source), *tests]
    done = _run(command, ROOT, PYTHONPATH=paths, COLUMNS="500", SFUMATO_DEPTH="test")
    if done.returncode == 0:
        return None
    if found := CAUGHT.search(done.stdout):
        return found[1]
    raise Untested(f"no assertion failed, yet the run ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def _run(command: Sequence[str], where: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=where, env=os.environ | more, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
