/* tests/unit/worker/test_view.c - walking over tensors, and loading them
 *
 * optimised, too: its loops are vectors then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/worker/judge_tensor.h"

/* --- walking --- */

struct layout {
    const char *what;
    int32_t ndim;
    int64_t shape[4], strides[4];
    int n_runs;       /* in row-major order */
    int64_t n_visits; /* in the order of memory */
};

static const struct layout layouts[] = {
    /* clang-format off */
    { "a scalar",           0, { 0 },          { 0 },              1, 1 },
    { "contiguous",         3, { 2, 3, 4 },    { 12, 4, 1 },       1, 24 },
    { "transposed",         2, { 3, 2 },       { 1, 3 },           3, 6 },
    { "columns of a matrix", 2, { 3, 2 },      { 5, 1 },           3, 6 },
    { "every other",        1, { 4 },          { 2 },              1, 4 },
    { "sizes of 1",         4, { 1, 3, 1, 2 }, { 99, 2, 7, 1 },    1, 6 },
    { "broadcast rows",     2, { 3, 2 },       { 0, 1 },           3, 2 },
    { "broadcast columns",  2, { 3, 2 },       { 1, 0 },           3, 3 },
    { "windows",            2, { 3, 2 },       { 1, 1 },           3, 6 },
    { "empty",              2, { 0, 3 },       { 3, 1 },           0, 0 },
    /* clang-format on */
};

static struct osw_tensor_desc desc_of(const struct layout *l)
{
    return (struct osw_tensor_desc){.dtype = OSW_F32,
                                    .ndim = l->ndim,
                                    .strided = true,
                                    .shape = l->shape,
                                    .strides = l->strides};
}

static void rows_come_in_order_and_joined(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(layouts); i++) {
        struct osw_tensor_desc desc = desc_of(&layouts[i]);
        struct osw_walk w;
        struct osw_run run;
        int64_t index = 0;
        int n_runs = 0;

        print_message("  layout: %s\n", layouts[i].what);
        osw_walk_rows(&w, &desc);
        while (osw_walk_next(&w, INT64_MAX, &run)) {
            for (int64_t k = 0; k < run.n; k++, index++) {
                assert_int_equal(run.index + k * run.index_step, index);
                assert_int_equal(run.offset + k * run.stride,
                                 osw_view_offset(&desc, index));
            }
            n_runs++;
        }
        assert_int_equal(index, osw_tensor_numel(desc.ndim, desc.shape));
        assert_int_equal(n_runs, layouts[i].n_runs);
    }
}

static void a_walk_begins_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(layouts); i++) {
        struct osw_tensor_desc desc = desc_of(&layouts[i]);
        int64_t numel = osw_tensor_numel(desc.ndim, desc.shape);

        for (int64_t from = 0; from < numel; from++) {
            int64_t index = from;
            struct osw_walk w;
            struct osw_run run;

            osw_walk_rows_from(&w, &desc, from);
            while (osw_walk_next(&w, 3, &run))
                for (int64_t k = 0; k < run.n; k++, index++) {
                    assert_int_equal(run.index + k * run.index_step, index);
                    assert_int_equal(run.offset + k * run.stride,
                                     osw_view_offset(&desc, index));
                }
            assert_int_equal(index, numel);
        }
    }
}

static void runs_are_cut_and_go_on(void **state)
{
    struct osw_tensor_desc desc = desc_of(&layouts[1]);
    static const int64_t want[] = {10, 10, 4};
    struct osw_walk w;
    struct osw_run run;

    (void)state;
    osw_walk_rows(&w, &desc);
    for (int i = 0; i < 3; i++) {
        assert_true(osw_walk_next(&w, 10, &run));
        assert_int_equal(run.n, want[i]);
        assert_int_equal(run.offset, 10 * i);
    }
    assert_false(osw_walk_next(&w, 10, &run));
}

static void memory_is_walked_upwards_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(layouts); i++) {
        struct osw_tensor_desc desc = desc_of(&layouts[i]);
        bool windows = strcmp(layouts[i].what, "windows") == 0;
        struct osw_walk w;
        struct osw_run run;
        int64_t last = -1, n = 0;

        print_message("  layout: %s\n", layouts[i].what);
        osw_walk_memory(&w, &desc);
        while (osw_walk_next(&w, INT64_MAX, &run))
            for (int64_t k = 0; k < run.n; k++, n++) {
                int64_t offset = run.offset + k * run.stride;

                assert_true(offset > last || windows);
                assert_int_equal(
                    osw_view_offset(&desc, run.index + k * run.index_step),
                    offset);
                last = offset;
            }
        assert_int_equal(n, layouts[i].n_visits);
    }
}

