/* tests/unit/results/test_merge_plan.c - whose result counts, as a table */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/record/state.h"
#include "results/export/merge_plan.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum {
    PASS = OSW_STATE_PASS,
    VALUE = OSW_STATE_VALUE,
    LOST = OSW_STATE_LOST,
};

/* Results of one cell, by file; `want` is the file whose result stays. */
static const struct {
    const char *what;
    uint8_t states[4]; /* up to a 0 */
    uint32_t devices[4];
    enum osw_merge_keep keep;
    uint32_t want;
    uint64_t conflicts;
} cases[] = {
    /* clang-format off */
    {"one",                 {PASS},              {1},       OSW_MERGE_AGREEING, 0, 0},
    {"the last of equals",  {PASS, PASS},        {1, 1},    OSW_MERGE_AGREEING, 1, 0},
    {"the first of equals", {PASS, PASS},        {1, 1},    OSW_MERGE_FIRST,    0, 0},
    {"lost yields before",  {LOST, PASS},        {1, 1},    OSW_MERGE_FIRST,    1, 0},
    {"lost yields after",  {PASS, LOST},        {1, 1},    OSW_MERGE_AGREEING, 0, 0},
    {"lost twice",          {LOST, LOST},        {1, 2},    OSW_MERGE_AGREEING, 1, 0},
    {"lost between",        {VALUE, LOST, PASS}, {1, 1, 1}, OSW_MERGE_LAST,     2, 1},
    {"other verdict",       {VALUE, PASS},       {1, 1},    OSW_MERGE_AGREEING, 1, 1},
    {"other, first",        {VALUE, PASS},       {1, 1},    OSW_MERGE_FIRST,    0, 1},
    {"other, and back",     {PASS, VALUE, PASS}, {1, 1, 1}, OSW_MERGE_LAST,     2, 1},
    {"other device",        {PASS, PASS},        {1, 2},    OSW_MERGE_AGREEING, 1, 1},
    {"unknown device",      {PASS, PASS},        {1, 0},    OSW_MERGE_AGREEING, 1, 0},
    /* clang-format on */
};

static void one_result_of_a_cell_stays(void **state)
{
    static const size_t plans[4] = {0, 0, 0, 0};

    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        struct osw_merge_row rows[4];
        struct osw_merge_plan out;
        uint64_t recorded[4] = {0};
        size_t n = strlen((const char *)cases[i].states);

        print_message("  case: %s\n", cases[i].what);
        memset(rows, 0, sizeof(rows));
        for (size_t k = 0; k < n; k++) {
            rows[k].key = 77;
            rows[k].file = (uint32_t)k;
            rows[k].status = cases[i].states[k];
            rows[k].device = cases[i].devices[k];
        }
        osw_merge_decide(rows, n, cases[i].keep, true, plans, recorded, &out);
        assert_int_equal(out.n_kept, 1);
        assert_int_equal(rows[0].file, cases[i].want);
        assert_int_equal(out.n_conflicts, cases[i].conflicts);
        assert_int_equal(recorded[0], 1);
        if (out.n_conflicts) {
            assert_int_equal(out.conflict[0].file, 0);
            assert_true(out.conflict[1].file > 0);
        }
    }
}

/* Files 0 and 1 share plan 0 (cells 0 2 and 1 2), file 2 has plan 1 (cell 0,
 * which is cell 1 of plan 0, and one of its own).
 */
static const struct osw_merge_row shards[] = {
    {.key = 10, .cell = 0, .file = 0, .row = 0, .status = PASS},
    {.key = 12, .cell = 2, .file = 0, .row = 1, .status = PASS},
    {.key = 11, .cell = 1, .file = 1, .row = 0, .status = PASS},
    {.key = 12, .cell = 2, .file = 1, .row = 1, .status = PASS},
    {.key = 11, .cell = 0, .file = 2, .row = 0, .status = PASS},
    {.key = 9, .cell = 1, .file = 2, .row = 1, .status = PASS},
};

static void plans_are_counted_apart(void **state)
{
    static const size_t plans[] = {0, 0, 1};
    static const uint64_t want[] = {10, 12, 11, 9};
    struct osw_merge_row rows[6];
    struct osw_merge_plan out;
    uint64_t recorded[3] = {0};

    (void)state;
    memcpy(rows, shards, sizeof(shards));
    osw_merge_decide(rows, 6, OSW_MERGE_AGREEING, false, plans, recorded, &out);
    assert_int_equal(out.n_kept, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(rows[i].key, want[i]);
    assert_int_equal(recorded[0], 3);
    assert_int_equal(recorded[1], 2);
}

static void cells_of_one_plan_are_in_its_order(void **state)
{
    static const size_t plans[] = {0, 0};
    struct osw_merge_row rows[4];
    struct osw_merge_plan out;
    uint64_t recorded[2] = {0};

    (void)state;
    memcpy(rows, shards, sizeof(rows));
    osw_merge_decide(rows, 4, OSW_MERGE_AGREEING, true, plans, recorded, &out);
    assert_int_equal(out.n_kept, 3);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(rows[i].cell, i);
    assert_int_equal(recorded[0], 3);
}

/* A plan may have the same cell twice: the n-th of a file is that of another.
 */
static void a_key_twice_in_one_file_is_two_cells(void **state)
{
    static const size_t plans[] = {0, 0};
    struct osw_merge_row rows[] = {
        {.key = 5, .cell = 0, .file = 0, .row = 0, .status = PASS},
        {.key = 5, .cell = 1, .file = 0, .row = 1, .status = VALUE},
        {.key = 5, .cell = 0, .file = 1, .row = 0, .status = PASS},
        {.key = 5, .cell = 1, .file = 1, .row = 1, .status = VALUE},
    };
    struct osw_merge_plan out;
    uint64_t recorded[2] = {0};

    (void)state;
    osw_merge_decide(rows, 4, OSW_MERGE_AGREEING, true, plans, recorded, &out);
    assert_int_equal(out.n_kept, 2);
    assert_int_equal(out.n_conflicts, 0);
    assert_int_equal(rows[0].status, PASS);
    assert_int_equal(rows[1].status, VALUE);
    assert_int_equal(recorded[0], 2);
}

static void nothing_is_nothing(void **state)
{
    struct osw_merge_plan out;

    (void)state;
    osw_merge_decide(NULL, 0, OSW_MERGE_AGREEING, true, NULL, NULL, &out);
    assert_int_equal(out.n_kept, 0);
    assert_int_equal(out.n_conflicts, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_result_of_a_cell_stays),
        cmocka_unit_test(plans_are_counted_apart),
        cmocka_unit_test(cells_of_one_plan_are_in_its_order),
        cmocka_unit_test(a_key_twice_in_one_file_is_two_cells),
        cmocka_unit_test(nothing_is_nothing),
    };

    return cmocka_run_group_tests_name("results/merge_plan", tests, NULL, NULL);
}
