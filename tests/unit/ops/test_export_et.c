/* tests/unit/ops/test_export_et.c - what ExecuTorch gets of a package */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/catalog/catalog.h"
#include "ops/export/export.h"
#include "ops/notation/ops_yaml.h"
#include "ops/notation/schema_out.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

typedef int text_f(osw_arena_t *arena, const struct osw_export *e,
                   struct osw_text *out, struct osw_error *err);

static const struct osw_op_file file = {
    .name = "plain", .file = "f_plain.c", .words = ""};
static const struct osw_export_impl impl = {&file, ""};
static const struct osw_output_spec like_x = {"x.shape", "x.dtype"};

/* The text for a package of one op with that schema. */
static const char *text_of(osw_arena_t *arena, const char *name,
                           const char *schema_text, text_f *make)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_schema schema;
    struct osw_op op = {.name = name,
                        .folder = "f",
                        .dir = "ops/f",
                        .schema = &schema,
                        .n_outputs = 1,
                        .outputs = &like_x};
    struct osw_export_op in = {
        .op = &op, .n_impls = {1, 0}, .impls = {&impl, NULL}};
    struct osw_export e = {"mine", &in, 1};
    const char *copy;

    print_message("  %s\n", schema_text);
    assert_int_equal(osw_schema_parse(arena, schema_text, strlen(schema_text),
                                      &schema, &err),
                     0);
    assert_int_equal(make(arena, &e, &text, &err), 0);
    copy = osw_arena_strdup(arena, osw_text_str(&text));
    osw_text_free(&text);
    return copy;
}

static void expect_all(const char *name, const char *schema, text_f *make,
                       const char *want)
{
    osw_arena_t *arena = osw_arena_create();
    const char *text = text_of(arena, name, schema, make);

    if (!strstr(text, want))
        fail_msg("expected: %s\nfound: %s", want, text);
    osw_arena_destroy(arena);
}

static void an_entry_has_the_out_form_and_its_kernel(void **state)
{
    (void)state;
    expect_all("f.default", "f.by(Tensor x, float a=1) -> Tensor",
               osw_export_custom_ops_yaml,
               "\n- func: mine::f.by_out(Tensor x, float a=1, *, Tensor(a!) "
               "out) -> Tensor(a!)\n"
               "  kernels:\n"
               "    - arg_meta: null\n"
               "      kernel_name: mine::f_by_out\n");
    /* what would end a plain value of YAML, or begin a comment */
    expect_all("f.default", "f(Tensor x, str s='a: b') -> Tensor",
               osw_export_custom_ops_yaml,
               "\n- func: 'mine::f.out(Tensor x, str s=''a: b'', *, ");
    /* without it ExecuTorch's generator stops */
    expect_all("f.default", "f(Tensor x, float dropout_p=0.0) -> Tensor",
               osw_export_custom_ops_yaml,
               "mine::f_out\n  tags: nondeterministic_seeded\n");
    expect_all("f.default", "f_(Tensor(a!) x) -> Tensor(a!)",
               osw_export_custom_ops_yaml,
               "\n# left out: f.default: it writes argument 'x'");
    expect_all("f.default", "f(Tensor x, Layout? l=None) -> Tensor",
               osw_export_custom_ops_yaml,
               "argument 'l' is a Layout, which ExecuTorch does not");
}

static void torchs_own_operators_have_their_own_names(void **state)
{
    static const char *const rows[][3] = {
        {"aten.relu.default", "relu(Tensor x) -> Tensor", "- op: relu.out\n"},
        {"aten.add.Tensor", "add.Tensor(Tensor x) -> Tensor",
         "- op: add.out\n  kernels:\n    - arg_meta: null\n"
         "      kernel_name: mine::add_Tensor_out\n"},
        {"aten.eq.Tensor", "eq.Tensor(Tensor x) -> Tensor",
         "- op: eq.Tensor_out\n"},
        {"aten.silu_backward.default", "silu_backward(Tensor x) -> Tensor",
         "- op: silu_backward.grad_input\n"},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++)
        expect_all(rows[i][0], rows[i][1], osw_export_functions_yaml,
                   rows[i][2]);
}

static void ops_that_are_not_torchs_replace_none_of_its(void **state)
{
    osw_arena_t *arena = osw_arena_create();

    (void)state;
    assert_null(
        strstr(text_of(arena, "relu.default", "relu(Tensor x) -> Tensor",
                       osw_export_functions_yaml),
               "- op:"));
    assert_null(
        strstr(text_of(arena, "aten.scaled_dot_product_attention.default",
                       "scaled_dot_product_attention(Tensor query) -> Tensor",
                       osw_export_functions_yaml),
               "- op:"));
    osw_arena_destroy(arena);
}

