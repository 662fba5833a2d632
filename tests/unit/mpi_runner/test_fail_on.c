/* test_fail_on.c - which findings make a command fail, and options' ranges */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi_runner/commands/fail_on.h"

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
        cmocka_unit_test(ranges_hold_their_ends),
    };

    return cmocka_run_group_tests_name("mpi_runner/fail_on", tests, NULL, NULL);
}
