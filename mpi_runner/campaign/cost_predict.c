/* mpi_runner/campaign/cost_predict.c - how long a plan takes, by what its cells
 * took before
 */
#include "mpi_runner/campaign/cost_predict.h"

#include <inttypes.h>
#include <math.h>

#include "common/log.h"
#include "mpi_runner/campaign/cost_history_cache.h"
#include "mpi_runner/campaign/cost_history_file.h"
#include "mpi_runner/campaign/cost_table.h"

/* What is predicted: the cells that run here and all that is known; or, for
 * shards, all cells and what files say.
 */
struct predicting {
    osw_cost_history_t *history;
    bool for_shards;
    struct osw_cost_table ratios; /* of cells, by op and implementation */
    double took_ns, predicted_ns; /* of all cells that files know, */
    double cached_ns, cache_ns; /* of all ops that the cache knows, and by it */
};

static uint32_t count(const struct predicting *p,
                      const struct osw_plan_bundle *b)
{
    return p->for_shards ? b->n_cells : b->n_run;
}

/* What the size of the case suggests for one cell. */
static double suggested(const struct predicting *p,
                        const struct osw_plan_bundle *b)
{
    return (double)(p->for_shards ? b->balance_ns : b->cost_ns) / count(p, b);
}

static bool is_known(const struct predicting *p, uint64_t cell_key)
{
    return osw_cost_history_cell_ns(p->history, cell_key) > 0;
}

/* What the cache says of a cell of the bundle; 0: nothing, or it is not asked.
 */
static double cached(const struct predicting *p,
                     const struct osw_plan_bundle *b)
{
    return p->history && !p->for_shards
               ? osw_cost_history_op_ns(p->history, b->op_name, suggested(p, b))
               : 0;
}

/* How much longer known cells of this plan took than suggested. */
static int collect(struct predicting *p, const struct osw_plan *plan)
{
    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];
        double cell_ns = cached(p, b);

        if (cell_ns > 0) {
            p->cached_ns += (double)b->cost_ns;
            p->cache_ns += cell_ns * count(p, b);
        }
        for (uint32_t k = 0; k < count(p, b); k++) {
            double took = osw_cost_history_cell_ns(p->history, b->cell_keys[k]);
            double size = suggested(p, b);

            if (!(took > 0) || !(size > 0))
                continue;
            p->took_ns += took;
            p->predicted_ns += size;
            if (osw_cost_table_add(&p->ratios,
                                   osw_cost_table_key(b->op_name, b->impls[k]),
                                   took, size) < 0 ||
                osw_cost_table_add(&p->ratios,
                                   osw_cost_table_key(b->op_name, NULL), took,
                                   size) < 0)
                return -1;
        }
    }
    return 0;
}

static double scaled(const struct osw_cost_sum *sum, double size)
{
    return size * sum->took_ns / sum->predicted_ns;
}

static double predict_cell(const struct predicting *p,
                           const struct osw_plan_bundle *b, uint32_t k,
                           double cached_ns)
{
    uint64_t pair = osw_cost_table_key(b->op_name, b->impls[k]);
    double took = osw_cost_history_cell_ns(p->history, b->cell_keys[k]);
    double mean = osw_cost_history_impl_ns(p->history, pair);
    double size = suggested(p, b);
    const struct osw_cost_sum *sum;

    if (took > 0)
        return took;
    sum = osw_cost_table_find(&p->ratios, pair);
    if (!sum && mean > 0)
        return mean; /* of other cases: their sizes are not known here */
    if (!sum)
        sum = osw_cost_table_find(&p->ratios,
                                  osw_cost_table_key(b->op_name, NULL));
    if (sum)
        return scaled(sum, size);
    if (cached_ns > 0)
        return cached_ns;
    if (p->predicted_ns > 0)
        return size * p->took_ns / p->predicted_ns;
    return p->cached_ns > 0 ? size * p->cache_ns / p->cached_ns : size;
}

static int64_t as_ns(double ns)
{
    return ns < 9e18 ? (int64_t)ns : INT64_MAX;
}

static double predict_bundle(const struct predicting *p,
                             const struct osw_plan_bundle *b)
{
    double sum = 0, cached_ns = cached(p, b);

    for (uint32_t k = 0; k < count(p, b); k++)
        sum += predict_cell(p, b, k, cached_ns);
    return sum;
}

static int predict(struct osw_plan *plan, osw_cost_history_t *history,
                   bool for_shards)
{
    struct osw_plan_bundle *bundles = plan->bundles;
    struct predicting p = {.history = history, .for_shards = for_shards};
    int rc = collect(&p, plan);

    for (size_t i = 0; i < plan->n_bundles && rc == 0; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];

        if (!for_shards) {
            bundles[i].expect_ns = as_ns(predict_bundle(&p, b));
            bundles[i].n_known = 0;
            for (uint32_t k = 0; k < b->n_run; k++)
                bundles[i].n_known += is_known(&p, b->cell_keys[k]);
        } else if (b->balance_ns > 0 && p.took_ns > 0) {
            bundles[i].balance_ns = as_ns(predict_bundle(&p, b));
        }
    }
    osw_cost_table_free(&p.ratios);
    return rc;
}

int osw_cost_predict(osw_cost_history_t *history, struct osw_plan *plan,
                     struct osw_error *err)
{
    if (predict(plan, history, false) < 0 || predict(plan, history, true) < 0)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the plan");
    return 0;
}

int osw_cost_predict_plan(const struct osw_campaign *c, bool optional,
                          bool quiet, struct osw_plan *plan,
                          osw_cost_history_t **history,
                          char path[OSW_BUILD_MAX_PATH], struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    osw_cost_history_t *h = osw_cost_history_cache_open(c, path);
    int rc = h ? osw_cost_history_files(h, c, quiet, &why)
               : osw_fail(&why, OSW_NO_MEMORY, "no memory for the plan");

    if (rc < 0 && optional && why.status == OSW_BAD_INPUT) {
        if (!quiet)
            osw_log(OSW_LOG_WARNING, "%s; the run goes on without it",
                    why.text);
        rc = 0;
    }
    if (rc < 0)
        osw_fail(err, why.status, "%s", why.text);
    else
        rc = osw_cost_predict(h, plan, err);
    if (rc < 0) {
        osw_cost_history_destroy(h);
        h = NULL;
    }
    *history = h;
    return rc;
}

struct osw_cost_prediction osw_cost_predict_wall(const struct osw_plan *plan,
                                                 const uint8_t *states,
                                                 uint32_t n_workers)
{
    struct osw_cost_prediction out = {.n_workers = n_workers};
    double work = 0, longest = 0;

    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];
        uint32_t n_open = 0;
        double cost;

        for (uint32_t k = 0; k < b->n_run; k++)
            n_open += !states || states[b->first_cell + k] == OSW_STATE_NONE;
        if (n_open == 0)
            continue;
        cost = (double)osw_plan_expect_ns(b) * n_open / b->n_run;
        work += cost * osw_plan_world(b); /* so many workers, all the time */
        longest = fmax(longest, cost);
        out.n_cells += n_open;
        out.n_known += b->n_known < n_open ? b->n_known : n_open;
    }
    out.work_ns = as_ns(work);
    out.wall_ns = as_ns(fmax(longest, work / n_workers));
    return out;
}

void osw_cost_predict_print(double seconds, struct osw_text *out)
{
    uint64_t s = seconds > 0 ? (uint64_t)(fmin(seconds, 1e9) + 0.5) : 0;

    if (s >= 3600)
        osw_text_printf(out, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600,
                        s / 60 % 60, s % 60);
    else
        osw_text_printf(out, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
}
