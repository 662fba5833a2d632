/* tests/unit/worker/test_fill.c - inputs by counter: the same bits everywhere
 *
 * The expected bits of the table come from an implementation of philox.h's
 * and draw.h's rules in another language, on exact fractions.
 *
 * optimised, too: its loops are vectors then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "tests/unit/worker/judge_tensor.h"
#include "worker/judge/inputs/fill.h"
#include "worker/judge/inputs/philox.h"
#include "worker/judge/inputs/random_values.h"

#define SEED UINT64_C(0x0123456789abcdef)

enum { TENSOR = 3, REP = 2 };

/* clang-format off */
static const struct osw_fill by_default = { .kind = OSW_FILL_DEFAULT };
static const struct osw_fill normal = { .kind = OSW_FILL_NORMAL };
static const struct osw_fill uniform = { .kind = OSW_FILL_UNIFORM };
static const struct osw_fill positive = { .kind = OSW_FILL_POSITIVE };
static const struct osw_fill special = { .kind = OSW_FILL_SPECIAL };
static const struct osw_fill boolean = { .kind = OSW_FILL_BOOL };
static const struct osw_fill permutation = { .kind = OSW_FILL_PERMUTATION };
static const struct osw_fill offset100 = { .kind = OSW_FILL_OFFSET, .a = 100 };
static const struct osw_fill small2 = { .kind = OSW_FILL_SMALLINT, .a = 2 };
static const struct osw_fill int8 = { .kind = OSW_FILL_INT, .a = -8, .b = 8 };
static const struct osw_fill index30522 = { .kind = OSW_FILL_INDEX, .a = 30522 };
static const struct osw_fill index_wide = { .kind = OSW_FILL_INDEX, .a = 0x1p40 };
static const struct osw_fill index_4g = { .kind = OSW_FILL_INDEX, .a = 0x1p32 };
static const struct osw_fill unit = { .kind = OSW_FILL_UNIT };
static const struct osw_fill rising = { .kind = OSW_FILL_ASCENDING, .a = -4, .b = 4 };
static const struct osw_fill shares = { .kind = OSW_FILL_SHARES, .a = 100 };
static const struct osw_fill distinct = { .kind = OSW_FILL_DISTINCT, .a = 90, .b = 3 };
static const struct osw_fill distinct9k = { .kind = OSW_FILL_DISTINCT, .a = 9000, .b = 1 };
static const struct osw_fill constant = { .kind = OSW_FILL_CONSTANT, .a = -1.5 };

/* --- the bits --- */

/* Of a vector of 1001 elements; of an index beyond it, by a tensor that is
 * broadcast along 2^31 columns.
 */
