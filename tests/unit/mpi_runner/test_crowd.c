/* tests/unit/mpi_runner/test_crowd.c - a coordinator with many ranks on many
 * nodes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/log.h"
#include "tests/unit/chaos.h"
#include "tests/unit/mpi_runner/crowd.h"

enum { N_RANKS = 203, N_CELLS = 8000 };

static int run_as(const struct osw_coordinator_config *config, struct crowd *c,
                  struct osw_outcome *out, struct osw_error *err)
{
    struct osw_plan plan = make_plan(N_CELLS, MAX_IMPLS, BUNDLE_NS);
    int rc;

    rc = osw_coordinator_run(&plan, &c->base, config, &no_sink, NULL, out, err);
    free((void *)plan.bundles);
    return rc;
}

static int run(struct crowd *c, struct osw_outcome *out, struct osw_error *err)
{
    const struct osw_coordinator_config config = make_config("cuda");

    return run_as(&config, c, out, err);
}

static void every_rank_works_and_is_told_what_is_on_disk(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct crowd *c = gather(N_RANKS, 0);
    struct osw_outcome out;

    (void)state;
    commits = true;
    assert_int_equal(run(c, &out, &err), 0);
    commits = false;
    assert_int_equal(out.totals.n_group[OSW_GROUP_PASS], N_CELLS);
    assert_int_equal(out.n_workers, N_RANKS);
    assert_int_equal(out.n_lost, 0);
    for (int r = 1; r <= N_RANKS; r++) {
        assert_true(c->workers[r].n_results > 0);
        assert_true(c->workers[r].n_acked == c->workers[r].n_results);
    }
    part(c);
}

/* Beside the bundles. */
static void code_reaches_every_node_once(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct crowd *c = gather(N_RANKS, 0);
    const uint64_t n_nodes = (N_RANKS + ON_NODE - 1) / ON_NODE;
    struct osw_outcome out;

    (void)state;
    c->n_objects = 12;
    c->object_bytes = 5 * OSW_MSG_MAX_CHUNK + 1;
    assert_int_equal(run(c, &out, &err), 0);
    assert_int_equal(out.totals.n_group[OSW_GROUP_PASS], N_CELLS);
    assert_int_equal(c->n_made, 12);
    assert_int_equal(c->n_whole, 12 * (n_nodes - 1));
    assert_int_equal(c->n_others, 0);
    part(c);
}

/* Two of its ranks may have found one GPU: that is known once all have said.
 */
static void a_node_waits_for_the_last_of_its_ranks(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct crowd *c = gather(N_RANKS, 0);
    struct osw_outcome out;

    (void)state;
    c->late = 3 * ON_NODE + 5;
    c->late_ns = 60000000;
    assert_int_equal(run(c, &out, &err), 0);
    assert_int_equal(out.totals.n_group[OSW_GROUP_PASS], N_CELLS);
    assert_int_equal(c->n_early, 0);
    part(c);
}

static void two_ranks_of_a_node_on_one_gpu_end_the_campaign(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct crowd *c = gather(N_RANKS, 0);
    struct osw_outcome out;

    (void)state;
    c->twin = 2 * ON_NODE + 1;
    assert_int_equal(run(c, &out, &err), -1);
    assert_non_null(strstr(
        err.text, "ranks 17 and 18 on node2 both found GPU GPU-00000012"));
    assert_non_null(strstr(err.text, "srun without --gpu-bind"));
    part(c);
}

/* The last rank of one node and the first of the next. */
static void two_nodes_may_name_a_gpu_alike(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct crowd *c = gather(N_RANKS, 0);
    struct osw_outcome out;

    (void)state;
    c->twin = 2 * ON_NODE;
    assert_int_equal(run(c, &out, &err), 0);
    assert_int_equal(out.totals.n_group[OSW_GROUP_PASS], N_CELLS);
    part(c);
}

