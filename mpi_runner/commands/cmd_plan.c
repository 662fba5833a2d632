/* mpi_runner/commands/cmd_plan.c - opsweep plan: what a campaign would do, and
 * its cost
 */
#include <stdio.h>
#include <string.h>

#include "common/cli/cli.h"
#include "common/json_out.h"
#include "common/utf8.h"
#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/campaign_make.h"
#include "mpi_runner/campaign/cost_predict.h"
#include "mpi_runner/campaign/expand.h"
#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/campaign/plan_load.h"
#include "mpi_runner/campaign/shard.h"
#include "mpi_runner/ranks/launch.h"

struct plan_opts {
    struct osw_campaign_opts campaign; /* first: its table is ours too */
    const char *shard;
    bool json;
};

static const struct plan_opts plan_defaults = {.campaign =
                                                   OSW_CAMPAIGN_DEFAULTS};

static const struct osw_opt plan_optv[] = {
    OSW_CAMPAIGN_OPTV,
    {"shard", OSW_OPT_STR, offsetof(struct plan_opts, shard),
     "print part I of N of the campaign, as run --shard judges it",
     .value = "I/N"},
    {"json", OSW_OPT_FLAG, offsetof(struct plan_opts, json),
     "print JSON instead of a table"},
    {0},
};

/* --- as text --- */

static void print_names(FILE *out, const struct osw_plan_bundle *b)
{
    for (uint32_t i = 0; i < b->n_cells; i++)
        fprintf(out, "%s%s", i ? "," : "", b->impls[i]);
}

/* Files of the op that were meant to be judged, and are not. */
static void print_lost(FILE *out, const struct osw_op *op)
{
    for (size_t i = 0; op && i < op->n_notes; i++)
        if (op->notes[i].lost)
            osw_utf8_put_note(out, "note: ", op->notes[i].path,
                              op->notes[i].text);
}

static void print_bundle(FILE *out, const struct osw_plan_bundle *b)
{
    fprintf(out, "%-40s ", b->op_name);
    if (b->n_run > 0)
        fprintf(out, "%-9s %7.2f s %9.1f MiB  ", osw_check_name(b->check),
                (double)b->expect_ns * 1e-9,
                (double)b->memory_bytes / (1024 * 1024));
    else
        fprintf(out, "%-9s %7s   %9s      ", "skipped", "-", "-");
    print_names(out, b);
    fprintf(out, "  %s", b->case_text);
    if (*b->fill)
        fprintf(out, "  %s", b->fill);
    fprintf(out, "\n");
    for (uint32_t i = b->n_run; i < b->n_cells; i++)
        if (i == b->n_run || strcmp(b->reasons[i], b->reasons[i - 1]) != 0)
            fprintf(out, "    %s%s%s\n", b->n_run ? b->impls[i] : "",
                    b->n_run ? ": " : "", b->reasons[i]);
}

static size_t count_running(const struct osw_plan *plan)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->n_bundles; i++)
        n += plan->bundles[i].n_run > 0;
    return n;
}

static struct osw_cost_prediction predict(const struct osw_campaign *c,
                                          const struct osw_plan *plan)
{
    uint32_t ranks = c->ranks ? c->ranks : osw_launch_default_ranks(c->device);

    return osw_cost_predict_wall(plan, NULL, ranks > 1 ? ranks - 1 : 1);
}

static void print_prediction(FILE *out, const struct osw_campaign *c,
                             const struct osw_plan *plan)
{
    struct osw_cost_prediction p = predict(c, plan);
    struct osw_text t = OSW_TEXT_INIT;

    osw_cost_predict_print((double)p.wall_ns * 1e-9, &t);
    fprintf(out,
            "predicted %s on %u worker%s (--ranks), %.3g device hours; %llu of "
            "%llu cell%s known by --history\n",
            t.failed ? "" : osw_text_str(&t), p.n_workers,
            osw_plural(p.n_workers), (double)p.work_ns * 1e-9 / 3600,
            (unsigned long long)p.n_known, (unsigned long long)p.n_cells,
            osw_plural(p.n_cells));
    osw_text_free(&t);
}

