/* tests/unit/ops/test_export_ops.c - what a package of operators is made of */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/build/include_line.h"
#include "ops/export/export.h"
#include "ops/export/export_sources.h"
#include "ops/notation/schema.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct osw_output_spec like_x = {"x.shape", "x.dtype"};

static void make_op(osw_arena_t *arena, const char *text, bool outputs,
                    struct osw_schema *schema, struct osw_op *op)
{
    *op = (struct osw_op){.name = "scale.default",
                          .folder = "scale",
                          .dir = "ops/scale",
                          .schema_text = text,
                          .n_outputs = outputs,
                          .outputs = &like_x};
    if (!text)
        return;
    assert_int_equal(osw_schema_parse(arena, text, strlen(text), schema, NULL),
                     0);
    op->schema = schema;
}

static void an_op_that_torch_cannot_call_is_refused_with_words(void **state)
{
    static const struct {
        const char *schema;
        bool outputs;
        const char *want; /* NULL: it can */
    } rows[] = {
        /* clang-format off */
        { "f(Tensor x) -> Tensor",          true,  NULL },
        { "f_(Tensor(a!) x) -> Tensor(a!)", false, NULL },
        { "f(Tensor x, Generator? g=None) -> Tensor", true, NULL },
        { NULL,                             false, "op.json has no 'schema'" },
        { "f(Tensor x) -> Tensor",          false, "op.json has no 'outputs': expected a list of 1, such as [\"x\"]" },
        { "f() -> Tensor",                  true,  "no arguments" },
        { "f(int n) -> Tensor",             true,  "no tensor that must be given" },
        { "f(Tensor? x) -> Tensor",         true,  "no tensor that must be given" },
        { "f(Tensor x, Generator g) -> Tensor", true, "argument 'g' is a Generator" },
        { "f(Tensor x, int r=Most) -> Tensor", true, "argument 'r' has the default 'Most'" },
        { "f(Tensor x) -> int",             true,  "return 0 is int" },
        { "f(Tensor x) -> Tensor[]",        true,  "return 0 is Tensor[]: expected Tensor" },
        { "f(Tensor(a) x) -> Tensor(a)",    true,  "may be a view" },
        { "f_(Tensor(a!)[] xs) -> ()",      false, "argument 'xs' is a list of tensors that the op writes" },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        osw_arena_t *arena = osw_arena_create();
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_schema schema;
        struct osw_op op;
        int rc;

        make_op(arena, rows[i].schema, rows[i].outputs, &schema, &op);
        print_message("  %s\n", rows[i].schema ? rows[i].schema : "none");
        rc = osw_export_check(&op, &err);
        assert_int_equal(rc, rows[i].want ? -1 : 0);
        if (rows[i].want && !strstr(err.text, rows[i].want))
            fail_msg("found: %s", err.text);
        osw_arena_destroy(arena);
    }
}

static void a_namespace_is_a_name_of_ones_own(void **state)
{
    static const struct {
        const char *ns, *want;
    } rows[] = {
        {"mine_2", NULL},
        {"", "found ''"},
        {"2x", "not a digit first, found '2x'"},
        {"a-b", "found 'a-b'"},
        {"aten", "torch's own"},
        {"prims", "'prims' is torch's own"},
        {"class", "'class' is a word of Python"},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        int rc = osw_export_check_namespace(rows[i].ns, &err);

        assert_int_equal(rc, rows[i].want ? -1 : 0);
        if (rows[i].want)
            assert_non_null(strstr(err.text, rows[i].want));
    }
}

static void only_headers_in_quotes_are_followed(void **state)
{
    static const struct {
        const char *line, *want;
    } rows[] = {
        {"#include \"a.h\"\nx", "a.h"},
        {"  #  include\t\"../s/b.h\" /* x */", "../s/b.h"},
        {"#include <a.h>", NULL},
        {"#include \"a.h\n\"", NULL},
        {"#include \"\"", NULL},
        {"include \"a.h\"", NULL},
        {"#define \"a.h\"", NULL},
        {"", NULL},
    };
    osw_arena_t *arena = osw_arena_create();

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const char *got = osw_include_line(arena, rows[i].line);

        if (rows[i].want)
            assert_string_equal(got, rows[i].want);
        else
            assert_null(got);
    }
    osw_arena_destroy(arena);
}

static void a_path_does_not_leave_where_it_began(void **state)
{
    static const struct {
        const char *path, *want;
    } rows[] = {
        {"ops/a/../shared/b.h", "ops/shared/b.h"},
        {"ops//a/./b.c", "ops/a/b.c"},
        {"a/..", NULL},
        {"../a", NULL},
        {"a/../../b", NULL},
        {"/etc/passwd", NULL},
    };
    osw_arena_t *arena = osw_arena_create();

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const char *got = osw_export_plain_path(arena, rows[i].path);

        if (rows[i].want)
            assert_string_equal(got, rows[i].want);
        else
            assert_null(got);
    }
    osw_arena_destroy(arena);
}

static void the_table_of_python_says_arguments_and_outputs(void **state)
{
    static const char text[] = "my::scale.by(Tensor x, float a=1, int[2] k=3, "
                               "*, str s='it') -> Tensor";
    osw_arena_t *arena = osw_arena_create();
    struct osw_op_file file = {
        .name = "fast", .file = "scale_fast.c", .words = ""};
    const struct osw_export_impl impl = {&file, ""};
    struct osw_text out = OSW_TEXT_INIT;
    struct osw_export_op op = {.n_impls = {1, 0}, .impls = {&impl, NULL}};
    struct osw_export e = {"mine", &op, 1};
    struct osw_schema schema;
    struct osw_op o;

    (void)state;
    make_op(arena, text, true, &schema, &o);
    op.op = &o;
    osw_export_table_py(&e, &out);
    assert_non_null(strstr(osw_text_str(&out),
                           "args=[('x', False, REQUIRED), ('a', False, 1.0), "
                           "('k', False, [3] * 2), ('s', True, 'it')]"));
    assert_non_null(strstr(osw_text_str(&out), "'scale.by(Tensor x, "));
    assert_non_null(strstr(osw_text_str(&out), "returns=[-1]"));
    assert_non_null(
        strstr(osw_text_str(&out), "[(_shape(a['x']), a['x'].dtype)]"));
    assert_non_null(strstr(osw_text_str(&out), "devices=['cpu']"));
    osw_text_reset(&out);
    osw_export_wrapper_c(&e, 0, 0, OSW_EXPORT_CPU, &out);
    assert_non_null(strstr(osw_text_str(&out),
                           "#define scale_kernel_impl osw_0_0_kernel\n"));
    assert_non_null(
        strstr(osw_text_str(&out), "#include \"../ops/scale/scale_fast.c\"\n"));
    osw_text_free(&out);
    osw_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_op_that_torch_cannot_call_is_refused_with_words),
        cmocka_unit_test(a_namespace_is_a_name_of_ones_own),
        cmocka_unit_test(only_headers_in_quotes_are_followed),
        cmocka_unit_test(a_path_does_not_leave_where_it_began),
        cmocka_unit_test(the_table_of_python_says_arguments_and_outputs),
    };

    return cmocka_run_group_tests_name("ops/export_ops", tests, NULL, NULL);
}
