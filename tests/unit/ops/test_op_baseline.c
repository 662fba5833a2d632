/* tests/unit/ops/test_op_baseline.c - torch beside an op */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/catalog/op_baseline.h"
#include "ops/catalog/op_load.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define RELU      "ops/library/relu"

struct fixture {
    osw_arena_t *arena;
    struct osw_op op;
    struct osw_error err;
};

#include "tests/unit/arena_fixture.h"

static void torch_stands_among_the_implementations_by_name(void **state)
{
    static const struct {
        const char *name, *file, *dir;
        double timeout_s;
    } rows[] = {
        {"aten", "opsweep_aten.py", "baseline:aten:", 0},
        {"compile", "opsweep_compile.py", "baseline:compile:", 120},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_op_file *file;
        struct osw_op plain, again;
        size_t n = strlen(rows[i].dir);

        assert_true(osw_op_baseline_known(rows[i].name));
        assert_int_equal(osw_op_load(f->arena, RELU, "cpu", &plain, &f->err),
                         0);
        assert_int_equal(osw_op_baseline_add(f->arena, rows[i].name, true,
                                             &plain, &f->op, &f->err),
                         0);
        assert_int_equal(f->op.n_impls, plain.n_impls + 1);
        for (size_t k = 1; k < f->op.n_impls; k++)
            assert_true(strcmp(f->op.impls[k - 1].name, f->op.impls[k].name) <
                        0);
        file = osw_op_impl(&f->op, rows[i].name);
        assert_non_null(file);
        assert_string_equal(file->file, rows[i].file);
        assert_string_equal(file->symbol, "aten.relu.default");
        assert_true(f->op.least_timeout_s == rows[i].timeout_s);
        assert_int_equal(strncmp(f->op.dir, rows[i].dir, n), 0);
        assert_string_equal(f->op.dir + n, plain.dir);
        assert_ptr_equal(f->op.reference, plain.reference);
        /* What a worker makes of it is the same. */
        assert_int_equal(
            osw_op_load(f->arena, f->op.dir, "cpu", &again, &f->err), 0);
        assert_int_equal(again.n_impls, f->op.n_impls);
        assert_string_equal(again.dir, f->op.dir);
        /* Once is enough. */
        assert_int_equal(osw_op_baseline_add(f->arena, rows[i].name, false,
                                             &f->op, &again, &f->err),
                         0);
        assert_int_equal(again.n_impls, f->op.n_impls);
        assert_string_equal(again.dir, f->op.dir);
    }
}

static void the_operator_is_the_name_that_has_a_namespace(void **state)
{
    const char *const aliases[] = {"scale_by.default", "aten.mul.Scalar"};
    struct osw_op op = {
        .name = "scale.default", .aliases = aliases, .n_aliases = 2};

    (void)state;
    assert_string_equal(osw_op_baseline_operator(&op), "aten.mul.Scalar");
    op.n_aliases = 1;
    assert_null(osw_op_baseline_operator(&op));
    op.name = "my.scale.default";
    assert_string_equal(osw_op_baseline_operator(&op), "my.scale.default");
}

static void an_op_without_an_operator_stays_as_it_is(void **state)
{
    struct osw_op op = {.name = "scale.default", .dir = "/ops/scale"};
    struct fixture *f = *state;

    assert_int_equal(
        osw_op_baseline_add(f->arena, "aten", false, &op, &f->op, &f->err), 0);
    assert_int_equal(f->op.n_impls, 0);
    assert_string_equal(f->op.dir, "/ops/scale");
}

static void what_is_no_baseline_is_refused(void **state)
{
    static const char *const dirs[] = {"baseline:", "baseline:mine:/ops/relu",
                                       "baseline:aten"};
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(dirs); i++) {
        f->err = (struct osw_error)OSW_ERROR_INIT;
        assert_true(osw_op_baseline_is(dirs[i]));
        assert_int_equal(osw_op_load(f->arena, dirs[i], "cpu", &f->op, &f->err),
                         -1);
        assert_int_equal(f->err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(f->err.text, dirs[i]));
    }
    assert_false(osw_op_baseline_known("openblas"));
    assert_false(osw_op_baseline_is("/ops/baseline:aten"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(torch_stands_among_the_implementations_by_name),
        T(the_operator_is_the_name_that_has_a_namespace),
        T(an_op_without_an_operator_stays_as_it_is),
        T(what_is_no_baseline_is_refused),
#undef T
    };

    return cmocka_run_group_tests_name("ops/op_baseline", tests, NULL, NULL);
}
