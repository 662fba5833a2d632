/* mpi_runner/sched/sched_ops.c - ops, and which of their bundles comes next */
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/sched/sched_parts.h"

enum { MAX_LOOKED_AT = 64 }; /* for a small bundle */

int osw_sched_compare_keys(const void *a, const void *b)
{
    const struct osw_sched_key *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->lead_ns != y->lead_ns)
        return x->lead_ns > y->lead_ns ? -1 : 1;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->cost_ns != y->cost_ns)
        return x->cost_ns > y->cost_ns ? -1 : 1;
    return x->bundle < y->bundle ? -1 : x->bundle > y->bundle;
}

int osw_sched_group_by_op(struct osw_sched *s,
                          const struct osw_sched_item *items)
{
    struct osw_sched_key *keys =
        calloc(s->n_bundles + (size_t)1, sizeof(*keys));
    uint32_t n = 0;

    if (!keys)
        return -1;
    for (uint32_t i = 0; i < s->n_bundles; i++)
        if (items[i].world <= 1)
            keys[n++] =
                (struct osw_sched_key){.group = items[i].op,
                                       .bundle = i,
                                       .cost_ns = s->bundles[i].cost_ns};
    qsort(keys, n, sizeof(*keys), osw_sched_compare_keys);
    for (uint32_t i = 0; i < n; i++) {
        struct op *op;

        if (i == 0 || keys[i].group != keys[i - 1].group)
            s->ops[s->n_ops++].head = i;
        op = &s->ops[s->n_ops - 1];
        op->end = i + 1;
        op->cost_ns += keys[i].cost_ns;
        s->order[i] = keys[i].bundle;
        s->bundles[keys[i].bundle].op = s->n_ops - 1;
    }
    free(keys);
    return 0;
}

void osw_sched_rank_op(struct osw_sched *s, uint32_t o)
{
    const struct op *op = &s->ops[o];

    if (op->head == op->end) {
        osw_heap_drop(s->by_head, o);
        osw_heap_drop(s->by_share, o);
        return;
    }
    osw_heap_set(s->by_head, o, (double)s->bundles[s->order[op->head]].cost_ns);
    osw_heap_set(s->by_share, o,
                 (double)op->cost_ns / (1.0 + (double)op->n_workers) +
                     (op->n_workers ? 0 : s->total_ns));
}

void osw_sched_join_op(struct osw_sched *s, struct worker *w, uint32_t o)
{
    uint32_t left = w->op;

    if (left == o)
        return;
    w->op = o;
    if (left != NONE) {
        s->ops[left].n_workers--;
        osw_sched_rank_op(s, left);
    }
    if (o != NONE) {
        s->ops[o].n_workers++;
        osw_sched_rank_op(s, o);
    }
}

uint32_t osw_sched_choose_op(const struct osw_sched *s, const struct worker *w)
{
    double key;
    uint32_t o = osw_heap_top(s->by_head, &key);

    if (o == NONE || key >= osw_sched_fair_share_ns(s))
        return o;
    if (w->op != NONE && s->ops[w->op].head < s->ops[w->op].end)
        return w->op;
    return osw_heap_top(s->by_share, &key);
}

/* Where in `order` the bundle of the least bytes is, of several the first: the
 * head, or one of the last few, which cost least.
 */
static uint32_t find_smallest(const struct osw_sched *s, const struct op *op)
{
    uint32_t at = op->head, i = op->head + 1;

    if (op->end - op->head > MAX_LOOKED_AT)
        i = op->end - MAX_LOOKED_AT;
    for (; i < op->end; i++)
        if (s->bundles[s->order[i]].bytes < s->bundles[s->order[at]].bytes)
            at = i;
    return at;
}

uint32_t osw_sched_take_from_op(struct osw_sched *s, const struct worker *w,
                                uint32_t o)
{
    struct op *op = &s->ops[o];
    uint32_t at = op->head, b;

    if (w->op != o && op->end - op->head > s->config.n_workers &&
        (double)s->bundles[s->order[at]].cost_ns < osw_sched_fair_share_ns(s))
        at = find_smallest(s, op);
    b = s->order[at];
    if (at == op->head)
        op->head++;
    else
        memmove(&s->order[at], &s->order[at + 1],
                (--op->end - at) * sizeof(s->order[0]));
    op->cost_ns -= s->bundles[b].cost_ns;
    osw_sched_rank_op(s, o);
    return b;
}
