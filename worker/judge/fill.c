/* worker/judge/fill.c - inputs by counter: the same bits everywhere */
#include "worker/judge/fill.h"

#include <string.h>

#include "worker/judge/recipe.h"

enum { BLOCK = OSW_WORDS_BLOCK };

struct block {
    int n;
    bool contiguous;        /* the elements lie side by side */
    uint64_t index[BLOCK];  /* of the draw */
    int64_t logical[BLOCK]; /* row-major */
    int64_t offset[BLOCK];  /* in elements */
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
    struct osw_run run = {.stride = 0};
    int n_runs = 0;

    b->n = 0;
    while (b->n < BLOCK && osw_walk_next(w, BLOCK - b->n, &run)) {
        count_up(run.index, run.index_step, run.n, b->logical + b->n);
        count_up(run.offset, run.stride, run.n, b->offset + b->n);
        b->n += (int)run.n;
        n_runs++;
    }
    b->contiguous = n_runs == 1 && (run.stride == 1 || run.n == 1);
    for (int j = b->n; j < BLOCK; j++)
        b->logical[j] = b->offset[j] = 0;
    memcpy(b->index, by_offset ? b->offset : b->logical, sizeof(b->index));
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
        if (b.contiguous)
            memcpy(data + b.offset[0] * (int64_t)bytes, b.bytes,
                   (size_t)b.n * bytes);
        else
            for (int j = 0; j < b.n; j++)
                memcpy(data + b.offset[j] * (int64_t)bytes,
                       b.bytes + (size_t)j * bytes, bytes);
    }
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
        if (b.contiguous && memcmp(data + b.offset[0] * (int64_t)bytes, b.bytes,
                                   (size_t)b.n * bytes) == 0)
            continue;
        for (int j = 0; j < b.n; j++)
            if (memcmp(data + b.offset[j] * (int64_t)bytes,
                       b.bytes + (size_t)j * bytes, bytes) != 0)
                return b.logical[j];
    }
    return -1;
}
