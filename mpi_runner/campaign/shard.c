/* mpi_runner/campaign/shard.c - the part of a campaign that one job judges */
#include "mpi_runner/campaign/shard.h"

#include <assert.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* --- the option --- */

/* Digits up to `end`, 1 to OSW_SHARD_MAX; 0: it is something else. */
static uint32_t read_number(const char *s, const char *end)
{
    uint32_t v = 0;

    if (s == end || end - s > 4)
        return 0;
    for (; s < end; s++) {
        if (*s < '0' || *s > '9')
            return 0;
        v = v * 10 + (uint32_t)(*s - '0');
    }
    return v <= OSW_SHARD_MAX ? v : 0;
}

int osw_shard_parse(const char *word, struct osw_shard *out,
                    struct osw_error *err)
{
    const char *slash = word ? strchr(word, '/') : NULL;
    struct osw_shard shard = {0, 0};

    if (slash) {
        shard.index = read_number(word, slash);
        shard.n = read_number(slash + 1, word + strlen(word));
    }
    if (word && (!shard.index || !shard.n || shard.index > shard.n))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--shard': expected I/N with I from 1 to N and "
                        "N up to %d, such as 1/4; found '%.40s'",
                        OSW_SHARD_MAX, word);
    *out = shard;
    return 0;
}

/* --- the split --- */

/* Items of one op, largest first; ops in order of falling cost. */
struct placed {
    uint32_t item, op;
    int64_t cost_ns;
    double op_ns;
};

static int by_op(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

static int by_cost(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->op_ns != y->op_ns)
        return x->op_ns > y->op_ns ? -1 : 1;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->cost_ns != y->cost_ns)
        return x->cost_ns > y->cost_ns ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

static int by_size(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->cost_ns != y->cost_ns)
        return x->cost_ns > y->cost_ns ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

/* Every item with the cost of its op, in the order in which they are placed.
 */
static double list_items(const struct osw_shard_item *items, size_t n,
                         struct placed *out)
{
    double total = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t cost = items[i].cost_ns > 1 ? items[i].cost_ns : 1;

        out[i] = (struct placed){(uint32_t)i, items[i].op, cost, 0};
        total += (double)cost;
    }
    qsort(out, n, sizeof(*out), by_op);
    for (size_t i = 0, end; i < n; i = end) {
        double sum = 0;

        for (end = i; end < n && out[end].op == out[i].op; end++)
            sum += (double)out[end].cost_ns;
        for (size_t k = i; k < end; k++)
            out[k].op_ns = sum;
    }
    qsort(out, n, sizeof(*out), by_cost);
    return total;
}

static uint32_t least_loaded(const double *loads, uint32_t n)
{
    uint32_t least = 0;

    for (uint32_t s = 1; s < n; s++)
        if (loads[s] < loads[least])
            least = s;
    return least;
}

/* Items that matter by themselves, more than a twentieth of a shard, whatever
 * their op: largest first, each to the least loaded shard.
 */
static void place_large(const struct placed *sizes, size_t n, double total_ns,
                        double *loads, uint32_t n_shards, uint32_t *shard_of)
{
    double least_ns = total_ns / n_shards / 20;

    for (size_t i = 0; i < n && (double)sizes[i].cost_ns > least_ns; i++) {
        uint32_t s = least_loaded(loads, n_shards);

        shard_of[sizes[i].item] = s;
        loads[s] += (double)sizes[i].cost_ns;
    }
}

/* What each shard comes to when the rest is divided among those that are below
 * that.
 */
static double find_room(const double *loads, uint32_t n_shards, double total_ns)
{
    double room_ns = total_ns / n_shards, last_ns;

    do {
        double rest_ns = total_ns;
        uint32_t n = 0;

        last_ns = room_ns;
        for (uint32_t s = 0; s < n_shards; s++) {
            rest_ns -= loads[s] > last_ns ? loads[s] : 0;
            n += loads[s] <= last_ns;
        }
        room_ns = n ? rest_ns / n : last_ns;
    } while (room_ns < last_ns);
    return last_ns;
}

/* Put the items of one op into the shards with the most room, while they fit.
 * What does not fit into the emptiest shard fits into none, and is left over.
 */
static void place_op(const struct placed *op, size_t n, double room_ns,
                     double *loads, uint32_t n_shards, uint32_t *shard_of)
{
    for (bool placed = true; placed;) {
        uint32_t s = least_loaded(loads, n_shards);

        placed = false;
        for (size_t i = 0; i < n; i++) {
            if (shard_of[op[i].item] != NONE ||
                loads[s] + (double)op[i].cost_ns > room_ns)
                continue;
            shard_of[op[i].item] = s;
            loads[s] += (double)op[i].cost_ns;
            placed = true;
        }
    }
}

/* What fitted nowhere: largest first, each to the least loaded shard. */
static void place_rest(struct placed *items, size_t n, double *loads,
                       uint32_t n_shards, uint32_t *shard_of)
{
    size_t rest = 0;

    for (size_t i = 0; i < n; i++)
        if (shard_of[items[i].item] == NONE)
            items[rest++] = items[i];
    qsort(items, rest, sizeof(*items), by_size);
    for (size_t i = 0; i < rest; i++) {
        uint32_t s = least_loaded(loads, n_shards);

        shard_of[items[i].item] = s;
        loads[s] += (double)items[i].cost_ns;
    }
}

