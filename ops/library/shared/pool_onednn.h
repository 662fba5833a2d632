/* shared/pool_onednn.h - average pooling by oneDNN */
#ifndef OSW_LIBRARY_POOL_ONEDNN_H
#define OSW_LIBRARY_POOL_ONEDNN_H

#include "image_onednn.h"
#include "pool.h"

#if DNNL_VERSION_MAJOR != 2
#define dnnl_pooling_desc_t                  OSW_ONEDNN_DESC
#define dnnl_pooling_forward_desc_init(...)  OSW_ONEDNN_NONE
#define dnnl_pooling_backward_desc_init(...) OSW_ONEDNN_NONE
#endif

/* md: src, dst; geometry: strides, kernel, padding before and after */
static inline dnnl_status_t
osw_onednn_make_pool(const struct osw_onednn_spec *s,
                     const dnnl_memory_desc_t *md, dnnl_engine_t engine,
                     dnnl_primitive_desc_t *pd)
{
    const int64_t *v = s->geometry;
    const dnnl_dims_t g[4] = {
        {v[0], v[1]}, {v[2], v[3]}, {v[4], v[5]}, {v[6], v[7]}};
    dnnl_pooling_desc_t desc;
    dnnl_status_t rc =
        dnnl_pooling_forward_desc_init(&desc, dnnl_forward_inference, s->alg,
                                       &md[0], &md[1], g[0], g[1], g[2], g[3]);

    return rc ? rc : dnnl_primitive_desc_create(pd, &desc, NULL, engine, NULL);
}

/* md: diff_src, diff_dst */
static inline dnnl_status_t
osw_onednn_make_pool_backward(const struct osw_onednn_spec *s,
                              const dnnl_memory_desc_t *md,
                              dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    const int64_t *v = s->geometry;
    const dnnl_dims_t g[4] = {
        {v[0], v[1]}, {v[2], v[3]}, {v[4], v[5]}, {v[6], v[7]}};
    dnnl_primitive_desc_t forward = NULL;
    dnnl_pooling_desc_t desc;
    dnnl_status_t rc =
        dnnl_pooling_forward_desc_init(&desc, dnnl_forward_training, s->alg,
                                       &md[0], &md[1], g[0], g[1], g[2], g[3]);

    if (!rc)
        rc = dnnl_primitive_desc_create(&forward, &desc, NULL, engine, NULL);
    if (!rc)
        rc = dnnl_pooling_backward_desc_init(&desc, s->alg, &md[0], &md[1],
                                             g[0], g[1], g[2], g[3]);
    if (!rc)
        rc = dnnl_primitive_desc_create(pd, &desc, NULL, engine, forward);
    dnnl_primitive_desc_destroy(forward);
    return rc;
}

/* oneDNN divides by the whole window, or by what of it is in the input: not by
 * a window that is cut off at the end of the padding.
 */
static inline int osw_onednn_pools(const struct osw_pool *p)
{
    int cut = 0;

    for (int axis = 0; axis < 2; axis++)
        cut |=
            osw_pool_window(p, axis, osw_pool_size(&p->out, axis) - 1).whole <
            p->kernel[axis];
    return osw_onednn_is_float(p->in.dtype) &&
           osw_rule_same(p->in.dtype, p->out.dtype) && !p->divisor &&
           osw_image_numel(&p->in) > 0 && (!p->count_include_pad || !cut);
}

static inline int osw_onednn_pool(const osw_call *call,
                                  const struct osw_pool *p,
                                  osw_onednn_make *make, int in, int out)
{
    struct osw_onednn o;

    if (!osw_onednn_pools(p))
        return OSW_UNSUPPORTED;
    osw_onednn_begin(&o, call, make,
                     p->count_include_pad ? dnnl_pooling_avg_include_padding
                                          : dnnl_pooling_avg_exclude_padding);
    for (int axis = 0; axis < 2; axis++) {
        int64_t end = (osw_pool_size(&p->out, axis) - 1) * p->stride[axis] +
                      p->kernel[axis] - p->pad[axis];
        int64_t after = end - osw_pool_size(&p->in, axis);

        o.spec.geometry[axis] = p->stride[axis];
        o.spec.geometry[2 + axis] = p->kernel[axis];
        o.spec.geometry[4 + axis] = p->pad[axis];
        o.spec.geometry[6 + axis] = after > 0 ? after : 0;
    }
    osw_onednn_image(&o, in, &p->in);
    osw_onednn_image(&o, out, &p->out);
    return osw_onednn_run(&o);
}

#endif /* OSW_LIBRARY_POOL_ONEDNN_H */
