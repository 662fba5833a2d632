/* shared/nearest_onednn.h - resampling by the nearest element, by oneDNN
 *
 * It rounds where PyTorch cuts off: the same where every element has as many
 * copies as any other.
 */
#ifndef OSW_LIBRARY_NEAREST_ONEDNN_H
#define OSW_LIBRARY_NEAREST_ONEDNN_H

#include "image_onednn.h"
#include "nearest.h"

#if DNNL_VERSION_MAJOR != 2
#define dnnl_resampling_desc_t                  OSW_ONEDNN_DESC
#define dnnl_resampling_forward_desc_init(...)  OSW_ONEDNN_NONE
#define dnnl_resampling_backward_desc_init(...) OSW_ONEDNN_NONE
#endif

/* md: src, dst */
static inline dnnl_status_t
osw_onednn_make_nearest(const struct osw_onednn_spec *s,
                        const dnnl_memory_desc_t *md, dnnl_engine_t engine,
                        dnnl_primitive_desc_t *pd)
{
    dnnl_resampling_desc_t desc;
    dnnl_status_t rc = dnnl_resampling_forward_desc_init(
        &desc, dnnl_forward_inference, s->alg, NULL, &md[0], &md[1]);

    return rc ? rc : dnnl_primitive_desc_create(pd, &desc, NULL, engine, NULL);
}

/* md: diff_src, diff_dst */
static inline dnnl_status_t osw_onednn_make_nearest_backward(
    const struct osw_onednn_spec *s, const dnnl_memory_desc_t *md,
    dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    dnnl_primitive_desc_t forward = NULL;
    dnnl_resampling_desc_t desc;
    dnnl_status_t rc = dnnl_resampling_forward_desc_init(
        &desc, dnnl_forward_training, s->alg, NULL, &md[0], &md[1]);

    if (!rc)
        rc = dnnl_primitive_desc_create(&forward, &desc, NULL, engine, NULL);
    if (!rc)
        rc = dnnl_resampling_backward_desc_init(&desc, s->alg, NULL, &md[0],
                                                &md[1]);
    if (!rc)
        rc = dnnl_primitive_desc_create(pd, &desc, NULL, engine, forward);
    dnnl_primitive_desc_destroy(forward);
    return rc;
}

/* Does every place have as many copies, and is that what the scale says? */
static inline int osw_onednn_copies(int64_t in, int64_t out, float scale)
{
    return out % in == 0 && scale == (float)in / (float)out;
}

static inline int osw_onednn_nearest(const osw_call *call,
                                     const struct osw_nearest *r,
                                     osw_onednn_make *make, int in, int out)
{
    struct osw_onednn o;

    if (!osw_onednn_is_float(r->in.dtype) || osw_image_numel(&r->in) == 0 ||
        !osw_onednn_copies(r->in.y, r->out.y, r->scale[0]) ||
        !osw_onednn_copies(r->in.x, r->out.x, r->scale[1]))
        return OSW_UNSUPPORTED;
    osw_onednn_begin(&o, call, make, dnnl_resampling_nearest);
    osw_onednn_image(&o, in, &r->in);
    osw_onednn_image(&o, out, &r->out);
    return osw_onednn_run(&o);
}

#endif /* OSW_LIBRARY_NEAREST_ONEDNN_H */
