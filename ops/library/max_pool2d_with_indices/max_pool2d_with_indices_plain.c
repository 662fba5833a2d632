/* ops/library/max_pool2d_with_indices/max_pool2d_with_indices_plain.c - plane
 * by plane, window by window
 */
#include "../shared/max_pool.h"
#include "../shared/planes.h"

struct job {
    struct osw_pool p;
    struct osw_image indices; /* contiguous */
};

#define PLANE(name, T)                                                         \
    static void name(const void *context, int64_t plane, const void *in,       \
                     void *out)                                                \
    {                                                                          \
        const struct job *j = (const struct job *)context;                     \
        const struct osw_pool *p = &j->p;                                      \
        const T *from = (const T *)in;                                         \
        int64_t n_out = p->out.y * p->out.x;                                   \
        int64_t *indices = (int64_t *)(void *)j->indices.data + plane * n_out; \
        T *to = (T *)out;                                                      \
                                                                               \
        for (int64_t o = 0; o < n_out; o++) {                                  \
            int64_t oy = o / p->out.x, ox = o % p->out.x;                      \
            int64_t y0 = osw_pool_first(p, 0, oy),                             \
                    y1 = osw_pool_end(p, 0, oy);                               \
            int64_t x0 = osw_pool_first(p, 1, ox),                             \
                    x1 = osw_pool_end(p, 1, ox);                               \
            int64_t index = y0 * p->in.x + x0;                                 \
            T largest = -INFINITY;                                             \
                                                                               \
            for (int64_t y = y0; y < y1; y += p->dilation[0])                  \
                for (int64_t x = x0; x < x1; x += p->dilation[1]) {            \
                    T v = from[y * p->in.x + x];                               \
                                                                               \
                    if (v > largest || v != v) {                               \
                        largest = v;                                           \
                        index = y * p->in.x + x;                               \
                    }                                                          \
                }                                                              \
            to[o] = from[index];                                               \
            indices[o] = index;                                                \
        }                                                                      \
    }

PLANE(plane_float, float)
PLANE(plane_double, double)

int max_pool2d_with_indices_kernel_impl(const osw_call *call)
{
    struct job j = {0};
    int rc = osw_pool_open_max(call, &j.p, &j.indices);

    if (rc)
        return rc;
    if (!osw_planes_know(j.p.in.dtype))
        return OSW_UNSUPPORTED;
    return osw_planes_each(call, &j.p.in, &j.p.out,
                           j.p.in.dtype.bits == 64 ? plane_double : plane_float,
                           &j);
}
