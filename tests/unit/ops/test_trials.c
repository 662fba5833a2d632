/* tests/unit/ops/test_trials.c - inputs beside a case's own */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ops/inputs/trials.h"
#include "ops/record/record.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static void names_are_found_again(void **state)
{
    (void)state;
    for (int i = 0; i < OSW_N_TRIALS; i++)
        assert_int_equal(osw_trial_find(osw_trial_name((enum osw_trial_kind)i)),
                         i);
    assert_int_equal(osw_trial_find("integer"), -1);
    assert_string_equal(osw_trial_name((enum osw_trial_kind)OSW_N_TRIALS), "?");
}

static void the_column_of_files_says_all_bits(void **state)
{
    size_t n, i = 0;
    const struct osw_column *c = osw_record_columns(&n);

    (void)state;
    while (i < n && strcmp(c[i].name, "trials") != 0)
        i++;
    assert_true(i < n);
    for (int kind = 0; kind < OSW_N_TRIALS; kind++) {
        char bit[64];

        snprintf(bit, sizeof(bit), " %u %s", 1U << kind,
                 osw_trial_name((enum osw_trial_kind)kind));
        if (!strstr(c[i].text, bit))
            fail_msg("no '%s' in '%s'", bit, c[i].text);
    }
}

/* Only floating tensors of mean 0 change, and none in a redraw. */
static void only_what_may_change_does(void **state)
{
    static const struct {
        enum osw_trial_kind kind;
        enum osw_dtype_id dtype;
        struct osw_fill own;
        enum osw_fill_kind want;
    } rows[] = {
        /* clang-format off */
        { OSW_TRIAL_REDRAW,   OSW_F32,  { OSW_FILL_NORMAL, 0, 0 },   OSW_FILL_NORMAL },
        { OSW_TRIAL_INTEGERS, OSW_F32,  { OSW_FILL_NORMAL, 0, 0 },   OSW_FILL_SMALLINT },
        { OSW_TRIAL_INTEGERS, OSW_C64,  { OSW_FILL_UNIFORM, 0, 0 },  OSW_FILL_SMALLINT },
        { OSW_TRIAL_INTEGERS, OSW_I64,  { OSW_FILL_INDEX, 7, 0 },    OSW_FILL_INDEX },
        { OSW_TRIAL_OFFSET,   OSW_BF16, { OSW_FILL_DEFAULT, 0, 0 },  OSW_FILL_OFFSET },
        { OSW_TRIAL_OFFSET,   OSW_F32,  { OSW_FILL_POSITIVE, 0, 0 }, OSW_FILL_POSITIVE },
        { OSW_TRIAL_SPECIAL,  OSW_F16,  { OSW_FILL_SMALLINT, 2, 0 }, OSW_FILL_SPECIAL },
        { OSW_TRIAL_SPECIAL,  OSW_B8,   { OSW_FILL_BOOL, 0, 0 },     OSW_FILL_BOOL },
        { OSW_TRIAL_SPECIAL,  OSW_F32,  { OSW_FILL_CONSTANT, 1, 0 }, OSW_FILL_CONSTANT },
        { OSW_TRIAL_WIDE,     OSW_I64,  { OSW_FILL_INT, -8, 8 },     OSW_FILL_WIDE },
        { OSW_TRIAL_WIDE,     OSW_U8,   { OSW_FILL_INT, 0, 8 },      OSW_FILL_WIDE },
        { OSW_TRIAL_WIDE,     OSW_I32,  { OSW_FILL_DEFAULT, 0, 0 },  OSW_FILL_WIDE },
        { OSW_TRIAL_WIDE,     OSW_I64,  { OSW_FILL_INT, 1, 8 },      OSW_FILL_INT },
        { OSW_TRIAL_WIDE,     OSW_I64,  { OSW_FILL_INDEX, 7, 0 },    OSW_FILL_INDEX },
        { OSW_TRIAL_WIDE,     OSW_B8,   { OSW_FILL_BOOL, 0, 0 },     OSW_FILL_BOOL },
        { OSW_TRIAL_WIDE,     OSW_F32,  { OSW_FILL_NORMAL, 0, 0 },   OSW_FILL_NORMAL },
        { OSW_TRIAL_TIES,     OSW_F32,  { OSW_FILL_NORMAL, 0, 0 },   OSW_FILL_TIES },
        { OSW_TRIAL_TIES,     OSW_F64,  { OSW_FILL_UNIFORM, 0, 0 },  OSW_FILL_TIES },
        { OSW_TRIAL_TIES,     OSW_BF16, { OSW_FILL_NORMAL, 0, 0 },   OSW_FILL_NORMAL },
        { OSW_TRIAL_TIES,     OSW_F32,  { OSW_FILL_POSITIVE, 0, 0 }, OSW_FILL_POSITIVE },
        { OSW_TRIAL_PERMUTED, OSW_F32,  { OSW_FILL_NORMAL, 0, 0 },   OSW_FILL_NORMAL },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_fill got =
            osw_trial_fill_of(rows[i].kind, rows[i].dtype, &rows[i].own);

        print_message("  row %zu\n", i);
        assert_int_equal(got.kind, rows[i].want);
        if (got.kind == rows[i].own.kind)
            assert_memory_equal(&got, &rows[i].own, sizeof(got));
    }
}

static void names_of_torch_tell_which_are_tried(void **state)
{
    enum {
        USUAL = 1 << OSW_TRIAL_REDRAW | 1 << OSW_TRIAL_PERMUTED,
        WIDE = 1 << OSW_TRIAL_WIDE,
        TIES = 1 << OSW_TRIAL_TIES,
        SPECIAL = 1 << OSW_TRIAL_SPECIAL
    };
    static const struct {
        const char *name;
        uint32_t want;
    } rows[] = {
        {"aten.add.Tensor", USUAL | WIDE},
        {"aten.add_.Tensor", USUAL | WIDE},
        {"floor_divide", USUAL | WIDE},
        {"floor_divide.default", USUAL | WIDE},
        {"my.add.Tensor", USUAL},
        {"aten.addmm.default", USUAL},
        {"aten.gather.default", USUAL | WIDE | SPECIAL},
        {"aten.where.self", USUAL | WIDE | SPECIAL},
        {"masked_fill_", USUAL | WIDE | SPECIAL},
        {"aten.t.default", USUAL | WIDE | SPECIAL},
        {"aten.scatter.src", USUAL},
        {"aten.scatter_add.default", USUAL | WIDE},
        {"aten.scatter_add_.default", USUAL | WIDE},
        {"aten.scatter_reduce.two", USUAL | WIDE},
        {"aten.index_add.default", USUAL | WIDE},
        {"aten.index_put_.default", USUAL | WIDE},
        {"aten._index_put_impl_.default", USUAL | WIDE},
        {"aten.addcmul.default", USUAL | WIDE},
        {"aten.clamp_min.default", USUAL | WIDE},
        {"aten.sgn.default", USUAL | WIDE},
        {"aten.hardtanh.default", USUAL | WIDE},
        {"aten.argmax.default", USUAL | WIDE | TIES},
        {"aten.max.dim", USUAL | WIDE | TIES},
        {"aten.amax.default", USUAL | WIDE | TIES},
        {"aten.topk.default", USUAL},
        {"aten.", USUAL},
        {"_", USUAL},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  %s\n", rows[i].name);
        assert_int_equal(osw_trial_defaults(rows[i].name), rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_again),
        cmocka_unit_test(the_column_of_files_says_all_bits),
        cmocka_unit_test(only_what_may_change_does),
        cmocka_unit_test(names_of_torch_tell_which_are_tried),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
