/* ops/library/scatter__src/scatter__src_rows.c - a copy in runs, then rows
 * along dim, over threads
 */
#include "../shared/copying.h"
#include "../shared/scatter.h"

static void put_row(const struct osw_scatter *s, int64_t row)
{
    const osw_tensor *index = s->index.tensor;
    int64_t from = osw_scatter_step(s, s->src);
    int64_t to = osw_scatter_step(s, s->out);
    int64_t x = osw_scatter_row(s, s->src, row);
    int64_t y = osw_scatter_row(s, s->out, row);
    int64_t at = osw_rows_offset(&s->index, row);
    size_t bytes = s->out->dtype.bits / 8;

    for (int64_t i = 0; i < s->index.n; i++) {
        int64_t k =
            osw_load_int(index->dtype, osw_at(index, at + i * s->index.stride));

        memcpy(osw_at(s->out, y + k * to), osw_at(s->src, x + i * from), bytes);
    }
}

int scatter__src_kernel_impl(const osw_call *call)
{
    struct osw_scatter s = {0};
    int rc = osw_scatter_open(call, &s);
    int64_t rows;

    if (rc)
        return rc;
    if (!osw_picking_in_range(s.index.tensor, osw_scatter_n(&s)))
        return osw_error(call, "index is out of range");
    rc = osw_copy_run(call, s.out, s.self);
    if (rc)
        return rc;
    rows = s.index.n ? s.index.n_rows : 0;
#pragma omp parallel for num_threads(                                          \
    (int)call->n_threads) if (rows * s.index.n > 65536)
    for (int64_t row = 0; row < rows; row++)
        put_row(&s, row);
    return 0;
}
