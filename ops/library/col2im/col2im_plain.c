/* col2im - row by row of the columns, each element is added to its place */
#include "../shared/columns.h"
#include "../shared/planes.h"

#define ROW(name, T)                                                           \
    static void name(const struct osw_columns *k, struct osw_spot r,           \
                     const void *row, void *plane)                             \
    {                                                                          \
        const T *from = (const T *)row;                                        \
        T *to = (T *)plane;                                                    \
                                                                               \
        for (int64_t py = 0; py < k->places[0]; py++)                          \
            for (int64_t px = 0; px < k->places[1]; px++, from++) {            \
                int64_t y = osw_columns_place(k, 0, py, r.y);                  \
                int64_t x = osw_columns_place(k, 1, px, r.x);                  \
                                                                               \
                if (osw_columns_inside(k, y, x))                               \
                    to[y * k->image.x + x] += *from;                           \
            }                                                                  \
    }

ROW(row_float, float)
ROW(row_double, double)

/* A channel of an image from its rows; scratch: a plane and a row */
static void run_plane(const struct osw_columns *k, int64_t n, int64_t c,
                      char *scratch)
{
    int64_t window = k->kernel[0] * k->kernel[1];
    int64_t size = osw_planes_size(k->image.dtype);
    int64_t bytes = k->image.y * k->image.x * size;
    char *row = scratch + bytes;

    memset(scratch, 0, (size_t)bytes);
    for (int64_t r = c * window; r < (c + 1) * window; r++) {
        osw_planes_read_run(
            k->columns.dtype,
            osw_image_at(&k->columns,
                         osw_image_offset(&k->columns, n, 0, r, 0)),
            k->columns.step[3], k->columns.x, row);
        if (size == 8)
            row_double(k, osw_columns_row(k, r), row, scratch);
        else
            row_float(k, osw_columns_row(k, r), row, scratch);
    }
    osw_planes_write(&k->image, n, c, scratch);
}

int col2im_kernel_impl(const osw_call *call)
{
    struct osw_columns k = {.places = {0}};
    int rc = osw_columns_open_back(call, &k), threads;
    int64_t bytes, planes;
    char *scratch;

    if (rc)
        return rc;
    if (!osw_planes_know(k.image.dtype))
        return OSW_UNSUPPORTED;
    planes = k.image.n * k.image.c;
    threads = osw_planes_threads(call, osw_image_numel(&k.columns));
    bytes = (k.image.y * k.image.x + k.columns.x) * 8;
    scratch = (char *)osw_workspace(call, (size_t)(bytes * threads) + 8);
    if (!scratch)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int64_t i = planes * t / threads; i < planes * (t + 1) / threads;
             i++)
            run_plane(&k, i / k.image.c, i % k.image.c, scratch + t * bytes);
    return 0;
}
