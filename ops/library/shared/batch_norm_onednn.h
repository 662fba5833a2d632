/* shared/batch_norm_onednn.h - batch norm by oneDNN */
#ifndef OSW_LIBRARY_BATCH_NORM_ONEDNN_H
#define OSW_LIBRARY_BATCH_NORM_ONEDNN_H

#include "level.h"

#include "batch_norm.h"
#include "image_onednn.h"

#if DNNL_VERSION_MAJOR != 2
#define dnnl_batch_normalization_desc_t                  OSW_ONEDNN_DESC
#define dnnl_batch_normalization_forward_desc_init(...)  OSW_ONEDNN_NONE
#define dnnl_batch_normalization_backward_desc_init(...) OSW_ONEDNN_NONE
#endif

/* md: src, dst, mean, variance, ...; beta is epsilon */
static inline dnnl_status_t
osw_onednn_make_batch_norm(const struct osw_onednn_spec *s,
                           const dnnl_memory_desc_t *md, dnnl_engine_t engine,
                           dnnl_primitive_desc_t *pd)
{
    dnnl_batch_normalization_desc_t desc;
    dnnl_status_t rc = dnnl_batch_normalization_forward_desc_init(
        &desc, s->prop, &md[0], s->beta, s->flags);

    return rc ? rc : dnnl_primitive_desc_create(pd, &desc, NULL, engine, NULL);
}

/* md: src, diff_src, mean, variance, diff_dst, ... */
static inline dnnl_status_t osw_onednn_make_batch_norm_backward(
    const struct osw_onednn_spec *s, const dnnl_memory_desc_t *md,
    dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    dnnl_primitive_desc_t forward = NULL;
    dnnl_batch_normalization_desc_t desc;
    dnnl_status_t rc = dnnl_batch_normalization_forward_desc_init(
        &desc, dnnl_forward_training, &md[0], s->beta, s->flags);

    if (!rc)
        rc = dnnl_primitive_desc_create(&forward, &desc, NULL, engine, NULL);
    if (!rc)
        rc = dnnl_batch_normalization_backward_desc_init(
            &desc, s->prop, &md[4], &md[0], s->beta, s->flags);
    if (!rc)
        rc = dnnl_primitive_desc_create(pd, &desc, NULL, engine, forward);
    dnnl_primitive_desc_destroy(forward);
    return rc;
}

/* A number for each channel; oneDNN takes them in f32 alone. */
static inline void osw_onednn_channels(struct osw_onednn *o, int name,
                                       const struct osw_channels *v, int64_t n)
{
    static const int64_t one = 1;

    if (v->dtype.bits != 32 || v->step != 1)
        o->rc = OSW_UNSUPPORTED;
    osw_onednn_arg(o, name, v->dtype, v->data, 1, &n, &one);
}

#endif /* OSW_LIBRARY_BATCH_NORM_ONEDNN_H */
