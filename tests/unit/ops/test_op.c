/* tests/unit/ops/test_op.c - op folders, read */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "ops/catalog/op.h"
#include "ops/catalog/op_load.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define GOOD      "tests/data/ops/good/"
#define BAD       "tests/data/ops/bad/"

struct fixture {
    osw_arena_t *arena;
    struct osw_op op;
    struct osw_error err;
};

#include "tests/unit/arena_fixture.h"

static void load(struct fixture *f, const char *dir)
{
    if (osw_op_load(f->arena, dir, "cpu", &f->op, &f->err) < 0)
        fail_msg("%s", f->err.text);
}

/* The note on the file of that name, or NULL. */
static const char *note_on(const struct osw_op *op, const char *file)
{
    for (size_t i = 0; i < op->n_notes; i++)
        if (strcmp(strrchr(op->notes[i].path, '/') + 1, file) == 0)
            return op->notes[i].text;
    return NULL;
}

static void names_become_canonical(void **state)
{
    static const struct {
        const char *name;
        const char *want; /* NULL: no name */
    } rows[] = {
        /* clang-format off */
        { "mm",              "mm.default" },
        { "add.Tensor",      "add.Tensor" },
        { "aten.mm.default", "aten.mm.default" },
        { "_softmax",        "_softmax.default" },
        { "",                NULL },
        { "my_ops::mul3.out", "my_ops.mul3.out" },
        { "my::scale",       "my.scale.default" },
        { "::scale",         NULL },
        { "my::",            NULL },
        { "a.b::c",          NULL },
        { "a::b::c",         NULL },
        { "a..b",            NULL },
        { ".a",              NULL },
        { "a.",              NULL },
        { "a.b.c.d",         NULL },
        { "a b",             NULL },
        { "a/b",             NULL },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const char *got = osw_op_canonical(f->arena, rows[i].name);

        print_message("  '%s'\n", rows[i].name);
        if (rows[i].want)
            assert_string_equal(got, rows[i].want);
        else
            assert_null(got);
    }
}

static void folders_are_split_from_the_right(void **state)
{
    static const struct {
        const char *folder, *want;
    } rows[] = {
        /* clang-format off */
        { "add__Tensor",      "add.Tensor" },
        { "add___Tensor",     "add_.Tensor" },
        { "mm",               "mm.default" },
        { "_softmax",         "_softmax.default" },
        { "__and____Scalar",  "__and__.Scalar" },
        { "relu_",            "relu_.default" },
        { "__x",              "__x.default" },
        { "x__",              "x__.default" },
        { "a__b__c",          "a__b.c" },
        { "aten.add__Tensor", "aten.add.Tensor" },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++)
        assert_string_equal(osw_op_folder_canonical(f->arena, rows[i].folder),
                            rows[i].want);
}

static void a_full_folder_is_read(void **state)
{
    struct fixture *f = *state;
    const struct osw_op *op = &f->op;

    load(f, GOOD "scale");
    assert_string_equal(op->name, "my.scale");
    assert_string_equal(op->folder, "scale");
    assert_int_equal(op->n_aliases, 2);
    assert_string_equal(op->aliases[0], "my.rescale");
    assert_string_equal(op->aliases[1], "scale.default");
    assert_string_equal(op->schema->args[1].name, "factor");
    assert_int_equal(op->n_baselines, 1);
    assert_string_equal(op->baselines[0], "plain");
    assert_int_equal(op->n_fills, 1);
    assert_string_equal(op->fills[0].text, "index(dim(self, 0))");
    assert_string_equal(op->flops, "2 * numel(self)");
    assert_string_equal(op->numel, "numel(self)");
    assert_true(op->timeout_s == 2.5);
    assert_false(op->exact);
    assert_null(op->product.a);
    assert_string_equal(strrchr(op->cases_json, '/'), "/gen_input.json");
    assert_null(op->cases_py);
    assert_int_equal(op->oracle, OSW_ORACLE_INDEPENDENT);
    assert_string_equal(op->reference->file, "scale_reference.c");
    assert_string_equal(op->reference->words, "");
}

