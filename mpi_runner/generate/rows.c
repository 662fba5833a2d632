/* mpi_runner/generate/rows.c - a run as the rows of a result file */
#include "mpi_runner/generate/rows.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct making {
    const struct osw_drive_config *config;
    const osw_asked_t *asked;
    osw_arena_t *arena;
    const char *run;
    struct osw_error *err;
};

static int no_memory(const struct making *m)
{
    return osw_fail(m->err, OSW_NO_MEMORY, "no memory for the rows of a run");
}

static double or_nan(double v)
{
    return v > 0 ? v : NAN;
}

/* Digest of its source, and the name that it was judged under. */
static int add_source(const struct making *m, const struct osw_task *task,
                      const struct osw_attempt *a,
                      struct osw_generation_attempt *row)
{
    char sha256[65], impl[OSW_WAVE_MAX_NAME], *code = NULL;
    size_t n;

    row->impl = row->source_sha256 = "";
    if (a->outcome != OSW_OUTCOME_JUDGED && a->outcome != OSW_OUTCOME_DUPLICATE)
        return 0;
    if (osw_wave_code(m->asked, task, m->config->lang, a->number, &code, &n,
                      m->err) < 0)
        return -1;
    osw_asked_sha256(code, n, sha256);
    osw_wave_name(a->number, code, n, impl);
    free(code);
    row->source_sha256 = osw_arena_strdup(m->arena, sha256);
    if (a->outcome == OSW_OUTCOME_JUDGED)
        row->impl = osw_arena_strdup(m->arena, impl);
    return row->source_sha256 && row->impl ? 0 : no_memory(m);
}

static int add_attempt(const struct making *m, const struct osw_drive_op *op,
                       size_t i, struct osw_generation_attempt *row)
{
    const struct osw_attempt *a = &op->log->attempts[i];
    const struct osw_attempt_verdict *v = &a->verdict;
    const struct osw_ask *ask = &op->log->asks[i];
    const char *asked = m->config->api_config.model;

    *row = (struct osw_generation_attempt){
        .run = m->run,
        .op = op->task->op->name,
        .outcome = osw_outcome_name(a->outcome),
        .api = m->config->api->name,
        .model = *ask->model ? ask->model
                 : asked     ? asked
                             : "",
        .lang = m->config->lang->name,
        .attempt = a->number,
        .parent = a->parent,
        .twin = a->twin,
        .tokens_in = ask->used.in,
        .tokens_cache_read = ask->used.cache_read,
        .tokens_cache_write = ask->used.cache_write,
        .tokens_out = ask->used.out,
        .cost = ask->cost,
        .n_planned = v->n_planned,
        .n_passed = v->n_passed,
        .n_failed = v->n_failed,
        .n_errors = v->n_errors,
        .n_timed = v->n_timed,
        .speedup = or_nan(v->speedup),
        .speedup_lo = or_nan(v->speedup_lo),
        .speedup_hi = or_nan(v->speedup_hi),
        .light = or_nan(v->light),
        .ask_ns = ask->ms * INT64_C(1000000),
        .judge_ns = v->judge_ns,
        .winner =
            op->chosen >= 0 && op->finalists[op->chosen].number == a->number,
    };
    return add_source(m, op->task, a, row);
}

static struct osw_generation_op make_op(const struct making *m,
                                        const struct osw_drive_op *op)
{
    struct osw_generation_op row = {
        .run = m->run,
        .op = op->task->op->name,
        .baseline = op->task->baseline,
        .why = op->why ? op->why : "",
        .n_attempts = (uint32_t)op->log->n,
        .speedup = NAN,
        .speedup_lo = NAN,
        .speedup_hi = NAN,
    };

    if (op->chosen >= 0) {
        const struct osw_finalist *f = &op->finalists[op->chosen];

        row.winner = f->number;
        row.n_planned = f->verdict.n_planned;
        row.n_held_out = f->n_held_out;
        row.n_timed = f->verdict.n_timed;
        row.speedup = or_nan(f->verdict.speedup);
        row.speedup_lo = or_nan(f->verdict.speedup_lo);
        row.speedup_hi = or_nan(f->verdict.speedup_hi);
    }
    return row;
}

static int make_rows(const struct making *m, size_t n_ops,
                     const struct osw_drive_result *result,
                     struct osw_generation *out)
{
    size_t n = 0;

    for (size_t i = 0; i < n_ops; i++)
        n += result->ops[i].log->n;
    out->attempts = calloc(n + 1, sizeof(*out->attempts));
    out->ops = calloc(n_ops, sizeof(*out->ops));
    if (!out->attempts || !out->ops)
        return no_memory(m);
    for (size_t i = 0; i < n_ops; i++) {
        const struct osw_drive_op *op = &result->ops[i];

        out->ops[out->n_ops++] = make_op(m, op);
        for (size_t k = 0; k < op->log->n; k++)
            if (add_attempt(m, op, k, &out->attempts[out->n_attempts++]) < 0)
                return -1;
    }
    return 0;
}

int osw_generate_rows(const struct osw_drive_config *config,
                      const struct osw_tasks *tasks, const osw_asked_t *asked,
                      const struct osw_drive_result *result, osw_arena_t *arena,
                      struct osw_generation *out, struct osw_error *err)
{
    const char *slash = strrchr(osw_asked_folder(asked), '/');
    const struct making m = {
        .config = config,
        .asked = asked,
        .arena = arena,
        .run = slash ? slash + 1 : osw_asked_folder(asked),
        .err = err,
    };

    *out = (struct osw_generation){.n_ops = 0};
    if (make_rows(&m, tasks->n, result, out) == 0)
        return 0;
    osw_generation_free(out);
    return -1;
}

int osw_generate_rows_write(const struct osw_drive_config *config,
                            const struct osw_tasks *tasks,
                            const osw_asked_t *asked,
                            const struct osw_drive_result *result,
                            const char *wave, const char *to,
                            struct osw_error *err)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_generation rows = {.n_ops = 0};
    char from[PATH_MAX];
    int rc = arena ? osw_generate_rows(config, tasks, asked, result, arena,
                                       &rows, err)
                   : osw_fail(err, OSW_NO_MEMORY, "no memory for a result");

    snprintf(from, sizeof(from), "%s/%s.h5", osw_asked_folder(asked), wave);
    if (rc == 0)
        rc = osw_generation_copy(from, to, &rows, err);
    if (rc == 0)
        (void)unlink(from); /* `to` says all of it */
    osw_generation_free(&rows);
    osw_arena_destroy(arena);
    return rc;
}
