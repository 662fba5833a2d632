/* tests/unit/mpi_runner/empty_campaign.h - a campaign whose cells do nothing,
 * and a sink that keeps nothing, for a coordinator
 *
 * Included once, by a test or a bench.
 */
#ifndef OSW_TESTS_EMPTY_CAMPAIGN_H
#define OSW_TESTS_EMPTY_CAMPAIGN_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi_runner/ranks/coordinator.h"

enum { MAX_IMPLS = 4 };

static void die(const char *what, const struct osw_error *err)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
            err->text);
    exit(5);
}

/* --- a sink that keeps nothing --- */

static int no_device(void *sink, const char *host,
                     const struct osw_device_info *device, int32_t rank,
                     struct osw_error *err)
{
    (void)sink, (void)host, (void)device, (void)rank, (void)err;
    return 0;
}

static int no_unsound(void *sink, const struct osw_device_info *device,
                      int32_t rank, struct osw_error *err)
{
    (void)sink, (void)device, (void)rank, (void)err;
    return 0;
}

static int no_begin(void *sink, uint64_t cell, int32_t rank, uint32_t attempt,
                    struct osw_error *err)
{
    (void)sink, (void)cell, (void)rank, (void)attempt, (void)err;
    return 0;
}

static int no_result(void *sink, const struct osw_record *record,
                     const struct osw_cell_names *names, struct osw_error *err)
{
    (void)sink, (void)record, (void)names, (void)err;
    return 0;
}

static int no_event(void *sink, enum osw_event_kind kind, int32_t rank,
                    int64_t value, const char *text, struct osw_error *err)
{
    (void)sink, (void)kind, (void)rank, (void)value, (void)text, (void)err;
    return 0;
}

static int no_rank(void *sink, const struct osw_rank_summary *summary,
                   struct osw_error *err)
{
    (void)sink, (void)summary, (void)err;
    return 0;
}

static bool commits; /* what was recorded goes to disk each time */

static bool no_commit_due(const void *sink, int64_t now_ns)
{
    (void)sink, (void)now_ns;
    return commits;
}

static int no_commit(void *sink, struct osw_error *err)
{
    (void)sink, (void)err;
    return 0;
}

static const struct osw_sink_ops no_sink = {.device = no_device,
                                            .unsound = no_unsound,
                                            .begin = no_begin,
                                            .result = no_result,
                                            .event = no_event,
                                            .rank = no_rank,
                                            .commit_due = no_commit_due,
                                            .commit = no_commit,
                                            .push = no_commit};

/* --- a campaign --- */

static const char *const impls[MAX_IMPLS] = {"plain", "blocked", "simd",
                                             "openblas"};
static const uint64_t keys[MAX_IMPLS] = {1, 2, 3, 4};
static const char *const reasons[MAX_IMPLS] = {"", "", "", ""};

/* Of n_cells or a few more, n_impls a bundle, whose predicted cost is cost_ns.
 */
static struct osw_plan make_plan(uint64_t n_cells, uint32_t n_impls,
                                 int64_t cost_ns)
{
    static const struct osw_op ops[2] = {{.dir = "ops/library/add__Tensor"},
                                         {.dir = "ops/library/mm"}};
    struct osw_plan plan = {.n_bundles = (n_cells + n_impls - 1) / n_impls};
    struct osw_plan_bundle *b = calloc(plan.n_bundles, sizeof(*b));

    for (size_t i = 0; b && i < plan.n_bundles; i++) {
        b[i] = (struct osw_plan_bundle){
            .op = &ops[2 * i / plan.n_bundles],
            .op_name = "aten.x.default",
            .case_text = "((T([32, 512, 768], bf16), T([768], bf16)), {})",
            .fill = "normal,normal",
            .dtype = "bf16",
            .baselines = "plain",
            .check = OSW_CHECK_FULL,
            .cost_ns = cost_ns,
            .first_cell = plan.n_cells,
            .n_cells = n_impls,
            .n_run = n_impls,
            .impls = impls,
            .cell_keys = keys,
            .reasons = reasons};
        plan.n_cells += n_impls;
    }
    plan.n_run = plan.n_cells;
    plan.bundles = b;
    return plan;
}

static struct osw_coordinator_config make_config(const char *device)
{
    struct osw_coordinator_config config = osw_coordinator_defaults;

    config.campaign = (struct osw_msg_campaign){.device = device,
                                                .profile = "smoke",
                                                .cache_dir = "",
                                                .include_dir = "",
                                                .sandbox_path = "",
                                                .python = "",
                                                .host = "",
                                                .journal = "",
                                                .heartbeat_ns = 1000000000,
                                                .silence_ns = 30000000000};
    return config;
}

#endif /* OSW_TESTS_EMPTY_CAMPAIGN_H */
