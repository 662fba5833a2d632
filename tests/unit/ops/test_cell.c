/* tests/unit/ops/test_cell.c - cell keys are on disk: they never change */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/cases/cell.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* By hand: printf 'opsweep cell 1\0OP\0IMPL\0CASE\0FILL\0DEVICE\0' |
 * sha256sum, the first 16 digits.
 */
static void keys_are_pinned(void **state)
{
    static const struct {
        struct osw_cell_parts parts;
        uint64_t want;
    } rows[] = {
        {{"aten.mm.default", "openblas",
          "((T([2, 3], f32), T([3, 4], f32)), {})", "normal,normal", "cpu", 0},
         UINT64_C(0x5bdb7878a8b9d2f2)},
        {{"aten.relu.default", "", "((T([5], f16),), {})", "", "cpu", 0},
         UINT64_C(0x52a7c239909b9266)},
        {{"", "", "", "", "", 0}, UINT64_C(0x0361f04c58983c65)},
        {{"all_reduce.default", "ring", "((T([5], f16),), {})", "normal", "cpu",
          4},
         UINT64_C(0xbc53071a88297c67)},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++)
        assert_true(osw_cell_key(&rows[i].parts) == rows[i].want);
}

static void every_part_counts_and_none_runs_into_the_next(void **state)
{
    static const struct osw_cell_parts rows[] = {
        {"a", "b", "c", "d", "e", 0}, {"x", "b", "c", "d", "e", 0},
        {"a", "x", "c", "d", "e", 0}, {"a", "b", "x", "d", "e", 0},
        {"a", "b", "c", "x", "e", 0}, {"a", "b", "c", "d", "x", 0},
        {"ab", "", "c", "d", "e", 0}, {"", "ab", "c", "d", "e", 0},
        {"a", "bc", "", "d", "e", 0}, {"a", "b", "c", "", "de", 0},
        {"a", "b", "cd", "e", "", 0}, {"a", "b", "c", "d", "e", 2},
        {"a", "b", "c", "d", "e", 4},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++)
        for (size_t k = 0; k < i; k++)
            assert_true(osw_cell_key(&rows[i]) != osw_cell_key(&rows[k]));
}

static void keys_are_read_as_they_are_printed(void **state)
{
    static const char *const bad[] = {"",
                                      "0x",
                                      "12",
                                      "0x5bdb7878a8b9d2f",
                                      "0x5bdb7878a8b9d2f2a",
                                      "0x5bdb7878a8b9d2g2",
                                      " 0x5bdb7878a8b9d2f",
                                      "-x5bdb7878a8b9d2f2"};
    uint64_t key = 7;

    (void)state;
    for (size_t i = 0; i < N_ELEM(bad); i++)
        assert_false(osw_cell_key_parse(bad[i], &key));
    assert_int_equal(key, 7);
    assert_true(osw_cell_key_parse("0x0361f04c58983c65", &key));
    assert_true(key == UINT64_C(0x0361f04c58983c65));
    assert_true(osw_cell_key_parse("5BDB7878a8b9d2f2", &key));
    assert_true(key == UINT64_C(0x5bdb7878a8b9d2f2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_pinned),
        cmocka_unit_test(every_part_counts_and_none_runs_into_the_next),
        cmocka_unit_test(keys_are_read_as_they_are_printed),
    };

    return cmocka_run_group_tests_name("ops/cell", tests, NULL, NULL);
}
