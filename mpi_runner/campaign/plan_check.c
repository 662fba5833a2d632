/* mpi_runner/campaign/plan_check.c - which check the budgets of a campaign
 * allow for a case */
#include "mpi_runner/campaign/plan_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mpi_runner/campaign/cost.h"
#include "ops/catalog/baselines.h"
#include "ops/inputs/fill_text.h"
#include "ops/notation/notation.h"

static const char *say_bytes(const struct osw_planner *p, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t i = 0;

    while (bytes >= 1024 && i + 1 < sizeof(units) / sizeof(units[0])) {
        bytes /= 1024;
        i++;
    }
    return osw_arena_printf(p->scratch, i ? "%.1f %s" : "%.0f %s", bytes,
                            units[i]);
}

static int say_memory(const struct osw_planner *p, struct osw_plan_draft *d)
{
    const char *need = say_bytes(p, (double)d->bundle.memory_bytes);
    const char *limit = say_bytes(p, (double)p->campaign->max_bytes);

    d->reason = need && limit
                    ? osw_arena_printf(p->scratch,
                                       "over memory budget: %s, limit %s "
                                       "(--max-bytes)",
                                       need, limit)
                    : NULL;
    return d->reason ? 0 : osw_plan_no_memory(p->err);
}

static int say_work(const struct osw_planner *p, struct osw_plan_draft *d,
                    double s)
{
    d->reason = osw_arena_printf(p->scratch,
                                 "over work budget: predicted %.*f s, limit "
                                 "%g s (--max-work)",
                                 s < 10 ? 1 : 0, s, p->campaign->max_work_s);
    return d->reason ? 0 : osw_plan_no_memory(p->err);
}

/* Index of the argument of that name; -1: none, or no tensor in it. */
static int product_arg(const struct osw_plan_draft *d, const char *name)
{
    for (size_t i = 0; *name && i < d->n_args; i++)
        if (strcmp(d->args[i].name, name) == 0 &&
            d->args[i].value->kind == OSW_VALUE_TENSOR)
            return (int)i;
    return -1;
}

/* The fills of a product's factors and summand become small integers, so that
 * every sum is exact.  *fill is NULL when the case is no product, or when its
 * fills were given and are others.
 */
static int freivalds_fill(const struct osw_planner *p, const struct osw_op *op,
                          const struct osw_plan_draft *d, const char **fill)
{
    const struct osw_fill *fills;
    struct osw_fill *small;
    int args[3];
    size_t n;

    *fill = NULL;
    if (!op->product.a)
        return 0;
    args[0] = product_arg(d, op->product.a);
    args[1] = product_arg(d, op->product.b);
    args[2] = product_arg(d, op->product.plus);
    if (args[0] < 0 || args[1] < 0)
        return 0;
    if (osw_fill_list_parse(p->scratch, d->bundle.fill, strlen(d->bundle.fill),
                            &fills, &n, p->err) < 0)
        return -1;
    small = osw_arena_array(p->scratch, n, sizeof(*small));
    if (!small)
        return osw_plan_no_memory(p->err);
    for (size_t i = 0; i < n; i++) {
        int arg = (int)d->tensors[i].arg;

        if (osw_fill_is_drawn(fills[i].kind))
            return 0;
        small[i] = fills[i];
        if (arg == args[0] || arg == args[1] || arg == args[2])
            small[i] = (struct osw_fill){OSW_FILL_SMALLINT, 1, 0};
    }
    *fill = osw_fill_list_text(p->scratch, small, n);
    if (!*fill)
        return osw_plan_no_memory(p->err);
    if (*p->campaign->fill && strcmp(*fill, d->bundle.fill) != 0)
        *fill = NULL;
    return 0;
}

/* Take the check into the draft; returns the predicted seconds. */
static double try_check(const struct osw_planner *p, enum osw_check check,
                        struct osw_plan_draft *d)
{
    double s = osw_cost_time(&d->size, p->campaign->device, check, d->n_able,
                             d->bundle.time, p->profile);

    d->bundle.check = (uint8_t)check;
    d->bundle.memory_bytes = (uint64_t)osw_cost_memory(&d->size, check);
    d->bundle.cost_ns = (int64_t)fmin(s * 1e9, 9e18);
    return s;
}

