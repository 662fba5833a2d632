/* tests/unit/worker/test_fill_order.c - fills whose values depend on their
 * place: ascending, shares, distinct
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/worker/judge_tensor.h"
#include "worker/judge/inputs/fill.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { SEED = 3, TENSOR = 2, REP = 1 };

/* clang-format off */
static const struct osw_fill rising = { .kind = OSW_FILL_ASCENDING, .a = -4, .b = 4 };
static const struct osw_fill shares = { .kind = OSW_FILL_SHARES, .a = 100 };
static const struct osw_fill distinct = { .kind = OSW_FILL_DISTINCT, .a = 90, .b = 3 };
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
    int in_place = 0;
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
            }
        }
    assert_true(in_place < 100); /* of 1080 */
    tensor_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascending_rows_begin_and_end_as_asked_for),
        cmocka_unit_test(offsets_go_in_even_steps_and_shares_are_between_them),
        cmocka_unit_test(distinct_ones_differ_along_their_dimension),
    };

    return cmocka_run_group_tests_name("worker/fill_order", tests, NULL, NULL);
}
