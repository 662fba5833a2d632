/* ops/library/gather/gather_plain.c - rows along dim, element by element */
#include "../shared/plain_rows.h"
#include "gather.h"

/* Returns 1 when an index is out of range. */
#define ROW(name, E)                                                           \
    static int name(const struct osw_gather *g, int64_t row)                   \
    {                                                                          \
        const osw_tensor *index = g->index.tensor;                             \
        const E *x = (const E *)osw_at(g->self, osw_gather_self(g, row));      \
        E *y = (E *)(void *)osw_rows_at(&g->out, row);                         \
        int64_t at = osw_rows_offset(&g->index, row), i;                       \
                                                                               \
        for (i = 0; i < g->out.n; i++) {                                       \
            const void *p = osw_at(index, at + i * g->index.stride);           \
            int64_t k = index->dtype.bits == 64 ? *(const int64_t *)p          \
                                                : *(const int32_t *)p;         \
                                                                               \
            if (k < 0 || k >= g->n)                                            \
                return 1;                                                      \
            y[i * g->out.stride] = x[k * g->stride];                           \
        }                                                                      \
        return 0;                                                              \
    }

ROW(row_1, uint8_t)
ROW(row_2, uint16_t)
ROW(row_4, uint32_t)
ROW(row_8, uint64_t)
ROW(row_16, osw_plain_16)

int gather_kernel_impl(const osw_call *call)
{
    struct osw_gather g = {0};
    int rc = osw_gather_open(call, &g), bad = 0, threads;
    int64_t rows, row;
    int (*work)(const struct osw_gather *, int64_t);

    if (rc)
        return rc;
    rows = g.out.n ? g.out.n_rows : 0;
    threads = osw_plain_threads(call, rows * g.out.n);
    work = g.self->dtype.bits == 8    ? row_1
           : g.self->dtype.bits == 16 ? row_2
           : g.self->dtype.bits == 32 ? row_4
           : g.self->dtype.bits == 64 ? row_8
                                      : row_16;
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(|                                                                \
              : bad)
    for (row = 0; row < rows; row++)
        bad |= work(&g, row);
    return bad ? osw_error(call, "index is out of range") : 0;
}
