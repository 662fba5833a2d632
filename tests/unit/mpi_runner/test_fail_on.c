/* test_fail_on.c - which findings make a command fail, and options' ranges */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi_runner/commands/fail_on.h"
#include "ops/record/state.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const char *name(int k)
{
    static const char *const names[] = {"gone", "slower", "gone-slower"};

    return k < (int)N_ELEM(names) ? names[k] : NULL;
}

static void lists_become_bits(void **state)
{
    static const struct {
        const char *list;
        unsigned bits;
    } good[] = {
        {"", 0},
        {"none", 0},
        {"gone", 1},
        {"slower,", 2},
        {"gone,slower", 3},
        {"slower,gone,slower", 3},
        {"gone-slower", 4},
    };
    static const struct {
        const char *list, *found;
    } wrong[] = {
        {"gon", "expected none, or some of gone, slower, gone-slower; found "
                "'gon' (did you mean 'gone'?)"},
        {"gonee", "'gonee'"},
        {"gone,,slower", "''"},
        {"gone, slower", "' slower'"},
        {",", "''"},
        {"none,gone", "expected 'none' alone"},
        {"gone,none", "expected 'none' alone"},
    };
    struct osw_error err = OSW_ERROR_INIT;
    unsigned bits;

    (void)state;
    for (size_t i = 0; i < N_ELEM(good); i++) {
        print_message("  case: '%s'\n", good[i].list);
        assert_int_equal(osw_fail_on_parse(good[i].list, name, &bits, &err), 0);
        assert_int_equal(bits, good[i].bits);
    }
    for (size_t i = 0; i < N_ELEM(wrong); i++) {
        print_message("  case: '%s'\n", wrong[i].list);
        err = (struct osw_error)OSW_ERROR_INIT;
        assert_int_equal(osw_fail_on_parse(wrong[i].list, name, &bits, &err),
                         -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(err.text, "option '--fail-on': expected "));
        assert_non_null(strstr(err.text, wrong[i].found));
    }
}

static bool has(uint32_t states, enum osw_state state)
{
    return states >> state & 1;
}

static void groups_and_states_become_bits_of_states(void **state)
{
    static const struct {
        const char *list;
        bool value, nan, crash, weak, pass, lost;
    } rows[] = {
        {"fail,error", true, true, true, false, false, false},
        {"value", true, false, false, false, false, false},
        {"nan,not-judged", false, true, false, true, false, false},
        {"pass", false, false, false, false, true, false},
        {"infra", false, false, false, false, false, true},
        {"fail,", true, true, false, false, false, false},
        {"none", false, false, false, false, false, false},
        {"", false, false, false, false, false, false},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        uint32_t f;

        print_message("  case: '%s'\n", rows[i].list);
        assert_int_equal(osw_fail_on_states(rows[i].list, &f, &err), 0);
        assert_int_equal(has(f, OSW_STATE_VALUE), rows[i].value);
        assert_int_equal(has(f, OSW_STATE_NAN), rows[i].nan);
        assert_int_equal(has(f, OSW_STATE_CRASH), rows[i].crash);
        assert_int_equal(has(f, OSW_STATE_WEAK), rows[i].weak);
        assert_int_equal(has(f, OSW_STATE_PASS), rows[i].pass);
        assert_int_equal(has(f, OSW_STATE_LOST), rows[i].lost);
    }
}

static void a_word_that_is_no_state_is_named(void **state)
{
    static const struct {
        const char *list, *want;
    } rows[] = {
        {"fail,oops", "expected none, or some of pass, fail, error, "
                      "not-judged, infra, or single states; found 'oops'"},
        {"not judged", "found 'not judged' (did you mean 'not-judged'?)"},
        {"vaule", "did you mean 'value'?"},
        {"fail,none", "expected 'none' alone"},
        {"none,fail", "expected 'none' alone"},
        {"fail,,error", "found ''"},
        {"a-word-that-is-longer-than-any-state-could-be", "'a-word-that"},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        uint32_t f;

        print_message("  case: '%s'\n", rows[i].list);
        assert_int_equal(osw_fail_on_states(rows[i].list, &f, &err), -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        if (!strstr(err.text, rows[i].want))
            fail_msg("found: %s", err.text);
    }
}

static void ranges_hold_their_ends(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(osw_fail_on_range("p", 0, 0, 1, &err), 0);
    assert_int_equal(osw_fail_on_range("p", 1, 0, 1, &err), 0);
    assert_int_equal(osw_fail_on_range("p", 1.5, 0, 1, &err), -1);
    assert_string_equal(err.text, "option '--p': expected 0 to 1, found 1.5");
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_fail_on_range("p", NAN, 0, 1, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_become_bits),
        cmocka_unit_test(groups_and_states_become_bits_of_states),
        cmocka_unit_test(a_word_that_is_no_state_is_named),
        cmocka_unit_test(ranges_hold_their_ends),
    };

    return cmocka_run_group_tests_name("mpi_runner/fail_on", tests, NULL, NULL);
}
