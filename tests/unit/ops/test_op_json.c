/* tests/unit/ops/test_op_json.c - every key of op.json, right and wrong */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "ops/catalog/op_json.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* A document over a folder with implementation "plain" and a reference. */
static int read(osw_arena_t *arena, const char *text, struct osw_op *op,
                struct osw_op_file *files, struct osw_error *err)
{
    osw_json_t *doc = osw_json_parse(text, strlen(text), "op.json", err);
    int rc;

    assert_non_null(doc);
    memset(op, 0, sizeof(*op));
    for (size_t i = 0; i < N_ELEM(op->tolerance); i++)
        op->tolerance[i] = (struct osw_tolerance){NAN, NAN};
    files[0] = (struct osw_op_file){
        .name = "plain", .words = "", .language = osw_language_of("x_plain.c")};
    files[1] = (struct osw_op_file){
        .name = "reference", .words = "", .language = files[0].language};
    rc = osw_op_json_read(arena, doc, "cuda", op, files, 2, err);
    osw_json_free(doc);
    return rc;
}

static void an_empty_document_changes_nothing(void **state)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_op_file files[2];
    struct osw_op op;

    (void)state;
    assert_int_equal(read(arena, "{}", &op, files, &err), 0);
    assert_null(op.name);
    assert_null(op.schema);
    assert_null(op.product.a);
    assert_int_equal(op.n_fills + op.n_aliases, 0);
    assert_true(isnan(op.tolerance[OSW_F32].rtol));
    osw_arena_destroy(arena);
}

static void operators_of_torch_get_their_full_names(void **state)
{
    static const char text[] =
        "{\"torch\": {\"x\": {\"library\": \"f.so\", \"op\": \"my::f\"},"
        " \"y\": {\"module\": \"g.py\", \"op\": \"my::f.out\"}},"
        " \"baseline\": \"y\"}";
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_op_file files[2];
    struct osw_op op;

    (void)state;
    assert_int_equal(read(arena, text, &op, files, &err), 0);
    assert_int_equal(op.n_registered, 2);
    assert_string_equal(op.registered[0].name, "x");
    assert_string_equal(op.registered[0].file, "f.so");
    assert_string_equal(op.registered[0].torch_name, "my.f.default");
    assert_string_equal(op.registered[1].torch_name, "my.f.out");
    assert_int_equal(op.n_baselines, 1);
    assert_string_equal(op.baselines[0], "y");
    osw_arena_destroy(arena);
}

/* Integers are equal or not, unless they are named. */
static void a_tolerance_of_all_dtypes_is_none_of_integers(void **state)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_op_file files[2];
    struct osw_op op;

    (void)state;
    assert_int_equal(read(arena,
                          "{\"tolerance\": {\"*\": {\"rtol\": 0, \"atol\": 2},"
                          " \"u8\": {\"rtol\": 0, \"atol\": 1}}}",
                          &op, files, &err),
                     0);
    assert_true(op.tolerance[OSW_F16].atol == 2);
    assert_true(op.tolerance[OSW_C64].atol == 2);
    assert_true(op.tolerance[OSW_U8].atol == 1);
    assert_true(isnan(op.tolerance[OSW_I64].atol));
    assert_true(isnan(op.tolerance[OSW_B8].atol));
    osw_arena_destroy(arena);
}

