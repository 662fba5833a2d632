/* mpi_runner/commands/run_summary.c - what `opsweep run` says of a run */
#include "mpi_runner/commands/run_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/guard.h"
#include "common/log.h"
#include "common/text.h"
#include "ops/record/state.h"
#include "results/file/file.h"
#include "results/report/report_headlines.h"

void osw_run_summary_coverage(const struct osw_campaign *campaign,
                              const struct osw_backend_ops *backend_ops,
                              const struct osw_plan *plan)
{
    osw_plan_warn(plan, campaign->device);
    for (size_t i = 0; i < backend_ops->kernels.n_notes; i++)
        osw_log(OSW_LOG_INFO, "%s: %s", backend_ops->kernels.notes[i].path,
                backend_ops->kernels.notes[i].text);
    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_op *op = plan->bundles[i].op;

        if (!op || (i > 0 && plan->bundles[i - 1].op == op))
            continue;
        for (size_t k = 0; k < op->n_notes; k++)
            if (op->notes[k].lost || op->n_impls == 0)
                osw_log(OSW_LOG_WARNING, "%s: %s", op->notes[k].path,
                        op->notes[k].text);
    }
    if (plan->shard.n)
        osw_log(OSW_LOG_INFO,
                "shard %" PRIu32 "/%" PRIu32 ": %zu of %zu cases, %" PRIu64
                " of %" PRIu64 " cells",
                plan->shard.index, plan->shard.n, plan->n_bundles,
                plan->shard.n_bundles, plan->n_cells, plan->shard.n_cells);
    if (*plan->coverage)
        osw_log(OSW_LOG_INFO, "%s", plan->coverage);
}

static void add_states(struct osw_text *t, const struct osw_totals *totals,
                       enum osw_state_group group)
{
    const char *sep = " (";

    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++) {
        enum osw_state s = osw_state_at(i);

        if (osw_state_group(s) != group || totals->n_state[s] == 0)
            continue;
        osw_text_printf(t, "%s%" PRIu64 " %s", sep, totals->n_state[s],
                        osw_state_name(s));
        sep = ", ";
    }
    osw_text_add(t, ")");
}

/* "FILE: 12 cells, 10 pass, 2 fail (2 value)" */
static void print_totals(const char *path, const struct osw_outcome *o)
{
    struct osw_text t = OSW_TEXT_INIT;

    for (int g = 0; g < OSW_GROUP_COUNT; g++) {
        if (o->totals.n_group[g] == 0)
            continue;
        osw_text_printf(&t, ", %" PRIu64 " %s", o->totals.n_group[g],
                        osw_state_group_name((enum osw_state_group)g));
        if (g != OSW_GROUP_PASS)
            add_states(&t, &o->totals, (enum osw_state_group)g);
    }
    if (o->n_open)
        osw_text_printf(&t, ", %" PRIu64 " not run", o->n_open);
    printf("%s: %" PRIu64 " cell%s%s", path, o->totals.n_planned,
           osw_plural(o->totals.n_planned), t.failed ? "" : osw_text_str(&t));
    osw_text_free(&t);
}

/* "predicted 0:42 on 2 workers (9 of 10 cells known), took 0:45" */
static void print_prediction(const struct osw_cost_prediction *p,
                             const struct osw_outcome *o)
{
    struct osw_text t = OSW_TEXT_INIT;

    if (p->n_known == 0)
        return;
    osw_text_add(&t, "predicted ");
    osw_cost_predict_print((double)p->wall_ns * 1e-9, &t);
    osw_text_printf(&t,
                    " on %" PRIu32 " worker%s (%" PRIu64 " of %" PRIu64
                    " cell%s known), took ",
                    p->n_workers, osw_plural(p->n_workers), p->n_known,
                    p->n_cells, osw_plural(p->n_cells));
    osw_cost_predict_print((double)o->wall_ns * 1e-9, &t);
    printf("%s\n", t.failed ? "" : osw_text_str(&t));
    osw_text_free(&t);
}

static void print_resume(const char *path, const char *rest)
{
    char word[OSW_SHELL_WORD];

    printf("opsweep run --resume %s %s\n", osw_shell_word(path, word), rest);
}