static void implementations_are_sorted_and_know_their_language(void **state)
{
    static const struct {
        const char *name, *file, *words;
    } want[] = {
        {"fast", "scale_fast.c", "-lm  -DFAST=1"},
        {"plain", "scale_plain.c", ""}, /* not the .cu of that name */
        {"torch", "scale_torch.py", ""},
    };
    struct fixture *f = *state;

    load(f, GOOD "scale");
    assert_int_equal(f->op.n_impls, N_ELEM(want));
    for (size_t i = 0; i < N_ELEM(want); i++) {
        assert_string_equal(f->op.impls[i].name, want[i].name);
        assert_string_equal(f->op.impls[i].file, want[i].file);
        assert_string_equal(f->op.impls[i].words, want[i].words);
        assert_ptr_equal(osw_op_impl(&f->op, want[i].name), &f->op.impls[i]);
    }
    assert_null(osw_op_impl(&f->op, "reference"));
}

static void what_is_not_run_has_a_note(void **state)
{
    static const struct {
        const char *file;
        const char *want; /* NULL: no note */
    } rows[] = {
        {"scale_device.cu", "CUDA code: needs --device cuda"},
        {"scale_plain.cu", NULL}, /* for another device */
        {"stray.c", "not understood: expected scale_<name>.{c,cpp,cu,py,so}, a "
                    "name of letters, digits, '_' and '-', at most 128"},
        {"scale.log", "not understood: expected scale_<name>.{c,cpp,cu,py,so}, "
                      "a name of letters, digits, '_' and '-', at most 128"},
        {"README.md", NULL},
        {"shared.h", NULL},
        {"op.json", NULL},
        {"scale_fast.c", NULL},
    };
    struct fixture *f = *state;
    size_t n = 0;

    load(f, GOOD "scale");
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const char *got = note_on(&f->op, rows[i].file);

        print_message("  %s\n", rows[i].file);
        if (rows[i].want)
            assert_string_equal(got, rows[i].want);
        else
            assert_null(got);
        n += rows[i].want != NULL;
    }
    assert_int_equal(f->op.n_notes, n);
}

static void without_a_reference_something_stands_in_and_says_so(void **state)
{
    struct fixture *f = *state;

    load(f, GOOD "add___Tensor");
    assert_string_equal(f->op.name, "add_.Tensor");
    assert_int_equal(f->op.oracle, OSW_ORACLE_IMPLEMENTATION);
    assert_string_equal(f->op.reference->name, "plain");
    assert_string_equal(note_on(&f->op, "add___Tensor"),
                        "no add___Tensor_reference.*: implementation 'plain' "
                        "stands in, cells end as unverified");
    assert_int_equal(f->op.n_baselines, 0);

    load(f, GOOD "lonely");
    assert_int_equal(f->op.oracle, OSW_ORACLE_IDENTITY);
    assert_null(f->op.reference);
    assert_int_equal(f->op.n_impls, 0);
    assert_string_equal(
        note_on(&f->op, "lonely"),
        "no lonely_reference.*: cells that are judged end as unverified");
}

static void an_op_answers_to_all_its_names(void **state)
{
    static const struct {
        const char *dir, *name;
        bool want;
    } rows[] = {
        /* clang-format off */
        { GOOD "scale",       "my.scale",         true },
        { GOOD "scale",       "scale",            true },
        { GOOD "scale",       "scale.default",    true },
        { GOOD "scale",       "my.rescale",       true },
        { GOOD "scale",       "my",               false },
        { GOOD "scale",       "rescale",          false },
        { GOOD "add__Tensor", "add.Tensor",       true },
        { GOOD "add__Tensor", "add__Tensor",      true },
        { GOOD "add__Tensor", "aten.add.Tensor",  true }, /* no namespace */
        { GOOD "add__Tensor", "aten.add_.Tensor", false },
        { GOOD "add__Tensor", "add",              false },
        { GOOD "lonely",      "aten.lonely",      true },
        { GOOD "lonely",      "lonely.default",   true },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        load(f, rows[i].dir);
        print_message("  %s %s\n", rows[i].dir, rows[i].name);
        assert_int_equal(osw_op_is_called(&f->op, rows[i].name), rows[i].want);
    }
}

