/* tests/unit/worker/test_verdict.c - every finding has its state */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "ops/inputs/trials.h"
#include "worker/judge/eval/rounds.h"
#include "worker/judge/eval/verdict.h"

static const struct osw_findings right = {
    .text = "", .compared = true, .hash = 1, .errors = {.first_bad = -1}};
static const struct osw_findings untouched = {.fault = OSW_FAULT_VALUES,
                                              .phase = OSW_PHASE_VERIFY,
                                              .text = "wrong",
                                              .compared = true,
                                              .untouched = true,
                                              .hash = 2,
                                              .errors = {.n_bad = 1}};

#define CALL(...)                                                              \
    {                                                                          \
        .text = "what", .phase = OSW_PHASE_VERIFY, __VA_ARGS__                 \
    }
#define WRONG(...)                                                             \
    CALL(.fault = OSW_FAULT_VALUES, .compared = true, .hash = 3, __VA_ARGS__)

static const struct row {
    const char *what;
    struct osw_findings call;
    const struct osw_findings *before;
    int kind;
    bool timed, changing, deterministic;
    uint64_t earlier_hash;
    enum osw_state state;
    const char *text;
    double earlier_error;
} rows[] = {
    /* clang-format off */
    { "nothing",          CALL(.compared = true, .hash = 1), &right, -1,
      false, false, true, 0, OSW_STATE_NONE, "" },
    { "an end",           CALL(.fault = OSW_FAULT_ENDED,
                               .end_state = OSW_STATE_TIMEOUT), NULL, -1,
      false, false, false, 0, OSW_STATE_TIMEOUT, "what" },
    { "no memory for it", CALL(.fault = OSW_FAULT_NOT_MADE), NULL, -1,
      false, false, false, 0, OSW_STATE_SKIPPED, "what" },
    { "a broken device",  CALL(.fault = OSW_FAULT_DEVICE), NULL, -1,
      false, false, false, 0, OSW_STATE_DEVICE, "what" },
    { "device's memory",  CALL(.fault = OSW_FAULT_RETURNED, .exit_code = 2,
                               .from_device = true), NULL, -1,
      false, false, false, 0, OSW_STATE_OOM, "what" },
    { "device's error",   CALL(.fault = OSW_FAULT_RETURNED, .exit_code = 700,
                               .from_device = true), NULL, -1,
      false, false, false, 0, OSW_STATE_CUDA, "what" },
    { "unsupported",      CALL(.fault = OSW_FAULT_RETURNED,
                               .unsupported = true), NULL, -1,
      false, false, false, 0, OSW_STATE_UNSUPPORTED, "what" },
    { "unsupported values", CALL(.fault = OSW_FAULT_RETURNED,
                               .unsupported = true), NULL, OSW_TRIAL_REDRAW,
      false, false, false, 0, OSW_STATE_UNSUPPORTED, "own values: what" },
    { "too much memory",  CALL(.fault = OSW_FAULT_RETURNED, .exit_code = 1,
                               .no_memory = true), NULL, -1,
      false, false, false, 0, OSW_STATE_OOM, "more memory" },
    { "a code",           CALL(.fault = OSW_FAULT_RETURNED, .exit_code = 7),
      NULL, -1, false, false, false, 0, OSW_STATE_RETURNED,
      "returned 7: what" },
    { "a dtype",          CALL(.fault = OSW_FAULT_DTYPE), NULL, -1,
      false, false, false, 0, OSW_STATE_DTYPE, "what" },
    { "a shape",          CALL(.fault = OSW_FAULT_SHAPE), NULL, -1,
      false, false, false, 0, OSW_STATE_SHAPE, "what" },
    { "a kept buffer",    CALL(.fault = OSW_FAULT_REUSED), NULL, -1,
      false, false, false, 0, OSW_STATE_STALE, "what" },
    { "a guard",          CALL(.fault = OSW_FAULT_GUARD), NULL, -1,
      false, false, false, 0, OSW_STATE_GUARD, "what" },
    { "an input",         CALL(.fault = OSW_FAULT_MUTATED), NULL, -1,
      false, false, false, 0, OSW_STATE_MUTATED, "what" },
    { "a hash",           CALL(.fault = OSW_FAULT_ASYNC), NULL, -1,
      false, false, false, 0, OSW_STATE_ASYNC, "changed after" },
    { "unknown values",   CALL(.fault = OSW_FAULT_UNKNOWN), NULL, -1,
      false, false, false, 0, OSW_STATE_UNVERIFIED, "what" },
    { "unfinished",       WRONG(.errors = {.n_bad = 1}), NULL, -1,
      false, true, false, 0, OSW_STATE_ASYNC, "changed after" },
    { "a value",          WRONG(.errors = {.n_bad = 1}), NULL, -1,
      false, false, false, 0, OSW_STATE_VALUE, "what" },
    { "a NaN",            WRONG(.errors = {.n_bad = 1, .n_nan = 1}), NULL, -1,
      false, false, false, 0, OSW_STATE_NAN, "what" },
    { "too large together", WRONG(.errors = {.imprecise = true}), NULL, -1,
      false, false, false, 0, OSW_STATE_PRECISION, "what" },
    { "on integers",      WRONG(.errors = {.n_bad = 1}), NULL,
      OSW_TRIAL_INTEGERS, false, false, false, 9, OSW_STATE_VALUE,
      "on small integers: what" },
    { "poison, twice",    WRONG(.untouched = true, .errors = {.n_bad = 1}),
      &untouched, -1, false, false, false, 0, OSW_STATE_UNWRITTEN,
      "left element 0" },
    { "poison, then not", WRONG(.errors = {.n_bad = 1}), &untouched, -1,
      false, false, false, 0, OSW_STATE_VALUE, "did not write" },
    { "wrong over the other poison", CALL(.compared = true, .hash = 1), &untouched,
      -1, false, false, false, 0, OSW_STATE_VALUE,
      "reads what it did not write, or beside its inputs: " },
    { "poison at last",   WRONG(.untouched = true, .errors = {.n_bad = 1}),
      &right, -1, false, false, false, 0, OSW_STATE_UNWRITTEN, "unwritten" },
    { "an old result",    WRONG(.errors = {.n_bad = 1, .bits = 32}), NULL,
      OSW_TRIAL_REDRAW, false, false, false, 3, OSW_STATE_STALE,
      "called again on other inputs: gave the result of earlier" },
    { "an old one, far off", WRONG(.errors = {.max_abs = 2.1, .bits = 32}),
      NULL, OSW_TRIAL_PERMUTED, false, false, false, 3, OSW_STATE_STALE,
      "gave the result of earlier", 1 },
    { "NaN for a number", WRONG(.errors = {.n_nan = 1, .bits = 32}), NULL,
      OSW_TRIAL_PERMUTED, false, false, false, 3, OSW_STATE_STALE,
      "gave the result of earlier", 1 },
    { "of unknown errors", WRONG(.errors = {.max_abs = NAN, .bits = 32}), NULL,
      OSW_TRIAL_PERMUTED, false, false, false, 3, OSW_STATE_STALE,
      "gave the result of earlier", NAN },
    { "about as wrong as before", WRONG(.errors = {.n_bad = 1, .max_abs = 1.9,
                                                   .bits = 32}), NULL,
      OSW_TRIAL_PERMUTED, false, false, false, 3, OSW_STATE_VALUE,
      "on inputs of which some are exchanged: what", 1 },
    { "the same, timed, as before", WRONG(.errors = {.n_bad = 1, .max_abs = 1,
                                                     .bits = 32}), NULL,
      OSW_TRIAL_REDRAW, true, false, false, 3, OSW_STATE_VALUE,
      "on other inputs: what", 1 },
    { "one by chance",    WRONG(.errors = {.n_bad = 31, .bits = 31}), NULL,
      OSW_TRIAL_REDRAW, false, false, false, 3, OSW_STATE_VALUE,
      "on other inputs: what" },
    { "the same, timed",  WRONG(.errors = {.n_bad = 32, .bits = 32}), NULL,
      OSW_TRIAL_REDRAW, true, false, false, 3, OSW_STATE_STALE,
      "in timed calls: gave" },
    { "nothing, timed",   WRONG(.untouched = true, .errors = {.n_bad = 1}),
      NULL, OSW_TRIAL_REDRAW, true, false, false, 9, OSW_STATE_STALE,
      "left its outputs unwritten" },
    { "other bits",       CALL(.compared = true, .hash = 5), &right, -1,
      false, false, true, 0, OSW_STATE_NONDETERMINISTIC, "different bits" },
    { "other bits allowed", CALL(.compared = true, .hash = 5), &right, -1,
      false, false, false, 0, OSW_STATE_NONE, "" },
    /* clang-format on */
};