/* Predicted by sizes and limits that all nodes share; 0: not judged at all. */
static int64_t balance(const struct osw_planner *p, const struct osw_op *op,
                       const struct osw_plan_draft *d)
{
    const char *device = p->campaign->device;
    double s = osw_cost_time(&d->size, device, OSW_CHECK_FULL, d->n_able,
                             d->bundle.time, p->profile);

    if (s > p->campaign->max_work_s && op->product.a)
        s = osw_cost_time(&d->size, device, OSW_CHECK_FREIVALDS, d->n_able,
                          d->bundle.time, p->profile);
    return s > p->campaign->max_work_s ? 0 : (int64_t)fmin(s * 1e9, 9e18);
}

/* Which check the budgets allow; a reason when none. */
static int choose_check(const struct osw_planner *p, const struct osw_op *op,
                        struct osw_plan_draft *d)
{
    struct osw_error why = OSW_ERROR_INIT;
    const char *small;
    double s;

    if (osw_cost_size(op, d->args, d->n_args, d->tensors, d->n_tensors,
                      &d->size, &why) < 0) {
        d->reason = osw_arena_strdup(p->scratch, why.text);
        return d->reason ? 0 : osw_plan_no_memory(p->err);
    }
    d->bundle.flops = d->size.flops;
    d->bundle.bytes = d->size.bytes;
    d->bundle.balance_ns = balance(p, op, d);
    s = try_check(p, OSW_CHECK_FULL, d);
    if (s > p->campaign->max_work_s ||
        d->bundle.memory_bytes > p->campaign->max_bytes) {
        if (freivalds_fill(p, op, d, &small) < 0)
            return -1;
        if (small) {
            d->bundle.fill = small;
            s = try_check(p, OSW_CHECK_FREIVALDS, d);
        }
    }
    if (d->bundle.memory_bytes > p->campaign->max_bytes)
        return say_memory(p, d);
    if (s > p->campaign->max_work_s)
        return say_work(p, d, s);
    return 0;
}

static bool has_c32(const struct osw_plan_draft *d)
{
    for (size_t i = 0; i < d->n_tensors; i++)
        if (d->tensors[i].desc->dtype == OSW_C32)
            return true;
    return false;
}

/* A text that cannot be parsed, as it is too long, is a reason. */
static int read_case(const struct osw_planner *p, const struct osw_op *op,
                     struct osw_plan_draft *d)
{
    struct osw_error why = OSW_ERROR_INIT;
    const char *text = d->bundle.case_text;

    if (osw_notation_parse_case(p->scratch, text, strlen(text), &d->parsed,
                                &why) < 0) {
        d->reason = osw_arena_printf(p->scratch, "case: %s", why.text);
        return why.status != OSW_NO_MEMORY && d->reason
                   ? 0
                   : osw_plan_no_memory(p->err);
    }
    return osw_bind(p->scratch, op->schema, &d->parsed, &d->args, &d->n_args,
                    p->err) < 0 ||
                   osw_bind_tensors(p->scratch, d->args, d->n_args, &d->tensors,
                                    &d->n_tensors, p->err) < 0
               ? -1
               : 0;
}

void osw_plan_check_recount(const struct osw_planner *p,
                            struct osw_plan_draft *d)
{
    if (d->reason || d->bundle.n_run == 0 || d->bundle.n_run >= d->n_able)
        return;
    d->n_able = d->bundle.n_run;
    (void)try_check(p, (enum osw_check)d->bundle.check, d);
}

int osw_plan_check_choose(struct osw_planner *p,
                          const struct osw_suite_item *item,
                          struct osw_plan_draft *d)
{
    const struct osw_op *op = item->op;

    if (item->why_not || !op) {
        d->reason = item->why_not ? item->why_not : "no folder of this op";
        return 0;
    }
    if (!p->impls.baselines)
        p->impls.baselines = osw_baselines_of(p->arena, op, p->campaign->device,
                                              p->campaign->baseline);
    if (!p->impls.baselines)
        return osw_plan_no_memory(p->err);
    d->bundle.baselines = p->impls.baselines;
    if (read_case(p, op, d) < 0)
        return -1;
    if (d->n_tensors)
        snprintf(d->bundle.dtype, sizeof(d->bundle.dtype), "%s",
                 osw_dtype_info((int)d->tensors[0].desc->dtype)->name);
    if (d->reason)
        return 0;
    if (has_c32(d))
        d->reason = "no op runs on c32";
    if (!d->reason && d->n_able > 0)
        return choose_check(p, op, d);
    return 0;
}
