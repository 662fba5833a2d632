/* tests/unit/ops/test_tensor.c - sizes and layouts of tensors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "ops/notation/tensor.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const int64_t huge = INT64_MAX;

static const struct {
    const char *what;
    int32_t ndim;
    int64_t shape[OSW_MAX_NDIM];
    int64_t strides[OSW_MAX_NDIM];
    int64_t numel, extent;
    bool contiguous, overlap, gaps;
} cases[] = {
    /* clang-format off */
    { "a scalar",              0, { 0 },       { 0 },        1,  1,  true,  false, false },
    { "a vector",              1, { 5 },       { 1 },        5,  5,  true,  false, false },
    { "row-major",             2, { 2, 3 },    { 3, 1 },     6,  6,  true,  false, false },
    { "transposed",            2, { 2, 3 },    { 1, 2 },     6,  6,  false, false, false },
    { "every other element",   1, { 3 },       { 2 },        3,  5,  false, false, true },
    { "a slice of columns",    2, { 2, 3 },    { 8, 1 },     6,  11, false, false, true },
    { "expanded",              2, { 4, 3 },    { 0, 1 },     12, 3,  false, true,  false },
    { "expanded with gaps",    2, { 4, 3 },    { 0, 2 },     12, 5,  false, true,  true },
    { "size 1 of any stride",  2, { 1, 3 },    { 99, 1 },    3,  3,  true,  false, false },
    { "size 1 of stride 0",    2, { 3, 1 },    { 1, 0 },     3,  3,  true,  false, false },
    { "sliding windows",       2, { 4, 3 },    { 1, 1 },     12, 6,  false, true,  false },
    { "windows, step 2",       2, { 3, 3 },    { 2, 1 },     9,  7,  false, true,  false },
    { "windows with gaps",     3, { 2, 2, 2 }, { 10, 1, 1 }, 8,  13, false, true,  true },
    { "interleaved",           2, { 2, 3 },    { 3, 2 },     6,  8,  false, true,  true },
    { "empty",                 2, { 0, 3 },    { 3, 1 },     0,  0,  true,  false, false },
    { "empty, huge elsewhere", 2, { 0, INT64_MAX }, { INT64_MAX, 7 }, 0, 0, true, false, false },
    { "as many as there are",  1, { INT64_MAX }, { 1 }, INT64_MAX, INT64_MAX, true, false, false },
    { "one too many",          2, { INT64_MAX, 2 }, { 0, 1 }, -1, 2, false, true, false },
    { "reaching too far",      2, { 2, 2 }, { INT64_MAX, 1 }, 4, -1, false, false, true },
    { "one step too far",      1, { 3 }, { INT64_MAX }, 3, -1, false, false, true },
    /* clang-format on */
};

static void layouts_match_the_hand_worked_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        int32_t n = cases[i].ndim;
        const int64_t *shape = cases[i].shape, *strides = cases[i].strides;

        print_message("  case: %s\n", cases[i].what);
        assert_true(osw_tensor_numel(n, shape) == cases[i].numel);
        assert_true(osw_tensor_extent(n, shape, strides) == cases[i].extent);
        assert_int_equal(osw_tensor_is_contiguous(n, shape, strides),
                         cases[i].contiguous);
        assert_int_equal(osw_tensor_may_overlap(n, shape, strides),
                         cases[i].overlap);
        assert_int_equal(osw_tensor_has_gaps(n, shape, strides), cases[i].gaps);
    }
}

/* Count by walking every index, for all small layouts of three dimensions. */
static void count_hits(const int64_t *shape, const int64_t *strides, int *hits,
                       int64_t extent, bool *overlap, bool *gaps)
{
    memset(hits, 0, 64 * sizeof(*hits));
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < shape[1]; j++)
            for (int64_t k = 0; k < shape[2]; k++)
                hits[i * strides[0] + j * strides[1] + k * strides[2]]++;
    *overlap = *gaps = false;
    for (int64_t e = 0; e < extent; e++) {
        *overlap |= hits[e] > 1;
        *gaps |= hits[e] == 0;
    }
}

