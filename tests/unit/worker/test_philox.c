/* tests/unit/worker/test_philox.c - Philox4x32-10 against its known answers
 *
 * optimised, too: its loops are vectors then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/judge/inputs/philox.h"
#include "worker/judge/inputs/philox_blocks.h"
#include "worker/judge/inputs/random_values.h"

#define ONES 0xffffffffu

/* The three of Random123's kat_vectors, philox4x32 10. */
static const struct {
    uint32_t counter[4], key[2], want[4];
} known[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{ONES, ONES, ONES, ONES},
     {ONES, ONES},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static void blocks_are_the_known_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const uint32_t *c = known[i].counter, *k = known[i].key;
        struct osw_philox p =
            osw_philox_block(c[0], c[1], c[2], c[3], k[0], k[1]);

        assert_memory_equal(p.w, known[i].want, sizeof(p.w));
    }
}

/* The last known answer, taken apart as an element's counter and seed. */
static void an_element_has_the_counter_of_its_index_tensor_and_rep(void **state)
{
    struct osw_philox p =
        osw_philox_element(UINT64_C(0x299f31d0a4093822), 0x13198a2e, 0x03707344,
                           UINT64_C(0x85a308d3243f6a88));

    (void)state;
    assert_memory_equal(p.w, known[2].want, sizeof(p.w));
}

static void many_words_at_once_are_those_of_each_element(void **state)
{
    static const int64_t steps[] = {1, 3, INT64_C(1) << 31,
                                    (INT64_C(1) << 40) + 12345};
    const uint64_t seed = UINT64_C(0xfedcba9876543210);

    (void)state;
    for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
        int64_t index[OSW_PHILOX_BLOCKS_BLOCK];
        struct osw_philox_blocks got;

        for (int j = 0; j < OSW_PHILOX_BLOCKS_BLOCK; j++)
            index[j] = 7 + j * steps[s];
        osw_philox_blocks_make(seed, 5, 0x80000001u, index, &got);
        for (int j = 0; j < OSW_PHILOX_BLOCKS_BLOCK; j++) {
            struct osw_philox want =
                osw_philox_element(seed, 5, 0x80000001u, (uint64_t)index[j]);

            for (int k = 0; k < 4; k++)
                assert_int_equal(got.w[k][j], want.w[k]);
        }
    }
}

/* As kernels do, from one element to the next, also past 2^32. */
static void a_product_can_be_added_up_instead(void **state)
{
    const uint64_t first = UINT64_C(0x3fffffff0), seed = 77;
    const struct osw_philox_keys keys = osw_philox_keys(seed);

    (void)state;
    for (uint32_t k = 0; k < 16; k++) {
        uint64_t p0 = (uint64_t)OSW_PHILOX_M0 * (uint32_t)first +
                      (uint64_t)OSW_PHILOX_M0 * k;
        struct osw_philox got = osw_philox_rounds_from(p0, 3, 5, 6, &keys);
        struct osw_philox want = osw_philox_element(seed, 5, 6, first + k);

        assert_memory_equal(got.w, want.w, sizeof(got.w));
    }
}

/* All halves but their mean, for words at the ends of the range. */
static void sums_are_those_of_the_halves(void **state)
{
    static const uint32_t w[] = {0,       1,          0xffff,     0x10000,
                                 ONES,    0xffff0000, 0x80008000, 0x7fffffff,
                                 0x12345, 0xfffefffd};
    enum { N = sizeof(w) / sizeof(w[0]) };

    (void)state;
    for (int i = 0; i < N * N * N * N; i++) {
        uint32_t a = w[i % N], b = w[i / N % N];
        uint32_t c = w[i / N / N % N], d = w[i / N / N / N];
        int64_t two = (int64_t)(a & 0xffff) + (a >> 16) + (b & 0xffff) +
                      (b >> 16) - 2 * 65535;
        int64_t four = two + (c & 0xffff) + (c >> 16) + (d & 0xffff) +
                       (d >> 16) - 2 * 65535;

        assert_int_equal(osw_random_sum4(a, b), two);
        assert_int_equal(osw_random_sum8(a, b, c, d), four);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_the_known_answers),
        cmocka_unit_test(
            an_element_has_the_counter_of_its_index_tensor_and_rep),
        cmocka_unit_test(many_words_at_once_are_those_of_each_element),
        cmocka_unit_test(a_product_can_be_added_up_instead),
        cmocka_unit_test(sums_are_those_of_the_halves),
    };

    return cmocka_run_group_tests_name("worker/philox", tests, NULL, NULL);
}