static void every_finding_has_its_state(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *r = &rows[i];
        const struct osw_evidence e = {.kind = r->kind,
                                       .timed = r->timed,
                                       .changing = r->changing,
                                       .call = &r->call,
                                       .before = r->before,
                                       .earlier_hash = r->earlier_hash,
                                       .earlier_error = r->earlier_error,
                                       .deterministic = r->deterministic};
        struct osw_verdict verdict;

        print_message("  case: %s\n", r->what);
        osw_verdict_of(&e, &verdict);
        assert_int_equal(verdict.state, r->state);
        assert_non_null(strstr(verdict.text, r->text));
    }
}

static void a_pointer_that_was_kept_is_suspected(void **state)
{
    static const struct {
        bool moved;
        int signal;
        const char *text;
    } ends[] = {
        {true, SIGSEGV,
         "what in the second call, whose tensors and workspace lie at other "
         "addresses than those of the first: was a pointer kept?"},
        {true, SIGABRT, "what"},
        {false, SIGSEGV, "what"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        const struct osw_findings call =
            CALL(.fault = OSW_FAULT_ENDED, .end_state = OSW_STATE_CRASH,
                 .end_signal = ends[i].signal);
        const struct osw_evidence e = {
            .kind = -1, .moved = ends[i].moved, .call = &call};
        struct osw_verdict v;

        osw_verdict_of(&e, &v);
        assert_int_equal(v.state, OSW_STATE_CRASH);
        assert_string_equal(v.text, ends[i].text);
    }
}

static void every_trial_has_its_turn_and_its_words(void **state)
{
    uint32_t turns = 0;

    (void)state;
    for (int i = 0; i < OSW_N_TRIALS; i++) {
        const char *prefix = osw_verdict_prefix(i);

        turns |= UINT32_C(1) << osw_rounds_trials[i];
        assert_non_null(prefix);
        assert_true(strncmp(prefix, "on ", 3) == 0);
    }
    assert_int_equal(turns, (UINT32_C(1) << OSW_N_TRIALS) - 1);
    assert_string_equal(osw_verdict_prefix(-1), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_finding_has_its_state),
        cmocka_unit_test(a_pointer_that_was_kept_is_suspected),
        cmocka_unit_test(every_trial_has_its_turn_and_its_words),
    };

    return cmocka_run_group_tests_name("worker/verdict", tests, NULL, NULL);
}