static void every_key_is_taken(void **state)
{
    static const char text[] =
        "{\"name\": \"aten.addmm\", \"aliases\": [\"addmm\"],"
        " \"schema\": \"addmm(Tensor self, Tensor mat1, Tensor mat2) -> "
        "Tensor\", \"baseline\": {\"cuda\": [\"plain\"],"
        " \"cpu\": []},"
        " \"fill\": {\"self\": \"smallint(1)\"},"
        " \"tolerance\": {\"f32\": {\"rtol\": 0, \"atol\": 1}},"
        " \"exact\": true, \"numel\": \"dim(mat1, 0) * dim(mat2, 1)\","
        " \"flops\": \"2\", \"reads\": \"bytes(self)\","
        " \"product\": {\"a\": \"mat1\", \"b\": \"mat2\", \"plus\": \"self\"},"
        " \"build\": {\"plain\": \"-lx\", \"reference\": \"-ly\"},"
        " \"timeout_s\": 3, \"outputs\": [\"mat1\"]}";
    static const char collective[] = "{\"world\": 8}";
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_op_file files[2];
    struct osw_op op;

    (void)state;
    assert_int_equal(read(arena, text, &op, files, &err), 0);
    assert_string_equal(op.name, "aten.addmm");
    assert_string_equal(op.aliases[0], "addmm.default");
    assert_int_equal(op.schema->n_args, 3);
    assert_int_equal(op.n_baselines, 1);
    assert_string_equal(op.baselines[0], "plain");
    assert_string_equal(op.fills[0].arg, "self");
    assert_true(op.tolerance[OSW_F32].rtol == 0 &&
                op.tolerance[OSW_F32].atol == 1);
    assert_true(isnan(op.tolerance[OSW_F16].rtol));
    assert_true(op.exact);
    assert_string_equal(op.numel, "dim(mat1, 0) * dim(mat2, 1)");
    assert_string_equal(op.flops, "2");
    assert_string_equal(op.reads, "bytes(self)");
    assert_string_equal(op.product.a, "mat1");
    assert_string_equal(op.product.b, "mat2");
    assert_string_equal(op.product.plus, "self");
    assert_string_equal(files[0].words, "-lx");
    assert_string_equal(files[1].words, "-ly");
    assert_true(op.timeout_s == 3);
    assert_int_equal(op.n_outputs, 1);
    assert_string_equal(op.outputs[0].shape, "mat1.shape");
    assert_string_equal(op.outputs[0].dtype, "mat1.dtype");
    assert_int_equal(read(arena, collective, &op, files, &err), 0);
    assert_int_equal(op.world, 8);
    osw_arena_destroy(arena);
}

#define SCHEMA "\"schema\": \"f(Tensor self, Tensor mat2) -> Tensor\", "

