/* tests/unit/ops/test_bind.c - arguments of a case, in order */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/cases/trace.h"
#include "ops/inputs/bind.h"
#include "ops/notation/notation.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    osw_arena_t *arena;
    struct osw_text text;
};

static int set_up(void **state)
{
    static struct fixture f;

    f = (struct fixture){.arena = osw_arena_create()};
    *state = &f;
    return f.arena ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_text_free(&f->text);
    osw_arena_destroy(f->arena);
    return 0;
}

/* Bind texts; schema NULL: none. */
static int bind(struct fixture *f, const char *schema, const char *text,
                struct osw_bound_arg **args, size_t *n, struct osw_error *err)
{
    struct osw_schema *s = NULL;
    struct osw_case c;

    if (schema) {
        s = osw_arena_alloc(f->arena, sizeof(*s));
        assert_non_null(s);
        assert_int_equal(
            osw_schema_parse(f->arena, schema, strlen(schema), s, err), 0);
    }
    assert_int_equal(
        osw_notation_parse_case(f->arena, text, strlen(text), &c, err), 0);
    return osw_bind(f->arena, s, &c, args, n, err);
}

/* "self!=T([2], f32), other=3": the written ones marked. */
static const char *show(struct fixture *f, const struct osw_bound_arg *args,
                        size_t n)
{
    osw_text_reset(&f->text);
    for (size_t i = 0; i < n; i++) {
        osw_text_printf(&f->text, "%s%s%s=", i ? ", " : "", args[i].name,
                        args[i].written ? "!" : "");
        osw_notation_print_value(&f->text, args[i].value);
    }
    return osw_text_str(&f->text);
}

#define ADD_                                                                   \
    "add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> "        \
    "Tensor(a!)"
#define SUM                                                                    \
    "sum.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "    \
    "dtype=None) -> Tensor"
#define CONV                                                                   \
    "conv(Tensor input, SymInt[2] stride=1, int[] rest=0, str mode='same', "   \
    "int reduction=Mean, MemoryFormat fmt=channels_last) -> Tensor"

static const struct {
    const char *what, *schema, *text, *want;
} good[] = {
    /* clang-format off */
    { "no schema", NULL, "((T([2], f32), 3), {'alpha': 2})",
      "arg0=T([2], f32), arg1=3, alpha=2" },
    { "no schema, nothing", NULL, "((), {})", "" },
    { "no schema, words of torch", NULL, "((torch.bool,), {'dtype': torch.float16, 'layout': torch.strided})",
      "arg0=b8, dtype=f16, layout=torch.strided" },
    { "defaults", ADD_, "((T([2], f32), T([2], f32)), {})",
      "self!=T([2], f32), other=T([2], f32), alpha=1" },
    { "keywords in another order", ADD_, "((), {'alpha': 2, 'other': 3, 'self': T([], f32)})",
      "self!=T([], f32), other=3, alpha=2" },
    { "tuple for a list", SUM, "((T([2], f32), (0,)), {})",
      "self=T([2], f32), dim=(0,), keepdim=False, dtype=None" },
    { "None for an optional list", SUM, "((T([2], f32), None, True), {'dtype': torch.uint8})",
      "self=T([2], f32), dim=None, keepdim=True, dtype=u8" },
    { "one for a list of size 1", SUM, "((T([2], f32), -1), {})",
      "self=T([2], f32), dim=[-1], keepdim=False, dtype=None" },
    { "defaults that need a hand", CONV, "((T([2], f32),), {})",
      "input=T([2], f32), stride=[1, 1], rest=0, mode='same', reduction=1, fmt=channels_last" },
    /* clang-format on */
};

static void arguments_stand_where_the_schema_has_them(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(good); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_bound_arg *args;
        size_t n;

        print_message("  case: %s\n", good[i].what);
        if (bind(f, good[i].schema, good[i].text, &args, &n, &err) < 0)
            fail_msg("%s", err.text);
        assert_string_equal(show(f, args, n), good[i].want);
    }
}

static const struct {
    const char *schema, *text, *error;
} bad[] = {
    /* clang-format off */
    { ADD_, "((1, 2, 3), {})", "add_.Tensor: expected at most 2 positional arguments, found 3" },
    { ADD_, "((1,), {})", "add_.Tensor: missing argument 'other'" },
    { ADD_, "((1, 2), {'beta': 3})", "add_.Tensor: unknown keyword argument 'beta'" },
    { ADD_, "((1, 2), {'self': 3})", "add_.Tensor: argument given twice 'self'" },
    { "neg(Tensor self) -> Tensor", "((), {})", "neg: missing argument 'self'" },
    { "aten::neg", "((1,), {})", "schema 'neg' names no arguments: expected name(arguments) -> returns" },
    /* clang-format on */
};

static void misplaced_arguments_are_named(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(bad); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_bound_arg *args = NULL;
        size_t n = 77;

        print_message("  bad: %s\n", bad[i].error);
        assert_int_equal(bind(f, bad[i].schema, bad[i].text, &args, &n, &err),
                         -1);
        assert_string_equal(err.text, bad[i].error);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_null(args);
        assert_int_equal(n, 77);
    }
}

