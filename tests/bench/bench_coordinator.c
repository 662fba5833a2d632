/* tests/bench/bench_coordinator.c - what the coordinator costs a cell
 *
 * The real coordinator and scheduler, with GPU workers that answer at once and
 * are no processes (crowd.h).  Time spent in their transport is taken off.
 *
 *     bench_coordinator [CELLS [RANKS...]]
 */
#include <inttypes.h>

#include "common/log.h"
#include "tests/unit/mpi_runner/crowd.h"

enum {
    CELLS = 400000, /* of a campaign */
    MAX_RANKS = 1 << 20,
    OBJECTS = 8, /* that each node gets */
    OBJECT_BYTES = 64 << 10,
};
#define HELD_NS INT64_C(3000000000)

/* Returns ns of the coordinator itself. */
static int64_t run(struct crowd *c, uint64_t n_cells)
{
    const struct osw_coordinator_config config = make_config("cuda");
    struct osw_plan plan = make_plan(n_cells, MAX_IMPLS, BUNDLE_NS);
    struct osw_error err = OSW_ERROR_INIT;
    int64_t t0 = osw_clock_ns();
    struct osw_outcome out;

    if (osw_coordinator_run(&plan, &c->base, &config, &no_sink, NULL, &out,
                            &err) < 0)
        die("campaign", &err);
    t0 = osw_clock_ns() - t0 - c->ns;
    if (out.totals.n_group[OSW_GROUP_PASS] != plan.n_cells || out.n_lost) {
        osw_fail(&err, OSW_FAILED, "%" PRIu64 " of %" PRIu64 " cells pass",
                 out.totals.n_group[OSW_GROUP_PASS], plan.n_cells);
        die("campaign", &err);
    }
    free((void *)plan.bundles);
    return t0;
}

/* Start and end of the ranks cost something too: less a campaign of a cell. */
static void print_costs(uint64_t n_cells, int n_ranks)
{
    struct crowd *one = gather(n_ranks, 0), *all = gather(n_ranks, 0),
                 *idle = gather(n_ranks, HELD_NS), *code = gather(n_ranks, 0);
    int64_t start = run(one, 1), ns = run(all, n_cells), wall, held, sent;

    code->n_objects = OBJECTS;
    code->object_bytes = OBJECT_BYTES;
    sent = run(code, 1) - start;
    wall = osw_clock_ns();
    held = run(idle, 1);
    wall = osw_clock_ns() - wall;
    printf("%7d GPU ranks: start %8.3f s, %8.2f us a cell, %5.1f frames a "
           "cell; %5.1f %% of a core while one of them works\n",
           n_ranks, (double)start * 1e-9,
           (double)(ns - start) * 1e-3 / (double)n_cells,
           (double)(all->n_frames - one->n_frames) / (double)n_cells,
           100 * (double)(held - start) / (double)wall);
    printf("%7d GPU ranks, %d objects of %d KiB for each node: %6.3f s, %5.2f "
           "GB/s\n",
           n_ranks, OBJECTS, OBJECT_BYTES >> 10, (double)sent * 1e-9,
           (double)code->n_whole * OBJECT_BYTES / (double)sent);
    fflush(stdout);
    part(one);
    part(all);
    part(idle);
    part(code);
}

int main(int argc, char **argv)
{
    static const char *const standard[] = {"1024", "16384", "100000"};
    uint64_t n_cells = argc > 1 ? strtoull(argv[1], NULL, 10) : CELLS;
    int n = argc > 2 ? argc - 2 : 3;

    osw_log_set(OSW_LOG_ERROR, "bench_coordinator");
    for (int i = 0; i < n; i++) {
        long ranks = strtol(argc > 2 ? argv[2 + i] : standard[i], NULL, 10);

        if (ranks < 1 || ranks > MAX_RANKS || n_cells < 1) {
            fprintf(stderr, "usage: bench_coordinator [CELLS [RANKS...]]\n");
            return 2;
        }
        print_costs(n_cells, (int)ranks);
    }
    return 0;
}
