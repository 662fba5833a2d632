/* mpi_runner/campaign/plan_make.c - what becomes of the cases of a suite */
#include "mpi_runner/campaign/plan_make.h"

#include <math.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/campaign/plan_check.h"
#include "mpi_runner/campaign/plan_impls.h"
#include "ops/cases/cell.h"
#include "ops/cases/gen_case.h"
#include "ops/cases/variant.h"
#include "ops/catalog/backend.h"
#include "ops/notation/notation.h"

enum { KEYS_BLOCK = 1024, LOOK_BACK = 4096 /* bundles, for an equal one */ };

/* --- what bundles share --- */

/* Texts of one bundle are often those of the one before. */
static const char *keep_text(const struct osw_planner *p, const char *text,
                             const char *last)
{
    if (!*text)
        return "";
    return last && strcmp(text, last) == 0 ? last
                                           : osw_arena_strdup(p->arena, text);
}

static bool same_texts(const char *const *a, const char *const *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

/* The same of lists.  Names of implementations are the catalog's, reasons are
 * copied.
 */
static const char *const *keep_texts(const struct osw_planner *p,
                                     const char *const *texts, size_t n,
                                     const char *const *last, size_t n_last,
                                     bool copy)
{
    const char **kept;

    if (last && n == n_last && same_texts(texts, last, n))
        return last;
    kept = osw_arena_array(p->arena, n, sizeof(*kept));
    for (size_t i = 0; kept && i < n; i++) {
        kept[i] = !copy ? texts[i]
                        : keep_text(p, texts[i], i > 0 ? kept[i - 1] : NULL);
        if (!kept[i])
            return NULL;
    }
    return kept;
}

static uint64_t *take_keys(struct osw_planner *p, size_t n)
{
    uint64_t *keys;

    if (p->n_keys < n) {
        size_t room = n > KEYS_BLOCK ? n : KEYS_BLOCK;

        p->keys = osw_arena_array(p->arena, room, sizeof(*p->keys));
        p->n_keys = p->keys ? room : 0;
    }
    keys = p->keys;
    if (!keys)
        return NULL;
    p->keys += n;
    p->n_keys -= n;
    return keys;
}

/* What is in the scratch of a bundle that is to stay. */
static int keep_bundle(struct osw_planner *p, struct osw_plan_bundle *b)
{
    static const struct osw_plan_bundle none;
    const struct osw_plan_bundle *last = p->n ? &p->bundles[p->n - 1] : &none;
    uint64_t *keys = take_keys(p, b->n_cells);

    b->fill = keep_text(p, b->fill, last->fill);
    b->impls =
        keep_texts(p, b->impls, b->n_cells, last->impls, last->n_cells, false);
    b->reasons = keep_texts(p, b->reasons, b->n_cells, last->reasons,
                            last->n_cells, true);
    if (!b->fill || !b->impls || !b->reasons || !keys)
        return osw_plan_no_memory(p->err);
    memcpy(keys, b->cell_keys, b->n_cells * sizeof(*keys));
    b->cell_keys = keys;
    return 0;
}

/* --- cases --- */

/* The cells that are wanted; there may be none. */
static int set_cells(struct osw_planner *p, const struct osw_op_file **impls,
                     size_t n, struct osw_plan_draft *d)
{
    struct osw_plan_bundle *b = &d->bundle;
    size_t n_cells = n > 0 ? n : 1, used = 0;
    const char **names = osw_arena_array(p->scratch, n_cells, sizeof(*names));
    const char **reasons =
        osw_arena_array(p->scratch, n_cells, sizeof(*reasons));
    uint64_t *keys = osw_arena_array(p->scratch, n_cells, sizeof(*keys));

    if (!names || !reasons || !keys)
        return osw_plan_no_memory(p->err);
    b->n_run = 0;
    for (size_t i = 0; i < n_cells; i++) {
        const char *reason = d->reason ? d->reason : "";
        struct osw_cell_parts parts = {
            b->op_name, n ? impls[i]->name : "", b->case_text,
            b->fill,    p->campaign->device,     b->world};
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

/* Is the same case among the last ones?  Two that differ by their fills only
 * are one where a check has fills of its own, and so are those that differ by
 * offsets where the campaign has one.  Bundles of an op stand together.
 */
static struct osw_plan_bundle *find_planned(const struct osw_planner *p,
                                            const struct osw_plan_bundle *b)
{
    for (size_t i = p->n;
         i > 0 && p->n - i < LOOK_BACK && p->bundles[i - 1].op == b->op; i--) {
        struct osw_plan_bundle *other = &p->bundles[i - 1];

        if (other->world == b->world && strcmp(other->fill, b->fill) == 0 &&
            strcmp(other->case_text, b->case_text) == 0)
            return other;
    }
    return NULL;
}

/* One that is timed is, whatever the other one is. */
static void merge(struct osw_plan_bundle *b, const struct osw_plan_bundle *same)
{
    b->count += same->count;
    if (!same->time || b->time)
        return;
    b->time = true;
    b->cost_ns = same->cost_ns;
    b->balance_ns = same->balance_ns;
}

/* The case's text, its tensors at the campaign's offset.  Values that code
 * generated are made again by workers, and so lie as they lie; what is no case
 * stays as it is.  NULL: no memory.
 */
static const char *shift(struct osw_planner *p,
                         const struct osw_suite_item *item)
{
    int64_t offset = p->campaign->offset;
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_case given, shifted;

    if (offset == 0 || item->digest || item->why_not ||
        osw_notation_parse_case(p->scratch, item->case_text,
                                strlen(item->case_text), &given, &why) < 0)
        return item->case_text;
    return osw_variant_shift(p->scratch, &given, 0, offset, &shifted, &why) < 0
               ? NULL
               : osw_gen_case_text(p->arena, &shifted);
}

/* world: one of the op's several; 0: it has one. */
static int add_cells(struct osw_planner *p, const struct osw_suite_item *item,
                     int world)
{
    struct osw_plan_draft d = {
        .bundle =
            {
                .op = item->op,
                .broken = item->broken,
                .op_name = item->op_name,
                .fill = item->fill,
                .baselines = "",
                .world = (uint8_t)world,
                .time = item->performance && p->profile->time,
                .count = item->count,
                .flops = NAN,
                .bytes = NAN,
                .digest = item->digest,
            },
    };
    struct osw_plan_bundle *same;

    osw_arena_reset(p->scratch);
    d.bundle.case_text = shift(p, item);
    if (!d.bundle.case_text)
        return osw_plan_no_memory(p->err);
    if (osw_plan_impls_of(p, item->op) < 0)
        return -1;
    d.n_able = p->impls.n;
    if (p->impls.n == 0 && item->op && item->op->n_impls > 0)
        return 0; /* the filter wants none of its implementations */
    if (osw_plan_check_choose(p, item, &d) < 0)
        return -1;
    same = d.bundle.check == OSW_CHECK_FREIVALDS || p->campaign->offset
               ? find_planned(p, &d.bundle)
               : NULL;
    if (same) {
        if (!d.reason)
            merge(same, &d.bundle);
        return 0;
    }
    if (set_cells(p, p->impls.at, p->impls.n, &d) < 0)
        return -1;
    if (d.bundle.n_cells == 0)
        return 0; /* none of them is wanted */
    osw_plan_check_recount(p, &d);
    if (d.bundle.n_run == 0) {
        d.bundle.check = OSW_CHECK_NONE;
        d.bundle.cost_ns = 0;
    }
    if (keep_bundle(p, &d.bundle) < 0)
        return -1;
    p->bundles[p->n++] = d.bundle;
    p->n_cells += d.bundle.n_cells;
    return 0;
}

static int add_item(struct osw_planner *p, const struct osw_suite_item *item)
{
    const struct osw_op *op = item->op;

    if (!op || op->n_worlds == 0)
        return add_cells(p, item, 0);
    for (size_t i = 0; i < op->n_worlds; i++)
        if (add_cells(p, item, op->worlds[i]) < 0)
            return -1;
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

enum { RELEASE = 4096 }; /* items at a time */

static int add_items(struct osw_planner *p, struct osw_suite_list *list)
{
    if (osw_plan_impls_check(p, list->items, list->n) < 0)
        return -1;
    for (size_t i = 0; i < list->n; i++) {
        if (add_item(p, &list->items[i]) < 0)
            return -1;
        if (i % RELEASE == RELEASE - 1)
            osw_suite_list_release(list, i);
    }
    if (osw_plan_impls_check_cells(p) < 0)
        return -1;
    return p->n_cells ? 0
                      : osw_fail(p->err, OSW_NOTHING,
                                 "nothing to judge: the suite and the filters "
                                 "leave no cell");
}

/* At most. */
static size_t count_bundles(const struct osw_suite_list *list)
{
    size_t n = list->n;

    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].op && list->items[i].op->n_worlds > 1)
            n += list->items[i].op->n_worlds - 1;
    return n;
}

int osw_plan_make(osw_arena_t *arena, const struct osw_campaign *campaign,
                  struct osw_suite_list *list, struct osw_plan *plan,
                  struct osw_error *err)
{
    struct osw_planner p = {
        .arena = arena,
        .scratch = osw_arena_create(),
        .campaign = campaign,
        .profile = osw_profile_find(campaign->profile),
        .bundles =
            osw_arena_array(arena, count_bundles(list), sizeof(*p.bundles)),
        .found = osw_arena_array(arena, campaign->n_cells, sizeof(bool)),
        .err = err,
    };
    int rc = p.scratch && p.bundles && p.found ? add_items(&p, list)
                                               : osw_plan_no_memory(err);

    if (rc == 0)
        finish(&p, plan);
    osw_arena_destroy(p.scratch);
    return rc;
}