static const struct {
    const struct osw_fill *fill;
    enum osw_dtype_id dtype;
    int64_t index;
    uint64_t bits, more; /* more: of the second part */
} golden[] = {
    { &normal,      OSW_F32,  0,          0xbf5da885, 0 },
    { &normal,      OSW_F32,  63,         0x3f6ac77f, 0 },
    { &normal,      OSW_F32,  64,         0xbecce669, 0 },
    { &normal,      OSW_F32,  1000,       0x3f29df7f, 0 },
    { &normal,      OSW_F32,  0x80000000, 0x3fa92584, 0 },
    { &by_default,  OSW_F32,  1000,       0x3f29df7f, 0 },
    { &normal,      OSW_F64,  63,         0x3fed58ef63c11db2, 0 },
    { &normal,      OSW_F64,  0x80000000, 0x3ff524b09b0f07fb, 0 },
    { &normal,      OSW_F16,  1,          0xae8d, 0 },
    { &normal,      OSW_BF16, 1,          0xbdd2, 0 },
    { &normal,      OSW_C64,  1,          0xbd4820c3, 0xbdc44a79 },
    { &normal,      OSW_C128, 1000,       0x3fe11436d484af07, 0x3fd9e6e88a67120e },
    { &uniform,     OSW_F32,  64,         0xbcb4fc80, 0 },
    { &uniform,     OSW_F64,  1000,       0x3fe859672270c2c2, 0 },
    { &unit,        OSW_F32,  64,         0x3efa581c, 0 },
    { &unit,        OSW_F64,  1000,       0x3fec2cb391386161, 0 },
    { &positive,    OSW_F32,  1000,       0x3fb0b2ce, 0 },
    { &positive,    OSW_F64,  1000,       0x3ff61659c89c30b0, 0 },
    { &small2,      OSW_F16,  1000,       0x4000, 0 },
    { &small2,      OSW_I8,   63,         0xfe, 0 },
    { &int8,        OSW_I64,  63,         0xfffffffffffffff9, 0 },
    { &by_default,  OSW_I32,  1000,       6, 0 },
    { &index30522,  OSW_I64,  1000,       26873, 0 },
    { &index30522,  OSW_F32,  1000,       0x46d1f200, 0 },
    { &index_4g,    OSW_F32,  1000,       0x4f61659d, 0 },
    { &index_wide,  OSW_I64,  1000,       968072399299, 0 },
    { &boolean,     OSW_B8,   1000,       1, 0 },
    { &boolean,     OSW_B8,   64,         0, 0 },
    { &offset100,   OSW_F32,  1000,       0x42c953bf, 0 },
    { &special,     OSW_F32,  12,         0x00400000, 0 }, /* subnormal */
    { &special,     OSW_F64,  5,          0xfff0000000000000, 0 },
    { &special,     OSW_F16,  105,        0x6bff, 0 }, /* largest / 16 */
    { &special,     OSW_F32,  69,         0x7f800001, 0 }, /* NaN */
    { &special,     OSW_F64,  83,         0x47effffff0000000, 0 },
    { &special,     OSW_F32,  18,         0x3f801000, 0 },
    { &special,     OSW_F32,  1000,       0x3f29df7f, 0 },
    { &permutation, OSW_I64,  0,          179, 0 }, /* of 1000 */
    { &permutation, OSW_I64,  7,          757, 0 },
    { &constant,    OSW_C64,  5,          0xbfc00000, 0 },
    { &constant,    OSW_I32,  5,          0xffffffff, 0 },
};
/* clang-format on */

static void make_for(struct tensor *t, const struct osw_fill *fill,
                     enum osw_dtype_id dtype, int64_t index)
{
    const int64_t shape[] = {2, INT64_C(1) << 31}, strides[] = {1, 0};

    if (index > 1000)
        tensor_make(t, dtype, 2, shape, strides);
    else
        tensor_vector(t, dtype, fill == &permutation ? 1000 : 1001);
}

static void bits_are_the_golden_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(golden); i++) {
        size_t bytes = osw_dtype_info((int)golden[i].dtype)->bytes;
        unsigned char want[16] = {0};
        struct tensor t;

        print_message("  row %zu\n", i);
        make_for(&t, golden[i].fill, golden[i].dtype, golden[i].index);
        osw_fill_tensor(&t.view, golden[i].fill, SEED, TENSOR, REP);
        memcpy(want, &golden[i].bits, 8);
        if (golden[i].dtype == OSW_C64)
            memcpy(want + 4, &golden[i].more, 4);
        if (golden[i].dtype == OSW_C128)
            memcpy(want + 8, &golden[i].more, 8);
        assert_memory_equal(tensor_at(&t, golden[i].index), want, bytes);
        tensor_free(&t);
    }
}

/* --- what a value depends on --- */

static const struct {
    const char *what;
    int32_t ndim;
    int64_t shape[4], strides[4];
} layouts[] = {
    /* clang-format off */
    { "transposed",      2, { 70, 33 },     { 1, 70 } },
    { "permuted",        3, { 5, 7, 66 },   { 66, 330, 1 } },
    { "rows with gaps",  2, { 40, 65 },     { 71, 1 } },
    { "columns apart",   2, { 300, 3 },     { 10, 2 } },
    { "strided vector",  1, { 200 },        { 3 } },
    { "a scalar",        0, { 0 },          { 0 } },
    { "empty",           2, { 0, 4 },       { 4, 1 } },
    /* clang-format on */
};

static const enum osw_dtype_id dtypes[] = {
    OSW_F64, OSW_F32, OSW_F16, OSW_BF16, OSW_I64,  OSW_I32, OSW_I16,
    OSW_I8,  OSW_U8,  OSW_B8,  OSW_C64,  OSW_C128, OSW_C32};

static const struct osw_fill *const fills[] = {
    &by_default,  &normal,    &uniform, &positive, &special,    &boolean,
    &permutation, &offset100, &small2,  &int8,     &index30522, &index_wide,
    &constant,    &unit,      &rising,  &shares,   &distinct,   &distinct9k};

