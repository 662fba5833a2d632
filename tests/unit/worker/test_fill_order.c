/* tests/unit/worker/test_fill_order.c - fills whose values depend on their
 * place: ascending, shares, distinct, special
 *
 * optimised, too: its loops are vectors then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

#include <opsweep/elements.h>

#include "tests/unit/worker/judge_tensor.h"
#include "worker/judge/inputs/fill.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { SEED = 3, TENSOR = 2, REP = 1 };

/* clang-format off */
static const struct osw_fill rising = { .kind = OSW_FILL_ASCENDING, .a = -4, .b = 4 };
static const struct osw_fill shares = { .kind = OSW_FILL_SHARES, .a = 100 };
static const struct osw_fill distinct = { .kind = OSW_FILL_DISTINCT, .a = 90, .b = 3 };
static const struct osw_fill special = { .kind = OSW_FILL_SPECIAL };
/* clang-format on */

static void ascending_rows_begin_and_end_as_asked_for(void **state)
{
    static const int64_t shape[] = {40, 17};
    static const enum osw_dtype_id types[] = {OSW_F64, OSW_F32, OSW_BF16,
                                              OSW_I64, OSW_I8};
    int differ = 0;

    (void)state;
    for (size_t d = 0; d < N_ELEM(types); d++) {
        struct tensor t;

        tensor_make(&t, types[d], 2, shape, NULL);
        osw_fill_tensor(&t.view, &rising, SEED, TENSOR, REP);
        for (int64_t k = 0; k < 40 * 17; k += 17) {
            assert_true(tensor_get(&t, k) == -4);
            assert_true(tensor_get(&t, k + 16) == 4);
            for (int64_t j = 1; j < 17; j++)
                assert_true(tensor_get(&t, k + j) >= tensor_get(&t, k + j - 1));
            differ += tensor_get(&t, k + 8) != tensor_get(&t, 8);
        }
        tensor_free(&t);
    }
    assert_true(differ > 100); /* of 3 * 39: real ones are random */
}

static void offsets_go_in_even_steps_and_shares_are_between_them(void **state)
{
    static const struct osw_fill offsets = {OSW_FILL_ASCENDING, 0, 100};
    static const int64_t sizes[] = {1, 2, 7, 99, 100, 101, 1000};

    (void)state;
    for (size_t i = 0; i < N_ELEM(sizes); i++) {
        int64_t n = sizes[i], sum = 0, least = 100 / n;
        struct tensor ends, lengths;

        tensor_vector(&ends, OSW_I64, n + 1);
        tensor_vector(&lengths, OSW_I64, n);
        osw_fill_tensor(&ends.view, &offsets, SEED, TENSOR, REP);
        osw_fill_tensor(&lengths.view, &shares, SEED, TENSOR, REP);
        for (int64_t k = 0; k < n; k++) {
            int64_t length = *(int64_t *)tensor_at(&lengths, k);

            assert_int_equal(*(int64_t *)tensor_at(&ends, k), sum);
            assert_true(length == least || length == least + 1);
            sum += length;
        }
        assert_int_equal(*(int64_t *)tensor_at(&ends, n), 100);
        assert_int_equal(sum, 100);
        tensor_free(&ends);
        tensor_free(&lengths);
    }
}

static void distinct_ones_differ_along_their_dimension(void **state)
{
    static const int64_t shape[] = {4, 90, 3};
    int in_place = 0, as_before = 0;
    struct tensor t;

    (void)state;
    tensor_make(&t, OSW_I64, 3, shape, NULL);
    osw_fill_tensor(&t.view, &distinct, SEED, TENSOR, REP);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t k = 0; k < 3; k++) {
            char seen[90] = {0};

            for (int64_t j = 0; j < 90; j++) {
                int64_t v = *(int64_t *)tensor_at(&t, (i * 90 + j) * 3 + k);

                assert_true(v >= 0 && v < 90 && !seen[v]);
                seen[v] = 1;
                in_place += v == j;
                as_before += i > 0 && v == *(int64_t *)tensor_at(
                                               &t, ((i - 1) * 90 + j) * 3 + k);
            }
        }
    assert_true(in_place < 100);  /* of 1080 */
    assert_true(as_before < 100); /* of 810 */
    tensor_free(&t);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void all_differ(double x[], int64_t n)
{
    qsort(x, (size_t)n, sizeof(*x), by_value);
    for (int64_t k = 1; k < n; k++)
        assert_true(x[k] > x[k - 1]);
}

