/* tests/simulate/main.c - `simulate`: a campaign on a cluster that is not there
 *
 *     build/tests/simulate/simulate --ranks 16384 --cells 10000000 --lost 1
 *
 * Coordinator, scheduler, ledger and messages are the real ones; ranks,
 * network, durations, failures and time are made up, by a seed.  Exit code 1: a
 * cell was lost, judged or recorded twice, or not acknowledged.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "common/cli/cli.h"
#include "common/log.h"
#include "mpi_runner/ranks/coordinator.h"
#include "tests/simulate/clock.h"
#include "tests/simulate/side.h"
#include "tests/simulate/sim.h"

enum { MAX_RANKS = 1 << 20, MAX_BUNDLE = OSW_MSG_MAX_CELLS };
#define MAX_CELLS UINT64_C(1000000000)

static const struct sim_options defaults = {.ranks = 64,
                                            .cells = 20000,
                                            .seed = 1,
                                            .pause_s = 60,
                                            .slow_times = 10,
                                            .cell_ms = 500,
                                            .impls = 4,
                                            .error = 0.7,
                                            .latency_us = 50,
                                            .jitter_us = 50,
                                            .frame_us = 2,
                                            .silence_s = 30};

static const char *const faults[] = {
    "none",        "lose-result", "twice-result", "lose-ack", "twice-bundle",
    "forget-cell", "twice-twin",  "wrong-part",   NULL};

#define AT(field) offsetof(struct sim_options, field)
/* clang-format off */
static const struct osw_opt options[] = {
    { "ranks", OSW_OPT_U64, AT(ranks), "workers, 8 a node", .value = "N" },
    { "cells", OSW_OPT_U64, AT(cells), "cells of the campaign", .value = "N" },
    { "seed", OSW_OPT_U64, AT(seed), "of everything that is random",
      .value = "N" },
    { "lost", OSW_OPT_F64, AT(lost), "ranks that die, percent an hour",
      .value = "PERCENT" },
    { "lost-nodes", OSW_OPT_F64, AT(lost_nodes),
      "nodes that die, percent an hour", .value = "PERCENT" },
    { "paused", OSW_OPT_F64, AT(paused),
      "ranks that are stopped for a while, percent an hour",
      .value = "PERCENT" },
    { "pause", OSW_OPT_F64, AT(pause_s), "how long they are stopped",
      .value = "SECONDS" },
    { "slow", OSW_OPT_F64, AT(slow), "ranks that are slow, percent",
      .value = "PERCENT" },
    { "slow-times", OSW_OPT_F64, AT(slow_times), "how much slower they are",
      .value = "X" },
    { "no-twins", OSW_OPT_FLAG, AT(no_twins),
      "no second copies of late bundles at the end [no]" },
    { "gangs", OSW_OPT_F64, AT(gangs),
      "ops whose cells 2, 4 or 8 ranks of a node judge together, percent",
      .value = "PERCENT" },
    { "from", OSW_OPT_STR, AT(from),
      "draw bundles from this result file [made up, with a heavy tail]",
      .value = "FILE" },
    { "cell-ms", OSW_OPT_F64, AT(cell_ms), "mean time of a made-up cell",
      .value = "MS" },
    { "impls", OSW_OPT_U64, AT(impls), "cells of a made-up bundle",
      .value = "N" },
    { "error", OSW_OPT_F64, AT(error),
      "deviation of the logarithm of predicted over real cost",
      .value = "X" },
    { "latency-us", OSW_OPT_F64, AT(latency_us), "least time of a message",
      .value = "US" },
    { "jitter-us", OSW_OPT_F64, AT(jitter_us), "mean of what is added to it",
      .value = "US" },
    { "frame-us", OSW_OPT_F64, AT(frame_us),
      "virtual time that a frame costs the coordinator", .value = "US" },
    { "silence", OSW_OPT_F64, AT(silence_s),
      "a rank that says nothing for so long is lost", .value = "SECONDS" },
    { "fault", OSW_OPT_CHOICE, AT(fault), "a mistake that must be noticed",
      .choices = faults, .value = "KIND" },
    { 0 },
};
/* clang-format on */

/* --- what is asked for --- */

static int check_range(const char *name, double value, double least,
                       double most, struct osw_error *err)
{
    if (value >= least && value <= most)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--%s': expected %g to %g, found %g", name, least,
                    most, value);
}

