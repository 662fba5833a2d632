/* tests/unit/sandbox/test_python_look.c - what a result leaves to be computed
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/sandbox/python_look.h"

#define US INT64_C(1000)

static void the_median_of_the_last_looks_counts(void **state)
{
    static const struct {
        const char *what;
        int64_t us[12]; /* of looks, one after the other; 0: no more */
        int64_t leaves;
        int64_t late_us; /* after the last one */
    } rows[] = {
        /* clang-format off */
        { "an honest result",        {10, 12, 9, 14, 11}, 1, 0 },
        { "cold caches, now and then", {60, 10, 10, 60, 10}, 1, 0 },
        { "one that computes itself", {400, 410, 390}, 1, 400 },
        { "the first look alone",     {400}, 1, 400 },
        { "all that looking may take", {30}, 1, 0 },
        { "more than that",           {31}, 1, 31 },
        { "many outputs take longer", {120, 120, 120}, 20, 0 },
        { "what was long ago is forgotten",
          {400, 400, 400, 400, 400, 10, 10, 10, 10, 10}, 1, 0 },
        { "from some call on",
          {10, 10, 10, 10, 10, 400, 400, 400, 400, 400}, 1, 400 },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_python_looks looks = {.n = 0};
        int64_t late = 0;

        print_message("  %s\n", rows[i].what);
        for (int k = 0; k < 12 && rows[i].us[k]; k++)
            late = osw_python_late(&looks, rows[i].us[k] * US, rows[i].leaves);
        assert_int_equal(late, rows[i].late_us * US);
    }
}

static void own_time_is_that_of_this_thread(void **state)
{
    int64_t before = osw_python_own_ns(), after = before;

    (void)state;
    while (after == before) /* its own work lets it go on */
        after = osw_python_own_ns();
    assert_true(after > before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_of_the_last_looks_counts),
        cmocka_unit_test(own_time_is_that_of_this_thread),
    };

    return cmocka_run_group_tests_name("sandbox/python_look", tests, NULL,
                                       NULL);
}
