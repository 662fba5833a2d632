/* tests/unit/worker/test_layout.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/judge/memory/layout.h"

static void inputs_lie_aligned_between_guards(void **state)
{
    static const int64_t ten[] = {10}, one[] = {1}, big[] = {100000};
    const struct osw_tensor_desc a = {
        .dtype = OSW_F32, .ndim = 1, .shape = ten, .strides = one};
    const struct osw_tensor_desc b = {
        .dtype = OSW_F64, .ndim = 1, .shape = big, .strides = one};
    const struct osw_tensor_desc *both[] = {&a, &b};
    uint64_t at[2], end;

    (void)state;
    end = osw_layout_inputs(both, 2, UINT64_C(1) << 30, at);
    assert_int_equal(at[0], 4096);
    /* 4096 + 40 -> 4352, + guard 4096 after a, + guard of b (100000 -> 100096)
     */
    assert_int_equal(at[1], 4352 + 4096 + 100096);
    /* 800000 is a multiple of 256 */
    assert_int_equal(end, at[1] + 800000 + 100096);
}

static void an_offset_leaves_elements_out_before_the_first(void **state)
{
    static const int64_t ten[] = {10}, one[] = {1};
    struct osw_tensor_desc a = {
        .dtype = OSW_F32, .ndim = 1, .shape = ten, .strides = one, .offset = 3};
    const struct osw_tensor_desc *both[] = {&a, &a};
    uint64_t at[2], end;

    (void)state;
    end = osw_layout_inputs(both, 2, UINT64_C(1) << 30, at);
    assert_int_equal(at[0], 4096 + 12);
    assert_int_equal(at[1], 4352 + 4096 + 4096 + 12);
    a.offset = OSW_MAX_OFFSET; /* 4 MiB, each with guards as large as them */
    assert_true(osw_layout_inputs(both, 1, 4 << 20, at) == OSW_NO_OFFSET);
    assert_true(osw_layout_inputs(both, 1, end, at) == OSW_NO_OFFSET);
    assert_true(osw_layout_inputs(both, 1, 16 << 20, at) != OSW_NO_OFFSET);
    assert_int_equal(at[0] % 256, 0);
}

static void a_layout_beyond_its_limit_is_refused(void **state)
{
    static const int64_t ten[] = {10}, one[] = {1};
    const struct osw_tensor_desc a = {
        .dtype = OSW_F32, .ndim = 1, .shape = ten, .strides = one};
    const struct osw_tensor_desc *only[] = {&a};
    uint64_t at[1], end;

    (void)state;
    end = osw_layout_inputs(only, 1, UINT64_C(1) << 30, at);
    assert_int_equal(osw_layout_inputs(only, 1, end + 512, at), end);
    assert_true(osw_layout_inputs(only, 1, 8192, at) == OSW_NO_OFFSET);
    assert_true(osw_layout_inputs(only, 1, 40, at) == OSW_NO_OFFSET);
}

static void outputs_in_place_take_no_room(void **state)
{
    struct osw_output o[2] = {{.dtype = OSW_F32,
                               .ndim = 1,
                               .alias = 0,
                               .shape = {10},
                               .strides = {1},
                               .offset = 77},
                              {.dtype = OSW_F32,
                               .ndim = 1,
                               .alias = -1,
                               .shape = {10},
                               .strides = {1}}};
    uint64_t end = osw_layout_outputs(o, 2, 1024, UINT64_C(1) << 30);

    (void)state;
    assert_int_equal(o[0].offset, 77);
    assert_int_equal(o[1].offset, 1024 + 4096);
    assert_int_equal(end, 1024 + 4096 + 256 + 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_lie_aligned_between_guards),
        cmocka_unit_test(an_offset_leaves_elements_out_before_the_first),
        cmocka_unit_test(a_layout_beyond_its_limit_is_refused),
        cmocka_unit_test(outputs_in_place_take_no_room),
    };

    return cmocka_run_group_tests_name("worker/layout", tests, NULL, NULL);
}
