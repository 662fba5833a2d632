/* norm_pass__merged_blocks.c - statistics of blocks of 32, merged pair by pair
 *
 */
#include "norm.h"

struct part {
    float n, mean, squares;
};

ITEM struct part block(const struct norm *g, int64_t r, int64_t from,
                       int64_t to)
{
    struct part p = {(float)(to - from), 0, 0};

    for (int64_t j = from; j < to; j++)
        p.mean += norm_x(g, r, j);
    p.mean /= p.n;
    for (int64_t j = from; j < to; j++) {
        float d = norm_x(g, r, j) - p.mean;

        p.squares += d * d;
    }
    return p;
}

ITEM void merge(struct part *a, const struct part *b)
{
    float n = a->n + b->n, d = b->mean - a->mean;

    a->squares += b->squares + d * d * a->n * b->n / n;
    a->mean += d * b->n / n;
    a->n = n;
}

ITEM void row(const struct norm *g, int64_t r)
{
    struct part all = block(g, r, 0, g->n < 32 ? g->n : 32);

    for (int64_t from = 32; from < g->n; from += 32) {
        int64_t to = from + 32 < g->n ? from + 32 : g->n;
        struct part next = block(g, r, from, to);

        merge(&all, &next);
    }
    norm_apply(g, r, all.mean,
               1.0f / sqrtf(all.squares / (float)g->n + g->eps));
}

NORM_ROWS(row)