/* As ExecuTorch's own generator declares them. */
static void kernels_take_the_types_of_executorch(void **state)
{
    (void)state;
    expect_all("f.default",
               "f(Tensor x, Tensor? w, Tensor[] xs, Tensor?[] ys, Scalar s, "
               "Scalar? t, int i, SymInt? j, int[2] k, float[]? l, bool b, "
               "str m, ScalarType? d) -> (Tensor, Tensor)",
               osw_export_kernels_cpp,
               "\nstd::tuple<Tensor &, Tensor &> f_out(KernelRuntimeContext "
               "&ctx, const Tensor &a0, const optional<Tensor> &a1, "
               "ArrayRef<Tensor> a2, ArrayRef<optional<Tensor>> a3, const "
               "Scalar &a4, const optional<Scalar> &a5, int64_t a6, "
               "optional<int64_t> a7, ArrayRef<int64_t> a8, "
               "optional<ArrayRef<double>> a9, bool a10, string_view a11, "
               "optional<ScalarType> a12, Tensor &o0, Tensor &o1)\n"
               "{\n"
               "    osw_export_et::call(ctx, 0, {&o0, &o1}, a0, a1, a2, a3, "
               "a4, a5, a6, a7, a8, a9, a10, a11, a12);\n"
               "    return {o0, o1};\n"
               "}\n");
}

/* --- the library: what is written is read back --- */

static size_t take_library(osw_arena_t *arena, struct osw_export_op *ops,
                           size_t room)
{
    static const char *const root = "ops/library";
    struct osw_catalog catalog;
    size_t n = 0;

    assert_int_equal(osw_catalog_scan(arena, &root, 1, "cpu", &catalog, NULL),
                     0);
    for (size_t i = 0; i < catalog.n_ops; i++) {
        struct osw_error why = OSW_ERROR_INIT;

        if (osw_export_check(&catalog.ops[i], &why) < 0)
            continue;
        assert_true(n < room);
        ops[n++] = (struct osw_export_op){
            .op = &catalog.ops[i], .n_impls = {1, 0}, .impls = {&impl, NULL}};
    }
    return n;
}

/* The entry's functional form is the op's own schema. */
static void expect_op(osw_arena_t *arena, const struct osw_yaml_op *y,
                      const struct osw_op *op)
{
    struct osw_text got = OSW_TEXT_INIT, want = OSW_TEXT_INIT;
    struct osw_schema functional = {.ns = NULL}, own = *op->schema;

    assert_int_equal(
        osw_schema_functional(arena, &y->schema, &functional, NULL), 0);
    assert_string_equal(functional.ns, "mine");
    functional.ns = own.ns = NULL;
    osw_schema_print(&got, &functional);
    osw_schema_print(&want, &own);
    assert_string_equal(osw_text_str(&got), osw_text_str(&want));
    osw_text_free(&got);
    osw_text_free(&want);
}

static void the_library_is_read_back_as_it_was_written(void **state)
{
    enum { ROOM = 512 };
    static struct osw_export_op ops[ROOM];
    osw_arena_t *arena = osw_arena_create();
    struct osw_export e = {"mine", ops, take_library(arena, ops, ROOM)};
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_ops_yaml yaml;
    size_t at = 0;

    (void)state;
    assert_int_equal(osw_export_custom_ops_yaml(arena, &e, &text, &err), 0);
    if (osw_ops_yaml_read(arena, osw_text_str(&text), text.used, &yaml, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < e.n_ops; i++) {
        struct osw_error why = OSW_ERROR_INIT;

        if (osw_export_et_check(&ops[i], &why) < 0)
            continue;
        assert_true(at < yaml.n);
        assert_int_equal(yaml.at[at].n_kernels, 1);
        expect_op(arena, &yaml.at[at++], ops[i].op);
    }
    assert_int_equal(at, yaml.n);
    assert_true(at > 60); /* most of the library */
    osw_text_free(&text);
    osw_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_has_the_out_form_and_its_kernel),
        cmocka_unit_test(torchs_own_operators_have_their_own_names),
        cmocka_unit_test(ops_that_are_not_torchs_replace_none_of_its),
        cmocka_unit_test(kernels_take_the_types_of_executorch),
        cmocka_unit_test(the_library_is_read_back_as_it_was_written),
    };

    return cmocka_run_group_tests_name("ops/export/export_et", tests, NULL,
                                       NULL);
}