static void tensors_are_numbered_depth_first(void **state)
{
    static const struct {
        int64_t size;
        uint32_t arg;
        bool written;
    } want[] = {{1, 0, false}, {2, 0, false}, {3, 0, false},
                {4, 1, true},  {5, 3, false}, {6, 3, false}};
    struct fixture *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_bound_tensor *tensors;
    struct osw_bound_arg *args;
    size_t n_args, n;

    assert_int_equal(
        bind(f, "f(Tensor[] a, Tensor(x!) b, int c, Tensor?[] d) -> ()",
             "(([T([1], f32), [T([2], f32)], T([3], f32)], T([4], i8), 7, "
             "(T([5], f32), None, {'k': T([6], f32)})), {})",
             &args, &n_args, &err),
        0);
    assert_int_equal(
        osw_bind_tensors(f->arena, args, n_args, &tensors, &n, &err), 0);
    assert_int_equal(n, N_ELEM(want));
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(tensors[i].desc->shape[0], want[i].size);
        assert_int_equal(tensors[i].arg, want[i].arg);
        assert_int_equal(tensors[i].written, want[i].written);
    }
}

static void a_case_without_tensors_has_none(void **state)
{
    struct fixture *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_bound_tensor *tensors;
    struct osw_bound_arg *args;
    size_t n_args, n = 77;

    assert_int_equal(bind(f, NULL, "((3, [None]), {})", &args, &n_args, &err),
                     0);
    assert_int_equal(
        osw_bind_tensors(f->arena, args, n_args, &tensors, &n, &err), 0);
    assert_int_equal(n, 0);
}

/* --- the traces we ship, by PyTorch's own schemas --- */

struct known {
    const char *name; /* aten.add.Tensor */
    struct osw_schema schema;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct known *)a)->name,
                  ((const struct known *)b)->name);
}

static size_t read_schemas(osw_arena_t *arena, struct known *known, size_t room)
{
    FILE *in = fopen("tests/data/schemas/pytorch_func_lines.txt", "r");
    struct osw_error err = OSW_ERROR_INIT;
    char line[4096];
    size_t n = 0;

    assert_non_null(in);
    for (; n < room && fgets(line, sizeof(line), in); n++) {
        struct osw_schema *s = &known[n].schema;

        assert_int_equal(osw_schema_parse(arena, line, strlen(line), s, &err),
                         0);
        known[n].name =
            osw_arena_printf(arena, "aten.%s.%s", s->name,
                             *s->overload ? s->overload : "default");
        assert_non_null(known[n].name);
    }
    fclose(in);
    qsort(known, n, sizeof(*known), by_name);
    return n;
}

/* Names in the traces that PyTorch has since removed. */
static bool is_gone(const char *op)
{
    static const char *const ops[] = {
        "aten.sum.SymInt",
        "aten.upsample_nearest2d_backward.vec",
        "aten.im2col_backward.default",
        "aten.col2im_backward.default",
    };

    for (size_t i = 0; i < N_ELEM(ops); i++)
        if (strcmp(ops[i], op) == 0)
            return true;
    return false;
}

/* Bind every case of a trace; returns how many there are. */
static size_t bind_trace(osw_arena_t *arena, const char *path,
                         const struct known *known, size_t n_known)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_bound_arg *args;
    struct osw_trace trace;
    size_t n_bound = 0, n;

    assert_int_equal(osw_trace_read(arena, path, &trace, &err), 0);
    for (size_t i = 0; i < trace.n; i++) {
        const struct osw_trace_entry *e = &trace.entries[i];
        struct known key = {.name = e->op};
        const struct known *hit =
            bsearch(&key, known, n_known, sizeof(key), by_name);

        if (!hit && is_gone(e->op))
            continue;
        if (!hit)
            fail_msg("%s:%u: no schema of %s", path, e->line, e->op);
        if (osw_bind(arena, &hit->schema, &e->args, &args, &n, &err) < 0)
            fail_msg("%s:%u: %s", path, e->line, err.text);
        assert_int_equal(n, hit->schema.n_args);
        n_bound++;
    }
    return n_bound;
}

static void every_case_of_the_traces_binds_by_its_schema(void **state)
{
    struct fixture *f = *state;
    struct known *known = calloc(4096, sizeof(*known));
    size_t n_known, n_bound = 0;
    glob_t files;

    assert_non_null(known);
    n_known = read_schemas(f->arena, known, 4096);
    assert_int_equal(n_known, 2637);
    assert_int_equal(glob("tests/data/traces/*/*.txt", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        n_bound += bind_trace(f->arena, files.gl_pathv[i], known, n_known);
    assert_int_equal(n_bound, 16661 - 560);
    globfree(&files);
    free(known);
}

/* Bind many arguments into an arena whose allocations fail one by one. */
static void every_allocation_failure_is_reported(void **state)
{
    struct fixture *f = *state;
    struct osw_error none = OSW_ERROR_INIT;
    struct osw_case c;
    int n_failures = 0;

    osw_text_add(&f->text, "((");
    for (int i = 0; i < 5000; i++)
        osw_text_add(&f->text, "torch.bool, T([], f32), ");
    osw_text_add(&f->text, "), {'dtype': torch.bool})");
    assert_int_equal(osw_notation_parse_case(f->arena, f->text.data,
                                             f->text.used, &c, &none),
                     0);
    for (bool struck = true; struck; n_failures += struck) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_bound_tensor *tensors;
        struct osw_bound_arg *args;
        osw_arena_t *arena;
        size_t n_args, n;
        int rc = -1;

        chaos_arm(n_failures);
        arena = osw_arena_create();
        if (arena)
            rc = osw_bind(arena, NULL, &c, &args, &n_args, &err);
        if (rc == 0)
            rc = osw_bind_tensors(arena, args, n_args, &tensors, &n, &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        if (arena)
            assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
        osw_arena_destroy(arena);
    }
    assert_in_range(n_failures, 4, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(arguments_stand_where_the_schema_has_them),
        T(misplaced_arguments_are_named),
        T(tensors_are_numbered_depth_first),
        T(a_case_without_tensors_has_none),
        T(every_case_of_the_traces_binds_by_its_schema),
        T(every_allocation_failure_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("ops/bind", tests, NULL, NULL);
}
