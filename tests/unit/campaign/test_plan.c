/* tests/unit/campaign/test_plan.c - what becomes of cases */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/campaign/plan_load.h"
#include "mpi_runner/campaign/plan_make.h"
#include "ops/cases/cell.h"
#include "ops/notation/notation.h"
#include "tests/unit/campaign/plan_fixture.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct osw_language c_source = {".c", .compiled = true};

static const struct osw_op_file reference = {
    .name = "reference", .words = "", .language = &c_source};
static const struct osw_op_file impls[] = {
    {.name = "blocked", .words = "", .language = &c_source},
    {.name = "device", .words = "", .language = &c_source},
    {.name = "fast", .words = "", .language = &c_source},
};

static const char *const fast[] = {"fast"};
static const struct osw_op scale = {
    .name = "scale.default",
    .folder = "scale",
    .dir = "/ops/scale",
    .n_impls = 3,
    .impls = impls,
    .reference = &reference,
    .oracle = OSW_ORACLE_INDEPENDENT,
    .n_baselines = 1,
    .baselines = fast,
};
/* [m, k] @ [k, n], without a schema: arg0 and arg1 */
static const struct osw_op mm = {
    .name = "aten.mm.default",
    .folder = "mm",
    .dir = "/ops/mm",
    .n_impls = 1,
    .impls = impls,
    .reference = &reference,
    .oracle = OSW_ORACLE_INDEPENDENT,
    .numel = "dim(arg0, 0) * dim(arg1, 1)",
    .flops = "2 * numel(arg0) * dim(arg1, 1)",
    .product = {"arg0", "arg1", "arg2"},
};
static const struct osw_op bare = {
    .name = "bare.default",
    .folder = "bare",
    .dir = "/ops/bare",
    .reference = &reference,
    .oracle = OSW_ORACLE_INDEPENDENT,
};

static struct osw_suite_item *add(struct fixture *f, const struct osw_op *op,
                                  const char *text, const char *fill)
{
    struct osw_suite_item *it = &f->items[f->n++];

    *it = (struct osw_suite_item){
        .op = op,
        .op_name = op ? op->name : "aten.nobody.default",
        .case_text = text,
        .fill = fill,
    };
    return it;
}

static int try_plan(struct fixture *f)
{
    struct osw_suite_list list = {.items = f->items, .n = f->n};

    f->err = (struct osw_error)OSW_ERROR_INIT;
    return osw_plan_make(f->arena, &f->c, &list, &f->plan, &f->err);
}

static const struct osw_plan_bundle *plan(struct fixture *f)
{
    if (try_plan(f) < 0)
        fail_msg("%s", f->err.text);
    return f->plan.bundles;
}

#define SMALL "((T([4], f16), 2.0), {})"

static void a_bundle_has_a_cell_per_implementation(void **state)
{
    struct fixture *f = *state;
    const struct osw_plan_bundle *b;

    add(f, &scale, SMALL, "normal")->count = 5;
    b = plan(f);
    assert_int_equal(f->plan.n_bundles, 1);
    assert_string_equal(b->op_name, "scale.default");
    assert_string_equal(b->dtype, "f16");
    assert_string_equal(b->baselines, "fast");
    assert_int_equal(b->check, OSW_CHECK_FULL);
    assert_int_equal(b->count, 5);
    assert_int_equal(b->n_cells, 3);
    assert_int_equal(b->n_run, 3);
    assert_string_equal(b->impls[0], "blocked");
    assert_string_equal(b->impls[1], "device");
    assert_string_equal(b->impls[2], "fast");
    for (uint32_t k = 0; k < 3; k++)
        assert_string_equal(b->reasons[k], "");
    /* 4 elements of 2 bytes, twice that again, 4 doubles and norms */
    assert_int_equal(b->memory_bytes, 8 + 16 + 64);
    assert_true(b->flops == 4 && b->bytes == 16);
    assert_true(b->cost_ns > 0);
}

static void cell_keys_are_those_of_their_parts(void **state)
{
    struct fixture *f = *state;
    const struct osw_cell_parts parts = {"scale.default", "fast", SMALL,
                                         "normal",        "cpu",  0};

    add(f, &scale, SMALL, "normal");
    assert_true(plan(f)->cell_keys[2] == osw_cell_key(&parts));
}

/* What comes after it keeps its place; an op with one world has no word of it
 * in its keys.
 */
