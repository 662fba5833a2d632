/* tests/unit/campaign/test_cost.c - sizes by hand, time by comparison */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "mpi_runner/campaign/cost.h"
#include "ops/notation/notation.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static int size_of(osw_arena_t *arena, const struct osw_op *op,
                   const char *text, struct osw_case_size *out,
                   struct osw_error *err)
{
    struct osw_bound_tensor *tensors;
    struct osw_bound_arg *args;
    size_t n_args, n_tensors;
    struct osw_case parsed;

    assert_int_equal(
        osw_notation_parse_case(arena, text, strlen(text), &parsed, NULL), 0);
    assert_int_equal(osw_bind(arena, NULL, &parsed, &args, &n_args, NULL), 0);
    assert_int_equal(
        osw_bind_tensors(arena, args, n_args, &tensors, &n_tensors, NULL), 0);
    return osw_cost_size(op, args, n_args, tensors, n_tensors, out, err);
}

static void sizes_match_a_table_worked_by_hand(void **state)
{
    static const struct {
        const char *text, *numel, *flops, *reads;
        struct osw_case_size want;
        double full, freivalds;
    } rows[] = {
        /* clang-format off */
        /* 32 + 8 elements of 2 bytes, output as the larger */
        { "((T([4, 8], f16), T([8], f16)), {})", NULL, NULL, NULL,
          { 40, 80, 32, 64, 32, 144 }, 80 + 2 * 64 + 16 * 32, 80 + 2 * 64 },
        /* an expanded tensor spans 8 elements, and has 32 */
        { "((T([4, 8], f32, stride=(0, 1)),), {})", NULL, "3 * numel(arg0)",
          NULL, { 32, 32, 32, 128, 96, 160 }, 32 + 256 + 512, 32 + 256 },
        /* [2, 3] @ [3, 5]: 10 elements of f32, 60 operations */
        { "((T([2, 3], f32), T([3, 5], f32)), {})", "dim(arg0, 0) * dim(arg1, 1)",
          "2 * numel(arg0) * dim(arg1, 1)", NULL,
          { 21, 84, 10, 40, 60, 124 }, 84 + 80 + 160, 84 + 80 },
        /* half of the 32 bytes of arg0 is read */
        { "((T([8], f32), T([8], f32)), {})", NULL, NULL, "bytes(arg0) / 2",
          { 16, 64, 8, 32, 8, 48 }, 64 + 64 + 128, 64 + 64 },
        { "((3,), {})", NULL, NULL, NULL, { 0, 0, 0, 0, 0, 0 }, 0, 0 },
        /* clang-format on */
    };
    osw_arena_t *arena = osw_arena_create();

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_op op = {.numel = rows[i].numel,
                                  .flops = rows[i].flops,
                                  .reads = rows[i].reads};
        struct osw_case_size got;

        assert_int_equal(size_of(arena, &op, rows[i].text, &got, NULL), 0);
        assert_true(got.in_elements == rows[i].want.in_elements);
        assert_true(got.in_bytes == rows[i].want.in_bytes);
        assert_true(got.out_elements == rows[i].want.out_elements);
        assert_true(got.out_bytes == rows[i].want.out_bytes);
        assert_true(got.flops == rows[i].want.flops);
        assert_true(got.bytes == rows[i].want.bytes);
        assert_true(osw_cost_memory(&got, OSW_CHECK_FULL) == rows[i].full);
        assert_true(osw_cost_memory(&got, OSW_CHECK_FREIVALDS) ==
                    rows[i].freivalds);
    }
    osw_arena_destroy(arena);
}

static void an_expression_that_does_not_fit_is_named_by_its_key(void **state)
{
    static const struct {
        const char *numel, *flops, *want;
    } rows[] = {
        {"dim(arg0, 2)", NULL, "op.json: key 'numel': column"},
        {NULL, "arg7", "op.json: key 'flops': column 1"},
        {NULL, "0 - numel(arg0)", "key 'flops': expected at least 0, found -2"},
    };
    osw_arena_t *arena = osw_arena_create();

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_op op = {.numel = rows[i].numel,
                                  .flops = rows[i].flops};
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_case_size got;

        assert_int_equal(
            size_of(arena, &op, "((T([2], f32),), {})", &got, &err), -1);
        if (!strstr(err.text, rows[i].want))
            fail_msg("found: %s", err.text);
    }
    osw_arena_destroy(arena);
}

static void a_call_is_less_than_its_case(void **state)
{
    const struct osw_case_size s = {.in_elements = 1e6,
                                    .in_bytes = 4e6,
                                    .out_elements = 1e6,
                                    .out_bytes = 4e6,
                                    .flops = 1e9,
                                    .bytes = 8e6};

    (void)state;
    assert_true(osw_cost_call(&s, "cpu") == 8e6 * 0.5e-9 + 1e9 * 0.025e-9);
    assert_true(osw_cost_call(&s, "cuda") < osw_cost_call(&s, "cpu"));
    assert_true(20 * osw_cost_call(&s, "cpu") <
                osw_cost_time(&s, "cpu", OSW_CHECK_FULL, 4, true,
                              osw_profile_find("sweep")));
}

static void more_work_is_predicted_to_take_longer(void **state)
{
    const struct osw_profile *smoke = osw_profile_find("smoke");
    const struct osw_case_size s = {1e6, 4e6, 1e6, 4e6, 1e9, 8e6};
    struct osw_case_size t = s;
    double base = osw_cost_time(&s, "cpu", OSW_CHECK_FULL, 1, false, smoke);

    (void)state;
    assert_true(base > 0);
    assert_true(osw_cost_time(&s, "cpu", OSW_CHECK_FULL, 2, false, smoke) >
                base);
    assert_true(osw_cost_time(&s, "cpu", OSW_CHECK_FULL, 1, true, smoke) >
                base);
    t.flops = 2e9;
    assert_true(osw_cost_time(&t, "cpu", OSW_CHECK_FULL, 1, false, smoke) >
                base);
    t = s;
    t.in_elements = 2e6;
    assert_true(osw_cost_time(&t, "cpu", OSW_CHECK_FULL, 1, false, smoke) >
                base);
    /* A product's check costs no reference. */
    assert_true(osw_cost_time(&s, "cpu", OSW_CHECK_FREIVALDS, 1, false, smoke) <
                base);
    /* A profile that takes no timings takes no time for them. */
    assert_true(osw_cost_time(&s, "cpu", OSW_CHECK_FULL, 1, true,
                              osw_profile_find("correct")) == base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_match_a_table_worked_by_hand),
        cmocka_unit_test(an_expression_that_does_not_fit_is_named_by_its_key),
        cmocka_unit_test(a_call_is_less_than_its_case),
        cmocka_unit_test(more_work_is_predicted_to_take_longer),
    };

    return cmocka_run_group_tests_name("mpi_runner/cost", tests, NULL, NULL);
}