static void each_bad_document_is_named_by_its_key(void **state)
{
    static const struct {
        const char *text;
        const char *want[2];
    } rows[] = {
        /* clang-format off */
        { "[]",                                  { "op.json", "expected an object" } },
        { "{\"flop\": \"1\"}",                   { "key 'flop': unknown key", "did you mean 'flops'" } },
        { "{\"reads\": 3}",                      { "key 'reads'", "expected a string" } },
        { "{\"reads\": \"bytes(\"}",             { "key 'reads'", "column 7" } },
        { "{\"name\": 3}",                       { "key 'name'", "expected a string" } },
        { "{\"name\": \"a b\"}",                 { "key 'name'", "found 'a b'" } },
        { "{\"name\": \"\"}",                    { "key 'name'", "found nothing" } },
        { "{\"aliases\": \"mm\"}",               { "key 'aliases'", "expected a list" } },
        { "{\"aliases\": [\"mm\", \"a..b\"]}",   { "key 'aliases[1]'", "found 'a..b'" } },
        { "{\"schema\": \"mm(Tensor self -> Tensor\"}", { "key 'schema'", "column 16" } },
        { "{\"schema\": \"mm\"}",                { "key 'schema'", "expected arguments after the name" } },
        { "{\"baseline\": \"fast\"}",            { "key 'baseline'", "found 'fast'" } },
        { "{\"baseline\": [\"plain\", 3]}",      { "key 'baseline[1]'", "expected a string" } },
        { "{\"baseline\": \"reference\"}",       { "key 'baseline'", "the reference is an oracle" } },
        { "{\"fill\": []}",                      { "key 'fill'", "expected an object" } },
        { "{\"fill\": {\"x\": \"norml\"}}",      { "key 'fill.x'", "found 'norml'" } },
        { "{\"fill\": {\"x\": \"index(2\"}}",    { "key 'fill.x'", "column 8: expected ')'" } },
        { "{" SCHEMA "\"fill\": {\"mat\": \"bool\"}}", { "key 'fill.mat'", "did you mean 'mat2'" } },
        { "{\"tolerance\": {\"f33\": {\"rtol\": 1, \"atol\": 1}}}", { "key 'tolerance.f33'", "expected a dtype such as f16, or '*', found 'f33'" } },
        { "{\"tolerance\": {\"f32\": {\"rtol\": 1}}}", { "tolerance.f32", "atol" } },
        { "{\"tolerance\": {\"f32\": {\"rtol\": -1, \"atol\": 1}}}", { "key 'tolerance.f32.rtol'", "found -1" } },
        { "{\"tolerance\": {\"f32\": {\"rtol\": \"1\", \"atol\": 1}}}", { "key 'tolerance.f32.rtol'", "expected a number" } },
        { "{\"tolerance\": {\"f32\": {\"rtol\": 1, \"atol\": 1, \"tol\": 1}}}", { "unknown key", "key 'tolerance.f32.tol'" } },
        { "{\"exact\": 1}",                      { "key 'exact'", "expected" } },
        { "{\"numel\": 12}",                     { "key 'numel'", "expected a string" } },
        { "{\"flops\": \"2 *\"}",                { "key 'flops'", "column 4" } },
        { "{" SCHEMA "\"flops\": \"numel(y)\"}", { "key 'flops'", "column 7: expected an argument of the op, found 'y'" } },
        { "{" SCHEMA "\"numel\": \"2 * mat\"}", { "key 'numel'", "column 5: expected an argument of the op, found 'mat'" } },
        { "{" SCHEMA "\"reads\": \"bytes(other)\"}", { "key 'reads'", "found 'other'" } },
        { "{" SCHEMA "\"fill\": {\"self\": \"index(dim(mat, 0))\"}}", { "key 'fill.self'", "column 11: expected an argument of the op, found 'mat'" } },
        { "{" SCHEMA "\"world\": 2, \"bandwidth\": {\"count\": \"numel(x)\", \"size\": \"world\", \"bus\": \"1\"}}", { "key 'bandwidth.count'", "found 'x'" } },
        { "{\"product\": {\"a\": \"x\"}}",       { "product", "b" } },
        { "{\"product\": {\"a\": \"x\", \"b\": \"y\", \"c\": \"z\"}}", { "unknown key: expected one of a, b, plus", "key 'product.c'" } },
        { "{" SCHEMA "\"product\": {\"a\": \"self\", \"b\": \"mat\"}}", { "key 'product.b'", "did you mean 'mat2'" } },
        { "{\"torch\": {\"x\": {\"op\": \"my::f\"}}}", { "key 'torch.x.module'", "missing" } },
        { "{\"torch\": {\"x\": {\"module\": \"f.py\"}}}", { "key 'torch.x.op'", "missing" } },
        { "{\"torch\": {\"x\": {\"module\": \"f.so\", \"op\": \"my::f\"}}}", { "key 'torch.x.module'", "*.py" } },
        { "{\"torch\": {\"x\": {\"library\": \"f.py\", \"op\": \"my::f\"}}}", { "key 'torch.x.library'", "*.so" } },
        { "{\"torch\": {\"x\": {\"library\": \"../f.so\", \"op\": \"my::f\"}}}", { "key 'torch.x.library'", "../f.so" } },
        { "{\"torch\": {\"x\": {\"module\": \"p/f.py\", \"op\": \"my::f\"}}}", { "key 'torch.x.module'", "or PACKAGE/__init__.py, found 'p/f.py'" } },
        { "{\"torch\": {\"x\": {\"module\": \"../__init__.py\", \"op\": \"my::f\"}}}", { "key 'torch.x.module'", "found '../__init__.py'" } },
        { "{\"torch\": {\"x\": {\"module\": \"p/q/__init__.py\", \"op\": \"my::f\"}}}", { "key 'torch.x.module'", "p/q" } },
        { "{\"torch\": {\"x\": {\"module\": \"f.py\", \"op\": \"my.f\"}}}", { "key 'torch.x.op'", "found 'my.f'" } },
        { "{\"torch\": {\"x\": {\"module\": \"f.py\", \"op\": \"my::f.a.b\"}}}", { "key 'torch.x.op'", "found 'my::f.a.b'" } },
        { "{\"torch\": {\"x\": {\"module\": \"f.py\", \"op\": \"my::f\", \"ops\": 1}}}", { "key 'torch.x", "ops" } },
        { "{\"torch\": {\"x,y\": {\"library\": \"f.so\", \"op\": \"my::f\"}}}", { "key 'torch.x,y'", "found 'x,y'" } },
        { "{\"torch\": {\"x\": {\"module\": \"f.py\", \"library\": \"f.so\", \"op\": \"my::f\"}}}", { "key 'torch.x'", "found both" } },
        { "{\"torch\": {\"x\": {\"module\": \"f.py\", \"op\": \"my::f\"}}, \"baseline\": \"y\"}", { "key 'baseline'", "found 'y'" } },
        { "{\"build\": {\"fast\": \"-lx\"}}",    { "key 'build.fast'", "found 'fast'" } },
        { "{\"build\": {\"plain\": [\"-lx\"]}}", { "key 'build.plain'", "expected a string" } },
        { "{\"outputs\": [\"x\"]}",          { "key 'outputs'", "expected a schema beside it" } },
        { "{" SCHEMA "\"outputs\": \"self\"}", { "key 'outputs'", "expected a list" } },
        { "{" SCHEMA "\"outputs\": []}",       { "key 'outputs'", "each of the schema's 1 returns (at most 16), found 0" } },
        { "{" SCHEMA "\"outputs\": [\"mat\"]}", { "key 'outputs[0]'", "did you mean 'mat2'" } },
        { "{" SCHEMA "\"outputs\": [{\"shape\": \"[1]\"}]}", { "key 'outputs[0].dtype'", "missing" } },
        { "{" SCHEMA "\"outputs\": [{\"shape\": \"[1\", \"dtype\": \"f32\"}]}", { "key 'outputs[0].shape'", "column 3" } },
        { "{" SCHEMA "\"outputs\": [{\"shape\": \"[1]\", \"dtype\": \"self\"}]}", { "key 'outputs[0].dtype'", "expected .dtype" } },
        { "{" SCHEMA "\"outputs\": [{\"shape\": \"[1]\", \"dtype\": \"f32\", \"x\": 1}]}", { "unknown key", "outputs[0].x" } },
        { "{\"timeout_s\": 0}",                  { "key 'timeout_s'", "above 0, found 0" } },
        { "{\"timeout_s\": \"3\"}",              { "key 'timeout_s'", "expected a number" } },
        { "{\"world\": 1}",                      { "key 'world'", "expected 2 to 64 ranks, found 1" } },
        { "{\"world\": 65}",                     { "key 'world'", "expected 2 to 64 ranks, found 65" } },
        { "{\"world\": []}",                     { "key 'world'", "expected numbers of ranks, found none" } },
        { "{\"world\": [2, 65]}",                { "key 'world[1]'", "expected 2 to 64 ranks, found 65" } },
        { "{\"world\": [2, 4, 4]}",              { "key 'world[2]'", "expected more than 4, found 4" } },
        { "{\"world\": [2, \"4\"]}",             { "key 'world[1]'", "expected an integer" } },
        { "{\"world\": \"4\"}",                  { "key 'world'", "expected an integer" } },
        { "{\"bandwidth\": {\"count\": \"1\", \"size\": \"1\", \"bus\": \"1\"}}", { "key 'bandwidth'", "expected 'world' beside it" } },
        { "{\"world\": 2, \"bandwidth\": \"all_reduce\"}", { "key 'bandwidth'", "expected an object" } },
        { "{\"world\": 2, \"bandwidth\": {\"count\": \"1\", \"size\": \"1\"}}", { "key 'bandwidth.bus'", "missing" } },
        { "{\"world\": 2, \"bandwidth\": {\"count\": \"1\", \"size\": \"1 +\", \"bus\": \"1\"}}", { "key 'bandwidth.size'", "column 4: expected a number" } },
        { "{\"world\": 2, \"bandwidth\": {\"count\": \"1\", \"size\": \"1\", \"bus\": \"1\", \"redops\": \"x\"}}", { "bandwidth.redops': unknown key", "did you mean 'redop'" } },
        { "{" SCHEMA "\"world\": 2, \"bandwidth\": {\"count\": \"1\", \"size\": \"1\", \"bus\": \"1\", \"redop\": \"x\"}}", { "key 'bandwidth.redop'", "expected an argument of the schema, found 'x'" } },
        { "{\"word\": 4}",                       { "key 'word': unknown key", "did you mean 'world'" } },
        { "{\"torch\": {\"x\": {\"module\": \"f.py\", \"op\": \"my::f\"}}, \"world\": 2}", { "key 'world'", "no 'torch' beside it" } },
        { "{" SCHEMA "\"product\": {\"a\": \"self\", \"b\": \"mat2\"}, \"world\": 2}", { "key 'world'", "no 'product' beside it" } },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        osw_arena_t *arena = osw_arena_create();
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_op_file files[2];
        struct osw_op op;

        print_message("  %s\n", rows[i].text);
        assert_int_equal(read(arena, rows[i].text, &op, files, &err), -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        for (size_t k = 0; k < 2; k++)
            if (!strstr(err.text, rows[i].want[k]))
                fail_msg("found: %s", err.text);
        osw_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_document_changes_nothing),
        cmocka_unit_test(operators_of_torch_get_their_full_names),
        cmocka_unit_test(every_key_is_taken),
        cmocka_unit_test(a_tolerance_of_all_dtypes_is_none_of_integers),
        cmocka_unit_test(each_bad_document_is_named_by_its_key),
    };

    return cmocka_run_group_tests_name("ops/op_json", tests, NULL, NULL);
}
