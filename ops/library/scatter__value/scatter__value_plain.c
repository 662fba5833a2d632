/* scatter.value - a copy of self, then rows along dim, element by element */
#include "../shared/plain_rows.h"
#include "../shared/scatter.h"

/* Returns 1 when an index is out of range. */
static int put_row(const struct osw_scatter *s,
                   const struct osw_element *element, int64_t row)
{
    const osw_tensor *index = s->index.tensor;
    int64_t at = osw_rows_offset(&s->index, row);
    int64_t to = osw_scatter_row(s, s->out, row);
    size_t bytes = s->out->dtype.bits / 8;

    for (int64_t i = 0; i < s->index.n; i++) {
        int64_t k =
            osw_load_int(index->dtype, osw_at(index, at + i * s->index.stride));

        if (k < 0 || k >= osw_scatter_n(s))
            return 1;
        memcpy(osw_at(s->out, to + k * osw_scatter_step(s, s->out)),
               element->words, bytes);
    }
    return 0;
}

int scatter__value_kernel_impl(const osw_call *call)
{
    struct osw_scatter s = {0};
    struct osw_element element;
    int rc = osw_scatter_open_value(call, &s, &element), bad = 0, threads;
    int64_t rows;

    if (!rc)
        rc = osw_plain_copy(call, s.out, s.self);
    if (rc)
        return rc;
    rows = s.index.n ? s.index.n_rows : 0;
    threads = osw_plain_threads(call, rows * s.index.n);
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(|                                                                \
              : bad)
    for (int64_t row = 0; row < rows; row++)
        bad |= put_row(&s, &element, row);
    return bad ? osw_error(call, "index is out of range") : 0;
}