/* The same of so many f32 that sorting takes seconds: one bit for each number
 * from `least` to `most`, and one for its negative.
 */
static void many_differ(const double x[], int64_t n, double least, double most)
{
    uint32_t from = osw_f32_bits((float)least), to = osw_f32_bits((float)most);
    unsigned char *seen = calloc((to - from) / 4 + 1, 1);

    assert_non_null(seen);
    for (int64_t k = 0; k < n; k++) {
        uint32_t i = 2 * (osw_f32_bits((float)fabs(x[k])) - from) + (x[k] < 0);

        assert_false(seen[i / 8] & 1u << i % 8);
        seen[i / 8] = (unsigned char)(seen[i / 8] | 1u << i % 8);
    }
    free(seen);
}

/* Also where the dtype has fewer integers: none equal, infinite or subnormal.
 */
static void floats_have_more_distinct_ones_than_integers(void **state)
{
    static const struct {
        enum osw_dtype_id dtype;
        int64_t n;
        double least, most; /* sizes */
    } cases[] = {
        /* clang-format off */
        {OSW_F16, 2049, 0, 2048},       {OSW_F16, 2050, 0.5, 2},
        {OSW_F16, 61440, 0x1p-14, 65504},
        {OSW_BF16, 257, 0, 256},        {OSW_BF16, 258, 0.5, 2},
        {OSW_BF16, 50257, 0x1p-126, 0x1.fep127},
        {OSW_BF16, 65024, 0x1p-126, 0x1.fep127},
        {OSW_F32, 100000, 0, 99999},    {OSW_F32, 0x1000002, 0.5, 4},
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        int64_t n = cases[i].n;
        struct osw_fill all = {.kind = OSW_FILL_DISTINCT, .b = 1};
        double *x = malloc((size_t)n * sizeof(*x));
        int64_t in_order = 0;
        struct tensor t;

        assert_non_null(x);
        all.a = (double)n;
        tensor_vector(&t, cases[i].dtype, n);
        osw_fill_tensor(&t.view, &all, SEED, TENSOR, REP);
        for (int64_t k = 0; k < n; k++) {
            x[k] = tensor_get(&t, k);
            assert_true(fabs(x[k]) >= cases[i].least &&
                        fabs(x[k]) <= cases[i].most);
            in_order += k > 0 && x[k] > x[k - 1];
        }
        assert_in_range(in_order, n * 4 / 10, n * 6 / 10);
        if (n > 1000000)
            many_differ(x, n, cases[i].least, cases[i].most);
        else
            all_differ(x, n);
        free(x);
        tensor_free(&t);
    }
}

/* Of 64 elements one in two tensors had no NaN. */
static void small_tensors_have_every_special_value(void **state)
{
    static const int64_t sizes[] = {64, 65, 100, 1023};

    (void)state;
    for (uint32_t i = 0; i < 80; i++) {
        for (uint32_t tensor = 0; tensor < 2; tensor++) {
            int64_t n = sizes[i % N_ELEM(sizes)];
            bool seen[6] = {false};
            struct tensor t;

            tensor_vector(&t, OSW_F32, n);
            osw_fill_tensor(&t.view, &special, SEED, tensor, i);
            for (int64_t k = 0; k < n; k++) {
                double x = tensor_get(&t, k);

                seen[0] |= isnan(x) != 0;
                seen[1] |= x == INFINITY;
                seen[2] |= x == -INFINITY;
                seen[3] |= x == 0 && signbit(x);
                seen[4] |= x == 0x1p-127;
                seen[5] |= x == FLT_MAX / 16;
            }
            for (size_t k = 0; k < N_ELEM(seen); k++)
                assert_true(seen[k]);
            tensor_free(&t);
        }
    }
}

