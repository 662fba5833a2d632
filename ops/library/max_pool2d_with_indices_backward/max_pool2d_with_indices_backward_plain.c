/* ops/library/max_pool2d_with_indices_backward/
 * max_pool2d_with_indices_backward_plain.c - plane by plane, each gradient is
 * added where its index says
 */
#include "../shared/planes.h"
#include "../shared/pool.h"

struct job {
    struct osw_pool p;
    struct osw_image indices;
};

#define PLANE(name, T)                                                         \
    static void name(const void *context, int64_t plane, const void *in,       \
                     void *out)                                                \
    {                                                                          \
        const struct job *j = (const struct job *)context;                     \
        const struct osw_pool *p = &j->p;                                      \
        const int64_t *indices =                                               \
            (const int64_t *)(const void *)j->indices.data +                   \
            osw_image_offset(&j->indices, plane / p->in.c, plane % p->in.c, 0, \
                             0);                                               \
        const T *grad = (const T *)in;                                         \
        T *to = (T *)out;                                                      \
                                                                               \
        memset(to, 0, (size_t)(p->in.y * p->in.x) * sizeof(T));                \
        for (int64_t y = 0; y < p->out.y; y++)                                 \
            for (int64_t x = 0; x < p->out.x; x++)                             \
                to[indices[y * j->indices.step[2] +                            \
                           x * j->indices.step[3]]] += grad[y * p->out.x + x]; \
    }

PLANE(plane_float, float)
PLANE(plane_double, double)

int max_pool2d_with_indices_backward_kernel_impl(const osw_call *call)
{
    struct job j = {0};
    int rc = osw_pool_open_max_backward(call, &j.p, &j.indices);

    if (rc)
        return rc;
    if (!osw_planes_know(j.p.in.dtype) ||
        !osw_convert_same(j.p.in.dtype, j.p.out.dtype))
        return OSW_UNSUPPORTED;
    return osw_planes_each(call, &j.p.out, &j.p.in,
                           j.p.in.dtype.bits == 64 ? plane_double : plane_float,
                           &j);
}
