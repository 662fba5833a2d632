/* tests/simulate/work.c - what simulated ranks judge: cells and how long each
 * takes */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/file/file.h"
#include "tests/simulate/random.h"
#include "tests/simulate/sim.h"

enum {
    OPS = 400,         /* that the bundles are spread over */
    CHUNK = 16384,     /* rows of a file at a time */
    MAX_DOUBLINGS = 3, /* of the ranks that a cell needs */
};

/* The longest bundle is so many times the shortest. */
static const double longest = 60;
static const double tail = 1.5;   /* exponent of the distribution of Pareto */
static const double within = 0.5; /* deviation of log(cell / its bundle) */

/* Texts of a usual length: they are what a message mostly holds. */
static const char *names[OSW_MSG_MAX_CELLS];
static const char *no_reasons[OSW_MSG_MAX_CELLS];
static uint64_t some_keys[OSW_MSG_MAX_CELLS];

/* --- recorded durations --- */

/* Bundles of a result file. */
struct recorded {
    float *ms;       /* owned; [first[n]] */
    uint64_t *first; /* owned; [n + 1] */
    uint64_t n;
};

static void recorded_free(struct recorded *r)
{
    free(r->ms);
    free(r->first);
    *r = (struct recorded){.n = 0};
}

struct row {
    uint64_t cell;
    uint32_t op_id, case_id, fill_id;
    float ms;
};

static int by_cell(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return x->cell < y->cell ? -1 : x->cell > y->cell;
}

/* The rows that were judged; *n of them. */
static struct row *read_rows(const osw_file_t *file, uint64_t *n,
                             struct osw_error *err)
{
    const struct osw_file_info *info = osw_file_info(file);
    struct row *rows = calloc(info->n_results + 1, sizeof(*rows));
    struct osw_record *chunk = calloc(CHUNK, sizeof(*chunk));

    *n = 0;
    if (!rows || !chunk)
        osw_fail(err, OSW_NO_MEMORY, "no memory for %" PRIu64 " rows",
                 info->n_results);
    for (uint64_t at = 0; at < info->n_results && err->status == OSW_OK;
         at += CHUNK) {
        uint64_t left = info->n_results - at;
        size_t m = left < CHUNK ? (size_t)left : CHUNK;

        if (osw_file_records(file, at, m, chunk, err) < 0)
            break;
        for (size_t i = 0; i < m; i++)
            if (chunk[i].rank > 0 && chunk[i].wall_ns > 0)
                rows[(*n)++] = (struct row){chunk[i].cell, chunk[i].op_id,
                                            chunk[i].case_id, chunk[i].fill_id,
                                            (float)chunk[i].wall_ns * 1e-6F};
    }
    free(chunk);
    qsort(rows, rows ? *n : 0, sizeof(*rows), by_cell);
    if (err->status == OSW_OK && *n == 0)
        osw_fail(err, OSW_BAD_INPUT,
                 "'%s' has no cell that a worker judged, of %" PRIu64,
                 info->path, info->n_results);
    return rows;
}

static int recorded_load(struct recorded *out, const char *path,
                         struct osw_error *err)
{
    osw_file_t *file = osw_file_open(path, err);
    struct row *rows;
    uint64_t n = 0;

    if (!file)
        return -1;
    rows = read_rows(file, &n, err);
    out->ms = calloc(n + 1, sizeof(*out->ms));
    out->first = calloc(n + 1, sizeof(*out->first));
    if (!out->ms || !out->first)
        osw_fail(err, OSW_NO_MEMORY, "no memory for %" PRIu64 " cells", n);
    for (uint64_t i = 0; i < n && err->status == OSW_OK; i++) {
        bool begins = i == 0 || rows[i].op_id != rows[i - 1].op_id ||
                      rows[i].case_id != rows[i - 1].case_id ||
                      rows[i].fill_id != rows[i - 1].fill_id ||
                      i - out->first[out->n - 1] == OSW_MSG_MAX_CELLS;

        if (begins)
            out->first[out->n++] = i;
        out->first[out->n] = i + 1;
        out->ms[i] = rows[i].ms;
    }
    free(rows);
    osw_file_close(file);
    if (err->status == OSW_OK)
        return 0;
    recorded_free(out);
    return -1;
}

/* --- the plan --- */

static double made_up_bundle(uint64_t seed, uint64_t b)
{
    double x = pow(sim_uniform(seed, SIM_STREAM_DURATION, b), -1 / tail);

    return x < longest ? x : longest;
}

/* Fill the durations of bundle b from *cell on; returns its cells. */
static uint32_t draw(struct sim_work *w, const struct sim_options *o,
                     const struct recorded *r, uint64_t b, uint64_t cell)
{
    uint64_t left = o->cells - cell, from = 0;
    uint32_t n = (uint32_t)o->impls;
    double scale = 1;

    if (r->n) {
        double u = sim_uniform(o->seed, SIM_STREAM_DURATION, b);
        uint64_t i = (uint64_t)(u * (double)r->n);

        from = r->first[i];
        n = (uint32_t)(r->first[i + 1] - from);
    } else {
        scale = made_up_bundle(o->seed, b);
    }
    if (n > left)
        n = (uint32_t)left;
    for (uint32_t k = 0; k < n; k++)
        w->ms[cell + k] =
            r->n ? r->ms[from + k]
                 : (float)(scale *
                           exp(within *
                               sim_normal(o->seed, SIM_STREAM_CELL, cell + k)));
    return n;
}

