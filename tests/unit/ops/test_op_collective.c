/* tests/unit/ops/test_op_collective.c - bandwidths of the library's collective
 * ops, by the formulas of nccl-tests */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/catalog/op_collective.h"
#include "ops/catalog/op_json.h"
#include "ops/notation/notation.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    osw_arena_t *arena;
    struct osw_error err;
    struct osw_op op;
    struct osw_bound_arg *args;
    size_t n_args;
};

static int read_json(struct fixture *f, osw_json_t *doc)
{
    int rc;

    memset(&f->op, 0, sizeof(f->op));
    rc = doc ? osw_op_json_read(f->arena, doc, "cpu", &f->op, NULL, 0, &f->err)
             : -1;
    osw_json_free(doc);
    return rc;
}

static void bind(struct fixture *f, const char *text)
{
    struct osw_case *c = osw_arena_alloc(f->arena, sizeof(*c));

    assert_int_equal(
        osw_notation_parse_case(f->arena, text, strlen(text), c, &f->err), 0);
    assert_int_equal(
        osw_bind(f->arena, f->op.schema, c, &f->args, &f->n_args, &f->err), 0);
}

/* 24 f32 (96 bytes), or 24 f16, on 4 or 2 ranks: worked by hand. */
static const struct {
    const char *op, *text;
    uint32_t world;
    double count, bytes, bus;
    enum osw_redop redop;
} cases[] = {
    /* clang-format off */
    { "all_reduce", "((T([24], f32),), {})", 4, 24, 96, 1.5, OSW_REDOP_SUM },
    { "all_reduce", "((T([6, 4], f16), 'max'), {})", 2, 24, 48, 1, OSW_REDOP_MAX },
    { "all_gather", "((T([24], f32),), {})", 4, 24, 384, 0.75, OSW_REDOP_NONE },
    { "all_gather", "((T([24], f32),), {})", 2, 24, 192, 0.5, OSW_REDOP_NONE },
    { "reduce_scatter", "((T([24], f32),), {})", 4, 6, 96, 0.75, OSW_REDOP_SUM },
    { "all_to_all", "((T([24], f32),), {})", 4, 6, 96, 0.75, OSW_REDOP_NONE },
    { "broadcast", "((T([24], f32),), {})", 4, 24, 96, 1, OSW_REDOP_NONE },
    { "broadcast", "((T([0], f32),), {})", 4, 0, 0, 1, OSW_REDOP_NONE },
    /* clang-format on */
};

static void the_librarys_ops_match_a_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        struct fixture f = {osw_arena_create(), OSW_ERROR_INIT, .n_args = 0};
        struct osw_bandwidth b;
        char path[200];

        print_message("  %s %s, %u ranks\n", cases[i].op, cases[i].text,
                      cases[i].world);
        snprintf(path, sizeof(path), "ops/library/%s/op.json", cases[i].op);
        assert_int_equal(read_json(&f, osw_json_load_file(path, &f.err)), 0);
        bind(&f, cases[i].text);
        assert_int_equal(osw_op_bandwidth_of(&f.op, cases[i].world, f.args,
                                             f.n_args, &b, &f.err),
                         0);
        assert_true(b.count == cases[i].count);
        assert_true(b.bytes == cases[i].bytes);
        assert_true(b.bus == cases[i].bus);
        assert_int_equal(b.redop, cases[i].redop);
        osw_arena_destroy(f.arena);
    }
}

#define HEAD "{\"schema\": \"f(Tensor x, str how='sum') -> Tensor\", "
#define REST "\"size\": \"1\", \"bus\": \"1\""