static const char *what_report_says(const struct osw_totals *t)
{
    if (t->n_group[OSW_GROUP_FAIL] + t->n_group[OSW_GROUP_ERROR] > 0)
        return "what failed, and why";
    if (t->n_group[OSW_GROUP_INFRA] > 0)
        return "why cells have no verdict";
    return t->n_group[OSW_GROUP_PASS] == 0 &&
                   t->n_group[OSW_GROUP_NOT_JUDGED] > 0
               ? "why nothing was judged"
               : NULL;
}

void osw_run_summary_print(const char *path, const struct osw_outcome *o,
                           const struct osw_cost_prediction *prediction)
{
    print_totals(path, o);
    printf("; %" PRIu32 " worker%s", o->n_workers, osw_plural(o->n_workers));
    if (o->n_unfit + o->n_unsound)
        printf(", %" PRIu32 " left out", o->n_unfit + o->n_unsound);
    if (o->n_suspect)
        printf(", %" PRIu64 " result%s suspect", o->n_suspect,
               osw_plural(o->n_suspect));
    printf(", %.1f s\n", (double)o->wall_ns * 1e-9);
    print_prediction(prediction, o);
    if (o->n_open)
        print_resume(path, "goes on from there");
    else if (o->totals.n_state[OSW_STATE_LOST])
        print_resume(path, "--retry-lost judges what is lost once more");
    else if (o->totals.n_group[OSW_GROUP_INFRA])
        print_resume(path, "judges what has no verdict once more");
    osw_report_last_lines(path, what_report_says(&o->totals), stdout);
    if (fflush(stdout) != 0 || ferror(stdout))
        osw_log(OSW_LOG_WARNING,
                "'%s' is written; only what is printed was lost", path);
}

static int count_states(const osw_file_t *file, struct osw_outcome *o,
                        struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results;
    uint8_t *states = malloc(n + 1);
    int rc = -1;

    if (!states)
        osw_fail(err, OSW_NO_MEMORY, "no memory for %" PRIu64 " cells", n);
    else
        rc = osw_file_column(file, "status_id", OSW_COLUMN_u8, states, err);
    for (uint64_t i = 0; rc == 0 && i < n; i++) {
        if (!osw_state_known(states[i]))
            continue;
        o->totals.n_state[states[i]]++;
        o->totals.n_group[osw_state_group((enum osw_state)states[i])]++;
    }
    free(states);
    return rc;
}

/* A file whose run may be finished. */
struct finished {
    const char *path;
    uint32_t fail_on; /* bit s: cells of state s are failures */
};

/* A file of some shards goes on by the others. */
static const char *cure_of(const struct osw_file_info *i)
{
    return i->shard.n && !i->shard.index
               ? ": opsweep merge adds the shards that are missing"
               : "";
}

/* The file says that nothing is left to do; it is untrusted. */
static int look_at_finished(void *arg, struct osw_error *err)
{
    const struct finished *f = arg;
    osw_file_t *file = osw_file_open(f->path, err);
    struct osw_outcome o = {.n_open = 0};
    int rc = file ? count_states(file, &o, err) : -1;

    if (rc == 0 && !osw_file_info(file)->complete)
        rc = osw_fail(err, OSW_BAD_INPUT,
                      "'%s' is not complete, and its journal '%s.journal' is "
                      "not there%s",
                      f->path, f->path, cure_of(osw_file_info(file)));
    if (rc == 0) {
        o.totals.n_planned = osw_file_info(file)->n_planned;
        o.n_open = o.totals.n_planned - osw_file_info(file)->n_results;
        print_totals(f->path, &o);
        printf("; finished before, nothing was run\n");
        fflush(stdout);
        rc = osw_outcome_exit_code(&o, f->fail_on);
    }
    osw_file_close(file);
    return rc;
}

int osw_run_summary_finished(const char *path, uint32_t fail_on,
                             struct osw_error *err)
{
    struct finished f = {path, fail_on};

    return osw_guard_call(look_at_finished, &f, err);
}