static void print_plan(FILE *out, const struct osw_campaign *c,
                       const struct osw_backend_ops *backend_ops,
                       const struct osw_plan *plan)
{
    const struct osw_kernels *k = &backend_ops->kernels;

    for (size_t i = 0; i < plan->n_bundles; i++)
        print_bundle(out, &plan->bundles[i]);
    fprintf(out,
            "\n%zu case%s, %zu to judge; %llu cell%s, %llu to judge, %llu "
            "skipped\n",
            plan->n_bundles, osw_plural(plan->n_bundles), count_running(plan),
            (unsigned long long)plan->n_cells, osw_plural(plan->n_cells),
            (unsigned long long)plan->n_run,
            (unsigned long long)(plan->n_cells - plan->n_run));
    if (*plan->coverage)
        fprintf(out, "%s\n", plan->coverage);
    for (size_t i = 0; i < plan->n_bundles; i++)
        if (i == 0 || plan->bundles[i - 1].op != plan->bundles[i].op)
            print_lost(out, plan->bundles[i].op);
    for (size_t i = 0; i < k->n_notes; i++)
        osw_utf8_put_note(out, "note: ", k->notes[i].path, k->notes[i].text);
    fprintf(out,
            "predicted %.1f s on one worker; limits per case: %g s, %.1f MiB\n",
            (double)osw_cost_predict_wall(plan, NULL, 1).work_ns * 1e-9,
            c->max_work_s, (double)c->max_bytes / (1024 * 1024));
    print_prediction(out, c, plan);
    if (plan->shard.n)
        fprintf(out,
                "shard %u/%u: %zu of %zu cases, %llu of %llu cells, "
                "predicted %.3g of %.3g s\n",
                plan->shard.index, plan->shard.n, plan->n_bundles,
                plan->shard.n_bundles, (unsigned long long)plan->n_cells,
                (unsigned long long)plan->shard.n_cells,
                (double)predict(c, plan).work_ns * 1e-9,
                (double)plan->shard.expect_ns * 1e-9);
    fputs(plan->words, out);
    fprintf(out, "plan %s\n", plan->digest);
}

/* --- as JSON --- */

static void add_cell(struct osw_json_out *o, const struct osw_plan_bundle *b,
                     uint32_t i)
{
    char key[17];

    snprintf(key, sizeof(key), "%016llx", (unsigned long long)b->cell_keys[i]);
    osw_json_out_object(o, NULL);
    osw_json_out_u64(o, "cell", b->first_cell + i);
    osw_json_out_str(o, "cell_key", key);
    osw_json_out_str(o, "impl", b->impls[i]);
    osw_json_out_str(o, "status", *b->reasons[i] ? "skipped" : "planned");
    osw_json_out_str(o, "reason", b->reasons[i]);
    osw_json_out_end(o);
}

static void add_bundle(struct osw_json_out *o, const struct osw_plan_bundle *b)
{
    osw_json_out_object(o, NULL);
    osw_json_out_str(o, "op", b->op_name);
    osw_json_out_str(o, "case", b->case_text);
    osw_json_out_str(o, "fill", b->fill);
    osw_json_out_str(o, "dtype", b->dtype);
    osw_json_out_str(o, "baselines", b->baselines);
    osw_json_out_str(o, "check", osw_check_name(b->check));
    osw_json_out_bool(o, "time", b->time);
    osw_json_out_u64(o, "count", b->count);
    osw_json_out_f64(o, "flops", b->flops);
    osw_json_out_f64(o, "bytes", b->bytes);
    osw_json_out_i64(o, "cost_ns", b->cost_ns);
    osw_json_out_i64(o, "expect_ns", b->expect_ns);
    osw_json_out_u64(o, "n_known", b->n_known);
    osw_json_out_u64(o, "memory_bytes", b->memory_bytes);
    osw_json_out_list(o, "cells");
    for (uint32_t i = 0; i < b->n_cells; i++)
        add_cell(o, b, i);
    osw_json_out_end(o);
    osw_json_out_end(o);
}

/* What was written so far; a plan may be longer than memory. */
static int flush(FILE *out, struct osw_text *text, struct osw_error *err)
{
    if (!osw_text_str(text))
        return osw_fail(err, OSW_NO_MEMORY, "no memory to print the plan");
    fwrite(text->data, 1, text->used, out);
    osw_text_reset(text);
    return 0;
}

