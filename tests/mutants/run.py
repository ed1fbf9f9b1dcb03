"""Break the code on purpose, one break at a time: each break must turn the test that it names red.

A mutant is a patch beside this file. It is applied to a copy of src/, and the test that guards what it breaks runs on
the copy, at the depth of `make test`. On the code as it is, that test must be green. No test knows of any of this.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mutants.trial import Outcome, Trials, Untested

HERE = Path(__file__).parent
AT_ONCE = 2

STATISTICAL = "tests/statistical"
NEIGHBOURS, PEOPLE = "tests/property/test_neighbours.py", "tests/property/test_people.py"
AT_REST = "tests/contract/test_at_rest.py"
CONTRIBUTION = "tests/property/test_contribution.py"
AUDIT, SELECTED = f"{STATISTICAL}/test_audit.py", f"{STATISTICAL}/test_private_selection.py"
SIZES = "tests/contract/test_escrow_sizes.py"
STORED, REPLACED = "tests/contract/test_stored.py", "tests/unit/test_replaced.py"
ESCROW, LOOKS = "tests/contract/test_security.py", "tests/contract/test_escrow_looks.py"
TOTAL = "tests/contract/test_total_sql.py"
SEPARATION = "tests/contract/test_separation.py"
STOPPING = "tests/contract/test_stopping.py"
CHARGES = "tests/property/test_charges.py"
FILTER = "tests/property/test_individual_filter.py"
PARALLEL = "tests/property/test_parallel.py"
JOINS = "tests/unit/test_joins.py"
ENGINES = "tests/contract/test_engines.py"
SPARK_SQL = "tests/unit/test_spark_sql.py"
GUARDS = {
    "access-given-back": f"{LOOKS}::test_taking_access_away_after_a_look_is_a_decision_and_so_is_giving_it_back",
    "approved-unbound": f"{ESCROW}::test_5_what_is_changed_after_its_approval_does_not_run",
    "average-charged-once": f"{AUDIT}::test_no_guesser_beats_epsilon_in_groups[average]",
    "bounds-from-data": f"{AUDIT}::test_no_guesser_beats_epsilon_in_groups[sum beyond the bounds]",
    "box-by-simulation": "tests/paper/test_computed.py::test_the_box_covers_the_largest_of_several_numbers",
    "cap-without-slack": f"{SELECTED}::test_no_more_people_than_allowed_lie_above_a_cap",
    "spark-cast-that-fails": f"{SPARK_SQL}::test_each_node_is_printed_with_its_guard[a whole number as a narrower one]",
    "spark-floor-that-fails": f"{SPARK_SQL}::test_each_node_is_printed_with_its_guard[FLOOR stays a float]",
    "spark-pattern-without-end": f"{SPARK_SQL}::test_a_pattern_that_java_may_try_for_ever_is_refused[.*a.*b.*c-False]",
    "casts-that-fail": f"{TOTAL}::test_no_operation_of_a_plan_fails_on_a_value_of_its_types",
    "charged-after-the-signal": (
        f"{STOPPING}::test_what_was_not_charged_before_the_signal_is_put_back_and_runs_at_the_next_start[sqlite]"
    ),
    "clamp-forgotten": f"{AUDIT}::test_no_guesser_beats_epsilon_in_groups[sum beyond the bounds]",
    "constants-read-as-whole": f"{TOTAL}::test_no_constant_is_read_as_a_whole_number_beyond_64_bits",
    "cohorts-undeclared": f"{PARALLEL}::test_every_order_of_declaring_and_charging[one0-other0]",
    "declared-afterwards": f"{PARALLEL}::test_every_order_of_declaring_and_charging[one0-other0]",
    "engine-casts": f"{ENGINES}::test_every_plan_reads_every_value_as_duckdb_does[postgres-several rows a person]",
    "engine-hash": f"{ENGINES}::test_the_same_rows_of_a_person_count_in_every_engine[postgres]",
    "engine-round": f"{ENGINES}::test_halves_are_rounded_up_in_every_engine[postgres]",
    "values-of-any-version": f"{PARALLEL}::test_wards_of_several_versions_add_up",
    "owner-by-minimum": f"{JOINS}::test_the_broken_forms_are_refused",
    "pairs-each-at-90": "tests/paper/test_pairs.py::test_the_interval_of_a_correlation_that_was_asked_for",
    "pairs-of-other-rows": "tests/property/test_pairs.py::test_its_numbers_and_what_one_person_moves_them_by",
    "people-in-two-parts": ("tests/property/test_people_parts.py::test_halves_are_disjoint_and_no_one_is_left_out"),
    "period-unlimited": (
        "tests/unit/test_recurring_budget.py::test_a_month_is_used_up_exactly_and_the_next_one_begins_anew"
    ),
    "taken-back-and-started": (
        "tests/contract/test_undo.py::test_of_an_undo_and_a_start_in_one_moment_one_counts[sqlite]"
    ),
    "taken-back-in-the-row-only": (
        "tests/contract/test_undo.py::test_an_approval_that_was_taken_back_is_none_in_the_ledger[sqlite]"
    ),
    "figure-paid-again": (
        "tests/property/test_recurring.py::test_an_unknown_outcome_is_neither_paid_again_nor_drawn_without_a_statement"
    ),
    "draw-not-taken-over": "tests/property/test_recurring.py::test_a_draw_that_was_taken_over_is_discarded",
    "filter-unguarded": f"{TOTAL}::test_no_operation_of_a_plan_fails_on_a_value_of_its_types",
    "format-unchecked": "tests/contract/test_ledger_store.py::test_a_file_of_another_format_is_refused[no number]",
    "guarantee-from-before": "tests/unit/test_pipeline.py::test_a_look_in_between_is_seen",
    "failure-unrecorded": "tests/unit/test_failures.py::test_a_failure_after_a_charge_leaves_no_total",
    "copy-number-forgotten": f"{CONTRIBUTION}::test_a_long_stay_among_nine_short_ones_counts_once_in_ten",
    "decided-blindly": f"{LOOKS}::test_a_look_before_the_approval_leaves_no_guarantee",
    "vault-of-anyone": "tests/unit/test_vault.py::test_an_old_version_put_back",
    "public-left-join": f"{JOINS}::test_the_broken_forms_are_refused",
    "queued-after-the-signal": "tests/unit/test_turns.py::test_a_background_that_is_stopped_leaves_what_waits",
    "counts-apart": "tests/unit/test_rank.py::test_the_counts_of_a_group_come_together",
    "groups-held": "tests/unit/test_drawn.py::test_groups_that_do_not_show_take_no_memory",
    "requests-unlimited": f"{SIZES}::test_many_fine_quantiles_are_refused_with_one_person_and_without_them",
    "texts-matched-in-full": "tests/unit/test_sizes.py::test_a_stored_text_beyond_the_limit_is_missing",
    "columns-uncharged": (
        "tests/property/test_data_quality.py::test_somebody_moves_the_counts_by_their_whole_sensitivity"
    ),
    "computed-unclamped": f"{NEIGHBOURS}::test_columns_are_clamped_before_they_are_computed_with",
    "drawn-unasked": "tests/unit/test_displays.py::test_nothing_confidential_shows_itself[api.choice.Choice]",
    "drafted-before-its-look": (
        "tests/unit/test_drafts.py::test_the_look_of_a_draft_is_entered_before_the_schema_and_once"
    ),
    "distance-of-rows": f"{NEIGHBOURS}::test_nobody_moves_the_groups_further_than_gaussian_noise_covers",
    "ends-clamped": "tests/property/test_printed_intervals.py"
    "::test_a_count_lies_in_its_interval_which_reaches_as_far_as_the_noise",
    "error-of-one": f"{STATISTICAL}/test_guesses.py::test_answers_keep_the_error_they_promise",
    "extremes-of-rows": f"{STATISTICAL}/test_selection.py::test_no_guesser_beats_epsilon[minimum of many rows]",
    "gaussian-halved": f"{STATISTICAL}/test_gaussian.py::test_no_event_is_likelier_than_delta_allows[count]",
    "gaussian-on-integers": f"{STATISTICAL}/test_gaussian.py::test_the_grid_is_as_fine_as_the_theorem_asks[count]",
    "groups-forgotten": f"{NEIGHBOURS}::test_somebody_in_as_many_groups_as_may_count_moves_all_of_them",
    "groups-in-order": f"{CONTRIBUTION}::test_every_group_counts_with_the_same_chance",
    "groups-of-one": "tests/unit/test_own_rows.py::test_several_groups_of_a_person_count_within_the_bounds_of_the_unit",
    "groups-unbounded": f"{NEIGHBOURS}::test_somebody_in_as_many_groups_as_may_count_moves_all_of_them",
    "group-of-one": "tests/property/test_together.py::test_no_group_of_n_tells_more_than_the_preference_allows",
    "guessed-in-one-step": "tests/property/test_guessing.py::test_the_epsilon_of_a_chance_has_that_chance",
    "histogram-as-bound": (
        "tests/unit/test_exposure_histogram.py::test_bounds_are_the_worst_case_and_the_histogram_gives_an_estimate"
    ),
    "join-key-without-the-person": f"{JOINS}::test_the_broken_forms_are_refused",
    "key-in-the-open": f"{AT_REST}::test_the_chain_is_followed_without_the_keys[sqlite]",
    "ledger-in-the-open": f"{AT_REST}::test_no_exact_fact_lies_in_the_database_its_journal_or_the_logs[sqlite]",
    "looked-under-another-name": (
        "tests/unit/test_population.py::test_a_look_under_one_name_ends_the_guarantee_under_the_other"
    ),
    "keys-clamped": "tests/unit/test_key_values.py::test_a_code_beyond_the_bounds_is_in_no_group",
    "keys-from-the-data": "tests/unit/test_key_values.py::test_the_groups_are_the_same_with_a_person_and_without",
    "mean-counts-other-values": "tests/unit/test_functions.py::test_a_mean_counts_the_values_that_it_adds_up",
    "max-rows-forgotten": f"{NEIGHBOURS}::test_somebody_moves_each_number_by_its_whole_sensitivity",
    "levels-uncharged": "tests/unit/test_totals.py::test_a_person_moves_each_drawn_level_by_the_sensitivity",
    "max-rows-inside": "tests/unit/test_own_rows.py::test_no_row_of_a_person_is_left_out_inside",
    "nan-by-statistics": f"{NEIGHBOURS}::test_what_is_not_a_number_is_missing_whatever_others_have",
    "operand-unguarded": "tests/unit/test_functions.py::test_what_has_no_value_is_missing_and_nothing_fails",
    "whole-beyond-its-range": (
        "tests/unit/test_functions.py::test_what_floats_push_beyond_a_range_adds_no_more_than_the_sensitivity"
    ),
    "noise-clipped": f"{AUDIT}::test_noise_reaches_as_far_as_it_must",
    "noise-halved": f"{AUDIT}::test_no_guesser_beats_epsilon_in_groups[count]",
    "noise-on-integers": f"{AUDIT}::test_noise_lies_on_the_declared_grid[count]",
    "noise-repeated": f"{AUDIT}::test_noise_never_repeats",
    "noise-seeded": f"{AUDIT}::test_noise_never_repeats",
    "own-sums-of-floats": ("tests/unit/test_own_rows.py::test_a_person_s_sum_does_not_depend_on_the_order_of_the_rows"),
    "others-without-noise": f"{STATISTICAL}/test_computed.py::test_intervals_beside_all_groups_cover_the_truth",
    "range-of-the-unequal": "tests/unit/test_measure.py::test_a_range_that_no_condition_gives_is_refused",
    "ranges-narrow": f"{STATISTICAL}/test_coverage.py::test_ranges_cover_the_truth[AVG(value)-laplace]",
    "recorded-drawn-anew": f"{CHARGES}::test_an_answer_in_other_words_is_the_noisy_numbers_of_the_first",
    "scale-uncharged": f"{CHARGES}::test_another_epsilon_mechanism_or_version_is_charged",
    "truncated-before-the-join": "tests/property/test_joins.py::test_every_kind_of_join_on_one_shop[12]",
    "truncation-uncharged": f"{CHARGES}::test_which_rows_of_a_person_count_is_in_the_key",
    "version-uncharged": f"{CHARGES}::test_another_epsilon_mechanism_or_version_is_charged",
    "where-uncharged": f"{CHARGES}::test_another_where_on_the_same_columns_is_charged",
    "replaced-in-one-step": f"{NEIGHBOURS}::test_somebody_who_is_replaced_moves_a_sum_by_two_steps",
    "ratio-of-top-alone": f"{STATISTICAL}/test_computed.py::test_intervals_of_computed_columns_cover_the_truth",
    "replaced-unnoticed": f"{REPLACED}::test_no_count_of_one_file_is_held_against_another",
    "replaced-while-read": f"{REPLACED}::test_it_is_reported_when_it_changes_while_it_is_read[moved_over]",
    "someone-exhausted": f"{FILTER}::test_the_engine_includes_whom_the_rule_includes",
    "spent-forgotten": f"{FILTER}::test_no_one_loses_more_than_the_budget_over_a_transcript",
    "rows-alike-for-everyone": f"{CONTRIBUTION}::test_a_long_stay_among_nine_short_ones_counts_once_in_ten",
    "rows-kept-in-order": f"{PEOPLE}::test_nobody_draws_the_others_anew",
    "rows-kept-of-everyone": f"{PEOPLE}::test_nobody_draws_the_others_anew",
    "selected-for-nothing": "tests/unit/test_private_selection.py::test_it_is_charged_even_when_nothing_is_selected",
    "selected-without-margin": f"{SELECTED}::test_the_variance_is_truly_met_with_the_probability_that_is_said",
    "selection-called-dp": "tests/unit/test_private_selection.py::test_a_release_charges_the_rest_and_says_so",
    "selection-halved": f"{STATISTICAL}/test_selection.py::test_no_guesser_beats_epsilon[median]",
    "sensitivity-forgotten": f"{AUDIT}::test_no_guesser_beats_epsilon_in_groups[sum]",
    "signal-halved": f"{STATISTICAL}/test_signal.py::test_no_guesser_beats_the_epsilon_of_a_noisy_difference",
    "sparse-vector-bare": f"{SELECTED}::test_every_place_comes_up_as_often_as_it_should",
    "spread-halved": f"{SELECTED}::test_no_guesser_beats_what_a_selection_charges",
    "squares-uncharged": f"{AUDIT}::test_no_guesser_beats_epsilon_in_groups[variance]",
    "stored-checked-in-any-state": f"{STORED}::test_a_file_is_read_to_its_end_once",
    "stored-guarded-by-case": f"{STORED}::test_no_value_of_a_file_fails_a_query[moment us]",
    "stored-under-nulls": "tests/unit/test_arrow.py::test_what_lies_under_a_null_is_nothing_to_the_engine",
    "stored-unread": f"{STORED}::test_every_way_to_open_a_file_refuses_it",
    "sum-noise-of-one": (
        f"{STATISTICAL}/test_exposure_histogram.py::test_the_people_above_an_exposure_are_as_few_as_stated"
    ),
    "viewers-decide": f"{SEPARATION}::test_what_a_viewer_wrote_before_separation_stays_without_guarantee",
    "void-approvals-count": f"{SEPARATION}::test_an_approval_that_is_void_does_not_run_whatever_the_database_says",
    "threshold-on-rows": f"{STATISTICAL}/test_private_keys.py::test_a_group_of_one_person_shows_as_rarely_as_delta",
    "ties-by-place": (
        "tests/unit/test_own_rows.py::test_rows_of_equal_order_are_told_apart_by_all_that_is_read_of_them"
    ),
    "totals-of-gaussian-noise": "tests/unit/test_odometer.py::test_gaussian_noise_has_no_delta_beside_rho",
    "histogram-level-by-level": (
        f"{NEIGHBOURS}::test_somebody_moves_each_number_by_its_whole_sensitivity"
        "[SELECT place, APPROX_QUANTILE(price, 0.1), MEDIAN(price) FROM visits GROUP BY place-1-add-remove]"
    ),
    "quantile-interval-narrow": f"{STATISTICAL}/test_coverage.py::test_intervals_of_quantiles_cover_the_true_values",
    "ranks-in-pairs": f"{STATISTICAL}/test_true_ranks.py::test_all_true_ranks_hold_at_once[laplace]",
    "totals-narrow": f"{STATISTICAL}/test_coverage.py::test_ranges_of_groups_and_totals_cover_the_truth[laplace]",
    "truncated-for-one": f"{STATISTICAL}/test_truncated.py::test_no_event_is_likelier_than_delta_allows[count]",
    "version-of-sizes": "tests/unit/test_sources.py::test_the_version_of_a_folder_tells_nothing_about_the_data",
    "windows-across-people": (
        "tests/property/test_oracle.py::test_figures_beside_the_rows_of_a_person_are_of_these_rows_alone"
    ),
    "worlds-apart": "tests/property/test_belief.py::test_the_risk_is_bayes_at_the_worst_output",
}

AS_IS = "the code as it is"


def main() -> int:
    """Print one line for the code as it is and one per mutant; 0 when all is as it should be."""
    parser = argparse.ArgumentParser(prog="make mutants")
    parser.add_argument("only", nargs="*", metavar="NAME", help="mutants to run; all of them if none is named")
    parser.add_argument("--green", type=Path, help="JSON list of tests that were green just now and are not run again")
    options = parser.parse_args()
    if shutil.which("git") is None:
        print("Mutants are made with `git apply`: install git.", file=sys.stderr)
        return 1
    if unnamed := sorted({path.stem for path in HERE.glob("*.patch")} ^ GUARDS.keys()):
        print(f"GUARDS in {HERE.name}/run.py and the patches differ: {', '.join(unnamed)}.", file=sys.stderr)
        return 1
    if unknown := sorted(set(options.only) - GUARDS.keys()):
        print(f"There is no mutant {', '.join(unknown)}. There are: {', '.join(sorted(GUARDS))}.", file=sys.stderr)
        return 1
    names = sorted(options.only or GUARDS)
    green = None if options.green is None else json.loads(options.green.read_text("utf-8"))
    faults = dict(_faults(names, green))
    for name, fault in faults.items():
        print(f"{name}: {fault}", file=sys.stderr)
        if name in GUARDS:
            print(f"  Run it alone: make mutants ONLY={name}", file=sys.stderr)
    print(f"{len(set(names) - faults.keys())} of {len(names)} mutants were caught.")
    return 1 if faults else 0


def _faults(names: list[str], green: list[str] | None) -> Iterator[tuple[str, str]]:
    """What is wrong, by mutant; prints each outcome as it comes."""
    waiting = [*([AS_IS] if green is None else []), *names]
    if green is not None and (missing := _not_green(names, green)):
        yield AS_IS, missing
    running: dict[int, str] = {}
    done, count = 0, len(waiting)
    with TemporaryDirectory(prefix="sfumato-mutant-") as folder:
        trials = Trials(Path(folder))
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                name = waiting.pop(0)
                patch = HERE / f"{name}.patch"
                try:
                    if name == AS_IS:
                        guards = sorted({GUARDS[mutant] for mutant in names})
                        running[trials.start("as-it-is", None, guards, first_only=False)] = name
                    else:
                        running[trials.start(name, patch, [GUARDS[name]], first_only=True)] = name
                except Untested as error:
                    done += 1
                    yield name, str(error)
            if running:
                process, outcome = trials.finished()
                name, done = running.pop(process), done + 1
                good, sentence = _judgement(names, name, outcome)
                seconds = f" ({outcome.seconds:.1f} s)" if isinstance(outcome, Outcome) else ""
                print(f"[{done}/{count}] {name} … {sentence}{seconds}", flush=True)
                if not good:
                    yield name, sentence


def _judgement(names: list[str], name: str, outcome: Outcome | Untested) -> tuple[bool, str]:
    """Whether the tests went as they should, and a sentence about it."""
    if isinstance(outcome, Untested):
        return False, str(outcome)
    if name == AS_IS:
        if wrong := outcome.red | outcome.broken:
            return False, "RED without any mutant: " + "; ".join(f"{test}: {why}" for test, why in wrong.items())
        missing = _not_green(names, outcome.green)
        return not missing, missing or "green"
    if outcome.red:
        return True, f"caught by {next(iter(outcome.red)).partition('::')[2]}"
    if outcome.broken:
        return False, "no assertion failed, but the test broke: " + "; ".join(outcome.broken.values())
    return False, f"SURVIVED: {GUARDS[name]} stays green"


def _not_green(names: list[str], green: list[str]) -> str:
    """Which tests that mutants name were not run and green; nothing if all were."""
    functions = {*green, *(test.partition("[")[0] for test in green), *(test.partition("::")[0] for test in green)}
    missing = [f"{GUARDS[name]} (named by {name})" for name in names if GUARDS[name] not in functions]
    return f"no such test is there and green: {'; '.join(missing)}" if missing else ""


if __name__ == "__main__":
    sys.exit(main())
