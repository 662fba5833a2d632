/* mpi_runner/campaign/plan.c - what will be run: bundles of cells, with budgets
 */
#include "mpi_runner/campaign/plan.h"

#include <inttypes.h>
#include <math.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/suggest.h"
#include "mpi_runner/campaign/cost.h"
#include "ops/cases/cell.h"
#include "ops/cases/opinfo.h"
#include "ops/catalog/backend.h"
#include "ops/catalog/baselines.h"
#include "ops/catalog/op_baseline.h"
#include "ops/catalog/select.h"
#include "ops/inputs/fill_text.h"

struct planner {
    osw_arena_t *arena;
    const struct osw_campaign *campaign;
    const struct osw_profile *profile;
    struct osw_plan_bundle *bundles; /* [n] of room for every item */
    size_t n;
    uint64_t n_cells;
    bool *found; /* [campaign->n_cells] keys that are there */
    struct osw_error *err;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the plan");
}

/* --- which implementations --- */

/* "plain", or as printed: "mm__plain". */
static bool matches(const struct planner *p, const struct osw_op *op,
                    const char *impl)
{
    char printed[2 * OSW_OP_MAX_NAME + 3];
    const char *names[] = {impl, printed};

    strcpy(printed, op->folder);
    strcat(printed, "__");
    strcat(printed, impl);
    return osw_select(p->campaign->impls, p->campaign->n_impls, names, 2);
}

/* A baseline has cells only where it is asked for by name. */
static bool wants_impl(const struct planner *p, const struct osw_op *op,
                       const struct osw_op_file *impl)
{
    return matches(p, op, impl->name) &&
           (!impl->beside ||
            osw_select_includes(p->campaign->impls, p->campaign->n_impls));
}

/* Does the pattern match any implementation of the items' ops? */
static bool names_an_impl(const struct planner *p, const char *pattern,
                          const struct osw_suite_item *items, size_t n)
{
    struct osw_campaign one = {.impls = &pattern, .n_impls = 1};
    struct planner q = {.campaign = &one};

    (void)p;
    for (size_t i = 0; i < n; i++) {
        const struct osw_op *op = items[i].op;

        if (!op || (i > 0 && items[i - 1].op == op))
            continue;
        for (size_t k = 0; k < op->n_impls; k++)
            if (matches(&q, op, op->impls[k].name))
                return true;
    }
    return false;
}

static int unknown_impl(const struct planner *p, const char *option,
                        const char *name, const struct osw_suite_item *items,
                        size_t n)
{
    const char *words[256], *near;
    size_t n_words = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; items[i].op && k < items[i].op->n_impls; k++)
            if (n_words < sizeof(words) / sizeof(words[0]) &&
                (i == 0 || items[i - 1].op != items[i].op))
                words[n_words++] = items[i].op->impls[k].name;
    near = osw_suggest(name, words, n_words);
    return osw_fail(p->err, OSW_BAD_INPUT,
                    "option '--%s': no op has an implementation '%s'%s%s%s",
                    option, name, near ? " (did you mean '" : "",
                    near ? near : "", near ? "'?)" : "");
}

static int check_names(const struct planner *p,
                       const struct osw_suite_item *items, size_t n)
{
    const struct osw_campaign *c = p->campaign;

    for (size_t i = 0; i < c->n_impls; i++) {
        const char *pattern = c->impls[i] + (c->impls[i][0] == '!');

        if (!names_an_impl(p, pattern, items, n))
            return unknown_impl(p, "impls", pattern, items, n);
    }
    if (strcmp(c->baseline, "reference") == 0)
        return osw_fail(p->err, OSW_BAD_INPUT,
                        "option '--baseline': the reference is an oracle in "
                        "float64 and no baseline: expected an implementation");
    if (*c->baseline && !names_an_impl(p, c->baseline, items, n))
        return unknown_impl(p, "baseline", c->baseline, items, n);
    return 0;
}

/* --- one bundle --- */

/* A case under decision. */
struct draft {
    struct osw_plan_bundle bundle;
    struct osw_bound_arg *args;
    struct osw_bound_tensor *tensors;
    size_t n_args, n_tensors;
    size_t n_able;      /* implementations that could run */
    const char *reason; /* why no cell runs; NULL: they do */
};

static const char *say_bytes(const struct planner *p, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t i = 0;

    while (bytes >= 1024 && i + 1 < sizeof(units) / sizeof(units[0])) {
        bytes /= 1024;
        i++;
    }
    return osw_arena_printf(p->arena, i ? "%.1f %s" : "%.0f %s", bytes,
                            units[i]);
}