static void what_does_not_fit_a_case_is_named(void **state)
{
    static const struct {
        const char *json, *text, *want;
    } rows[] = {
        /* clang-format off */
        { HEAD "\"world\": 2, \"bandwidth\": {\"count\": \"dim(x, 3)\", " REST "}}",
          "((T([2], f32),), {})", "key 'bandwidth.count': column 5: expected a tensor with dimension 3, argument 'x' is T([2], f32)" },
        { HEAD "\"world\": 2, \"bandwidth\": {\"count\": \"1 - world\", " REST "}}",
          "((T([2], f32),), {})", "key 'bandwidth.count': expected at least 0, found -1" },
        { HEAD "\"world\": 2, \"bandwidth\": {\"count\": \"1\", " REST ", \"redop\": \"how\"}}",
          "((T([2], f32), 'most'), {})", "argument 'how': expected sum, prod, max, min or avg" },
        { HEAD "\"world\": 2, \"bandwidth\": {\"count\": \"1\", " REST ", \"redop\": \"x\"}}",
          "((T([2], f32),), {})", "argument 'x': expected sum, prod, max, min or avg" },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct fixture f = {osw_arena_create(), OSW_ERROR_INIT, .n_args = 0};
        struct osw_bandwidth b = {.count = 7};

        assert_int_equal(
            read_json(&f, osw_json_parse(rows[i].json, strlen(rows[i].json),
                                         "op.json", &f.err)),
            0);
        bind(&f, rows[i].text);
        assert_int_equal(
            osw_op_bandwidth_of(&f.op, 2, f.args, f.n_args, &b, &f.err), -1);
        if (!strstr(f.err.text, rows[i].want))
            fail_msg("'%s', expected '%s'", f.err.text, rows[i].want);
        assert_true(b.count == 7);
        osw_arena_destroy(f.arena);
    }
}

static void without_the_key_nothing_is_known(void **state)
{
    struct fixture f = {osw_arena_create(), OSW_ERROR_INIT, .n_args = 0};
    struct osw_bandwidth b;

    (void)state;
    bind(&f, "((T([2], f32),), {})");
    assert_int_equal(
        osw_op_bandwidth_of(&f.op, 2, f.args, f.n_args, &b, &f.err), 0);
    assert_true(isnan(b.count) && isnan(b.bytes) && isnan(b.bus));
    osw_arena_destroy(f.arena);
}

static void each_world_of_a_list_may_judge(void **state)
{
    static const char list[] = "{\"world\": [2, 4, 8]}",
                      one[] = "{\"world\": 4}", few[] = "{\"world\": [3]}",
                      none[] = "{}";
    struct fixture f = {osw_arena_create(), OSW_ERROR_INIT, .n_args = 0};

    (void)state;
    assert_int_equal(
        read_json(&f, osw_json_parse(list, strlen(list), "f", &f.err)), 0);
    assert_int_equal(f.op.n_worlds, 3);
    assert_int_equal(f.op.world, 2);
    assert_true(osw_op_has_world(&f.op, 2) && osw_op_has_world(&f.op, 8));
    assert_false(osw_op_has_world(&f.op, 1) || osw_op_has_world(&f.op, 3));
    assert_int_equal(
        read_json(&f, osw_json_parse(one, strlen(one), "f", &f.err)), 0);
    assert_int_equal(f.op.n_worlds, 0);
    assert_true(osw_op_has_world(&f.op, 4) && !osw_op_has_world(&f.op, 2));
    assert_int_equal(
        read_json(&f, osw_json_parse(few, strlen(few), "f", &f.err)), 0);
    assert_int_equal(f.op.n_worlds, 0); /* as "world": 3 */
    assert_true(osw_op_has_world(&f.op, 3) && !osw_op_has_world(&f.op, 1));
    assert_int_equal(
        read_json(&f, osw_json_parse(none, strlen(none), "f", &f.err)), 0);
    assert_true(osw_op_has_world(&f.op, 1) && !osw_op_has_world(&f.op, 2));
    osw_arena_destroy(f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_librarys_ops_match_a_table),
        cmocka_unit_test(what_does_not_fit_a_case_is_named),
        cmocka_unit_test(without_the_key_nothing_is_known),
        cmocka_unit_test(each_world_of_a_list_may_judge),
    };

    return cmocka_run_group_tests_name("ops/op_collective", tests, NULL, NULL);
}