static void strides_do_not_matter(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(layouts); i++)
        for (size_t d = 0; d < N_ELEM(dtypes); d++)
            for (size_t f = 0; f < N_ELEM(fills); f++) {
                struct tensor t, plain;
                size_t bytes = osw_dtype_info((int)dtypes[d])->bytes;

                tensor_make(&t, dtypes[d], layouts[i].ndim, layouts[i].shape,
                            layouts[i].strides);
                tensor_make(&plain, dtypes[d], layouts[i].ndim,
                            layouts[i].shape, NULL);
                osw_fill_tensor(&t.view, fills[f], SEED, TENSOR, REP);
                osw_fill_tensor(&plain.view, fills[f], SEED, TENSOR, REP);
                for (int64_t k = 0; k < osw_view_numel(&t.view); k++)
                    assert_memory_equal(tensor_at(&t, k), tensor_at(&plain, k),
                                        bytes);
                tensor_free(&plain);
                tensor_free(&t);
            }
}

static void gaps_are_left_alone(void **state)
{
    struct tensor t;

    (void)state;
    tensor_make(&t, OSW_F32, layouts[3].ndim, layouts[3].shape,
                layouts[3].strides);
    memset(t.view.data, 0x5a, t.bytes);
    osw_fill_tensor(&t.view, &normal, SEED, TENSOR, REP);
    for (int64_t at = 0; at < (int64_t)t.bytes; at++) {
        const unsigned char *p = t.view.data;

        if (!osw_view_find(&t.desc, at / 4, NULL))
            assert_int_equal(p[at], 0x5a);
    }
    tensor_free(&t);
}

static void a_shorter_tensor_is_the_beginning_of_a_longer(void **state)
{
    struct tensor a, b;

    (void)state;
    tensor_vector(&a, OSW_F32, 1000);
    osw_fill_tensor(&a.view, &normal, SEED, TENSOR, REP);
    for (int64_t n = 0; n <= 200; n += 13) {
        tensor_vector(&b, OSW_F32, n);
        osw_fill_tensor(&b.view, &normal, SEED, TENSOR, REP);
        assert_memory_equal(a.view.data, b.view.data, b.bytes);
        tensor_free(&b);
    }
    tensor_free(&a);
}

static void seed_tensor_and_rep_matter(void **state)
{
    static const struct {
        uint64_t seed;
        uint32_t tensor, rep;
    } others[] = {{SEED + 1, TENSOR, REP},
                  {SEED ^ UINT64_C(1) << 63, TENSOR, REP},
                  {SEED, TENSOR + 1, REP},
                  {SEED, TENSOR, REP + 1}};
    struct tensor a, b;

    (void)state;
    tensor_vector(&a, OSW_F32, 64);
    tensor_vector(&b, OSW_F32, 64);
    osw_fill_tensor(&a.view, &normal, SEED, TENSOR, REP);
    for (size_t i = 0; i < N_ELEM(others); i++) {
        osw_fill_tensor(&b.view, &normal, others[i].seed, others[i].tensor,
                        others[i].rep);
        assert_memory_not_equal(a.view.data, b.view.data, a.bytes);
    }
    tensor_free(&a);
    tensor_free(&b);
}

static void a_broadcast_dimension_counts_as_0(void **state)
{
    const int64_t shape[] = {3, 4, 5}, strides[] = {5, 0, 1};
    struct tensor t, plain;

    (void)state;
    tensor_make(&t, OSW_F32, 3, shape, strides);
    tensor_make(&plain, OSW_F32, 3, shape, NULL);
    osw_fill_tensor(&t.view, &normal, SEED, TENSOR, REP);
    osw_fill_tensor(&plain.view, &normal, SEED, TENSOR, REP);
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < 4; j++)
            for (int64_t k = 0; k < 5; k++)
                assert_memory_equal(tensor_at(&t, (i * 4 + j) * 5 + k),
                                    tensor_at(&plain, i * 20 + k), 4);
    assert_int_equal(osw_fill_differs(&t.view, &normal, SEED, TENSOR, REP), -1);
    tensor_free(&plain);
    tensor_free(&t);
}

