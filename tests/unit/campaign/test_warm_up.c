/* tests/unit/campaign/test_warm_up.c - which case of an op comes before the
 * others
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_runner/campaign/plan.h"
#include "worker/bundle.h"

enum { MOST = 8, END = -1 };

/* Bytes of the cases of an op, as many as are not 0. */
static const struct {
    const char *what;
    double bytes[MOST];
    uint8_t world;  /* of the last one */
    int want[MOST]; /* by number; END: no more */
} rows[] = {
    /* clang-format off */
    { "the smallest", { 800, 40, 90 }, 0, { 1, 1, 1, END } },
    { "of equal ones the first", { 800, 40, 40 }, 0, { 1, 1, 1, END } },
    { "none of one", { 40 }, 0, { 0, END } },
    { "none that is large", { 1e9, 1e8 }, 0, { 0, 1, END } },
    { "none of unknown size", { NAN, NAN }, 0, { 0, 1, END } },
    { "before one of unknown size", { NAN, 80 }, 0, { 1, 1, END } },
    { "not before a gang's", { 40, 80, 90 }, 2, { 0, 0, 2, END } },
    { "and not a gang's", { 800, 90, 40 }, 2, { 1, 1, 2, END } },
    /* clang-format on */
};

static void processes_see_the_smallest_case_first(void **state)
{
    static const struct osw_op op;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_plan_bundle bundles[MOST] = {{.op = NULL}};
        const struct osw_plan plan = {.bundles = bundles};
        uint32_t all[MOST], out[MOST], n = 0;

        print_message("  case: %s\n", rows[i].what);
        for (; n < MOST && rows[i].bytes[n] != 0; n++) {
            all[n] = n;
            bundles[n] = (struct osw_plan_bundle){.op = &op,
                                                  .case_text = "((), {})",
                                                  .fill = "",
                                                  .bytes = rows[i].bytes[n]};
        }
        bundles[n - 1].world = rows[i].world;
        osw_plan_choose_warm_ups(&plan, all, n, out);
        for (uint32_t k = 0; k < n; k++)
            assert_int_equal(out[k], rows[i].want[k]);
        assert_int_equal(rows[i].want[n], END);
    }
}

static void each_op_has_its_own(void **state)
{
    static const struct osw_op ops[2];
    struct osw_plan_bundle bundles[] = {
        {.op = &ops[0], .case_text = "", .fill = "", .bytes = 4},
        {.op = &ops[0], .case_text = "", .fill = "", .bytes = 8},
        {.op = &ops[1], .case_text = "", .fill = "", .bytes = 80},
        {.op = &ops[1], .case_text = "", .fill = "", .bytes = 40}};
    const struct osw_plan plan = {.bundles = bundles};
    static const uint32_t all[] = {0, 1, 2, 3}, some[] = {1, 2};
    uint32_t out[4];

    (void)state;
    osw_plan_choose_warm_ups(&plan, all, 4, out);
    assert_int_equal(out[1], 0);
    assert_int_equal(out[2], 3);
    osw_plan_choose_warm_ups(&plan, some, 2, out); /* the others do not run */
    assert_int_equal(out[0], 1);
    assert_int_equal(out[1], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_see_the_smallest_case_first),
        cmocka_unit_test(each_op_has_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