/* What it holds is judged elsewhere, and it is not waited for. */
static void a_late_rank_is_helped_from_another_node(void **state)
{
    struct osw_coordinator_config config = make_config("cuda");
    struct osw_error err = OSW_ERROR_INIT;
    struct crowd *c = gather(N_RANKS, 0);
    struct osw_outcome out;

    (void)state;
    config.max_ahead = 1;
    config.late_times = 1;
    config.late_ns = 1000000;
    config.overtaken_ns = 20000000;
    c->hung = 2 * ON_NODE + 3;
    assert_int_equal(run_as(&config, c, &out, &err), 0);
    assert_int_equal(out.totals.n_group[OSW_GROUP_PASS], N_CELLS);
    assert_true(out.n_judged == N_CELLS && out.n_stale == 0);
    assert_int_not_equal(c->helper, 0);
    assert_int_not_equal((c->helper - 1) / ON_NODE, (c->hung - 1) / ON_NODE);
    assert_int_equal(out.n_lost, 0);
    assert_true(out.lost); /* MPI must not be finalized */
    part(c);
}

/* One bundle, for all ranks together. */
static int run_gang(struct crowd *c, struct osw_outcome *out)
{
    const struct osw_op op = {.dir = "ops/all_reduce",
                              .world = c->base.size - 1};
    struct osw_coordinator_config config = make_config("cpu");
    struct osw_plan plan = make_plan(1, 1, BUNDLE_NS);
    struct osw_plan_bundle bundle = plan.bundles[0];
    struct osw_error err = OSW_ERROR_INIT;

    free((void *)plan.bundles);
    bundle.op = &op;
    plan.bundles = &bundle;
    config.n_stop = &c->n_cut;
    return osw_coordinator_run(&plan, &c->base, &config, &no_sink, NULL, out,
                               &err);
}

/* While something is sent to all, and the others of its gang had theirs. */
static void the_others_hear_of_a_member_that_is_cut_off(void **state)
{
    struct crowd *c = gather(ON_NODE, 0);
    struct osw_outcome out;

    (void)state;
    c->cut = ON_NODE;
    assert_int_equal(run_gang(c, &out), 0);
    assert_int_equal(out.n_lost, 1);
    for (int r = 1; r < ON_NODE; r++)
        assert_int_equal(c->workers[r].n_broken, 1);
    part(c);
}

static int n_spared; /* allocations, before one fails */

static void fail_an_allocation(void)
{
    chaos_arm(n_spared);
}

/* Then its gang is over, in the middle of what all of it are told; a sanitizer
 * sees whether it is looked at any more.
 */
static void a_member_without_memory_for_its_mail_ends_its_gang(void **state)
{
    (void)state;
    for (n_spared = 0; n_spared < OSW_GANG_MAX; n_spared += 9) {
        struct crowd *c = gather(OSW_GANG_MAX, 0);
        struct osw_outcome out;

        c->all_said = fail_an_allocation;
        assert_int_equal(run_gang(c, &out), 0);
        assert_true(chaos_struck());
        assert_int_equal(out.n_lost, 1);
        for (int r = 1; r <= OSW_GANG_MAX; r++)
            assert_int_equal(c->workers[r].n_late, 0);
        part(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rank_works_and_is_told_what_is_on_disk),
        cmocka_unit_test(code_reaches_every_node_once),
        cmocka_unit_test(a_node_waits_for_the_last_of_its_ranks),
        cmocka_unit_test(two_ranks_of_a_node_on_one_gpu_end_the_campaign),
        cmocka_unit_test(two_nodes_may_name_a_gpu_alike),
        cmocka_unit_test(a_late_rank_is_helped_from_another_node),
        cmocka_unit_test(the_others_hear_of_a_member_that_is_cut_off),
        cmocka_unit_test(a_member_without_memory_for_its_mail_ends_its_gang),
    };

    osw_log_set(OSW_LOG_ERROR, "test_crowd");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
