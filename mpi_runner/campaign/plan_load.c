/* mpi_runner/campaign/plan_load.c - campaign and folders to a plan */
#include "mpi_runner/campaign/plan_load.h"

#include <stdlib.h>
#include <string.h>

#include "common/kernel/control_group.h"
#include "common/suggest.h"
#include "mpi_runner/campaign/expand.h"
#include "mpi_runner/campaign/plan_make.h"
#include "ops/cases/opinfo.h"
#include "ops/catalog/backend.h"
#include "ops/catalog/op_baseline.h"

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the plan");
}

/* Of rank 0 for a case with one cell, beside its text: the bundle, and what the
 * scheduler, the ledger and the journal's dictionary keep of it.
 */
enum { CASE_BYTES = sizeof(struct osw_plan_bundle) + 160 };

enum { MAX_NAMED = 8 }; /* ops without implementations, listed by name */

/* How many ops and cases of the suite it has implementations for, and which
 * ops it has not; "" for a backend that covers what the suite asks for.
 */
static const char *say_coverage(osw_arena_t *arena,
                                const struct osw_backend_ops *backend_ops,
                                const struct osw_suite_item *items, size_t n)
{
    size_t n_ops = 0, n_covered = 0, n_cases = 0, n_missing = 0;
    const char *missing = "";

    if (!backend_ops->backend->kernels)
        return "";
    for (size_t i = 0; i < n && missing; i++) {
        const struct osw_op *op = items[i].op;
        bool covered = op && op->n_impls > 0;

        n_cases += covered;
        if (i > 0 && strcmp(items[i - 1].op_name, items[i].op_name) == 0)
            continue;
        n_ops++;
        n_covered += covered;
        if (!covered && n_missing++ < MAX_NAMED)
            missing = osw_arena_printf(
                arena, "%s%s %s", missing,
                *missing ? "," : "; not covered:", items[i].op_name);
    }
    if (missing && n_missing > MAX_NAMED)
        missing = osw_arena_printf(arena, "%s and %zu more", missing,
                                   n_missing - MAX_NAMED);
    return missing
               ? osw_arena_printf(arena,
                                  "backend %s: kernels for %zu of %zu op%s, "
                                  "%zu of %zu case%s%s",
                                  backend_ops->backend->name, n_covered, n_ops,
                                  osw_plural(n_ops), n_cases, n, osw_plural(n),
                                  missing)
               : NULL;
}

/* Every op that is asked for, and covered, must have it. */
static int check_baselines(const struct osw_backend_ops *backend_ops,
                           const struct osw_suite_item *items, size_t n,
                           struct osw_error *err)
{
    const char *baseline = backend_ops->baseline;

    for (size_t i = 0; osw_op_baseline_known(baseline) && i < n; i++)
        if (items[i].op && !osw_op_impl(items[i].op, baseline) &&
            !(backend_ops->backend->kernels && items[i].op->n_impls == 0))
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--baseline': op '%s' has no name of "
                            "torch's for '%s': expected \"name\": "
                            "\"aten.<op>.<overload>\" in %s/op.json",
                            items[i].op->name, baseline, items[i].op->dir);
    return 0;
}

/* The root may be an op's own folder, or a folder above the real root: say so.
 */
static int check_root(const struct osw_campaign *campaign,
                      const struct osw_catalog *catalog, struct osw_error *err)
{
    if (catalog->n_ops || strcmp(campaign->suite, "custom_ops") != 0)
        return 0;
    if (osw_catalog_is_op(campaign->custom_ops_root))
        return osw_fail(err, OSW_NOTHING,
                        "nothing to judge: '%s' is an op's own folder, "
                        "expected the folder that holds it",
                        campaign->custom_ops_root);
    return osw_fail(err, OSW_NOTHING,
                    "nothing to judge: '%s' has no op, expected folders <op>/ "
                    "with gen_input.json or gen_input.py; opsweep new makes "
                    "one",
                    campaign->custom_ops_root);
}

/* The items are gone afterwards. */
static int make(osw_arena_t *arena, const struct osw_campaign *campaign,
                const struct osw_backend_ops *backend_ops,
                struct osw_suite_list *list, struct osw_plan *plan,
                struct osw_error *err)
{
    const char *coverage;

    if (check_baselines(backend_ops, list->items, list->n, err) < 0)
        return -1;
    coverage = say_coverage(arena, backend_ops, list->items, list->n);
    if (!coverage)
        return no_memory(err);
    if (osw_plan_make(arena, campaign, list, plan, err) < 0)
        return -1;
    plan->coverage = coverage;
    return 0;
}

struct osw_suite_request osw_plan_request(const struct osw_campaign *campaign,
                                          const struct osw_catalog *catalog,
                                          size_t each)
{
    return (struct osw_suite_request){
        .catalog = catalog,
        .root = osw_campaign_root(campaign),
        .ops = campaign->ops,
        .n_ops = campaign->n_ops,
        .traces = campaign->traces,
        .n_traces = campaign->n_traces,
        .top = campaign->top,
        .top_by_size = strcmp(campaign->top_by, "size") == 0,
        .device = campaign->device,
        .memory = {.max_bytes = osw_memory_left_bytes(), .each = each},
    };
}

static int load(osw_arena_t *arena, const struct osw_campaign *campaign,
                struct osw_backend_ops *backend_ops, struct osw_plan *plan,
                struct osw_error *err)
{
    struct osw_opinfo opinfo = {.torch = NULL};
    struct osw_suite_request request =
        osw_plan_request(campaign, &backend_ops->catalog, CASE_BYTES);
    struct osw_suite_list list = {.n = 0};
    int rc;

    request.opinfo_dtypes = campaign->opinfo_dtypes;
    request.opinfo = &opinfo;
    request.given = *campaign->given_case ? campaign->given_case : NULL;
    request.fill = *campaign->fill ? campaign->fill : NULL;
    request.make_arg = backend_ops;
    if (osw_backend_ops_load(arena, campaign, backend_ops, err) < 0)
        return -1;
    if (backend_ops->backend->torch)
        request.make_op = osw_backend_ops_make_op;
    rc = osw_suite_expand(arena, osw_suite_find(campaign->suite), &request,
                          &list, err);
    if (rc == 0)
        rc = check_root(campaign, &backend_ops->catalog, err);
    if (rc == 0)
        rc = make(arena, campaign, backend_ops, &list, plan, err);
    osw_suite_list_free(&list);
    if (rc < 0)
        return -1;
    plan->words = opinfo.torch ? osw_opinfo_words(arena, &opinfo) : "";
    return plan->words ? 0 : no_memory(err);
}

int osw_plan_load(osw_arena_t *arena, const struct osw_campaign *campaign,
                  struct osw_backend_ops *backend_ops, struct osw_plan *plan,
                  struct osw_error *err)
{
    int rc = load(arena, campaign, backend_ops, plan, err);

    osw_expand_end();
    return rc;
}
