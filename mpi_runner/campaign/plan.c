/* mpi_runner/campaign/plan.c - what will be run: bundles of cells, with budgets
 */
#include "mpi_runner/campaign/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "mpi_runner/campaign/cost.h"
#include "ops/catalog/op_symbol.h"

enum { MAX_WARM_UP_TEXT = 1024 };

const struct osw_plan_bundle *osw_plan_next_broken(const struct osw_plan *plan,
                                                   size_t *i)
{
    while (*i < plan->n_bundles) {
        const struct osw_plan_bundle *b = &plan->bundles[(*i)++];

        if (b->broken && (b == plan->bundles || !b[-1].broken ||
                          strcmp(b[-1].op_name, b->op_name) != 0))
            return b;
    }
    return NULL;
}

/* Can the reference tell a product's outputs without being run?  By its text,
 * since no op code runs here.
 */
static bool has_meta(const struct osw_op *op)
{
    char symbol[OSW_OP_MAX_NAME + 8];

    snprintf(symbol, sizeof(symbol), "%s_meta", op->folder);
    return op->reference->language->compiled &&
           osw_op_symbol_occurs(op->reference->path, symbol);
}

/* One line for each op with cases that cannot be judged for want of it. */
static void warn_products(const struct osw_plan *plan)
{
    const struct osw_op *looked = NULL;

    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];

        if (b->n_run == 0 || b->check != OSW_CHECK_FREIVALDS || !b->op ||
            b->op == looked || b->op->oracle != OSW_ORACLE_INDEPENDENT)
            continue;
        looked = b->op;
        if (!has_meta(looked))
            osw_log(OSW_LOG_WARNING,
                    "op '%s': large cases such as %s will be unverified: "
                    "`product` of op.json needs %s_meta in %s%s",
                    b->op_name, b->case_text, looked->folder,
                    looked->reference->file,
                    looked->reference->language->compiled
                        ? ""
                        : ", which must be C or C++ for that");
    }
}

void osw_plan_warn(const struct osw_plan *plan, const char *device)
{
    const struct osw_plan_bundle *b;

    for (size_t i = 0; (b = osw_plan_next_broken(plan, &i));)
        osw_log(OSW_LOG_WARNING, "op '%s' is skipped: %s", b->op_name,
                b->reasons[0]);
    if (strcmp(device, "cpu") == 0) /* a GPU computes the whole product */
        warn_products(plan);
}

/* Texts are sent along with each of the op's bundles. */
static bool may_warm_up(const struct osw_plan_bundle *b)
{
    return osw_plan_world(b) == 1 && b->bytes <= OSW_WORKER_SMALL_BYTES &&
           strlen(b->case_text) + strlen(b->fill) <= MAX_WARM_UP_TEXT;
}

void osw_plan_choose_warm_ups(const struct osw_plan *plan,
                              const uint32_t *bundles, uint32_t n,
                              uint32_t *out)
{
    const struct osw_plan_bundle *all = plan->bundles;

    for (uint32_t from = 0, to; from < n; from = to) {
        uint32_t least = n;

        for (to = from; to < n && all[bundles[to]].op == all[bundles[from]].op;
             to++)
            if (may_warm_up(&all[bundles[to]]) &&
                (least == n ||
                 all[bundles[to]].bytes < all[bundles[least]].bytes))
                least = to;
        for (uint32_t i = from; i < to; i++)
            out[i] = least < n && osw_plan_world(&all[bundles[i]]) == 1
                         ? bundles[least]
                         : bundles[i];
    }
}

int64_t osw_plan_call_ns(const struct osw_plan_bundle *b, const char *device)
{
    const struct osw_case_size size = {.bytes = b->bytes, .flops = b->flops};
    double ns = osw_cost_call(&size, device) * 1e9;

    return isnan(ns) ? 0 : (int64_t)fmin(ns, 9e18);
}

struct osw_bundle osw_plan_dispatch(const struct osw_plan_bundle *b,
                                    const char *device)
{
    return (struct osw_bundle){
        .first_cell = b->first_cell,
        .attempt = 1,
        .op_dir = b->op->dir,
        .case_text = b->case_text,
        .fill = b->fill,
        .baselines = b->baselines,
        .check = (enum osw_check)b->check,
        .time = b->time,
        .flops = b->flops,
        .bytes = b->bytes,
        .cost_ns = b->cost_ns,
        .call_ns = osw_plan_call_ns(b, device),
        .digest = b->digest,
        .n_impls = b->n_run,
        .impls = b->impls,
        .cell_keys = b->cell_keys,
    };
}

/* Files in Python have sandboxes of another kind, made when they are needed. */
static uint32_t n_native(const struct osw_plan_bundle *b)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->n_run; i++) {
        const struct osw_op_file *file = osw_op_impl(b->op, b->impls[i]);

        n += file && strcmp(file->language->suffix, ".py") != 0;
    }
    return n;
}

uint32_t osw_plan_n_files(const struct osw_plan *plan)
{
    uint32_t n = 0, most = 0;

    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];
        bool last = i + 1 == plan->n_bundles || b[1].op != b->op;

        if (n_native(b) > most)
            most = n_native(b);
        if (!last)
            continue;
        n += most ? most + 1 : 0; /* and a baseline */
        most = 0;
    }
    return n ? n + 1 : 0; /* and one process for all references */
}