static void an_overlapping_tensor_is_filled_by_its_storage(void **state)
{
    const int64_t shape[] = {10, 4}, strides[] = {2, 1};
    struct tensor t, storage;

    (void)state;
    tensor_make(&t, OSW_F32, 2, shape, strides);
    tensor_vector(&storage, OSW_F32, 22);
    osw_fill_tensor(&t.view, &normal, SEED, TENSOR, REP);
    osw_fill_tensor(&storage.view, &normal, SEED, TENSOR, REP);
    assert_int_equal(t.bytes, storage.bytes);
    assert_memory_equal(t.view.data, storage.view.data, t.bytes);
    assert_int_equal(osw_fill_differs(&t.view, &normal, SEED, TENSOR, REP), -1);
    ((float *)t.view.data)[3] = 7; /* is [0, 3] and [1, 1] */
    assert_true(osw_view_offset(&t.desc, osw_fill_differs(&t.view, &normal,
                                                          SEED, TENSOR, REP)) ==
                3);
    tensor_free(&storage);
    tensor_free(&t);
}

/* --- ranges and distributions --- */

static void normal_has_mean_0_and_variance_1(void **state)
{
    enum { N = 400000 };
    static const enum osw_dtype_id real[] = {OSW_F64, OSW_F32, OSW_F16,
                                             OSW_BF16};

    (void)state;
    for (size_t d = 0; d < N_ELEM(real); d++) {
        double sum = 0, sum2 = 0, sum3 = 0, largest = 0, mean, variance;
        struct tensor t;

        tensor_vector(&t, real[d], N);
        osw_fill_tensor(&t.view, &normal, SEED, TENSOR, REP);
        for (int64_t i = 0; i < N; i++) {
            double x = tensor_get(&t, i);

            sum += x;
            sum2 += x * x;
            sum3 += x * x * x;
            largest = fmax(largest, fabs(x));
        }
        mean = sum / N;
        variance = sum2 / N - mean * mean;
        assert_true(fabs(mean) < 5 / sqrt(N));
        assert_true(fabs(variance - 1) < 5 * sqrt(2.0 / N));
        assert_true(fabs(sum3 / N) < 5 * sqrt(15.0 / N));
        assert_true(largest > 4 && largest < 4.91);
        tensor_free(&t);
    }
}

static void parts_of_complex_numbers_are_independent(void **state)
{
    enum { N = 100000 };
    double sum = 0, sum2 = 0, cross = 0;
    struct tensor t;

    (void)state;
    tensor_vector(&t, OSW_C64, N);
    osw_fill_tensor(&t.view, &normal, SEED, TENSOR, REP);
    for (int64_t i = 0; i < N; i++) {
        const float *z = tensor_at(&t, i);

        sum += (double)(z[0] + z[1]);
        sum2 += (double)(z[0] * z[0] + z[1] * z[1]);
        cross += (double)(z[0] * z[1]);
    }
    assert_true(fabs(sum / N) < 5 * sqrt(2.0 / N));
    assert_true(fabs(sum2 / N - 2) < 10 * sqrt(2.0 / N));
    assert_true(fabs(cross / N) < 5 / sqrt(N));
    tensor_free(&t);
}

/* Smallest and largest value found, of 20000. */
static void extremes(const struct osw_fill *fill, enum osw_dtype_id dtype,
                     double *low, double *high)
{
    struct tensor t;

    tensor_vector(&t, dtype, 20000);
    osw_fill_tensor(&t.view, fill, SEED, TENSOR, REP);
    *low = INFINITY;
    *high = -INFINITY;
    for (int64_t i = 0; i < 20000; i++) {
        *low = fmin(*low, tensor_get(&t, i));
        *high = fmax(*high, tensor_get(&t, i));
    }
    tensor_free(&t);
}