static void special_values_all_occur(void **state)
{
    enum { N = 64000, KINDS = 15 };
    static const struct {
        enum osw_dtype_id dtype;
        double small, large, under, over, tie;
    } rows[] = {
        {OSW_F64, 0x1p-1023, DBL_MAX / 16, 0x1.8p-140, 0x1.ffffffp127, 0x1p-24},
        {OSW_F32, 0x1p-127, FLT_MAX / 16, 0x1.8p-20, 65520, 0x1p-11},
        {OSW_F16, 0x1p-15, 65504.0 / 16, 0x1p-24, 65504.0 / 16, 0x1p-8},
        {OSW_BF16, 0x1p-127, 0x1.fep123, 0x1.8p-20, 65536, 0.5}};

    (void)state;
    for (size_t r = 0; r < N_ELEM(rows); r++) {
        const double finite[] = {rows[r].small,
                                 -rows[r].small,
                                 rows[r].large,
                                 -rows[r].large,
                                 rows[r].under,
                                 rows[r].over,
                                 1 + rows[r].tie,
                                 -1 - 3 * rows[r].tie,
                                 rows[r].dtype == OSW_BF16 ? 1 : 1 + 0x1p-8,
                                 -2.5};
        int n[KINDS] = {0};
        struct tensor t;

        tensor_vector(&t, rows[r].dtype, N);
        osw_fill_tensor(&t.view, &special, SEED, TENSOR, REP);
        for (int64_t i = 1; i < N; i += 2) {
            double x = tensor_get(&t, i);

            n[0] += isnan(x) != 0;
            n[1] += x == INFINITY;
            n[2] += x == -INFINITY;
            n[3] += x == 0 && !signbit(x);
            n[4] += x == 0 && signbit(x);
            for (size_t k = 0; k < N_ELEM(finite); k++)
                n[5 + k] += x == finite[k];
        }
        assert_true(n[0] > 900 && n[0] < 1100); /* of two kinds */
        for (int k = 1; k < KINDS; k++)
            assert_true(n[k] > 420); /* 500 expected; some are also normal */
        tensor_free(&t);
    }
}

/* One NaN hides all else in a sum: rows and columns must be left of which few
 * elements are special, beside places where special values meet.
 */
static void special_values_are_rare_in_most_rows(void **state)
{
    static const int64_t shape[] = {256, 256};
    int in_row[256] = {0}, in_column[256] = {0}, rows = 0, columns = 0, all = 0;
    struct tensor t;

    (void)state;
    tensor_make(&t, OSW_F32, 2, shape, NULL);
    osw_fill_tensor(&t.view, &special, SEED, TENSOR, REP);
    for (int64_t i = 0; i < 256 * 256; i++)
        if (!isfinite(tensor_get(&t, i))) {
            in_row[i / 256]++;
            in_column[i % 256]++;
            all++;
        }
    for (int k = 0; k < 256; k++) {
        rows += in_row[k] <= 2;
        columns += in_column[k] <= 2;
    }
    assert_true(rows > 100 && rows < 140);
    assert_true(columns > 100 && columns < 140);
    assert_true(all > 128 * 128 / 20 && all < 128 * 128 / 12);
    tensor_free(&t);
}

/* A product that skips zeros loses 0 x infinity: there must be outputs that
 * only this makes NaN.
 */
static void zeros_meet_infinities_in_products(void **state)
{
    static const int64_t sizes[] = {16, 64, 200};

    (void)state;
    for (size_t s = 0; s < N_ELEM(sizes); s++) {
        int64_t n = sizes[s], shape[] = {n, n};
        int lost = 0;
        struct tensor a, b;

        tensor_make(&a, OSW_F32, 2, shape, NULL);
        tensor_make(&b, OSW_F32, 2, shape, NULL);
        osw_fill_tensor(&a.view, &special, SEED, TENSOR, REP);
        osw_fill_tensor(&b.view, &special, SEED, TENSOR + 1, REP);
        for (int64_t at = 0; at < n * n; at++) {
            double sum = 0, skipping = 0;

            for (int64_t k = 0; k < n; k++) {
                double x = tensor_get(&a, at / n * n + k);
                double y = tensor_get(&b, k * n + at % n);

                sum += x * y;
                skipping += x != 0 && y != 0 ? x * y : 0;
            }
            lost += isnan(sum) && !isnan(skipping);
        }
        assert_true(lost > 0);
        tensor_free(&a);
        tensor_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascending_rows_begin_and_end_as_asked_for),
        cmocka_unit_test(offsets_go_in_even_steps_and_shares_are_between_them),
        cmocka_unit_test(distinct_ones_differ_along_their_dimension),
        cmocka_unit_test(floats_have_more_distinct_ones_than_integers),
        cmocka_unit_test(small_tensors_have_every_special_value),
        cmocka_unit_test(special_values_all_occur),
        cmocka_unit_test(special_values_are_rare_in_most_rows),
        cmocka_unit_test(zeros_meet_infinities_in_products),
    };

    return cmocka_run_group_tests_name("worker/fill_order", tests, NULL, NULL);
}