/* A shard without items takes one of a shard that has several. */
static void fill_empty(const struct placed *items, size_t n, uint32_t *counts,
                       uint32_t n_shards, uint32_t *shard_of)
{
    size_t at = n;

    for (size_t i = 0; i < n; i++)
        counts[shard_of[i]]++;
    for (uint32_t s = 0; s < n_shards; s++)
        while (counts[s] == 0) {
            uint32_t item = items[--at].item;

            if (counts[shard_of[item]] < 2)
                continue;
            counts[shard_of[item]]--;
            shard_of[item] = s;
            counts[s]++;
        }
}

int osw_shard_split(const struct osw_shard_item *items, size_t n,
                    uint32_t n_shards, uint32_t *shard_of)
{
    struct placed *placed = calloc(n, sizeof(*placed));
    struct placed *sizes = calloc(n, sizeof(*sizes));
    double *loads = calloc(n_shards, sizeof(*loads));
    uint32_t *counts = calloc(n_shards, sizeof(*counts));
    int rc = -1;

    assert(n_shards >= 1 && n_shards <= n && n < NONE);
    if (placed && sizes && loads && counts) {
        double total_ns = list_items(items, n, placed), room_ns;

        for (size_t i = 0; i < n; i++)
            shard_of[i] = NONE;
        memcpy(sizes, placed, n * sizeof(*sizes));
        qsort(sizes, n, sizeof(*sizes), by_size);
        place_large(sizes, n, total_ns, loads, n_shards, shard_of);
        room_ns = find_room(loads, n_shards, total_ns);
        for (size_t i = 0, end; i < n; i = end) {
            for (end = i; end < n && placed[end].op == placed[i].op;)
                end++;
            place_op(placed + i, end - i, room_ns, loads, n_shards, shard_of);
        }
        place_rest(placed, n, loads, n_shards, shard_of);
        fill_empty(sizes, n, counts, n_shards, shard_of);
        rc = 0;
    }
    free(placed);
    free(sizes);
    free(loads);
    free(counts);
    return rc;
}

/* --- the plan --- */

static void hash_text(SHA2_CTX *sha, const char *s)
{
    SHA256Update(sha, (const uint8_t *)s, strlen(s) + 1);
}

static void hash_u64(SHA2_CTX *sha, uint64_t v)
{
    SHA256Update(sha, (const uint8_t *)&v, sizeof(v));
}

/* What all shards of one campaign agree on: the cells in their order and the
 * costs that they are split by.  What a node has room for is no part of it.
 */
static void hash_whole(const struct osw_campaign *c,
                       const struct osw_plan *plan, uint8_t out[32])
{
    SHA2_CTX sha;

    SHA256Init(&sha);
    hash_text(&sha, c->device);
    hash_text(&sha, c->profile);
    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];

        hash_text(&sha, b->op_name);
        hash_text(&sha, b->case_text);
        hash_u64(&sha, b->digest);
        hash_u64(&sha, (uint64_t)b->balance_ns);
        hash_u64(&sha, b->n_cells);
        for (uint32_t k = 0; k < b->n_cells; k++)
            hash_text(&sha, b->impls[k]);
    }
    SHA256Final(out, &sha);
}

static int split_plan(const struct osw_plan *plan, uint32_t n_shards,
                      uint32_t *shard_of)
{
    struct osw_shard_item *items = calloc(plan->n_bundles, sizeof(*items));
    uint32_t op = 0;
    int rc;

    if (!items)
        return -1;
    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];

        op += i > 0 && strcmp(b->op_name, b[-1].op_name) != 0;
        items[i] = (struct osw_shard_item){op, b->balance_ns};
    }
    rc = osw_shard_split(items, plan->n_bundles, n_shards, shard_of);
    free(items);
    return rc;
}

/* The bundles of one shard, in their order. */
static void keep_own(const uint32_t *shard_of, struct osw_plan *plan)
{
    uint32_t own = plan->shard.index - 1;
    size_t n = 0;

    plan->n_cells = plan->n_run = 0;
    plan->cost_ns = 0;
    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];

        if (shard_of[i] != own)
            continue;
        plan->n_cells += b->n_cells;
        plan->n_run += b->n_run;
        plan->cost_ns += b->cost_ns;
        plan->bundles[n++] = *b;
    }
    plan->n_bundles = n;
}

int osw_shard_take(const struct osw_campaign *campaign, struct osw_shard shard,
                   struct osw_plan *plan, struct osw_error *err)
{
    uint32_t *shard_of;
    int rc;

    if (shard.n == 0)
        return 0;
    if (shard.n > plan->n_bundles)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--shard': expected N up to %zu, the number of "
                        "cases of this campaign; found %u/%u",
                        plan->n_bundles, shard.index, shard.n);
    shard_of = calloc(plan->n_bundles, sizeof(*shard_of));
    plan->shard = (struct osw_plan_shard){
        .index = shard.index,
        .n = shard.n,
        .n_cells = plan->n_cells,
        .n_bundles = plan->n_bundles,
    };
    for (size_t i = 0; i < plan->n_bundles; i++)
        plan->shard.expect_ns += osw_plan_expect_ns(&plan->bundles[i]);
    hash_whole(campaign, plan, plan->shard.sha256);
    rc = shard_of ? split_plan(plan, shard.n, shard_of) : -1;
    if (rc == 0)
        keep_own(shard_of, plan);
    free(shard_of);
    return rc == 0 ? 0 : osw_fail(err, OSW_NO_MEMORY, "no memory for the plan");
}