static int check_options(const struct sim_options *o, struct osw_error *err)
{
    const struct {
        const char *name;
        double value, least, most;
    } all[] = {
        {"ranks", (double)o->ranks, o->fault == SIM_FAULT_TWICE_BUNDLE ? 2 : 1,
         MAX_RANKS},
        {"cells", (double)o->cells, 1, (double)MAX_CELLS},
        {"lost", o->lost, 0, 1e6},
        {"lost-nodes", o->lost_nodes, 0, 1e6},
        {"paused", o->paused, 0, 1e6},
        {"pause", o->pause_s, 0, 86400},
        {"slow", o->slow, 0, 100},
        {"slow-times", o->slow_times, 1, 1e4},
        {"gangs", o->gangs, 0, 100},
        {"cell-ms", o->cell_ms, 1e-3, 1e7},
        {"impls", (double)o->impls, 1, MAX_BUNDLE},
        {"error", o->error, 0, 5},
        {"latency-us", o->latency_us, 0, 1e6},
        {"jitter-us", o->jitter_us, 0, 1e6},
        {"frame-us", o->frame_us, 0, 1e4},
        {"silence", o->silence_s, 2, 86400},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (check_range(all[i].name, all[i].value, all[i].least, all[i].most,
                        err) < 0)
            return -1;
    return 0;
}

static struct osw_coordinator_config configure(const struct sim_options *o)
{
    struct osw_coordinator_config config = osw_coordinator_defaults;

    config.campaign =
        (struct osw_msg_campaign){.device = "cuda",
                                  .profile = "smoke",
                                  .cache_dir = "",
                                  .include_dir = "",
                                  .sandbox_path = "",
                                  .python = "",
                                  .host = "",
                                  .journal = "",
                                  .prove_ns = (int64_t)10 * 1000000000,
                                  .heartbeat_ns = 1000000000,
                                  .silence_ns = (int64_t)(o->silence_s * 1e9)};
    if (o->no_twins)
        config.late_times = 0;
    return config;
}

/* --- what came out --- */

/* Ranks that the coordinator still knows heard of all their results. */
static void check_acks(const struct sim *s, struct sim_checks *k)
{
    for (int r = 1; r < s->base.size; r++)
        if (!s->ranks[r].dead && !s->ranks[r].forgotten &&
            s->ranks[r].n_acked != k->of_rank[r])
            sim_checks_broken(
                k, "rank %d was told of %" PRIu64 " of its %" PRIu64 " results",
                r, s->ranks[r].n_acked, k->of_rank[r]);
}

static void check_end(const struct sim *s, struct sim_checks *k,
                      const struct osw_outcome *out)
{
    const uint64_t n = s->work->plan.n_cells;
    uint64_t n_missing = 0;

    for (uint64_t c = 0; c < n; c++)
        n_missing += k->recorded[c] == 0;
    if (n_missing)
        sim_checks_broken(k, "%" PRIu64 " of %" PRIu64 " cells have no record",
                          n_missing, n);
    if (out->totals.n_group[OSW_GROUP_PASS] +
                out->totals.n_state[OSW_STATE_SKIPPED] !=
            n ||
        out->n_open)
        sim_checks_broken(
            k, "%" PRIu64 " of %" PRIu64 " cells pass, %" PRIu64 " are open",
            out->totals.n_group[OSW_GROUP_PASS], n, out->n_open);
    if (out->n_judged + out->n_stale + out->n_overtaken > k->n_sent)
        sim_checks_broken(k,
                          "ranks said %" PRIu64 " results, but %" PRIu64
                          " were taken and %" PRIu64 " refused",
                          k->n_sent, out->n_judged,
                          out->n_stale + out->n_overtaken);
    if (s->silence_ns > OSW_PATIENCE * (int64_t)(s->o->silence_s * 1e9))
        sim_checks_broken(k,
                          "the coordinator was silent for %.1f s: ranks would "
                          "have ended",
                          (double)s->silence_ns * 1e-9);
    check_acks(s, k);
}

/* Time of the ranks for cells that some of them began. */
struct spent {
    double rank_s;    /* of all ranks, */
    double gang_s;    /* for cells of several; */
    double longest_s; /* of a bundle */
};

static struct spent sum_up(const struct sim_work *w, const struct sim_checks *k)
{
    struct spent s = {0, 0, 0};

    for (size_t i = 0; i < w->plan.n_bundles; i++) {
        const struct osw_plan_bundle *b = &w->plan.bundles[i];
        uint32_t world = osw_plan_world(b);
        double sum_s = 0;

        for (uint64_t c = b->first_cell; c < b->first_cell + b->n_run; c++)
            if (k->begun_by[c])
                sum_s += (double)w->ms[c] * 1e-3;
        s.rank_s += sum_s * world;
        s.gang_s += world > 1 ? sum_s * world : 0;
        if (sum_s > s.longest_s)
            s.longest_s = sum_s;
    }
    return s;
}

static void print(const struct sim *s, const struct sim_checks *k,
                  const struct osw_outcome *out)
{
    const struct sim_work *w = s->work;
    const struct spent spent = sum_up(w, k);
    double span = (double)(k->last_ns - s->start_ns) * 1e-9,
           wall = (double)out->wall_ns * 1e-9,
           cpu = (double)sim_side_coordinator_ns() * 1e-9,
           ranks = (double)(s->o->ranks - s->n_slow) +
                   (double)s->n_slow / s->o->slow_times,
           share = spent.rank_s / ranks, longest = spent.longest_s,
           peak = (double)sim_side_peak_bytes(), mib = 1 << 20;
    uint64_t n_frames = s->n_frames_in + s->n_frames_out;
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    printf(
        "cluster      %" PRIu64 " ranks, %" PRIu64 " nodes; seed %" PRIu64 "\n",
        s->o->ranks, (s->o->ranks + SIM_ON_NODE - 1) / SIM_ON_NODE, s->o->seed);
    printf("campaign     %" PRIu64 " cells, %zu bundles; %.1f ms a cell, "
           "longest bundle %.1f s\n",
           w->plan.n_cells, w->plan.n_bundles,
           w->sum_ms / (double)w->plan.n_cells, longest);
    printf("lost         %" PRIu64 " ranks died, %" PRIu64 " were stopped; "
           "%" PRIu32 " given up in the end\n",
           s->n_dead, s->n_paused, out->n_lost);
    if (s->n_slow)
        printf("slow         %" PRIu64 " ranks, %g times; %" PRIu64
               " late bundles had a second copy, %" PRIu64 " cells of them\n",
               s->n_slow, s->o->slow_times, k->n_events[OSW_EVENT_TWIN],
               k->n_copied);
    if (s->o->gangs > 0)
        printf("gangs        %.0f %% of the work; %" PRIu64
               " parts were exchanged, %" PRIu64 " gangs broke, %" PRIu64
               " cells found no node with ranks enough\n",
               100 * spent.gang_s / spent.rank_s, s->n_parts, k->n_broken_gangs,
               out->totals.n_state[OSW_STATE_SKIPPED]);
    printf("cells        %" PRIu64 " recorded, %" PRIu64 " begun, %" PRIu64
           " of these once more after a loss, %" PRIu64 " results refused\n",
           k->n_recorded, k->n_begun, k->n_again, out->n_stale);
    printf("efficiency   %.2f %%: last result after %.1f s, least %.1f s\n",
           100 * (share > longest ? share : longest) / span, span,
           share > longest ? share : longest);
    printf("coordinator  %.1f s of a core in %.1f s (%.1f %%), %.2f us a "
           "cell, %.2f us each of %.1f frames a cell\n",
           cpu, wall, 100 * cpu / wall, cpu * 1e6 / (double)w->plan.n_cells,
           cpu * 1e6 / (double)n_frames,
           (double)n_frames / (double)w->plan.n_cells);
    printf("memory       %.1f MiB at most, %.0f bytes a rank; the plan's %.1f "
           "MiB and the simulator's left out (%.1f MiB in all)\n",
           peak / mib, peak / (double)s->o->ranks,
           (double)(w->plan.n_bundles * sizeof(w->plan.bundles[0])) / mib,
           (double)use.ru_maxrss / 1024);
    printf("simulator    %.1f s of a core, %" PRIu64
           " events, longest silence of rank 0 %.2f s\n",
           (double)(sim_side_all_ns() - sim_side_coordinator_ns()) * 1e-9,
           s->events.n_added, (double)s->silence_ns * 1e-9);
    printf("digest       %016" PRIx64 "\n", s->digest);
}

static int simulate(const struct sim_options *o, const struct sim_work *w,
                    struct osw_error *err)
{
    const struct osw_coordinator_config config = configure(o);
    struct osw_outcome out;
    struct sim_checks k;
    struct sim *s;
    int rc;

    if (sim_checks_set_up(&k, &w->plan, (int)o->ranks + 1, err) < 0)
        return -1;
    k.forget = o->fault == SIM_FAULT_FORGET_CELL;
    s = sim_create(o, w, &k);
    sim_side_begin();
    rc = osw_coordinator_run(&w->plan, &s->base, &config, &sim_checks_sink, &k,
                             &out, err);
    sim_side_end();
    if (rc == 0) {
        sim_advance(s, sim_clock_ns() + 1000000000); /* the last messages */
        check_end(s, &k, &out);
        print(s, &k, &out);
        printf("rules        %" PRIu64 " broken\n", k.n_broken);
        rc = k.n_broken > 0;
    }
    sim_destroy(s);
    sim_checks_free(&k);
    return rc;
}

static int run(void *opts, const struct osw_args *args, struct osw_error *err)
{
    const struct sim_options *o = opts;
    struct sim_work w;
    int rc;

    (void)args;
    osw_log_set(OSW_LOG_ERROR, "simulate");
    if (check_options(o, err) < 0 || sim_work_make(&w, o, err) < 0)
        return -1;
    rc = simulate(o, &w, err);
    sim_work_free(&w);
    return rc;
}

static const struct osw_cmd command = {
    .name = "simulate",
    .summary = "a campaign on a cluster that is not there",
    .opts = options,
    .defaults = &defaults,
    .opts_size = sizeof(defaults),
    .run = run,
};

int main(int argc, char **argv)
{
    const struct osw_cmd *const commands[] = {&command};
    char *words[OSW_CLI_MAX_OPERANDS + 1] = {argv[0], "simulate"};
    int n = 2;

    for (int i = 1; i < argc && n < OSW_CLI_MAX_OPERANDS; i++)
        words[n++] = argv[i];
    return osw_cli_main(commands, 1, n, words);
}