static void each_world_of_an_op_is_a_bundle(void **state)
{
    static const int worlds[] = {2, 4, 8};
    struct osw_op several = scale, one = scale;
    struct osw_cell_parts parts = {"scale.default", "fast", SMALL,
                                   "normal",        "cpu",  0};
    struct fixture *f = *state;
    const struct osw_plan_bundle *b;

    several.world = 2;
    several.worlds = worlds;
    several.n_worlds = N_ELEM(worlds);
    one.world = 4;
    add(f, &several, SMALL, "normal");
    add(f, &one, SMALL, "normal");
    add(f, &scale, SMALL, "normal");
    b = plan(f);
    assert_int_equal(f->plan.n_bundles, 5);
    for (size_t i = 0; i < 5; i++) {
        static const uint32_t want[] = {2, 4, 8, 4, 1};

        assert_int_equal(osw_plan_world(&b[i]), want[i]);
        assert_int_equal(b[i].first_cell, 3 * i);
        parts.world = i < 3 ? want[i] : 0;
        assert_true(b[i].cell_keys[2] == osw_cell_key(&parts));
    }
}

static void cells_are_numbered_without_gaps_and_totals_add_up(void **state)
{
    struct fixture *f = *state;
    uint64_t cells = 0, run = 0;
    int64_t cost_ns = 0;

    add(f, &scale, SMALL, "normal");
    add(f, NULL, "((1,), {})", "")->why_not = "no op";
    add(f, &scale, "((T([8], f16), 2.0), {})", "normal");
    add(f, &bare, SMALL, "normal");
    plan(f);
    for (size_t i = 0; i < f->plan.n_bundles; i++) {
        const struct osw_plan_bundle *b = &f->plan.bundles[i];

        assert_int_equal(b->first_cell, cells);
        assert_true(b->n_cells >= 1 && b->n_run <= b->n_cells);
        for (uint32_t k = 0; k < b->n_cells; k++)
            assert_int_equal(*b->reasons[k] == '\0', k < b->n_run);
        assert_int_equal(b->cost_ns > 0, b->n_run > 0);
        cells += b->n_cells;
        run += b->n_run;
        cost_ns += b->cost_ns;
    }
    assert_int_equal(f->plan.n_bundles, 4);
    assert_int_equal(f->plan.n_cells, cells);
    assert_int_equal(cells, 3 + 1 + 3 + 1);
    assert_int_equal(f->plan.n_run, run);
    assert_int_equal(run, 6);
    assert_int_equal(f->plan.cost_ns, cost_ns);
}

static void what_cannot_run_is_one_reason_for_all_its_cells(void **state)
{
    struct fixture *f = *state;
    const struct osw_plan_bundle *b;

    add(f, NULL, "((T([2], f32),), {})", "")->count = 9;
    add(f, &scale, SMALL, "")->why_not = "too many arguments";
    add(f, &scale, "((T([4], c32), 2.0), {})", "normal");
    add(f, &bare, SMALL, "normal");
    b = plan(f);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(b[i].n_run, 0);
        assert_int_equal(b[i].check, OSW_CHECK_NONE);
    }
    assert_string_equal(b[0].reasons[0], "no folder of this op");
    assert_string_equal(b[0].impls[0], "");
    assert_string_equal(b[0].op_name, "aten.nobody.default");
    assert_int_equal(b[0].count, 9);
    assert_null(b[0].op);
    assert_int_equal(b[1].n_cells, 3);
    assert_string_equal(b[1].reasons[0], "too many arguments");
    assert_string_equal(b[2].reasons[1], "no op runs on c32");
    assert_string_equal(b[3].reasons[0], "no implementation for this device");
    assert_string_equal(b[3].impls[0], "");
}

/* 1 GiB in, out twice, and 2^28 doubles and norms: 1 + 2 + 4 GiB. */
static void memory_over_the_budget_is_said_in_words(void **state)
{
    struct fixture *f = *state;

    add(f, &scale, "((T([1024, 1024, 256], f32), 2.0), {})", "normal");
    f->c.max_bytes = UINT64_C(7) << 30;
    assert_int_equal(plan(f)->n_run, 3);
    f->c.max_bytes = UINT64_C(1) << 30;
    assert_int_equal(plan(f)->n_run, 0);
    assert_string_equal(
        plan(f)->reasons[0],
        "over memory budget: 7.0 GiB, limit 1.0 GiB (--max-bytes)");
    assert_int_equal(plan(f)->memory_bytes, UINT64_C(7) << 30);
}