static void sizes_beyond_31_bits_are_walked(void **state)
{
    const int64_t shape[] = {3, INT64_C(1) << 33}, strides[] = {1, 0};
    struct osw_tensor_desc desc = {
        .dtype = OSW_U8, .ndim = 2, .shape = shape, .strides = strides};
    struct osw_walk w;
    struct osw_run run;

    (void)state;
    osw_walk_rows(&w, &desc);
    for (int64_t i = 0; i < 3; i++) {
        assert_true(osw_walk_next(&w, INT64_MAX, &run));
        assert_int_equal(run.n, shape[1]);
        assert_int_equal(run.index, i * shape[1]);
        assert_int_equal(run.offset, i);
    }
    assert_false(osw_walk_next(&w, INT64_MAX, &run));
}

/* --- finding --- */

static const struct {
    const char *what;
    int32_t ndim;
    int64_t shape[3], strides[3];
    const char *members; /* by offset */
} finds[] = {
    /* clang-format off */
    { "contiguous",        2, { 2, 2 },    { 2, 1 },     "####." },
    { "gaps",              2, { 2, 2 },    { 5, 2 },     "#.#..#.#." },
    { "windows",           2, { 2, 3 },    { 2, 1 },     "#####." },
    { "interleaved",       2, { 2, 3 },    { 3, 2 },     "#.####.#." },
    { "broadcast",         2, { 9, 2 },    { 0, 2 },     "#.#." },
    { "windows with gaps", 3, { 2, 2, 2 }, { 6, 1, 1 },  "###...###." },
    { "empty",             1, { 0 },       { 1 },        "." },
    /* clang-format on */
};

static void elements_are_told_from_gaps(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(finds); i++) {
        struct osw_tensor_desc desc = {.dtype = OSW_F32,
                                       .ndim = finds[i].ndim,
                                       .shape = finds[i].shape,
                                       .strides = finds[i].strides};

        print_message("  layout: %s\n", finds[i].what);
        assert_false(osw_view_find(&desc, -1, NULL));
        for (int64_t at = 0; finds[i].members[at]; at++) {
            int64_t index = -1;

            assert_int_equal(osw_view_find(&desc, at, &index),
                             finds[i].members[at] == '#');
            if (finds[i].members[at] == '#')
                assert_int_equal(osw_view_offset(&desc, index), at);
        }
    }
}

/* --- loading --- */

static void blocks_load_as_single_elements_do(void **state)
{
    static const enum osw_dtype_id dtypes[] = {
        OSW_F64, OSW_F32, OSW_F16, OSW_BF16, OSW_I64,
        OSW_I32, OSW_I16, OSW_I8,  OSW_U8,   OSW_B8};
    static double got[4096];
    unsigned char bytes[8 * 4096];
    uint32_t x = 1;

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        x = x * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(x >> 24);
    }
    for (size_t i = 0; i < N_ELEM(dtypes); i++) {
        const struct osw_dtype_info *info = osw_dtype_info((int)dtypes[i]);

        for (int64_t stride = 1; stride <= 3; stride += 2) {
            int64_t n = stride == 1 ? 4095 : 1365;

            osw_view_load(dtypes[i], bytes, stride, n, got);
            for (int64_t k = 0; k < n; k++) {
                double want = osw_load(
                    info->dl, bytes + k * stride * (int64_t)info->bytes);

                assert_true(got[k] == want ||
                            (got[k] != got[k] && want != want));
            }
        }
    }
}

static void every_half_loads_exactly(void **state)
{
    static uint16_t half[65536];
    static double got[65536];

    (void)state;
    for (uint32_t i = 0; i < 65536; i++)
        half[i] = (uint16_t)i;
    osw_view_load(OSW_F16, half, 1, 65536, got);
    for (uint32_t i = 0; i < 65536; i++) {
        double want = (double)osw_f16_to_f32((uint16_t)i);

        assert_true(osw_f64_bits(got[i]) == osw_f64_bits(want) ||
                    (got[i] != got[i] && want != want));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_in_order_and_joined),
        cmocka_unit_test(a_walk_begins_anywhere),
        cmocka_unit_test(runs_are_cut_and_go_on),
        cmocka_unit_test(memory_is_walked_upwards_once),
        cmocka_unit_test(sizes_beyond_31_bits_are_walked),
        cmocka_unit_test(elements_are_told_from_gaps),
        cmocka_unit_test(blocks_load_as_single_elements_do),
        cmocka_unit_test(every_half_loads_exactly),
    };

    return cmocka_run_group_tests_name("worker/view", tests, NULL, NULL);
}
