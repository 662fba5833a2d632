/* test_ledger.c - every planned cell ends in exactly one state */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "mpi_runner/ranks/ledger.h"

/* Two bundles of three cells; of the first, two run, of the second none. */
static const char *const impls[] = {"plain", "fast", "odd"};
static const uint64_t keys[] = {7, 8, 9};
static const char *const some[] = {"", "", "too large"};
static const char *const all[] = {"no op", "no op", "no op"};
static struct osw_plan_bundle bundles[] = {
    {.op_name = "aten.mm.default",
     .case_text = "case 1",
     .fill = "normal",
     .dtype = "f32",
     .flops = 24,
     .bytes = 48,
     .memory_bytes = 100,
     .n_cells = 3,
     .n_run = 2,
     .impls = impls,
     .cell_keys = keys,
     .reasons = some},
    {.op_name = "aten.odd.default",
     .case_text = "case 2",
     .fill = "",
     .dtype = "",
     .first_cell = 3,
     .n_cells = 3,
     .impls = impls,
     .cell_keys = keys,
     .reasons = all},
};
static const struct osw_plan plan = {
    .n_bundles = 2, .bundles = bundles, .n_cells = 6, .n_run = 2};

struct seen {
    int n;
    struct osw_record last;
    char text[200];
};

static int see_result(void *sink, const struct osw_record *record,
                      const struct osw_cell_names *names, struct osw_error *err)
{
    struct seen *s = sink;

    (void)err;
    s->n++;
    s->last = *record;
    snprintf(s->text, sizeof(s->text), "%s %s %s %s %s %s %s: %s", names->op,
             names->impl, names->case_text, names->dtype, names->fill,
             names->host, names->device, record->reason);
    return 0;
}

static const struct osw_sink_ops sink_ops = {.result = see_result};

static const struct osw_place here = {"node1", "EPYC"};

static struct osw_record passed(void)
{
    struct osw_record r;

    osw_record_init(&r);
    r.status_id = OSW_STATE_PASS;
    r.rank = 1;
    r.attempt = 1;
    return r;
}

static void records_are_completed_from_the_plan(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct seen seen = {0};
    osw_ledger_t *l = osw_ledger_create(&plan, &sink_ops, &seen);
    struct osw_record r = passed();

    (void)state;
    assert_non_null(l);
    r.cell = 999; /* a worker may be wrong: the plan is not */
    assert_int_equal(osw_ledger_add(l, 0, 1, &r, here, &err), 0);
    assert_int_equal(seen.last.cell, 1);
    assert_int_equal(seen.last.cell_key, 8);
    assert_int_equal(seen.last.memory_bytes, 100);
    assert_string_equal(seen.text, "aten.mm.default fast case 1 f32 normal "
                                   "node1 EPYC: ");
    osw_ledger_destroy(l);
}

static void skipped_cells_are_recorded_with_their_reason(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct seen seen = {0};
    osw_ledger_t *l = osw_ledger_create(&plan, &sink_ops, &seen);
    const struct osw_totals *t;

    (void)state;
    assert_non_null(l);
    assert_int_equal(osw_ledger_add_skipped(l, &err), 0);
    assert_int_equal(seen.n, 4);
    assert_int_equal(seen.last.cell, 5);
    assert_int_equal(seen.last.status_id, OSW_STATE_SKIPPED);
    assert_int_equal(seen.last.phase_id, OSW_PHASE_PLAN);
    assert_int_equal(seen.last.rank, -1);
    assert_string_equal(seen.text, "aten.odd.default odd case 2    : no op");
    t = osw_ledger_totals(l);
    assert_int_equal(t->n_planned, 6);
    assert_int_equal(t->n_recorded, 4);
    assert_int_equal(t->n_state[OSW_STATE_SKIPPED], 4);
    assert_int_equal(t->n_group[OSW_GROUP_NOT_JUDGED], 4);
    osw_ledger_destroy(l);
}

static void a_second_record_for_a_cell_is_refused(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct seen seen = {0};
    osw_ledger_t *l = osw_ledger_create(&plan, &sink_ops, &seen);
    struct osw_record r = passed();

    (void)state;
    assert_non_null(l);
    assert_int_equal(osw_ledger_add(l, 0, 1, &r, here, &err), 0);
    r.status_id = OSW_STATE_VALUE;
    assert_int_equal(osw_ledger_add(l, 0, 1, &r, here, &err), -1);
    assert_int_equal(err.status, OSW_INTERNAL);
    assert_string_equal(err.text, "cell 1 is 'pass' and cannot become 'value'");
    assert_int_equal(seen.n, 1);
    osw_ledger_destroy(l);
}

static void the_accounts_hold_or_name_the_difference(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct seen seen = {0};
    osw_ledger_t *l = osw_ledger_create(&plan, &sink_ops, &seen);
    struct osw_record r = passed();

    (void)state;
    assert_non_null(l);
    assert_int_equal(osw_ledger_check(l, 6, &err), 0);
    assert_int_equal(osw_ledger_add_skipped(l, &err), 0);
    assert_int_equal(osw_ledger_add(l, 0, 0, &r, here, &err), 0);
    assert_int_equal(osw_ledger_check(l, 1, &err), 0);
    assert_int_equal(osw_ledger_check(l, 0, &err), -1);
    assert_int_equal(err.status, OSW_INTERNAL);
    assert_string_equal(err.text, "accounting: 5 cells recorded and 0 open, "
                                  "but 6 planned");
    osw_ledger_destroy(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_completed_from_the_plan),
        cmocka_unit_test(skipped_cells_are_recorded_with_their_reason),
        cmocka_unit_test(a_second_record_for_a_cell_is_refused),
        cmocka_unit_test(the_accounts_hold_or_name_the_difference),
    };

    return cmocka_run_group_tests_name("mpi_runner/ledger", tests, NULL, NULL);
}