#define LARGE "((T([4096, 4096], f32), T([4096, 4096], f32)), {})"

/* 137 G operations: minutes in a reference, seconds by random vectors. */
static void a_large_product_is_checked_on_small_integers(void **state)
{
    struct fixture *f = *state;
    const struct osw_plan_bundle *b;

    add(f, &mm, LARGE, "normal,normal");
    b = plan(f);
    assert_int_equal(b->check, OSW_CHECK_FULL);
    assert_string_equal(b->fill, "normal,normal");
    f->c.max_work_s = 50;
    b = plan(f);
    assert_int_equal(b->n_run, 1);
    assert_int_equal(b->check, OSW_CHECK_FREIVALDS);
    assert_string_equal(b->fill, "smallint(1),smallint(1)");
    assert_int_equal(b->memory_bytes, 4 * (UINT64_C(64) << 20));
    assert_true(b->flops == 2.0 * 4096 * 4096 * 4096);
    f->c.max_work_s = 0.5;
    b = plan(f);
    assert_int_equal(b->n_run, 0);
    assert_memory_equal(b->reasons[0], "over work budget: predicted ", 28);
    assert_non_null(strstr(b->reasons[0], " s, limit 0.5 s (--max-work)"));
}

static void only_the_products_own_tensors_get_small_integers(void **state)
{
    struct fixture *f = *state;

    add(f, &mm,
        "((T([4096, 4096], f32), T([4096, 4096], f32), T([4096], f32), "
        "T([3], i64)), {})",
        "normal,normal,normal,index(3)");
    f->c.max_work_s = 50;
    assert_string_equal(plan(f)->fill,
                        "smallint(1),smallint(1),smallint(1),index(3)");
}

static void fills_that_were_given_are_kept(void **state)
{
    struct fixture *f = *state;

    add(f, &mm, LARGE, "uniform,normal");
    f->c.max_work_s = 50;
    f->c.fill = "uniform,normal";
    assert_int_equal(plan(f)->n_run, 0);
    assert_string_equal(plan(f)->fill, "uniform,normal");
    /* The very fills that the check needs: the cell can be run again. */
    f->items[0].fill = f->c.fill = "smallint(1),smallint(1)";
    assert_int_equal(plan(f)->check, OSW_CHECK_FREIVALDS);
}

static void what_is_no_product_is_not_checked_as_one(void **state)
{
    struct fixture *f = *state;

    add(f, &scale, "((T([65536, 65536], f32), 2.0), {})", "normal");
    f->c.max_work_s = 1;
    assert_int_equal(plan(f)->n_run, 0);
    assert_string_equal(plan(f)->fill, "normal");
}

static void an_expression_that_does_not_fit_skips_the_case(void **state)
{
    struct fixture *f = *state;

    add(f, &mm, "((T([4], f32), 3), {})", "normal");
    assert_int_equal(plan(f)->n_run, 0);
    assert_memory_equal(plan(f)->reasons[0], "op.json: key 'numel'", 20);
}

static void timings_are_wanted_where_item_and_profile_want_them(void **state)
{
    struct fixture *f = *state;

    add(f, &scale, SMALL, "normal")->performance = true;
    add(f, &scale, "((T([8], f16), 2.0), {})", "normal");
    assert_true(plan(f)[0].time);
    assert_false(plan(f)[1].time);
    f->c.profile = "correct";
    assert_false(plan(f)[0].time);
}

static void filters_choose_implementations(void **state)
{
    static const struct {
        const char *impls[2];
        size_t n;
        const char *want;
    } rows[] = {
        {{"fast"}, 1, "fast "},
        {{"scale__fast"}, 1, "fast "},
        {{"!fast"}, 1, "blocked device "},
        {{"*e", "!blocked"}, 2, "device "},
    };
    struct fixture *f = *state;

    add(f, &scale, SMALL, "normal");
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_plan_bundle *b;
        char got[64] = "";

        f->c.impls = rows[i].impls;
        f->c.n_impls = rows[i].n;
        b = plan(f);
        for (uint32_t k = 0; k < b->n_cells; k++)
            strcat(strcat(got, b->impls[k]), " ");
        assert_string_equal(got, rows[i].want);
    }
}

