/* tests/unit/campaign/test_plan_load.c - folders to a plan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "mpi_runner/campaign/plan_load.h"
#include "ops/catalog/backend.h"
#include "tests/unit/campaign/plan_fixture.h"

static void folders_become_a_plan(void **state)
{
    struct fixture *f = *state;
    struct osw_backend_ops ops;

    f->c.suite = "custom_ops";
    f->c.backend = "custom_ops";
    f->c.custom_ops_root = "tests/data/ops/good";
    assert_int_equal(osw_plan_load(f->arena, &f->c, &ops, &f->plan, &f->err),
                     0);
    assert_int_equal(ops.catalog.n_ops, 5);
    /* scale 9, add 2, add_ 1, lonely 1, python 0 */
    assert_int_equal(f->plan.n_bundles, 13);
    /* scale 3 each; add and add_ 1; lonely has none */
    assert_int_equal(f->plan.n_cells, 9 * 3 + 2 + 1 + 1);
    assert_int_equal(f->plan.n_run, 9 * 3 + 2 + 1);
}

/* The cases of the root's folders, the code of the folders of kernels. */
static void kernels_are_the_implementations_of_a_suite(void **state)
{
    struct fixture *f = *state;
    struct osw_backend_ops ops;
    uint32_t n_skipped = 0;

    f->c.suite = "custom_ops";
    f->c.backend = "directory";
    f->c.custom_ops_root = "tests/data/ops/good";
    f->c.kernels_dir = "tests/fixtures/kernels";
    if (osw_plan_load(f->arena, &f->c, &ops, &f->plan, &f->err) < 0)
        fail_msg("%s", f->err.text);
    assert_int_equal(f->plan.n_bundles, 13);
    assert_int_equal(f->plan.n_cells, 13);
    for (size_t i = 0; i < 13; i++) {
        const struct osw_plan_bundle *b = &f->plan.bundles[i];
        bool covered = strcmp(b->op_name, "add.Tensor") == 0;

        n_skipped += !covered;
        assert_int_equal(b->n_run, covered);
        assert_string_equal(b->impls[0], covered ? "implementation" : "");
        assert_string_equal(b->reasons[0],
                            covered ? "" : osw_backend_find("directory")->none);
    }
    assert_int_equal(n_skipped, 11);
    assert_non_null(strstr(f->plan.coverage,
                           "kernels for 1 of 4 ops, 2 of 13 cases; not "
                           "covered: add_.Tensor, "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(folders_become_a_plan),
        T(kernels_are_the_implementations_of_a_suite),
#undef T
    };

    return cmocka_run_group_tests_name("mpi_runner/plan_load", tests, NULL,
                                       NULL);
}
