/* tests/unit/worker/test_guard.c - poison around, between and under elements
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
#include "worker/judge/memory/guard.h"
#include "worker/protocol.h"

enum { A = 0xFF, B = 0x5A };

static void guards_grow_with_the_tensor(void **state)
{
    static const struct {
        uint64_t bytes, guard;
    } rows[] = {{0, 4096},         {32768, 4096},
                {32769, 4096},     {32776, 4352},
                {80000, 10240},    {2097152, 262144},
                {2097160, 262144}, {UINT64_C(1) << 40, 262144}};

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++)
        assert_int_equal(osw_guard_bytes(rows[i].bytes), rows[i].guard);
}

static void the_first_foreign_byte_is_found(void **state)
{
    enum { N = 5000 };
    static unsigned char data[N + 1], other[N + 1];

    (void)state;
    data[N] = other[N] = 1; /* after the range */
    osw_guard_fill(data, N, B);
    osw_guard_fill(other, N, B);
    assert_int_equal(data[N], 1);
    assert_int_equal(osw_guard_check(data, N, B), -1);
    assert_int_equal(osw_guard_check(data, 0, A), -1);
    assert_int_equal(osw_guard_check(data, N, A), 0);
    for (int64_t at = 0; at < N; at += 37) {
        data[at] ^= 0x10;
        data[N - 1] ^= 0x20; /* a later one, but for the last */
        assert_int_equal(osw_guard_check(data, N, B), at);
        assert_int_equal(osw_guard_differs(data, other, N), at);
        data[N - 1] ^= 0x20;
        data[at] ^= 0x10;
    }
    assert_int_equal(osw_guard_differs(data, other, N), -1);
    assert_int_equal(osw_guard_differs(data, other, 0), -1);
}

/* --- gaps --- */

static const struct {
    const char *what;
    int32_t ndim;
    int64_t shape[3], strides[3];
    const char *storage; /* '.': a gap */
} layouts[] = {
    /* clang-format off */
    { "contiguous",        2, { 2, 2 },    { 2, 1 },    "####" },
    { "transposed",        2, { 2, 3 },    { 1, 2 },    "######" },
    { "every third",       1, { 3 },       { 3 },       "#..#..#" },
    { "rows of a matrix",  2, { 2, 2 },    { 5, 1 },    "##...##" },
    { "columns swapped",   2, { 2, 2 },    { 1, 5 },    "##...##" },
    { "both apart",        2, { 2, 2 },    { 5, 2 },    "#.#..#.#" },
    { "broadcast",         2, { 4, 2 },    { 0, 2 },    "#.#" },
    { "windows",           2, { 2, 3 },    { 2, 1 },    "#####" },
    { "interleaved",       2, { 2, 3 },    { 3, 2 },    "#.####.#" },
    { "windows with gaps", 3, { 2, 2, 2 }, { 6, 1, 1 }, "###...###" },
    { "a scalar",          0, { 0 },       { 0 },       "#" },
    { "empty",             2, { 0, 2 },    { 9, 1 },    "" },
    /* clang-format on */
};

static void gaps_are_poisoned_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(layouts); i++) {
        struct tensor t;

        print_message("  layout: %s\n", layouts[i].what);
        tensor_make(&t, OSW_F32, layouts[i].ndim, layouts[i].shape,
                    layouts[i].strides);
        assert_int_equal(t.bytes, 4 * strlen(layouts[i].storage));
        osw_guard_fill_gaps(&t.view, B);
        for (size_t k = 0; k < t.bytes; k++)
            assert_int_equal(((unsigned char *)t.view.data)[k],
                             layouts[i].storage[k / 4] == '.' ? B : 0);
        tensor_free(&t);
    }
}

static void writes_into_gaps_are_found_and_others_are_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(layouts); i++) {
        struct tensor t;
        unsigned char *data;

        print_message("  layout: %s\n", layouts[i].what);
        tensor_make(&t, OSW_F32, layouts[i].ndim, layouts[i].shape,
                    layouts[i].strides);
        data = t.view.data;
        osw_guard_fill_gaps(&t.view, B);
        for (size_t k = 0; k < t.bytes; k++) {
            bool gap = layouts[i].storage[k / 4] == '.';

            data[k] ^= 1;
            assert_int_equal(osw_guard_check_gaps(&t.view, B),
                             gap ? (int64_t)k : -1);
            data[k] ^= 1;
        }
        tensor_free(&t);
    }
}

/* --- elements --- */

static const enum osw_dtype_id dtypes[] = {OSW_U8, OSW_F16, OSW_F32, OSW_F64,
                                           OSW_C128};

static void an_element_is_poison_when_all_its_bytes_are(void **state)
{
    const int64_t shape[] = {6, 5}, strides[] = {1, 9};

    (void)state;
    for (size_t d = 0; d < N_ELEM(dtypes); d++) {
        size_t bytes = osw_dtype_info((int)dtypes[d])->bytes;
        struct tensor t;

        tensor_make(&t, dtypes[d], 2, shape, strides);
        memset(t.view.data, 0, t.bytes);
        memset(tensor_at(&t, 11), A, bytes);
        if (bytes > 1) /* all but one byte: written */
            memset((char *)tensor_at(&t, 7) + 1, A, bytes - 1);
        assert_true(osw_guard_is_poison(&t.view, 11, A));
        assert_false(osw_guard_is_poison(&t.view, 11, B));
        assert_false(osw_guard_is_poison(&t.view, 7, A));
        assert_false(osw_guard_is_poison(&t.view, 12, A));
        tensor_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guards_grow_with_the_tensor),
        cmocka_unit_test(the_first_foreign_byte_is_found),
        cmocka_unit_test(gaps_are_poisoned_and_nothing_else),
        cmocka_unit_test(writes_into_gaps_are_found_and_others_are_none),
        cmocka_unit_test(an_element_is_poison_when_all_its_bytes_are),
    };

    return cmocka_run_group_tests_name("worker/guard", tests, NULL, NULL);
}