/* Of three cases with three implementations: a cell of two of them. */
static void cells_are_chosen_by_their_keys(void **state)
{
    struct fixture *f = *state;
    const struct osw_plan_bundle *b;
    uint64_t keys[2];

    add(f, &scale, SMALL, "normal");
    add(f, &scale, "((T([8], f16), 2.0), {})", "normal");
    add(f, &scale, "((T([9], f16), 2.0), {})", "normal");
    b = plan(f);
    assert_int_equal(f->plan.n_cells, 9);
    keys[0] = b[0].cell_keys[2]; /* fast */
    keys[1] = b[2].cell_keys[1]; /* device */
    if (keys[0] > keys[1]) {
        uint64_t swap = keys[0];

        keys[0] = keys[1];
        keys[1] = swap;
    }
    f->c.cells = keys;
    f->c.n_cells = 2;
    b = plan(f);
    assert_int_equal(f->plan.n_bundles, 2);
    assert_int_equal(f->plan.n_cells, 2);
    assert_int_equal(f->plan.n_run, 2);
    assert_string_equal(b[0].case_text, SMALL);
    assert_string_equal(b[0].impls[0], "fast");
    assert_int_equal(b[0].n_run, 1);
    assert_string_equal(b[1].impls[0], "device");
    assert_int_equal(b[1].first_cell, 1);
    assert_int_equal(b[1].n_run, 1);
    keys[1] = UINT64_MAX;
    assert_int_equal(try_plan(f), -1);
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(f->err.text, "no cell 0xffffffffffffffff"));
}

static void an_op_without_wanted_implementations_is_not_planned(void **state)
{
    const char *const only = "fast";
    struct fixture *f = *state;

    add(f, &mm, "((T([2, 2], f32), T([2, 2], f32)), {})", "normal,normal");
    add(f, &scale, SMALL, "normal");
    f->c.impls = &only;
    f->c.n_impls = 1;
    plan(f);
    assert_int_equal(f->plan.n_bundles, 1);
    assert_string_equal(f->plan.bundles[0].op_name, "scale.default");
}

static void names_that_nobody_has_are_errors(void **state)
{
    const char *const typo = "fats";
    struct fixture *f = *state;

    add(f, &scale, SMALL, "normal");
    f->c.impls = &typo;
    f->c.n_impls = 1;
    assert_int_equal(try_plan(f), -1);
    assert_string_equal(f->err.text,
                        "option '--impls': no chosen op has an implementation "
                        "'fats' (did you mean 'fast'?)");
    f->c.n_impls = 0;
    f->c.baseline = "blocks";
    assert_int_equal(try_plan(f), -1);
    assert_string_equal(
        f->err.text, "option '--baseline': no chosen op has an implementation "
                     "'blocks' (did you mean 'blocked'?)");
}

static void the_baseline_is_the_campaigns_then_the_ops(void **state)
{
    struct fixture *f = *state;

    add(f, &mm, "((T([2, 2], f32), T([2, 2], f32)), {})", "normal,normal");
    add(f, &scale, SMALL, "normal");
    assert_string_equal(plan(f)[0].baselines, "");
    assert_string_equal(plan(f)[1].baselines, "fast");
    f->c.baseline = "blocked"; /* mm has no other */
    assert_string_equal(plan(f)[1].baselines, "blocked,fast");
    f->c.baseline = "device";
    assert_string_equal(plan(f)[1].baselines, "device,fast");
    f->c.baseline = "reference";
    assert_int_equal(try_plan(f), -1);
    assert_non_null(strstr(f->err.text, "the reference is an oracle"));
}

static void the_digest_is_of_everything_that_was_decided(void **state)
{
    struct fixture *f = *state;
    char first[65];

    add(f, &scale, SMALL, "normal");
    plan(f);
    strcpy(first, f->plan.digest);
    assert_int_equal(strlen(first), 64);
    plan(f);
    assert_string_equal(f->plan.digest, first);
    f->items[0].fill = "uniform";
    plan(f);
    assert_string_not_equal(f->plan.digest, first);
    f->items[0].fill = "normal";
    f->items[0].performance = true;
    plan(f);
    assert_string_not_equal(f->plan.digest, first);
    f->items[0].performance = false;
    f->c.max_bytes = 1;
    plan(f);
    assert_string_not_equal(f->plan.digest, first);
}

static void nothing_to_judge_is_an_outcome_of_its_own(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(try_plan(f), -1);
    assert_int_equal(f->err.status, OSW_NOTHING);
}