static int say_memory(const struct planner *p, struct draft *d)
{
    const char *need = say_bytes(p, (double)d->bundle.memory_bytes);
    const char *limit = say_bytes(p, (double)p->campaign->max_bytes);

    d->reason = need && limit
                    ? osw_arena_printf(p->arena,
                                       "over memory budget: %s, limit %s "
                                       "(--max-bytes)",
                                       need, limit)
                    : NULL;
    return d->reason ? 0 : no_memory(p->err);
}

static int say_work(const struct planner *p, struct draft *d, double s)
{
    d->reason = osw_arena_printf(p->arena,
                                 "over work budget: predicted %.*f s, limit "
                                 "%g s (--max-work)",
                                 s < 10 ? 1 : 0, s, p->campaign->max_work_s);
    return d->reason ? 0 : no_memory(p->err);
}

/* Index of the argument of that name; -1: none, or no tensor in it. */
static int product_arg(const struct draft *d, const char *name)
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
static int freivalds_fill(const struct planner *p, const struct osw_op *op,
                          const struct draft *d, const char **fill)
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
    if (osw_fill_list_parse(p->arena, d->bundle.fill, strlen(d->bundle.fill),
                            &fills, &n, p->err) < 0)
        return -1;
    small = osw_arena_array(p->arena, n, sizeof(*small));
    if (!small)
        return no_memory(p->err);
    for (size_t i = 0; i < n; i++) {
        int arg = (int)d->tensors[i].arg;

        if (fills[i].kind == OSW_FILL_DRAWN)
            return 0;
        small[i] = fills[i];
        if (arg == args[0] || arg == args[1] || arg == args[2])
            small[i] = (struct osw_fill){OSW_FILL_SMALLINT, 1, 0};
    }
    *fill = osw_fill_list_text(p->arena, small, n);
    if (!*fill)
        return no_memory(p->err);
    if (*p->campaign->fill && strcmp(*fill, d->bundle.fill) != 0)
        *fill = NULL;
    return 0;
}

/* Take the check into the draft; returns the predicted seconds. */
static double try_check(const struct planner *p,
                        const struct osw_case_size *size, enum osw_check check,
                        struct draft *d)
{
    double s = osw_cost_time(size, p->campaign->device, check, d->n_able,
                             d->bundle.time, p->profile);

    d->bundle.check = check;
    d->bundle.memory_bytes = (uint64_t)osw_cost_memory(size, check);
    d->bundle.cost_ns = (int64_t)fmin(s * 1e9, 9e18);
    d->bundle.call_ns =
        (int64_t)fmin(osw_cost_call(size, p->campaign->device) * 1e9, 9e18);
    return s;
}

/* Which check the budgets allow; a reason when none. */
static int choose_check(const struct planner *p, const struct osw_op *op,
                        struct draft *d)
{
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_case_size size;
    const char *small;
    double s;

    if (osw_cost_size(op, d->args, d->n_args, d->tensors, d->n_tensors, &size,
                      &why) < 0) {
        d->reason = osw_arena_strdup(p->arena, why.text);
        return d->reason ? 0 : no_memory(p->err);
    }
    d->bundle.flops = size.flops;
    d->bundle.bytes = size.bytes;
    s = try_check(p, &size, OSW_CHECK_FULL, d);
    if (s > p->campaign->max_work_s ||
        d->bundle.memory_bytes > p->campaign->max_bytes) {
        if (freivalds_fill(p, op, d, &small) < 0)
            return -1;
        if (small) {
            d->bundle.fill = small;
            s = try_check(p, &size, OSW_CHECK_FREIVALDS, d);
        }
    }
    if (d->bundle.memory_bytes > p->campaign->max_bytes)
        return say_memory(p, d);
    if (s > p->campaign->max_work_s)
        return say_work(p, d, s);
    return 0;
}

static bool has_c32(const struct draft *d)
{
    for (size_t i = 0; i < d->n_tensors; i++)
        if (d->tensors[i].desc->dtype == OSW_C32)
            return true;
    return false;
}

/* Everything about an op's case but its cells. */
static int decide(const struct planner *p, const struct osw_suite_item *item,
                  struct draft *d)
{
    const struct osw_plan_bundle *last = p->n ? &p->bundles[p->n - 1] : NULL;
    const struct osw_op *op = item->op;