static int print_json(FILE *out, const struct osw_campaign *c,
                      const struct osw_plan *plan, struct osw_error *err)
{
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&text);
    struct osw_cost_prediction p = predict(c, plan);
    int rc = 0;

    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "format", "opsweep plan 1");
    osw_json_out_str(&o, "digest", plan->digest);
    osw_json_out_str(&o, "coverage", plan->coverage);
    osw_json_out_u64(&o, "n_bundles", plan->n_bundles);
    osw_json_out_u64(&o, "n_cells", plan->n_cells);
    osw_json_out_u64(&o, "n_run", plan->n_run);
    osw_json_out_i64(&o, "cost_ns", plan->cost_ns);
    osw_json_out_u64(&o, "n_workers", p.n_workers);
    osw_json_out_i64(&o, "predicted_wall_ns", p.wall_ns);
    osw_json_out_i64(&o, "predicted_work_ns", p.work_ns);
    osw_json_out_u64(&o, "n_known", p.n_known);
    if (plan->shard.n) {
        osw_json_out_u64(&o, "shard", plan->shard.index);
        osw_json_out_u64(&o, "n_shards", plan->shard.n);
        osw_json_out_u64(&o, "n_campaign", plan->shard.n_cells);
        osw_json_out_i64(&o, "campaign_expect_ns", plan->shard.expect_ns);
    }
    osw_json_out_u64(&o, "max_bytes", c->max_bytes);
    osw_json_out_f64(&o, "max_work_s", c->max_work_s);
    osw_json_out_str(&o, "suite_found", plan->words);
    osw_json_out_list(&o, "bundles");
    for (size_t i = 0; i < plan->n_bundles && rc == 0; i++) {
        add_bundle(&o, &plan->bundles[i]);
        rc = flush(out, &text, err);
    }
    osw_json_out_end(&o);
    osw_json_out_end(&o);
    osw_text_add(&text, "\n");
    if (rc == 0)
        rc = flush(out, &text, err);
    osw_text_free(&text);
    return rc;
}

static int plan_run(void *opts, const struct osw_args *args,
                    struct osw_error *err)
{
    struct plan_opts *o = opts;
    osw_arena_t *arena = osw_arena_create();
    char history_path[OSW_BUILD_MAX_PATH];
    osw_cost_history_t *history = NULL;
    struct osw_shard shard;
    struct osw_campaign campaign;
    struct osw_whole_file text;
    struct osw_backend_ops backend_ops;
    struct osw_plan plan;
    int rc = -1;

    if (!arena)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the plan");
    if (osw_shard_parse(o->shard, &shard, err) < 0 ||
        osw_campaign_make(arena, &o->campaign, args, 0, &campaign, err) < 0)
        goto out;
    osw_expand_enable(&campaign);
    if (osw_plan_load(arena, &campaign, &backend_ops, &plan, err) < 0 ||
        osw_cost_predict_plan(&campaign, false, false, &plan, &history,
                              history_path, err) < 0 ||
        osw_shard_take(&campaign, shard, &plan, err) < 0)
        goto out;
    osw_plan_warn(&plan, campaign.device);
    if (osw_campaign_open_text(&text, args, &campaign, err) < 0)
        goto out;
    rc = 0;
    if (o->json)
        rc = print_json(text.file, &campaign, &plan, err);
    else
        print_plan(text.file, &campaign, &backend_ops, &plan);
    rc = osw_whole_file_close(&text, rc, err);
out:
    osw_cost_history_destroy(history);
    osw_arena_destroy(arena);
    return rc;
}

extern const struct osw_cmd osw_cmd_plan;
const struct osw_cmd osw_cmd_plan = {
    .name = "plan",
    .topic = "judge",
    .operands = "[CAMPAIGN.json]",
    .summary = "print the cells a campaign would judge, and run nothing",
    .details = "Each case is one line: op, check, predicted time and memory,\n"
               "implementations, case, fills; a case over a budget says by how "
               "much.\n",
    .max_operands = 1,
    .opts = plan_optv,
    .defaults = &plan_defaults,
    .opts_size = sizeof(plan_defaults),
    .run = plan_run,
};
