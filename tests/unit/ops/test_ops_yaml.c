/* tests/unit/ops/test_ops_yaml.c - ExecuTorch files of operators */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/notation/ops_yaml.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const char two[] =
    "# kernels of ours\n"
    "- func: 'ns::f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)'\n"
    "  variants: function\n"
    "  tags: [core, {deep: [1]}]\n"
    "  kernels:\n"
    "    - arg_meta: null\n"
    "      kernel_name: ns::f_out\n"
    "    - {arg_meta: ~, kernel_name: g}\n"
    "\n"
    "- op: add.out # torch's\n"
    "  type_alias: {T0: [Float, Int]}\n"
    "  cpp_no_default_args: ['dim']\n"
    "  kernels: []\n";

static void operators_and_kernels_are_read(void **state)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_ops_yaml y;

    (void)state;
    if (osw_ops_yaml_read(arena, two, strlen(two), &y, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(y.n, 2);
    assert_int_equal(y.at[0].line, 2);
    assert_true(y.at[0].is_func);
    assert_string_equal(y.at[0].schema.ns, "ns");
    assert_string_equal(y.at[0].schema.overload, "out");
    assert_int_equal(y.at[0].schema.n_args, 2);
    assert_int_equal(y.at[0].n_kernels, 2);
    assert_string_equal(y.at[0].kernels[0], "ns::f_out");
    assert_string_equal(y.at[0].kernels[1], "g");
    assert_int_equal(y.at[1].line, 10);
    assert_false(y.at[1].is_func);
    assert_string_equal(y.at[1].schema.name, "add");
    assert_int_equal(y.at[1].n_kernels, 0);
    assert_int_equal(osw_ops_yaml_read(arena, "# none\n", 7, &y, &err), 0);
    assert_int_equal(y.n, 0);
    osw_arena_destroy(arena);
}

/* Each is wrong in one way; the message says where and how. */
static void what_is_wrong_is_named_with_its_line(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        /* clang-format off */
        { "a: 1\n",                          "line 1: expected a list of operators, found keys" },
        { "- f\n",                           "line 1: expected 'func: SCHEMA' or 'op: NAME', found a text" },
        { "- kernels: []\n",                 "line 1: expected 'func: SCHEMA' or 'op: NAME', found neither" },
        { "- op: a\n  op: b\n",              "line 2: 'op' is there already, in line 1" },
        { "- op: a\n  func: f() -> ()\n",    "line 2: expected one of 'func' and 'op', found both" },
        { "- op: a\n  kernel: b\n",          "line 2: unknown key 'kernel': expected one of func, op, kernels, " },
        { "- op: [a]\n",                     "line 1: expected an operator's name, found a list" },
        { "- op:\n",                         "line 1: expected an operator's name, found nothing" },
        { "- op: \"a\\0b\"\n",               "line 1: expected an operator's name, found a zero byte" },
        { "- op: a\n- op: b\n- op: a\n",     "line 3: 'aten::a' is there already, in line 1" },
        { "- op: a\n- op: aten::a\n",        "line 2: 'aten::a' is there already, in line 1" },
        { "- op: &x a\n",                    "line 1: expected a value, found the anchor '&x'" },
        { "- op: a\n- *x\n",                 "line 2: expected a value, found the alias '*x'" },
        { "- op: f() -> ()\n",               "line 1: op: expected a name" },
        { "- func: f\n",                     "line 1: func: expected arguments and returns" },
        { "\n- kernels: []\n  func: f(Tensor) -> ()\n", "line 3: func: column " },
        { "- op: a\n  kernels: b\n",         "line 2: expected a list of kernels, found a text" },
        { "- op: a\n  kernels: [b]\n",       "line 2: expected 'arg_meta: null' and 'kernel_name: FUNCTION', found a text" },
        { "- op: a\n  kernels:\n  - arg_meta: null\n", "line 3: the kernel has no 'kernel_name'" },
        { "- op: a\n  kernels:\n  - arg_meta: {T0: Float}\n", "line 3: arg_meta: expected null" },
        { "- op: a\n  kernels:\n  - kernel_name: a b\n", "line 3: kernel_name: expected a function, such as myns::scale_out, found 'a b'" },
        { "- op: a\n  kernels:\n  - kernel_name: 'a::'\n", "found 'a::'" },
        { "- op: a\n  kernels:\n  - kernel_name: a\n    kernel_name: b\n", "line 4: 'kernel_name' is there already, in line 3" },
        { "- op: a\n  kernels:\n  - kernel: a\n", "line 3: unknown key 'kernel': expected one of arg_meta, kernel_name" },
        { "- op: a\n  tags: [[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]\n", "line 2: expected at most 16 levels" },
        { "- op: a\n---\n- op: b\n",         "line 2: expected one list, found a second document" },
        { "- op: 'a\n",                      "line 2: found unexpected end of stream" },
        { "- op: a\n\t- op: b\n",            "line 2: " },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        osw_arena_t *arena = osw_arena_create();
        struct osw_ops_yaml y = {.n = 77};
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  %s", rows[i].text);
        assert_int_equal(osw_ops_yaml_read(arena, rows[i].text,
                                           strlen(rows[i].text), &y, &err),
                         -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_int_equal(y.n, 77);
        if (!strstr(err.text, rows[i].want))
            fail_msg("expected '%s', found '%s'", rows[i].want, err.text);
        osw_arena_destroy(arena);
    }
}

static void too_many_of_anything_is_refused(void **state)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_ops_yaml y;

    (void)state;
    for (int i = 0; i <= OSW_OPS_YAML_MAX_OPS; i++)
        osw_text_printf(&text, "- op: a%d\n", i);
    assert_int_equal(
        osw_ops_yaml_read(arena, osw_text_str(&text), text.used, &y, &err), -1);
    assert_non_null(strstr(err.text, "line 4097: expected at most 4096"));
    osw_text_reset(&text);
    osw_text_add(&text, "- op: a\n  kernels:\n");
    for (int i = 0; i <= OSW_OPS_YAML_MAX_KERNELS; i++)
        osw_text_add(&text, "  - kernel_name: k\n");
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(
        osw_ops_yaml_read(arena, osw_text_str(&text), text.used, &y, &err), -1);
    assert_non_null(strstr(err.text, "line 67: expected at most 64 kernels"));
    osw_text_free(&text);
    osw_arena_destroy(arena);
}

/* Fail each allocation in turn, until a run needs no more of them. */
static void every_allocation_failure_is_reported(void **state)
{
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures += struck) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_arena_t *arena = osw_arena_create();
        struct osw_ops_yaml y;
        int rc;

        chaos_arm(failures);
        rc = osw_ops_yaml_read(arena, two, strlen(two), &y, &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        if (struck)
            assert_int_equal(err.status, OSW_NO_MEMORY);
        osw_arena_destroy(arena);
    }
    assert_true(failures > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_and_kernels_are_read),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(too_many_of_anything_is_refused),
        cmocka_unit_test(every_allocation_failure_is_reported),
    };

    return cmocka_run_group_tests_name("ops/notation/ops_yaml", tests, NULL,
                                       NULL);
}
