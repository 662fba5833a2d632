/* gather.h - what the implementations of this op share: y[i, :] =
 * table[index[i], :] */
#ifndef OSW_TESTS_GATHER_H
#define OSW_TESTS_GATHER_H

#include "../mutant.h"

EXPORT int gather_kernel_impl(const osw_call *call);

struct gather {
    struct view table, index, y; /* [rows, d], [n], [n, d] */
    int64_t n, d, rows;
    int64_t *scratch; /* of those that ask for some */
};

static inline int gather_open(const osw_call *call, struct gather *g)
{
    const osw_tensor *table = osw_arg_tensor(call, 0);
    const osw_tensor *index = osw_arg_tensor(call, 1);
    int64_t shape[2];
    osw_tensor *y;

    if (!table || !index || table->ndim != 2 || index->ndim != 1)
        return OSW_UNSUPPORTED;
    shape[0] = g->n = index->shape[0];
    shape[1] = g->d = table->shape[1];
    g->rows = table->shape[0];
    y = osw_output(call, 0, table->dtype, 2, shape, NULL);
    if (!y)
        return OSW_ERROR;
    g->table = view_of(table);
    g->index = view_of(index);
    g->y = view_of(y);
    g->scratch = NULL;
    return 0;
}

ITEM int64_t gather_index(const struct gather *g, int64_t i)
{
    return osw_load_int(g->index.dtype, view_at(&g->index, i));
}

/* Element (i, j) of the output is element (row, j) of the table. */
ITEM void gather_copy(const struct gather *g, int64_t i, int64_t row, int64_t j)
{
    int64_t from = row * g->table.stride[0] + j * g->table.stride[1];
    int64_t to = i * g->d + j;

    memcpy(view_at(&g->y, to), view_at(&g->table, from),
           g->table.dtype.bits / 8);
}

/* One right element. */
ITEM void gather_right(const struct gather *g, int64_t at)
{
    gather_copy(g, at / g->d, gather_index(g, at / g->d), at % g->d);
}

/* An implementation from the row that output row i comes from: row(g, i). */
#define GATHER_ROWS(row)                                                       \
    ITEM void copy_##row(const struct gather *g, int64_t at)                   \
    {                                                                          \
        gather_copy(g, at / g->d, row(g, at / g->d), at % g->d);               \
    }                                                                          \
    EACH(copy_##row, struct gather)                                            \
    int gather_kernel_impl(const osw_call *call)                               \
    {                                                                          \
        struct gather g;                                                       \
        int rc = gather_open(call, &g);                                        \
                                                                               \
        if (!rc)                                                               \
            copy_##row##_each(call, &g, g.n *g.d);                             \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_GATHER_H */