static void tolerance_is_the_ops_own_then_its_star_then_the_dtypes(void **state)
{
    struct fixture *f = *state;
    struct osw_tolerance t;

    load(f, GOOD "scale");
    t = osw_op_tolerance(&f->op, osw_dtype_info(OSW_F16));
    assert_true(t.rtol == 0.01 && t.atol == 0.02);
    t = osw_op_tolerance(&f->op, osw_dtype_info(OSW_F32));
    assert_true(t.rtol == 1e-4 && t.atol == 0);
    load(f, GOOD "add__Tensor");
    t = osw_op_tolerance(&f->op, osw_dtype_info(OSW_F32));
    assert_true(t.rtol == 1.3e-6 && t.atol == 1e-5); /* assert_close's */
}

static void what_is_compiled_is_known(void **state)
{
    static const struct osw_language c = {.compiled = true},
                                     py = {.host = true};
    const struct osw_op_file files[] = {{.language = &py}, {.language = &c}};
    struct fixture *f = *state;

    load(f, GOOD "add__Tensor");
    assert_true(osw_op_is_compiled(&f->op));
    load(f, GOOD "lonely");
    assert_false(osw_op_is_compiled(&f->op));
    f->op = (struct osw_op){.n_impls = 1, .impls = files};
    assert_false(osw_op_is_compiled(&f->op));
    f->op.n_impls = 2;
    assert_true(osw_op_is_compiled(&f->op));
    f->op =
        (struct osw_op){.n_impls = 1, .impls = files, .reference = &files[1]};
    assert_true(osw_op_is_compiled(&f->op));
    f->op.reference = &files[0];
    assert_false(osw_op_is_compiled(&f->op));
    f->op.host_reference = &files[1];
    assert_true(osw_op_is_compiled(&f->op));
}

static void the_folder_may_be_named_in_any_way(void **state)
{
    struct fixture *f = *state;

    load(f, GOOD "scale/");
    assert_string_equal(f->op.folder, "scale");
    load(f, GOOD "lonely/../scale/.");
    assert_string_equal(f->op.folder, "scale");
    assert_int_equal(f->op.dir[0], '/');
}

static void bad_folders_are_refused_by_name(void **state)
{
    static const struct {
        const char *dir;
        const char *want[2];
    } rows[] = {
        {BAD "nowhere", {"cannot read", "bad/nowhere"}},
        {GOOD "scale/op.json", {"expected an op's folder", "op.json"}},
        {BAD "misspelt_key", {"op.json", "'tolerence'"}},
        {BAD "bad_schema", {"op.json", "key 'schema': column"}},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        f->op.name = "untouched";
        assert_int_equal(
            osw_op_load(f->arena, rows[i].dir, "cpu", &f->op, &err), -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        for (size_t k = 0; k < 2; k++)
            if (!strstr(err.text, rows[i].want[k]))
                fail_msg("found: %s", err.text);
        assert_string_equal(f->op.name, "untouched");
    }
}

static void every_allocation_failure_is_reported(void **state)
{
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_op op;
        osw_arena_t *arena;
        int rc = -1;

        chaos_arm(failures);
        arena = osw_arena_create();
        if (arena)
            rc = osw_op_load(arena, GOOD "scale", "cpu", &op, &err);
        struck = chaos_struck();
        osw_arena_destroy(arena);
        assert_int_equal(rc, struck ? -1 : 0);
        if (arena)
            assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
    }
    assert_true(failures > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(names_become_canonical),
        T(folders_are_split_from_the_right),
        T(a_full_folder_is_read),
        T(implementations_are_sorted_and_know_their_language),
        T(what_is_not_run_has_a_note),
        T(without_a_reference_something_stands_in_and_says_so),
        T(an_op_answers_to_all_its_names),
        T(tolerance_is_the_ops_own_then_its_star_then_the_dtypes),
        T(what_is_compiled_is_known),
        T(the_folder_may_be_named_in_any_way),
        T(bad_folders_are_refused_by_name),
        T(every_allocation_failure_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("ops/op", tests, NULL, NULL);
}
