/* tests/unit/ops/test_op_torch.c - operators of torch as ops */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/catalog/op_load.h"
#include "ops/catalog/op_torch.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define SCALE     "tests/data/ops/good/scale"

struct fixture {
    osw_arena_t *arena;
    struct osw_op op;
    struct osw_error err;
};

#include "tests/unit/arena_fixture.h"

static void any_name_is_an_op_with_torch_as_its_oracle(void **state)
{
    static const struct {
        const char *name, *full, *dir, *folder;
    } rows[] = {
        {"aten.mm.default", "aten.mm.default", "torch:aten.mm.default", "mm"},
        {"aten.add.Tensor", "aten.add.Tensor", "torch:aten.add.Tensor",
         "add__Tensor"},
        {"relu", "aten.relu.default", "torch:aten.relu.default", "relu"},
        {"my.op.default", "my.op.default", "torch:my.op.default", "op"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_op again;

        assert_int_equal(
            osw_op_torch_make(f->arena, rows[i].name, NULL, &f->op, &f->err),
            0);
        assert_string_equal(f->op.name, rows[i].full);
        assert_string_equal(f->op.dir, rows[i].dir);
        assert_string_equal(f->op.folder, rows[i].folder);
        assert_int_equal(f->op.n_impls, 1);
        assert_string_equal(f->op.impls[0].name, "aten");
        assert_string_equal(f->op.impls[0].symbol, rows[i].full);
        assert_string_equal(f->op.reference->file, "opsweep_aten_reference.py");
        assert_string_not_equal(f->op.reference->path, f->op.impls[0].path);
        assert_int_equal(f->op.oracle, OSW_ORACLE_INDEPENDENT);
        /* What a worker makes of it is the same. */
        assert_int_equal(
            osw_op_load(f->arena, f->op.dir, "cpu", &again, &f->err), 0);
        assert_string_equal(again.name, f->op.name);
        assert_string_equal(again.folder, f->op.folder);
    }
}

static void the_library_lends_all_but_its_implementations(void **state)
{
    struct fixture *f = *state;
    struct osw_op library, again;

    assert_int_equal(osw_op_load(f->arena, SCALE, "cpu", &library, &f->err), 0);
    assert_int_equal(
        osw_op_torch_make(f->arena, library.name, &library, &f->op, &f->err),
        0);
    assert_int_equal(f->op.n_impls, 1);
    assert_string_equal(f->op.impls[0].name, "aten");
    assert_ptr_equal(f->op.reference, library.reference);
    assert_ptr_equal(f->op.schema, library.schema);
    assert_int_equal(f->op.n_baselines, 0);
    assert_int_equal(osw_op_load(f->arena, f->op.dir, "cpu", &again, &f->err),
                     0);
    assert_string_equal(again.reference->path, library.reference->path);
    assert_string_equal(again.impls[0].symbol, f->op.impls[0].symbol);
}

static void a_worker_reads_the_same_implementations(void **state)
{
    const struct osw_op_file impls[] = {
        {.name = "implementation_v1", .path = "/k: 1/a.py", .symbol = "a__b|a"},
        {.name = "manual", .path = "/k: 1/a.py", .symbol = "a"},
    };
    static const char *const bad[] = {
        "torch:aten.mm.default\nname\tsymbol\n",
        "torch:aten.mm.default\nname\tsymbol\tmm.py\n",
        "torch:aten.mm.default\nname\tsymbol\t/k/mm.txt\n",
    };
    struct fixture *f = *state;
    struct osw_op library, again;

    assert_int_equal(osw_op_load(f->arena, SCALE, "cpu", &library, &f->err), 0);
    for (size_t with = 0; with < 2; with++)
        for (size_t n = 0; n <= 2; n++) {
            assert_int_equal(osw_op_torch_make(f->arena, "scale",
                                               with ? &library : NULL, &f->op,
                                               &f->err),
                             0);
            assert_int_equal(
                osw_op_torch_cover(f->arena, &f->op, impls, n, &f->err), 0);
            assert_int_equal(
                osw_op_load(f->arena, f->op.dir, "cpu", &again, &f->err), 0);
            assert_string_equal(again.name, f->op.name);
            assert_string_equal(again.reference->path, f->op.reference->path);
            assert_int_equal(again.n_impls, n);
            for (size_t i = 0; i < n; i++) {
                assert_string_equal(again.impls[i].name, impls[i].name);
                assert_string_equal(again.impls[i].symbol, impls[i].symbol);
                assert_string_equal(again.impls[i].path, impls[i].path);
                assert_string_equal(again.impls[i].file, "a.py");
            }
        }
    for (size_t i = 0; i < N_ELEM(bad); i++) {
        f->err = (struct osw_error)OSW_ERROR_INIT;
        assert_int_equal(osw_op_load(f->arena, bad[i], "cpu", &again, &f->err),
                         -1);
        assert_int_equal(f->err.status, OSW_BAD_INPUT);
    }
}

static void what_is_no_name_is_refused(void **state)
{
    static const char *const names[] = {"", "a b", "a.b.c.d", ".mm"};
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(names); i++) {
        f->err = (struct osw_error)OSW_ERROR_INIT;
        assert_int_equal(
            osw_op_torch_make(f->arena, names[i], NULL, &f->op, &f->err), -1);
        assert_int_equal(f->err.status, OSW_BAD_INPUT);
    }
    assert_true(osw_op_torch_is("torch:aten.mm.default"));
    assert_false(osw_op_torch_is("/ops/torch:mm"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(any_name_is_an_op_with_torch_as_its_oracle),
        T(the_library_lends_all_but_its_implementations),
        T(a_worker_reads_the_same_implementations),
        T(what_is_no_name_is_refused),
#undef T
    };

    return cmocka_run_group_tests_name("ops/op_torch", tests, NULL, NULL);
}