static const struct {
    struct osw_fill fill;
    enum osw_dtype_id dtype;
    double low, high;
} ranges[] = {
    /* clang-format off */
    { { OSW_FILL_DEFAULT, 0, 0 },       OSW_I64,  -8, 8 },
    { { OSW_FILL_DEFAULT, 0, 0 },       OSW_U8,   0, 8 },
    { { OSW_FILL_DEFAULT, 0, 0 },       OSW_B8,   0, 1 },
    { { OSW_FILL_NORMAL, 0, 0 },        OSW_I16,  -8, 8 },
    { { OSW_FILL_SPECIAL, 0, 0 },       OSW_U8,   0, 8 },
    { { OSW_FILL_OFFSET, 50.5, 0 },     OSW_I32,  42, 58 },
    { { OSW_FILL_INT, -3, 300 },        OSW_U8,   0, 255 },
    { { OSW_FILL_INT, -1000, 1000 },    OSW_I8,   -128, 127 },
    { { OSW_FILL_INT, 5, 5 },           OSW_F16,  5, 5 },
    { { OSW_FILL_INT, 5, 2 },           OSW_I32,  5, 5 },
    { { OSW_FILL_INT, -3, 3 },          OSW_B8,   0, 1 },
    { { OSW_FILL_INDEX, 7, 0 },         OSW_I64,  0, 6 },
    { { OSW_FILL_INDEX, 1, 0 },         OSW_I64,  0, 0 },
    { { OSW_FILL_INDEX, 0, 0 },         OSW_I64,  0, 0 },
    { { OSW_FILL_SMALLINT, 3, 0 },      OSW_BF16, -3, 3 },
    { { OSW_FILL_SMALLINT, 3, 0 },      OSW_F64,  -3, 3 },
    { { OSW_FILL_SMALLINT, 3, 0 },      OSW_U8,   0, 3 },
    { { OSW_FILL_BOOL, 0, 0 },          OSW_F32,  0, 1 },
    { { OSW_FILL_CONSTANT, 1e9, 0 },    OSW_I16,  32767, 32767 },
    { { OSW_FILL_CONSTANT, NAN, 0 },    OSW_I16,  0, 0 },
    { { OSW_FILL_CONSTANT, 0.1, 0 },    OSW_BF16, 0.10009765625, 0.10009765625 },
    { { OSW_FILL_CONSTANT, 0.5, 0 },    OSW_B8,   0, 0 },
    /* clang-format on */
};

static void integers_keep_to_their_range_and_reach_its_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(ranges); i++) {
        double low, high;

        print_message("  row %zu\n", i);
        extremes(&ranges[i].fill, ranges[i].dtype, &low, &high);
        assert_true(low == ranges[i].low);
        assert_true(high == ranges[i].high);
    }
}

/* Element by element, however they lie: code that loses the last row of a table
 * is wrong on every draw.
 */
static void indices_have_the_first_and_the_last_one(void **state)
{
    static const struct {
        enum osw_dtype_id dtype;
        int32_t ndim;
        int64_t shape[3], strides[3];
    } rows[] = {
        {OSW_I64, 1, {2}, {1}},
        {OSW_I64, 1, {100}, {1}},
        {OSW_I32, 2, {33, 5}, {7, 1}},
        {OSW_I64, 2, {2, 50}, {1, 0}},
        {OSW_I64, 3, {3, 1, 2}, {0, 0, 1}},
        {OSW_I16, 2, {10, 4}, {2, 1}},
        {OSW_I64, 2, {3, 3}, {9, 9}}, /* overlaps and has gaps */
        {OSW_F16, 1, {7}, {3}},
    };
    int64_t places = 0;

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++)
        for (uint32_t rep = 0; rep < 20; rep++) {
            static const struct osw_fill index = {.kind = OSW_FILL_INDEX,
                                                  .a = 1025};
            double low = INFINITY, high = -INFINITY;
            struct tensor t;

            tensor_make(&t, rows[i].dtype, rows[i].ndim, rows[i].shape,
                        rows[i].strides);
            osw_fill_tensor(&t.view, &index, SEED, TENSOR, rep);
            for (int64_t k = 0; k < osw_view_numel(&t.view); k++) {
                low = fmin(low, tensor_get(&t, k));
                high = fmax(high, tensor_get(&t, k));
                if (i == 1 && tensor_get(&t, k) == 1024)
                    places |= INT64_C(1) << k % 64;
            }
            print_message("  row %zu, rep %u\n", i, rep);
            assert_true(low == 0);
            assert_true(high == 1024);
            tensor_free(&t);
        }
    assert_true((places & (places - 1)) != 0); /* at several places */
}

static void wide_ranges_are_spanned(void **state)
{
    static const struct osw_fill all = {
        .kind = OSW_FILL_INT, .a = -0x1p63, .b = 0x1p63};
    static const struct osw_fill big = {.kind = OSW_FILL_INT, .b = 0x1p33};
    double low, high;

    (void)state;
    extremes(&all, OSW_I64, &low, &high);
    assert_true(low < -0x1.ffp62 && high > 0x1.ffp62);
    extremes(&big, OSW_I64, &low, &high);
    assert_true(low >= 0 && low < 0x1p22 && high <= 0x1p33 && high > 0x1.ffp32);
}

__extension__ typedef unsigned __int128 wide;

