/* shared/max_pool.h - the maximum of a window, as PyTorch chooses it
 *
 * Of equal elements the first, in row-major order.  NaN is larger than any
 * number, and of several NaN the last is taken.
 */
#ifndef OSW_LIBRARY_MAX_POOL_H
#define OSW_LIBRARY_MAX_POOL_H

#include "pool.h"

/* Is v taken after `largest` of what was seen before? */
OSW_HD static inline int osw_max_pool_takes(double v, double largest)
{
    return v > largest || v != v;
}

/* The index, within the plane, of the maximum of the window at s. */
OSW_HD static inline int64_t osw_max_pool_index(const struct osw_pool *p,
                                                struct osw_spot s)
{
    int64_t y0 = osw_pool_first(p, 0, s.y), y1 = osw_pool_end(p, 0, s.y);
    int64_t x0 = osw_pool_first(p, 1, s.x), x1 = osw_pool_end(p, 1, s.x);
    int64_t index = y0 * p->in.x + x0;
    double largest = -INFINITY;

    for (int64_t y = y0; y < y1; y += p->dilation[0])
        for (int64_t x = x0; x < x1; x += p->dilation[1]) {
            double v = osw_image_get(&p->in, s.n, s.c, y, x);

            if (osw_max_pool_takes(v, largest)) {
                largest = v;
                index = y * p->in.x + x;
            }
        }
    return index;
}

#endif /* OSW_LIBRARY_MAX_POOL_H */
