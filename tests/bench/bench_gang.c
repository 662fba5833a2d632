/* tests/bench/bench_gang.c - what members of a gang tell each other, over MPI
 *
 * The real coordinator and worker loop under mpirun; each member of one gang
 * says 8 bytes and gets those of all, again and again.  Exit code 1: a member
 * got something else.
 *
 *     bench_gang [WORLD [EXCHANGES]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "mpi_runner/ranks/broadcast.h"
#include "mpi_runner/ranks/worker_loop.h"
#include "tests/unit/mpi_runner/empty_campaign.h"

static uint64_t n_exchanges = 2000;

/* --- a judge that only talks --- */

static void *talker_open(const struct osw_worker_config *config,
                         struct osw_error *err)
{
    static int rank;

    (void)err;
    rank = config->rank;
    snprintf(config->info->name, sizeof(config->info->name), "none");
    return &rank;
}

static void talker_close(void *judge)
{
    (void)judge;
}

static int talk_once(const struct osw_gang *g, uint64_t i,
                     struct osw_error *err)
{
    uint64_t mine = i << 32 | g->rank, all[OSW_GANG_MAX];
    int64_t deadline_ns = osw_clock_ns() + INT64_C(10000000000);

    if (g->exchange(g->arg, &mine, sizeof(mine), all, deadline_ns, err) < 0)
        return -1;
    for (uint32_t r = 0; r < g->size; r++)
        if (all[r] != (i << 32 | r))
            return osw_fail(err, OSW_PROTOCOL,
                            "rank %" PRIu32 " said %" PRIx64
                            " in exchange %" PRIu64,
                            r, all[r], i);
    return 0;
}

static int talker_run(void *judge, const struct osw_bundle *b, uint32_t n,
                      void (*emit)(void *arg, const struct osw_record *record),
                      void *arg, struct osw_error *err)
{
    int64_t start = osw_clock_ns();
    struct osw_record r;

    (void)n;
    if (!b->gang)
        return osw_fail(err, OSW_INTERNAL, "a bundle without a gang");
    for (uint64_t i = 0; i < n_exchanges; i++)
        if (talk_once(b->gang, i, err) < 0)
            return -1;
    if (b->gang->rank == 0)
        printf("%-44s %10.1f  us each, of %" PRIu64 "\n",
               "exchanges of 8 bytes over MPI",
               (double)(osw_clock_ns() - start) * 1e-3 / (double)n_exchanges,
               n_exchanges);
    fflush(stdout);
    osw_record_init(&r);
    r.status_id = OSW_STATE_PASS;
    r.rank = *(const int *)judge;
    r.attempt = b->attempt;
    r.cell = b->first_cell;
    r.cell_key = b->cell_keys[0];
    emit(arg, &r);
    return 0;
}

static const struct osw_worker_ops talker_ops = {
    .open = talker_open, .close = talker_close, .run = talker_run};

/* --- ranks --- */

static void coordinate(struct osw_transport *t)
{
    const struct osw_op op = {.dir = "ops/none", .world = t->size - 1};
    const struct osw_coordinator_config config = make_config("cpu");
    struct osw_plan plan = make_plan(1, 1, 1000);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_outcome out;

    plan.bundles[0].op = &op;
    if (osw_coordinator_run(&plan, t, &config, &no_sink, NULL, &out, &err) < 0)
        die("coordinator", &err);
    if (!out.lost)
        osw_broadcast_end(t);
    if (out.totals.n_group[OSW_GROUP_PASS] != 1) {
        osw_fail(&err, OSW_FAILED, "the cell did not pass");
        die("coordinator", &err);
    }
    free(plan.bundles);
}

/* One rank: `bench_gang rank EXCHANGES`. */
static int be_rank(const char *exchanges)
{
    const struct osw_worker_life life = {.n_stop = NULL};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_transport *t, *other;
    bool lost = false;

    n_exchanges = strtoull(exchanges, NULL, 10);
    if (osw_transport_open_mpi(&t, &other, &err) < 0)
        die("transport", &err);
    if (t->rank == 0)
        coordinate(t);
    else if (osw_worker_loop_run(t, &talker_ops, &life, &lost, &err) < 0)
        die("worker", &err);
    t->ops->close(t, lost, 0);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned long world = argc > 1 ? strtoul(argv[1], NULL, 10) : 2;
    char command[4096];

    if (argc == 3 && strcmp(argv[1], "rank") == 0)
        return be_rank(argv[2]);
    if (argc > 2)
        n_exchanges = strtoull(argv[2], NULL, 10);
    if (argc > 3 || world < 2 || world > OSW_GANG_MAX || n_exchanges == 0) {
        fprintf(stderr, "usage: bench_gang [WORLD (2 to %d) [EXCHANGES]]\n",
                OSW_GANG_MAX);
        return 2;
    }
    snprintf(command, sizeof(command),
             "mpirun --allow-run-as-root --oversubscribe --bind-to none -n %lu "
             "'%s' rank %" PRIu64,
             world + 1, argv[0], n_exchanges);
    return system(command) == 0 ? 0 : 1;
}
