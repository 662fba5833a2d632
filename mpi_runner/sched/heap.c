/* mpi_runner/sched/heap.c - the largest of n numbered items, as their keys
 * change */
#include "mpi_runner/sched/heap.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

struct osw_heap {
    uint32_t n;     /* items there can be */
    uint32_t used;  /* items that are in */
    uint32_t *tree; /* [used] items; tree[0] is the largest */
    uint32_t *at;   /* [n] place in tree, or OSW_HEAP_NONE */
    double *key;    /* [n] */
};

osw_heap_t *osw_heap_create(uint32_t n)
{
    osw_heap_t *h = calloc(1, sizeof(*h));

    if (!h)
        return NULL;
    h->n = n;
    h->tree = calloc((size_t)n + 1, sizeof(*h->tree));
    h->at = calloc((size_t)n + 1, sizeof(*h->at));
    h->key = calloc((size_t)n + 1, sizeof(*h->key));
    if (!h->tree || !h->at || !h->key) {
        osw_heap_destroy(h);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        h->at[i] = OSW_HEAP_NONE;
    return h;
}

void osw_heap_destroy(osw_heap_t *heap)
{
    if (!heap)
        return;
    free(heap->tree);
    free(heap->at);
    free(heap->key);
    free(heap);
}

static bool above(const osw_heap_t *h, uint32_t a, uint32_t b)
{
    if (h->key[a] > h->key[b])
        return true;
    return !(h->key[a] < h->key[b]) && a < b;
}

static void put(osw_heap_t *h, uint32_t place, uint32_t item)
{
    h->tree[place] = item;
    h->at[item] = place;
}

/* Let the item at `place` rise or sink to where its key belongs. */
static void settle(osw_heap_t *h, uint32_t place)
{
    uint32_t item = h->tree[place];

    while (place > 0 && above(h, item, h->tree[(place - 1) / 2])) {
        put(h, place, h->tree[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    for (;;) {
        uint32_t child = 2 * place + 1;

        if (child >= h->used)
            break;
        if (child + 1 < h->used && above(h, h->tree[child + 1], h->tree[child]))
            child++;
        if (!above(h, h->tree[child], item))
            break;
        put(h, place, h->tree[child]);
        place = child;
    }
    put(h, place, item);
}

void osw_heap_set(osw_heap_t *heap, uint32_t item, double key)
{
    assert(item < heap->n);
    heap->key[item] = key;
    if (heap->at[item] == OSW_HEAP_NONE)
        put(heap, heap->used++, item);
    settle(heap, heap->at[item]);
}

void osw_heap_drop(osw_heap_t *heap, uint32_t item)
{
    uint32_t place = heap->at[item];
    uint32_t last;

    if (place == OSW_HEAP_NONE)
        return;
    heap->at[item] = OSW_HEAP_NONE;
    last = heap->tree[--heap->used];
    if (last == item)
        return;
    put(heap, place, last);
    settle(heap, place);
}

uint32_t osw_heap_top(const osw_heap_t *heap, double *key)
{
    if (heap->used == 0)
        return OSW_HEAP_NONE;
    *key = heap->key[heap->tree[0]];
    return heap->tree[0];
}
