/* ops/library/scatter__src/scatter__src_plain.c - a copy of self, then rows
 * along dim, element by element
 */
#include "../shared/plain_rows.h"
#include "../shared/scatter.h"

/* Returns 1 when an index is out of range. */
#define ROW(name, E)                                                           \
    static int name(const struct osw_scatter *s, int64_t row)                  \
    {                                                                          \
        const osw_tensor *index = s->index.tensor;                             \
        const E *x =                                                           \
            (const E *)osw_at(s->src, osw_scatter_row(s, s->src, row));        \
        E *y = (E *)osw_at(s->out, osw_scatter_row(s, s->out, row));           \
        int64_t from = osw_scatter_step(s, s->src), i;                         \
        int64_t to = osw_scatter_step(s, s->out), n = osw_scatter_n(s);        \
        int64_t at = osw_rows_offset(&s->index, row);                          \
                                                                               \
        for (i = 0; i < s->index.n; i++) {                                     \
            const void *p = osw_at(index, at + i * s->index.stride);           \
            int64_t k = index->dtype.bits == 64 ? *(const int64_t *)p          \
                                                : *(const int32_t *)p;         \
                                                                               \
            if (k < 0 || k >= n)                                               \
                return 1;                                                      \
            y[k * to] = x[i * from];                                           \
        }                                                                      \
        return 0;                                                              \
    }

ROW(row_1, uint8_t)
ROW(row_2, uint16_t)
ROW(row_4, uint32_t)
ROW(row_8, uint64_t)
ROW(row_16, osw_plain_16)

int scatter__src_kernel_impl(const osw_call *call)
{
    struct osw_scatter s = {0};
    int rc = osw_scatter_open(call, &s), bad = 0, threads, bits;
    int64_t rows, row;
    int (*work)(const struct osw_scatter *, int64_t);

    if (!rc)
        rc = osw_plain_copy(call, s.out, s.self);
    if (rc)
        return rc;
    rows = s.index.n ? s.index.n_rows : 0;
    threads = osw_plain_threads(call, rows * s.index.n);
    bits = s.out->dtype.bits;
    work = bits == 8    ? row_1
           : bits == 16 ? row_2
           : bits == 32 ? row_4
           : bits == 64 ? row_8
                        : row_16;
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(|                                                                \
              : bad)
    for (row = 0; row < rows; row++)
        bad |= work(&s, row);
    return bad ? osw_error(call, "index is out of range") : 0;
}
