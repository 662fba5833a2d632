/* tests/unit/ops/test_state.c - the table of states, as files rely on it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/record/state.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Numbers, names and groups are in files of the past: never change a row. */
static const struct {
    int number;
    const char *name;
    const char *group;
} states[] = {
    {1, "pass", "pass"},
    {2, "value", "fail"},
    {3, "precision", "fail"},
    {4, "nan", "fail"},
    {5, "shape", "fail"},
    {6, "dtype", "fail"},
    {7, "unwritten", "fail"},
    {8, "guard", "fail"},
    {9, "mutated", "fail"},
    {10, "async", "fail"},
    {11, "stale", "fail"},
    {12, "nondeterministic", "fail"},
    {13, "implausible", "fail"},
    {14, "returned", "error"},
    {15, "cuda", "error"},
    {16, "crash", "error"},
    {17, "exited", "error"},
    {18, "timeout", "error"},
    {19, "oom", "error"},
    {20, "build", "error"},
    {21, "load", "error"},
    {22, "reference", "error"},
    {23, "unverified", "not judged"},
    {24, "unsupported", "not judged"},
    {25, "weak", "not judged"},
    {26, "skipped", "not judged"},
    {27, "device", "infra"},
    {29, "lost", "infra"},
};

static void states_are_what_files_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(states); i++) {
        enum osw_state s = (enum osw_state)states[i].number;

        assert_true(osw_state_known(states[i].number));
        assert_string_equal(osw_state_name(s), states[i].name);
        assert_string_equal(osw_state_group_name(osw_state_group(s)),
                            states[i].group);
        assert_int_equal(osw_state_find(states[i].name), s);
        assert_int_equal(osw_state_at((int)i), s);
    }
    assert_int_equal(osw_state_at(N_ELEM(states)), OSW_STATE_NONE);
}

static void what_is_no_state_is_none(void **state)
{
    static const int numbers[] = {0, -1, 28, 30, 255, 1000000};
    static const char *const names[] = {"", "Pass", "pas", "passed", "?"};

    (void)state;
    for (size_t i = 0; i < N_ELEM(numbers); i++) {
        assert_false(osw_state_known(numbers[i]));
        assert_string_equal(osw_state_name((enum osw_state)numbers[i]), "?");
    }
    for (size_t i = 0; i < N_ELEM(names); i++)
        assert_int_equal(osw_state_find(names[i]), OSW_STATE_NONE);
    assert_int_equal(osw_state_at(-1), OSW_STATE_NONE);
}

static void a_scope_says_how_far_a_state_reaches(void **state)
{
    static const struct {
        enum osw_state state;
        enum osw_scope scope;
    } cases[] = {
        {OSW_STATE_PASS, OSW_SCOPE_CELL},
        {OSW_STATE_CRASH, OSW_SCOPE_CELL},
        {OSW_STATE_BUILD, OSW_SCOPE_IMPL},
        {OSW_STATE_LOAD, OSW_SCOPE_IMPL},
        {OSW_STATE_REFERENCE, OSW_SCOPE_OP},
        {OSW_STATE_DEVICE, OSW_SCOPE_DEVICE},
        {OSW_STATE_LOST, OSW_SCOPE_NODE},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++)
        assert_int_equal(osw_state_scope(cases[i].state), cases[i].scope);
}

static void broken_is_what_a_worker_skipped(void **state)
{
    static const char reason[] = "broken: three crashes or timeouts before";

    (void)state;
    assert_true(osw_state_is_broken(OSW_STATE_SKIPPED, reason));
    assert_false(osw_state_is_broken(OSW_STATE_CRASH, reason));
    assert_false(osw_state_is_broken(OSW_STATE_SKIPPED, "broken"));
    assert_false(osw_state_is_broken(OSW_STATE_SKIPPED, "too large"));
}

static void groups_and_phases_have_names(void **state)
{
    static const char *const phases[] = {
        "none",    "plan", "build",  "load", "fill",  "reference",
        "prepare", "run",  "verify", "time", "finish"};

    (void)state;
    for (size_t i = 0; i < N_ELEM(phases); i++)
        assert_string_equal(osw_phase_name((enum osw_phase)i), phases[i]);
    assert_string_equal(osw_phase_name((enum osw_phase)N_ELEM(phases)), "?");
    assert_string_equal(osw_state_group_name(OSW_GROUP_COUNT), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_what_files_say),
        cmocka_unit_test(what_is_no_state_is_none),
        cmocka_unit_test(a_scope_says_how_far_a_state_reaches),
        cmocka_unit_test(broken_is_what_a_worker_skipped),
        cmocka_unit_test(groups_and_phases_have_names),
    };

    return cmocka_run_group_tests_name("ops/state", tests, NULL, NULL);
}