static void small_layouts_match_a_walk_over_every_index(void **state)
{
    int hits[64];

    (void)state;
    for (int64_t code = 0; code < 4 * 4 * 4 * 7 * 7 * 7; code++) {
        int64_t c = code, shape[3], strides[3], extent;
        bool overlap, gaps;

        for (int d = 0; d < 3; d++, c /= 4)
            shape[d] = c % 4;
        for (int d = 0; d < 3; d++, c /= 7)
            strides[d] = c % 7;
        extent = osw_tensor_extent(3, shape, strides);
        count_hits(shape, strides, hits, extent, &overlap, &gaps);
        assert_int_equal(osw_tensor_has_gaps(3, shape, strides), gaps);
        if (osw_tensor_may_overlap(3, shape, strides) == overlap)
            continue;
        /* If unsure it says yes, and it is unsure only about tensors with gaps.
         */
        assert_false(overlap);
        assert_true(gaps);
    }
}

static void row_major_strides_count_size_0_as_1(void **state)
{
    static const struct {
        int32_t ndim;
        int64_t shape[3], want[3];
        int rc;
    } rows[] = {
        {0, {0}, {0}, 0},
        {1, {7}, {1}, 0},
        {3, {2, 3, 5}, {15, 5, 1}, 0},
        {3, {2, 0, 5}, {5, 5, 1}, 0},
        {2, {INT64_MAX, 1}, {1, 1}, 0},
        {3, {1, INT64_MAX, 2}, {0}, -1},
        {2, {2, INT64_MAX}, {0}, -1},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        int64_t strides[3] = {-7, -7, -7};

        assert_int_equal(
            osw_tensor_contiguous(rows[i].ndim, rows[i].shape, strides),
            rows[i].rc);
        if (rows[i].rc == 0)
            assert_memory_equal(strides, rows[i].want,
                                (size_t)rows[i].ndim * sizeof(int64_t));
    }
}

static void bytes_are_extent_times_element_or_too_many(void **state)
{
    static const int64_t shape[] = {3, 2}, strides[] = {4, 1};
    struct osw_tensor_desc t = {
        .dtype = OSW_C128, .ndim = 2, .shape = shape, .strides = strides};
    struct osw_tensor_desc big = {
        .dtype = OSW_I8, .ndim = 1, .shape = &huge, .strides = strides + 1};

    (void)state;
    assert_int_equal(osw_tensor_bytes(&t), 160); /* 10 elements of 16 bytes */
    t.dtype = OSW_B8;
    assert_int_equal(osw_tensor_bytes(&t), 10);
    assert_true(osw_tensor_bytes(&big) == INT64_MAX);
    big.dtype = OSW_I16;
    assert_int_equal(osw_tensor_bytes(&big), -1);
}

static void elements_that_share_a_place_are_counted_once(void **state)
{
    static const struct {
        int64_t shape[2], strides[2], want;
    } rows[] = {
        {{3, 2}, {2, 1}, 24}, {{3, 2}, {4, 1}, 24}, /* gaps are not read */
        {{3, 2}, {0, 1}, 8},                        /* expanded */
        {{3, 2}, {1, 1}, 16},                       /* windows that overlap */
        {{0, 2}, {2, 1}, 0},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_tensor_desc t = {.dtype = OSW_F32,
                                          .ndim = 2,
                                          .shape = rows[i].shape,
                                          .strides = rows[i].strides};

        assert_int_equal(osw_tensor_unique_bytes(&t), rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_match_the_hand_worked_table),
        cmocka_unit_test(small_layouts_match_a_walk_over_every_index),
        cmocka_unit_test(row_major_strides_count_size_0_as_1),
        cmocka_unit_test(bytes_are_extent_times_element_or_too_many),
        cmocka_unit_test(elements_that_share_a_place_are_counted_once),
    };

    return cmocka_run_group_tests_name("ops/tensor", tests, NULL, NULL);
}
