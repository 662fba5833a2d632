/* tests/unit/ops/test_baselines.c - the order of baselines */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/catalog/baselines.h"

#define T(name) cmocka_unit_test(name)

static const struct osw_op_file files[] = {
    {.name = "aten"},   {.name = "cub"},    {.name = "fast"},
    {.name = "memcpy"}, {.name = "onednn"}, {.name = "plain"},
};
static const char *const own[] = {"fast", "plain", "fast"};

static void vendors_come_before_torch_and_plain_loops(void **state)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_op op = {.n_impls = 6, .impls = files};

    (void)state;
    assert_string_equal(osw_baselines_of(arena, &op, "cpu", ""),
                        "onednn,aten,plain");
    assert_string_equal(osw_baselines_of(arena, &op, "cuda", ""),
                        "cub,memcpy,aten,plain");
    op.n_baselines = 3;
    op.baselines = own;
    assert_string_equal(osw_baselines_of(arena, &op, "cpu", ""),
                        "fast,plain,onednn,aten");
    assert_string_equal(osw_baselines_of(arena, &op, "cpu", "aten"),
                        "aten,fast,plain,onednn");
    op.n_baselines = op.n_impls = 0;
    assert_string_equal(osw_baselines_of(arena, &op, "cpu", "aten"), "");
    osw_arena_destroy(arena);
}

static void a_list_is_read_by_rank_and_by_name(void **state)
{
    static const char list[] = "onednn,aten,plain";
    char name[6];

    (void)state;
    assert_int_equal(osw_baselines_rank(list, "onednn"), 0);
    assert_int_equal(osw_baselines_rank(list, "plain"), 2);
    assert_int_equal(osw_baselines_rank(list, "pla"), -1);
    assert_int_equal(osw_baselines_rank(list, ""), -1);
    assert_int_equal(osw_baselines_rank("", ""), -1);
    assert_true(osw_baselines_at(list, 0, name, sizeof(name)));
    assert_string_equal(name, "onedn"); /* cut */
    assert_true(osw_baselines_at(list, 2, name, sizeof(name)));
    assert_string_equal(name, "plain");
    assert_false(osw_baselines_at(list, 3, name, sizeof(name)));
    assert_false(osw_baselines_at("", 0, name, sizeof(name)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(vendors_come_before_torch_and_plain_loops),
        T(a_list_is_read_by_rank_and_by_name),
    };

    return cmocka_run_group_tests_name("ops/baselines", tests, NULL, NULL);
}
