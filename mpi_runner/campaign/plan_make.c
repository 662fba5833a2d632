/* mpi_runner/campaign/plan_make.c - what becomes of the cases of a suite */
#include "mpi_runner/campaign/plan_make.h"

#include <math.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/campaign/plan_check.h"
#include "mpi_runner/campaign/plan_impls.h"
#include "ops/cases/cell.h"
#include "ops/catalog/backend.h"

/* The cells that are wanted; there may be none. */
static int set_cells(struct osw_planner *p, const struct osw_op_file **impls,
                     size_t n, struct osw_plan_draft *d)
{
    struct osw_plan_bundle *b = &d->bundle;
    size_t n_cells = n > 0 ? n : 1, used = 0;
    const char **names = osw_arena_array(p->arena, n_cells, sizeof(*names));
    const char **reasons = osw_arena_array(p->arena, n_cells, sizeof(*reasons));
    uint64_t *keys = osw_arena_array(p->arena, n_cells, sizeof(*keys));

    if (!names || !reasons || !keys)
        return osw_plan_no_memory(p->err);
    b->n_run = 0;
    for (size_t i = 0; i < n_cells; i++) {
        const char *missing = n ? impls[i]->language->missing : NULL;
        const char *reason = d->reason ? d->reason : missing ? missing : "";
        struct osw_cell_parts parts = {b->op_name, n ? impls[i]->name : "",
                                       b->case_text, b->fill,
                                       p->campaign->device};
        uint64_t key = osw_cell_key(&parts);

        if (!osw_plan_impls_wants_cell(p, key))
            continue;
        if (!n && !d->reason)
            reason = osw_backend_find(p->campaign->backend)->none;
        names[used] = parts.impl;
        reasons[used] = reason;
        keys[used++] = key;
        b->n_run += !*reason;
    }
    b->impls = names;
    b->reasons = reasons;
    b->cell_keys = keys;
    b->n_cells = (uint32_t)used;
    b->first_cell = p->n_cells;
    return 0;
}

static int add_item(struct osw_planner *p, const struct osw_suite_item *item)
{
    struct osw_plan_draft d = {
        .bundle =
            {
                .op = item->op,
                .broken = item->broken,
                .op_name = item->op_name,
                .case_text = item->case_text,
                .fill = item->fill,
                .dtype = "",
                .baselines = "",
                .time = item->performance && p->profile->time,
                .count = item->count,
                .flops = NAN,
                .bytes = NAN,
                .digest = item->digest,
            },
    };
    const struct osw_op_file **impls;
    size_t n;

    impls = osw_plan_impls_wanted(p, item->op, &n, &d.n_able);
    if (!impls)
        return osw_plan_no_memory(p->err);
    if (n == 0 && item->op && item->op->n_impls > 0)
        return 0; /* the filter wants none of its implementations */
    if (osw_plan_check_choose(p, item, &d) < 0 ||
        set_cells(p, impls, n, &d) < 0)
        return -1;
    if (d.bundle.n_cells == 0)
        return 0; /* none of them is wanted */
    if (d.bundle.n_run == 0) {
        d.bundle.check = OSW_CHECK_NONE;
        d.bundle.cost_ns = 0;
    }
    p->bundles[p->n++] = d.bundle;
    p->n_cells += d.bundle.n_cells;
    return 0;
}

static void hash_text(SHA2_CTX *sha, const char *s)
{
    SHA256Update(sha, (const uint8_t *)s, strlen(s) + 1);
}

static void hash_u64(SHA2_CTX *sha, uint64_t v)
{
    SHA256Update(sha, (const uint8_t *)&v, sizeof(v));
}

static void hash_bundle(SHA2_CTX *sha, const struct osw_plan_bundle *b)
{
    hash_text(sha, b->op_name);
    hash_text(sha, b->case_text);
    hash_text(sha, b->fill);
    hash_text(sha, b->baselines);
    hash_u64(sha, b->check);
    hash_u64(sha, b->time);
    hash_u64(sha, b->count);
    hash_u64(sha, (uint64_t)b->cost_ns);
    hash_u64(sha, b->memory_bytes);
    hash_u64(sha, b->digest);
    hash_u64(sha, b->n_cells);
    for (uint32_t i = 0; i < b->n_cells; i++) {
        hash_u64(sha, b->cell_keys[i]);
        hash_text(sha, b->impls[i]);
        hash_text(sha, b->reasons[i]);
    }
}

static void finish(const struct osw_planner *p, struct osw_plan *plan)
{
    SHA2_CTX sha;

    *plan = (struct osw_plan){.n_bundles = p->n,
                              .bundles = p->bundles,
                              .n_cells = p->n_cells,
                              .coverage = "",
                              .words = ""};
    SHA256Init(&sha);
    for (size_t i = 0; i < p->n; i++) {
        plan->n_run += p->bundles[i].n_run;
        plan->cost_ns += p->bundles[i].cost_ns;
        hash_bundle(&sha, &p->bundles[i]);
    }
    SHA256End(&sha, plan->digest);
}

int osw_plan_make(osw_arena_t *arena, const struct osw_campaign *campaign,
                  const struct osw_suite_item *items, size_t n,
                  struct osw_plan *plan, struct osw_error *err)
{
    struct osw_planner p = {
        .arena = arena,
        .campaign = campaign,
        .profile = osw_profile_find(campaign->profile),
        .bundles = osw_arena_array(arena, n, sizeof(*p.bundles)),
        .found = osw_arena_array(arena, campaign->n_cells, sizeof(bool)),
        .err = err,
    };

    if (!p.bundles || !p.found)
        return osw_plan_no_memory(err);
    if (osw_plan_impls_check(&p, items, n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (add_item(&p, &items[i]) < 0)
            return -1;
    if (osw_plan_impls_check_cells(&p) < 0)
        return -1;
    if (p.n_cells == 0)
        return osw_fail(err, OSW_NOTHING,
                        "nothing to judge: the suite and the filters leave no "
                        "cell");
    finish(&p, plan);
    return 0;
}