    if (item->why_not || !op) {
        d->reason = item->why_not ? item->why_not : "no op";
        return 0;
    }
    d->bundle.baselines =
        last && last->op == op && *last->baselines
            ? last->baselines
            : osw_baselines_of(p->arena, op, p->campaign->device,
                               p->campaign->baseline);
    if (!d->bundle.baselines)
        return no_memory(p->err);
    if (osw_bind(p->arena, op->schema, &item->parsed, &d->args, &d->n_args,
                 p->err) < 0 ||
        osw_bind_tensors(p->arena, d->args, d->n_args, &d->tensors,
                         &d->n_tensors, p->err) < 0)
        return -1;
    if (d->n_tensors)
        d->bundle.dtype = osw_dtype_info((int)d->tensors[0].desc->dtype)->name;
    if (has_c32(d))
        d->reason = "no op runs on c32";
    else if (op->reference && op->reference->language->missing)
        d->reason = osw_arena_printf(p->arena, "reference: %s",
                                     op->reference->language->missing);
    if (!d->reason && d->n_able > 0)
        return choose_check(p, op, d);
    return 0;
}

/* --- cells --- */

/* The wanted implementations, those that can run first; *n of them. */
static const struct osw_op_file **wanted_impls(const struct planner *p,
                                               const struct osw_op *op,
                                               size_t *n, size_t *n_able)
{
    size_t room = op ? op->n_impls : 0, used = 0;
    const struct osw_op_file **impls =
        osw_arena_array(p->arena, room, sizeof(*impls));

    for (int pass = 0; impls && pass < 2; pass++) {
        for (size_t i = 0; i < room; i++) {
            bool missing = op->impls[i].language->missing != NULL;

            if (missing == (pass == 1) && wants_impl(p, op, &op->impls[i]))
                impls[used++] = &op->impls[i];
        }
        if (pass == 0)
            *n_able = used;
    }
    *n = used;
    return impls;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Does the campaign want the cell, or all? */
static bool wants_cell(struct planner *p, uint64_t key)
{
    const struct osw_campaign *c = p->campaign;
    const uint64_t *at;

    if (c->n_cells == 0)
        return true;
    at = bsearch(&key, c->cells, c->n_cells, sizeof(*c->cells), by_key);
    if (at)
        p->found[at - c->cells] = true;
    return at != NULL;
}

/* A key that no cell has is a typing mistake, or of other cases. */
static int check_cells(struct planner *p)
{
    const struct osw_campaign *c = p->campaign;

    for (size_t i = 0; i < c->n_cells; i++)
        if (!p->found[i])
            return osw_fail(p->err, OSW_BAD_INPUT,
                            "option '--cells': the suite and the other filters "
                            "leave no cell 0x%016" PRIx64,
                            c->cells[i]);
    return 0;
}

/* The cells that are wanted; there may be none. */
static int set_cells(struct planner *p, const struct osw_op_file **impls,
                     size_t n, struct draft *d)
{
    struct osw_plan_bundle *b = &d->bundle;
    size_t n_cells = n > 0 ? n : 1, used = 0;
    const char **names = osw_arena_array(p->arena, n_cells, sizeof(*names));
    const char **reasons = osw_arena_array(p->arena, n_cells, sizeof(*reasons));
    uint64_t *keys = osw_arena_array(p->arena, n_cells, sizeof(*keys));

    if (!names || !reasons || !keys)
        return no_memory(p->err);
    b->n_run = 0;
    for (size_t i = 0; i < n_cells; i++) {
        const char *missing = n ? impls[i]->language->missing : NULL;
        const char *reason = d->reason ? d->reason : missing ? missing : "";
        struct osw_cell_parts parts = {b->op_name, n ? impls[i]->name : "",
                                       b->case_text, b->fill,
                                       p->campaign->device};
        uint64_t key = osw_cell_key(&parts);

        if (!wants_cell(p, key))
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

static int add_item(struct planner *p, const struct osw_suite_item *item)
{
    struct draft d = {
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

    impls = wanted_impls(p, item->op, &n, &d.n_able);
    if (!impls)
        return no_memory(p->err);
    if (n == 0 && item->op && item->op->n_impls > 0)
        return 0; /* the filter wants none of its implementations */
    if (decide(p, item, &d) < 0 || set_cells(p, impls, n, &d) < 0)
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

/* --- the whole --- */

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

static void finish(const struct planner *p, struct osw_plan *plan)
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
    struct planner p = {
        .arena = arena,
        .campaign = campaign,
        .profile = osw_profile_find(campaign->profile),
        .bundles = osw_arena_array(arena, n, sizeof(*p.bundles)),
        .found = osw_arena_array(arena, campaign->n_cells, sizeof(bool)),
        .err = err,
    };

    if (!p.bundles || !p.found)
        return no_memory(err);
    if (check_names(&p, items, n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (add_item(&p, &items[i]) < 0)
            return -1;
    if (check_cells(&p) < 0)
        return -1;
    if (p.n_cells == 0)
        return osw_fail(err, OSW_NOTHING,
                        "nothing to judge: the suite and the filters leave no "
                        "cell");
    finish(&p, plan);
    return 0;
}

/* --- what the backend covers --- */

enum { MAX_NAMED = 8 }; /* ops that are not covered, in words */

/* How many ops and cases of the suite it has implementations for, and which
 * ops it has not; "" for a backend that covers what the suite asks for.
 */
static const char *say_coverage(osw_arena_t *arena,
                                const struct osw_cover *cover,
                                const struct osw_suite_item *items, size_t n)
{
    size_t n_ops = 0, n_covered = 0, n_cases = 0, n_missing = 0;
    const char *missing = "";

    if (!cover->backend->kernels)
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
                                  cover->backend->name, n_covered, n_ops,
                                  osw_plural(n_ops), n_cases, n, osw_plural(n),
                                  missing)
               : NULL;
}

/* Every op that is asked for, and covered, must have it. */
static int check_baselines(const struct osw_cover *cover,
                           const struct osw_suite_item *items, size_t n,
                           struct osw_error *err)
{
    const char *baseline = cover->baseline;

    for (size_t i = 0; osw_op_baseline_known(baseline) && i < n; i++)
        if (items[i].op && !osw_op_impl(items[i].op, baseline) &&
            !(cover->backend->kernels && items[i].op->n_impls == 0))
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--baseline': op '%s' has no name of "
                            "torch's for '%s': expected \"name\": "
                            "\"aten.<op>.<overload>\" in %s/op.json",
                            items[i].op->name, baseline, items[i].op->dir);
    return 0;
}

/* Who names an op's own folder, or one above the root, is told so. */
static int check_root(const struct osw_campaign *campaign,
                      const struct osw_catalog *catalog, struct osw_error *err)
{
    if (catalog->n_ops || strcmp(campaign->suite, "custom_ops") != 0)
        return 0;
    return osw_fail(err, OSW_NOTHING,
                    "nothing to judge: '%s' has no op, expected folders <op>/ "
                    "with gen_input.json or gen_input.py",
                    campaign->custom_ops_root);
}

int osw_plan_load(osw_arena_t *arena, const struct osw_campaign *campaign,
                  struct osw_cover *cover, struct osw_plan *plan,
                  struct osw_error *err)
{
    struct osw_opinfo opinfo = {.torch = NULL};
    struct osw_suite_request request = {
        .catalog = &cover->catalog,
        .ops = campaign->ops,
        .n_ops = campaign->n_ops,
        .traces = campaign->traces,
        .n_traces = campaign->n_traces,
        .top = campaign->top,
        .top_by_size = strcmp(campaign->top_by, "size") == 0,
        .opinfo_dtypes = campaign->opinfo_dtypes,
        .device = campaign->device,
        .opinfo = &opinfo,
        .given = *campaign->given_case ? campaign->given_case : NULL,
        .fill = *campaign->fill ? campaign->fill : NULL,
        .make_arg = cover,
    };
    const struct osw_suite_item *items;
    size_t n;

    if (osw_cover_load(arena, campaign, cover, err) < 0)
        return -1;
    if (cover->backend->torch)
        request.make_op = osw_cover_make_op;
    if (osw_suite_expand(arena, osw_suite_find(campaign->suite), &request,
                         &items, &n, err) < 0 ||
        check_root(campaign, &cover->catalog, err) < 0 ||
        check_baselines(cover, items, n, err) < 0 ||
        osw_plan_make(arena, campaign, items, n, plan, err) < 0)
        return -1;
    plan->coverage = say_coverage(arena, cover, items, n);
    plan->words = opinfo.torch ? osw_opinfo_words(arena, &opinfo) : "";
    return plan->coverage && plan->words ? 0 : no_memory(err);
}

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

void osw_plan_warn(const struct osw_plan *plan)
{
    const struct osw_plan_bundle *b;

    for (size_t i = 0; (b = osw_plan_next_broken(plan, &i));)
        osw_log(OSW_LOG_WARNING, "op '%s' is skipped: %s", b->op_name,
                b->reasons[0]);
}

struct osw_bundle osw_plan_dispatch(const struct osw_plan_bundle *b)
{
    return (struct osw_bundle){
        .first_cell = b->first_cell,
        .attempt = 1,
        .op_dir = b->op->dir,
        .case_text = b->case_text,
        .fill = b->fill,
        .baselines = b->baselines,
        .check = b->check,
        .time = b->time,
        .flops = b->flops,
        .bytes = b->bytes,
        .cost_ns = b->cost_ns,
        .call_ns = b->call_ns,
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
