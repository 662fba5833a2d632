/* ops/library/unfold_backward/unfold_backward_plain.c - row by row along dim,
 * window by window
 *
 * Elements are added in float, f64 in double; others are converted on the way.
 */
#include "../shared/planes.h"
#include "unfold_backward.h"

/* row [shape[dim]]: zeros before; one of windows: room for a window */
#define ROW(name, T)                                                           \
    static void name(const struct unfold *u, const char *grad, char *window,   \
                     char *row)                                                \
    {                                                                          \
        int64_t bytes = u->dtype.bits / 8;                                     \
        const T *from = (const T *)(const void *)window;                       \
        T *to = (T *)(void *)row;                                              \
                                                                               \
        for (int64_t w = 0; w < u->windows; w++) {                             \
            osw_planes_read_run(u->dtype,                                      \
                                grad + w * u->step_of[u->dim] * bytes,         \
                                u->last, u->size, window);                     \
            for (int64_t i = 0; i < u->size; i++)                              \
                to[w * u->step + i] += from[i];                                \
        }                                                                      \
    }

ROW(row_float, float)
ROW(row_double, double)

/* Row r of the output, along dim; scratch: a row and a window. */
static void run_row(const struct unfold *u, int64_t r, char *scratch)
{
    int64_t n = u->shape[u->dim], size = osw_planes_size(u->dtype);
    int64_t bytes = u->dtype.bits / 8, inner = 1, none;
    int64_t first;
    const char *grad;

    for (int32_t d = u->dim + 1; d < u->ndim; d++)
        inner *= u->shape[d];
    first = r / inner * inner * n + r % inner;
    grad = u->grad + unfold_offset(u, first, &none) * bytes;
    memset(scratch, 0, (size_t)(n * size));
    if (size == 8)
        row_double(u, grad, scratch + n * size, scratch);
    else
        row_float(u, grad, scratch + n * size, scratch);
    osw_planes_write_run(u->dtype, scratch, n, inner, u->out + first * bytes);
}

int unfold_backward_kernel_impl(const osw_call *call)
{
    struct unfold u = {0};
    int rc = unfold_open(call, &u), threads;
    int64_t bytes, rows;
    char *scratch;

    if (rc)
        return rc;
    if (!osw_planes_know(u.dtype))
        return OSW_UNSUPPORTED;
    threads = osw_planes_threads(call, u.numel);
    rows = u.numel ? u.numel / u.shape[u.dim] : 0;
    bytes = 8 * (u.shape[u.dim] + u.size);
    scratch = (char *)osw_workspace(call, (size_t)(bytes * threads) + 8);
    if (!scratch)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int64_t r = rows * t / threads; r < rows * (t + 1) / threads; r++)
            run_row(&u, r, scratch + t * bytes);
    return 0;
}
