/* tests/unit/worker/test_deadline.c - how long one call may take */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/judge/eval/deadline.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define MS        INT64_C(1000000)
#define S         (1000 * MS)

static void a_call_has_the_largest_of_three(void **state)
{
    static const struct {
        const char *what;
        int64_t prediction, reference, floor, want;
    } rows[] = {
        {"nothing is known", 0, 0, 10 * S, 10 * S},
        {"a quick call", 1 * MS, 50 * MS, 10 * S, 10 * S},
        {"a short floor", 1 * MS, 2 * MS, 50 * MS, 50 * MS},
        {"a prediction", 1 * S, 50 * MS, 10 * S, 50 * S},
        {"a slow reference", 1 * MS, 3 * S, 10 * S, 30 * S},
        {"both", 1 * S, 6 * S, 10 * S, 60 * S},
        {"a prediction that is none", -1, -1, 1 * S, 1 * S},
        {"no overflow", INT64_MAX, 0, 1 * S, INT64_MAX / 4},
        {"nor here", 0, INT64_MAX / 2, 1 * S, INT64_MAX / 4},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  case: %s\n", rows[i].what);
        assert_true(osw_deadline_of_call(rows[i].prediction, rows[i].reference,
                                         rows[i].floor) == rows[i].want);
    }
}

static void the_op_says_what_its_floor_is(void **state)
{
    static const struct {
        const char *what;
        double op_s;
        int64_t campaign, least, want;
    } rows[] = {
        {"the default", 0, 0, 0, 10 * S},
        {"--timeout, longer", 0, 60 * S, 0, 60 * S},
        {"--timeout, shorter", 0, 2 * S, 0, 2 * S},
        {"timeout_s, longer", 60, 0, 0, 60 * S},
        {"timeout_s, shorter", 0.5, 0, 0, 500 * MS},
        {"timeout_s is the op's own", 0.5, 30 * S, 0, 500 * MS},
        {"or longer than --timeout", 60, 30 * S, 0, 60 * S},
        {"a first call that compiles", 0.5, 2 * S, 120 * S, 120 * S},
        {"a very long one", 1e30, 0, 0, INT64_MAX / 4},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  case: %s\n", rows[i].what);
        assert_true(osw_deadline_floor(rows[i].op_s, rows[i].campaign, 10 * S,
                                       rows[i].least) == rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_has_the_largest_of_three),
        cmocka_unit_test(the_op_says_what_its_floor_is),
    };

    return cmocka_run_group_tests_name("worker/deadline", tests, NULL, NULL);
}