static struct osw_plan_bundle bundle(const struct sim_work *w, uint64_t b,
                                     uint64_t n_bundles, uint64_t cell,
                                     uint32_t n, double error)
{
    double ms = 0;
    const struct osw_op *op = &w->ops[b * OPS / n_bundles];

    for (uint32_t k = 0; k < n; k++)
        ms += (double)w->ms[cell + k];
    return (struct osw_plan_bundle){
        .op = op,
        .op_name = op->name,
        .case_text = "((T([32, 512, 768], bf16), T([768], bf16)), {})",
        .fill = "normal,normal",
        .dtype = "bf16",
        .baselines = "plain",
        .check = OSW_CHECK_FULL,
        .time = true,
        .cost_ns = (int64_t)(ms * 1e6 * exp(error)) + 1,
        .first_cell = cell,
        .n_cells = n,
        .n_run = n,
        .impls = names,
        .cell_keys = some_keys,
        .reasons = no_reasons};
}

/* Of so many percent of the ops, spread evenly, 2, 4, 8, 2 ... ranks judge a
 * cell.
 */
static int world_of(int op, double percent)
{
    int before = (int)(op * percent / 100), n = (int)((op + 1) * percent / 100);

    return n > before ? 2 << before % MAX_DOUBLINGS : 1;
}

static int make_ops(struct sim_work *w, const struct sim_options *o)
{
    static char dirs[OPS][40];

    w->ops = calloc(OPS, sizeof(*w->ops));
    for (int i = 0; w->ops && i < OPS; i++) {
        snprintf(dirs[i], sizeof(dirs[i]), "ops/library/simulated_%d", i);
        w->ops[i].dir = dirs[i];
        w->ops[i].name = dirs[i] + strlen("ops/library/");
        w->ops[i].world = world_of(i, o->gangs);
    }
    for (int k = 0; k < OSW_MSG_MAX_CELLS; k++) {
        names[k] = k % 2 ? "blocked" : "plain";
        no_reasons[k] = "";
    }
    return w->ops ? 0 : -1;
}

/* Made-up durations get the mean that was asked for. */
static void scale(struct sim_work *w, double mean_ms)
{
    double sum = 0;

    for (uint64_t i = 0; i < w->plan.n_cells; i++)
        sum += (double)w->ms[i];
    for (uint64_t i = 0; i < w->plan.n_cells; i++)
        w->ms[i] =
            (float)((double)w->ms[i] * mean_ms * (double)w->plan.n_cells / sum);
}

static void sum_up(struct sim_work *w)
{
    for (size_t b = 0; b < w->plan.n_bundles; b++) {
        const struct osw_plan_bundle *p = &w->plan.bundles[b];
        double ms = 0;

        for (uint32_t k = 0; k < p->n_run; k++)
            ms += (double)w->ms[p->first_cell + k];
        w->sum_ms += ms;
        w->rank_ms += ms * osw_plan_world(p);
        if (ms > w->longest_bundle_ms)
            w->longest_bundle_ms = ms;
    }
}

static int fill(struct sim_work *w, const struct sim_options *o,
                const struct recorded *r, struct osw_error *err)
{
    struct osw_plan_bundle *all;
    uint64_t n = 0, cell;
    uint32_t *sizes = calloc(o->cells + 1, sizeof(*sizes));

    w->ms = calloc(o->cells + 1, sizeof(*w->ms));
    for (cell = 0; w->ms && sizes && cell < o->cells; cell += sizes[n++])
        sizes[n] = draw(w, o, r, n, cell);
    w->plan.n_cells = w->plan.n_run = o->cells;
    all = calloc(n + 1, sizeof(*all));
    w->plan.bundles = all;
    w->plan.n_bundles = n;
    if (!w->ms || !sizes || !all || make_ops(w, o) < 0) {
        free(sizes);
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %" PRIu64 " cells",
                        o->cells);
    }
    if (!r->n)
        scale(w, o->cell_ms);
    cell = 0;
    for (uint64_t b = 0; b < n; cell += sizes[b++])
        all[b] =
            bundle(w, b, n, cell, sizes[b],
                   o->error * sim_normal(o->seed, SIM_STREAM_PREDICTION, b));
    sum_up(w);
    free(sizes);
    return 0;
}

int sim_work_make(struct sim_work *w, const struct sim_options *o,
                  struct osw_error *err)
{
    struct recorded r = {.n = 0};
    int rc = 0;

    *w = (struct sim_work){.ms = NULL};
    if (o->from)
        rc = recorded_load(&r, o->from, err);
    if (rc == 0)
        rc = fill(w, o, &r, err);
    recorded_free(&r);
    if (rc < 0)
        sim_work_free(w);
    return rc;
}

void sim_work_free(struct sim_work *w)
{
    free((void *)w->plan.bundles);
    free(w->ops);
    free(w->ms);
    *w = (struct sim_work){.ms = NULL};
}
