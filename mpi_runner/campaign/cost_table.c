/* mpi_runner/campaign/cost_table.c - durations by key */
#include "mpi_runner/campaign/cost_table.h"

#include <stdlib.h>

/* The slot of the key, or the empty one where it belongs. */
static size_t slot_of(const struct osw_cost_table *t, uint64_t key)
{
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (t->size - 1);

    while (t->slots[i].n && t->slots[i].key != key)
        i = (i + 1) & (t->size - 1);
    return i;
}

static int grow(struct osw_cost_table *t)
{
    struct osw_cost_table more = {.size = t->size ? 2 * t->size : 64,
                                  .used = t->used};

    if (t->size && 3 * t->used < 2 * t->size)
        return 0;
    more.slots = calloc(more.size, sizeof(*more.slots));
    if (!more.slots)
        return -1;
    for (size_t i = 0; i < t->size; i++)
        if (t->slots[i].n)
            more.slots[slot_of(&more, t->slots[i].key)] = t->slots[i];
    free(t->slots);
    *t = more;
    return 0;
}

int osw_cost_table_add(struct osw_cost_table *table, uint64_t key,
                       double took_ns, double predicted_ns)
{
    struct osw_cost_sum *s;

    if (grow(table) < 0)
        return -1;
    s = &table->slots[slot_of(table, key)];
    table->used += s->n == 0;
    s->key = key;
    s->n++;
    s->took_ns += took_ns;
    s->predicted_ns += predicted_ns;
    return 0;
}

const struct osw_cost_sum *
osw_cost_table_find(const struct osw_cost_table *table, uint64_t key)
{
    size_t i = table->size ? slot_of(table, key) : 0;

    return table->size && table->slots[i].n ? &table->slots[i] : NULL;
}

void osw_cost_table_free(struct osw_cost_table *table)
{
    free(table->slots);
    *table = (struct osw_cost_table){.slots = NULL};
}

static uint64_t hash(uint64_t h, const char *s)
{
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u; /* FNV-1a */
    return (h ^ 0xff) * 0x100000001b3u;
}

uint64_t osw_cost_table_key(const char *op, const char *impl)
{
    uint64_t h = hash(0xcbf29ce484222325u, op);

    return impl ? hash(h, impl) : h;
}
