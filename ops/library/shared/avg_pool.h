/* shared/avg_pool.h - average pooling and its gradient in double, in C and in
 * kernels
 */
#ifndef OSW_LIBRARY_AVG_POOL_H
#define OSW_LIBRARY_AVG_POOL_H

#include "pool.h"

/* Element i of the output: the mean of its window.  *squares: of its terms. */
OSW_HD static inline double osw_avg_pool_at(const struct osw_pool *p, int64_t i,
                                            double *squares)
{
    struct osw_spot s = osw_image_spot(&p->out, i);
    struct osw_window wy = osw_pool_window(p, 0, s.y);
    struct osw_window wx = osw_pool_window(p, 1, s.x);
    double divisor = (double)osw_pool_divisor(p, wy, wx), sum = 0.0;

    if (wy.from >= wy.to || wx.from >= wx.to)
        return 0.0;
    for (int64_t y = wy.from; y < wy.to; y++)
        for (int64_t x = wx.from; x < wx.to; x++) {
            double v = osw_image_get(&p->in, s.n, s.c, y, x) / divisor;

            sum += v;
            *squares += v * v;
        }
    return sum;
}

/* Element i of the gradient of the input: each window that it lies in gives a
 * part of its gradient.
 */
OSW_HD static inline double osw_avg_pool_backward_at(const struct osw_pool *p,
                                                     int64_t i, double *squares)
{
    struct osw_spot s = osw_image_spot(&p->in, i);
    struct osw_window oy = osw_pool_windows(p, 0, s.y);
    struct osw_window ox = osw_pool_windows(p, 1, s.x);
    double sum = 0.0;

    for (int64_t y = oy.from; y < oy.to; y++)
        for (int64_t x = ox.from; x < ox.to; x++) {
            int64_t divisor = osw_pool_divisor(p, osw_pool_window(p, 0, y),
                                               osw_pool_window(p, 1, x));
            double v = osw_image_get(&p->out, s.n, s.c, y, x) / (double)divisor;

            sum += v;
            *squares += v * v;
        }
    return sum;
}

#endif /* OSW_LIBRARY_AVG_POOL_H */
