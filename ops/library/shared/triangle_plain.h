/* shared/triangle_plain.h - baseline: of each row the elements up to a
 * diagonal, or from there on, are copied, and the others cleared
 */
#ifndef OSW_LIBRARY_TRIANGLE_PLAIN_H
#define OSW_LIBRARY_TRIANGLE_PLAIN_H

#include "plain_copy.h"
#include "triangle.h"

static inline int osw_triangle_plain(const osw_call *call,
                                     enum osw_triangle_part part)
{
    struct osw_triangle t = {0};
    int rc = osw_triangle_open(call, &t, part), threads;
    struct osw_plain_way w;
    int64_t bytes;

    if (rc)
        return rc;
    if (!osw_plain_find_way(&w, t.out->dtype, t.self->dtype))
        return OSW_UNSUPPORTED;
    bytes = t.out->dtype.bits / 8;
    threads = osw_plain_threads(call, t.n_rows * t.cols);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t row = 0; row < t.n_rows; row++) {
        int64_t at = row * t.cols, from, end;

        osw_triangle_kept(&t, row, &from, &end);
        osw_triangle_clear(&t, row, bytes);
        if (from < end)
            osw_plain_copy_row(
                &w, (char *)osw_at(t.out, at + from), 1,
                (const char *)osw_at(t.self, osw_offset(t.self, at + from)),
                t.self->strides[t.self->ndim - 1], end - from);
    }
    return 0;
}

#endif /* OSW_LIBRARY_TRIANGLE_PLAIN_H */