static void wide_draws_are_the_upper_half_of_the_product(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        struct osw_philox p = osw_philox_element(SEED, 0, 0, i);
        uint64_t word = (uint64_t)p.w[0] << 32 | p.w[1];
        uint64_t range = (uint64_t)p.w[2] << 32 | p.w[3] | 1;

        assert_true(osw_random_below_wide(p.w[0], p.w[1], range) ==
                    (uint64_t)((wide)word * range >> 64));
    }
    assert_true(osw_random_below_wide(~0u, ~0u, UINT64_MAX) == UINT64_MAX - 1);
    assert_true(osw_random_below_wide(1, 2, 0) == (UINT64_C(1) << 32 | 2));
}

static void real_kinds_keep_to_their_range(void **state)
{
    double low, high;

    (void)state;
    for (int d = OSW_F64; d <= OSW_F32; d++) {
        extremes(&uniform, (enum osw_dtype_id)d, &low, &high);
        assert_true(low >= -1 && low < -0.99 && high < 1 && high > 0.99);
        extremes(&positive, (enum osw_dtype_id)d, &low, &high);
        assert_true(low >= 0.5 && low < 0.51 && high < 1.5 && high > 1.49);
        extremes(&unit, (enum osw_dtype_id)d, &low, &high);
        assert_true(low >= 0 && low < 0.01 && high < 1 && high > 0.99);
    }
}

static void permutations_have_each_number_once(void **state)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 64, 1000, 4097};

    (void)state;
    for (size_t i = 0; i < N_ELEM(sizes); i++) {
        int64_t n = sizes[i], in_place = 0;
        char *seen = calloc((size_t)n, 1);
        struct tensor t;

        tensor_vector(&t, OSW_I64, n);
        osw_fill_tensor(&t.view, &permutation, SEED, TENSOR, REP);
        for (int64_t k = 0; k < n; k++) {
            int64_t at = *(int64_t *)tensor_at(&t, k);

            assert_true(at >= 0 && at < n && !seen[at]);
            seen[at] = 1;
            in_place += at == k;
        }
        assert_true(n < 100 || in_place < 10);
        tensor_free(&t);
        free(seen);
    }
}

/* --- differs --- */

static void a_single_changed_bit_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(layouts); i++)
        for (size_t d = 0; d < N_ELEM(dtypes); d++) {
            struct tensor t;
            int64_t numel;

            tensor_make(&t, dtypes[d], layouts[i].ndim, layouts[i].shape,
                        layouts[i].strides);
            numel = osw_view_numel(&t.view);
            osw_fill_tensor(&t.view, &special, SEED, TENSOR, REP);
            assert_int_equal(
                osw_fill_differs(&t.view, &special, SEED, TENSOR, REP), -1);
            for (int64_t k = 0; k<numel; k += numel> 100 ? 97 : 1) {
                unsigned char *p = tensor_at(&t, k);

                p[osw_view_elem_bytes(&t.view) - 1] ^= 1;
                assert_int_equal(
                    osw_fill_differs(&t.view, &special, SEED, TENSOR, REP), k);
                p[osw_view_elem_bytes(&t.view) - 1] ^= 1;
            }
            tensor_free(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_the_golden_ones),
        cmocka_unit_test(strides_do_not_matter),
        cmocka_unit_test(gaps_are_left_alone),
        cmocka_unit_test(a_shorter_tensor_is_the_beginning_of_a_longer),
        cmocka_unit_test(seed_tensor_and_rep_matter),
        cmocka_unit_test(a_broadcast_dimension_counts_as_0),
        cmocka_unit_test(an_overlapping_tensor_is_filled_by_its_storage),
        cmocka_unit_test(normal_has_mean_0_and_variance_1),
        cmocka_unit_test(parts_of_complex_numbers_are_independent),
        cmocka_unit_test(integers_keep_to_their_range_and_reach_its_ends),
        cmocka_unit_test(indices_have_the_first_and_the_last_one),
        cmocka_unit_test(wide_ranges_are_spanned),
        cmocka_unit_test(wide_draws_are_the_upper_half_of_the_product),
        cmocka_unit_test(real_kinds_keep_to_their_range),
        cmocka_unit_test(permutations_have_each_number_once),
        cmocka_unit_test(a_single_changed_bit_is_found),
    };

    return cmocka_run_group_tests_name("worker/fill", tests, NULL, NULL);
}
