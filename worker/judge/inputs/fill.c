/* worker/judge/inputs/fill.c - inputs by counter: the same bits everywhere */
#include "worker/judge/inputs/fill.h"

#include <string.h>

#include "worker/judge/inputs/recipe.h"
#include "worker/judge/memory/heartbeat.h"

enum { BLOCK = OSW_PHILOX_BLOCKS_BLOCK };

struct block {
    int n;
    bool contiguous;       /* the elements lie side by side from offset[0] on */
    int64_t index[BLOCK];  /* of the random values */
    int64_t offset[BLOCK]; /* in elements; only the first when contiguous */
    _Alignas(64) unsigned char bytes[BLOCK * OSW_RECIPE_ELEM_BYTES];
};

/* first, first + step, ... [n]; whole blocks by a loop of constant length. */
static void count_up(int64_t first, int64_t step, int64_t n, int64_t *to)
{
    if (n == BLOCK)
        for (int k = 0; k < BLOCK; k++, first += step)
            to[k] = first;
    else
        for (int64_t k = 0; k < n; k++, first += step)
            to[k] = first;
}

/* Which elements come next, up to a block of them; false: none. */
static bool next_elements(struct osw_walk *w, bool by_offset, struct block *b)
{
    struct osw_run run;

    b->n = 0;
    b->contiguous = false;
    while (b->n < BLOCK && osw_walk_next(w, BLOCK - b->n, &run)) {
        if (by_offset)
            count_up(run.offset, run.stride, run.n, b->index + b->n);
        else
            count_up(run.index, run.index_step, run.n, b->index + b->n);
        b->contiguous = run.n == BLOCK && run.stride == 1;
        count_up(run.offset, run.stride, b->contiguous ? 1 : run.n,
                 b->offset + b->n);
        b->n += (int)run.n;
    }
    for (int j = b->n; j < BLOCK; j++)
        b->index[j] = 0;
    return b->n > 0;
}

void osw_fill_tensor(const struct osw_view *v, const struct osw_fill *fill,
                     uint64_t seed, uint32_t tensor, uint32_t rep)
{
    struct osw_recipe p = osw_recipe_make(v, fill, seed, tensor, rep);
    size_t bytes = osw_view_elem_bytes(v);
    unsigned char *data = v->data;
    struct osw_walk w;
    struct block b;

    osw_walk_memory(&w, v->desc);
    while (next_elements(&w, p.by_offset, &b)) {
        osw_recipe_block(&p, b.index, b.bytes);
        osw_heartbeat(b.n);
        if (b.contiguous)
            memcpy(data + b.offset[0] * (int64_t)bytes, b.bytes,
                   (size_t)b.n * bytes);
        else
            for (int j = 0; j < b.n; j++)
                memcpy(data + b.offset[j] * (int64_t)bytes,
                       b.bytes + (size_t)j * bytes, bytes);
    }
}

static int64_t offset_of(const struct block *b, int j)
{
    return b->contiguous ? b->offset[0] + j : b->offset[j];
}

/* Where several indices are one element, one of them. */
static int64_t logical_index(const struct osw_view *v,
                             const struct osw_recipe *p, const struct block *b,
                             int j)
{
    int64_t index = b->index[j];

    if (p->by_offset)
        osw_view_find(v->desc, b->index[j], &index);
    return index;
}

int64_t osw_fill_differs(const struct osw_view *v, const struct osw_fill *fill,
                         uint64_t seed, uint32_t tensor, uint32_t rep)
{
    struct osw_recipe p = osw_recipe_make(v, fill, seed, tensor, rep);
    size_t bytes = osw_view_elem_bytes(v);
    const unsigned char *data = v->data;
    struct osw_walk w;
    struct block b;

    osw_walk_memory(&w, v->desc);
    while (next_elements(&w, p.by_offset, &b)) {
        osw_recipe_block(&p, b.index, b.bytes);
        osw_heartbeat(b.n);
        if (b.contiguous && memcmp(data + b.offset[0] * (int64_t)bytes, b.bytes,
                                   (size_t)b.n * bytes) == 0)
            continue;
        for (int j = 0; j < b.n; j++)
            if (memcmp(data + offset_of(&b, j) * (int64_t)bytes,
                       b.bytes + (size_t)j * bytes, bytes) != 0)
                return logical_index(v, &p, &b, j);
    }
    return -1;
}