static void a_dispatch_holds_the_cells_that_run(void **state)
{
    struct fixture *f = *state;
    struct osw_bundle b;

    add(f, &mm, "((T([2, 2], f32), T([2, 2], f32)), {})", "normal,normal");
    add(f, &scale, SMALL, "normal")->performance = true;
    b = osw_plan_dispatch(&plan(f)[1], "cpu");
    assert_int_equal(b.first_cell, 1);
    assert_int_equal(b.attempt, 1);
    assert_string_equal(b.op_dir, "/ops/scale");
    assert_string_equal(b.case_text, SMALL);
    assert_string_equal(b.fill, "normal");
    assert_string_equal(b.baselines, "fast");
    assert_int_equal(b.check, OSW_CHECK_FULL);
    assert_true(b.time);
    assert_true(b.flops == 4 && b.bytes == 16 && b.cost_ns > 0);
    assert_int_equal(b.n_impls, 3);
    assert_string_equal(b.impls[2], "fast");
    assert_true(b.cell_keys == f->plan.bundles[1].cell_keys);
}

/* What cases have in common is there once; a plan may have 10^8 of them. */
static void bundles_of_an_op_share_what_is_the_same(void **state)
{
    struct fixture *f = *state;
    const struct osw_plan_bundle *b;

    add(f, &scale, SMALL, "normal");
    add(f, &scale, "((T([5], f16), 2.0), {})", "normal");
    add(f, &scale, "((T([6], f16), 2.0), {})", "zeros");
    f->c.max_bytes = 20; /* the third is too large */
    b = plan(f);
    assert_int_equal(f->plan.n_bundles, 3);
    assert_ptr_equal(b[0].impls, b[1].impls);
    assert_ptr_equal(b[1].impls, b[2].impls);
    assert_ptr_equal(b[0].fill, b[1].fill);
    assert_string_equal(b[2].fill, "zeros");
    assert_ptr_equal(b[0].baselines, b[2].baselines);
    assert_true(b[0].cell_keys + b[0].n_cells == b[1].cell_keys);
    for (size_t i = 0; i < 3; i++)
        for (uint32_t k = 1; k < b[i].n_run; k++)
            assert_string_equal(b[i].reasons[k], "");
    for (uint32_t k = 1; k < b[2].n_cells; k++)
        if (strcmp(b[2].reasons[k], b[2].reasons[k - 1]) == 0)
            assert_ptr_equal(b[2].reasons[k], b[2].reasons[k - 1]);
}

static void every_allocation_failure_is_reported(void **state)
{
    struct fixture *f = *state;
    int failures = 0;

    f->c.suite = "custom_ops";
    f->c.backend = "directory";
    f->c.custom_ops_root = "tests/data/ops/good";
    f->c.kernels_dir = "tests/fixtures/kernels";
    for (bool struck = true; struck; failures++) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_arena_t *arena = osw_arena_create();
        struct osw_backend_ops ops;
        struct osw_plan made;
        int rc;

        chaos_arm(failures);
        rc = osw_plan_load(arena, &f->c, &ops, &made, &err);
        struck = chaos_struck();
        osw_arena_destroy(arena);
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
    }
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(a_bundle_has_a_cell_per_implementation),
        T(cell_keys_are_those_of_their_parts),
        T(each_world_of_an_op_is_a_bundle),
        T(cells_are_numbered_without_gaps_and_totals_add_up),
        T(what_cannot_run_is_one_reason_for_all_its_cells),
        T(memory_over_the_budget_is_said_in_words),
        T(a_large_product_is_checked_on_small_integers),
        T(only_the_products_own_tensors_get_small_integers),
        T(fills_that_were_given_are_kept),
        T(what_is_no_product_is_not_checked_as_one),
        T(an_expression_that_does_not_fit_skips_the_case),
        T(timings_are_wanted_where_item_and_profile_want_them),
        T(filters_choose_implementations),
        T(cells_are_chosen_by_their_keys),
        T(an_op_without_wanted_implementations_is_not_planned),
        T(bundles_of_an_op_share_what_is_the_same),
        T(names_that_nobody_has_are_errors),
        T(the_baseline_is_the_campaigns_then_the_ops),
        T(the_digest_is_of_everything_that_was_decided),
        T(nothing_to_judge_is_an_outcome_of_its_own),
        T(a_dispatch_holds_the_cells_that_run),
        T(every_allocation_failure_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("mpi_runner/plan", tests, NULL, NULL);
}
