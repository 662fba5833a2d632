/* shared/layer_norm_onednn.h - layer norm over dense rows by oneDNN */
#ifndef OSW_LIBRARY_LAYER_NORM_ONEDNN_H
#define OSW_LIBRARY_LAYER_NORM_ONEDNN_H

#include "level.h"

#include "layer_norm.h"
#include "onednn.h"

/* md: src, dst, mean, variance, ...; beta is epsilon */
static inline dnnl_status_t
osw_onednn_make_layer_norm(const struct osw_onednn_spec *s,
                           const dnnl_memory_desc_t *md, dnnl_engine_t engine,
                           dnnl_primitive_desc_t *pd)
{
    dnnl_layer_normalization_desc_t desc;
    dnnl_status_t rc = dnnl_layer_normalization_forward_desc_init(
        &desc, dnnl_forward_training, &md[0], &md[2], s->beta, s->flags);

    return rc ? rc : dnnl_primitive_desc_create(pd, &desc, NULL, engine, NULL);
}

/* md: src, diff_src, mean, variance, diff_dst, ... */
static inline dnnl_status_t osw_onednn_make_layer_norm_backward(
    const struct osw_onednn_spec *s, const dnnl_memory_desc_t *md,
    dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    dnnl_primitive_desc_t forward = NULL;
    dnnl_layer_normalization_desc_t desc;
    dnnl_status_t rc = osw_onednn_make_layer_norm(s, md, engine, &forward);

    if (!rc)
        rc = dnnl_layer_normalization_backward_desc_init(
            &desc, s->prop, &md[4], &md[0], &md[2], s->beta, s->flags);
    if (!rc)
        rc = dnnl_primitive_desc_create(pd, &desc, NULL, engine, forward);
    dnnl_primitive_desc_destroy(forward);
    return rc;
}

/* oneDNN takes weight and bias in f32 alone. */
static inline int osw_onednn_layer_norm_takes(const osw_tensor *t)
{
    return !t || (osw_is(t, OSW_FLOAT, 32) && osw_is_contiguous(t));
}

static inline void osw_onednn_rows(struct osw_onednn *o, int name,
                                   const osw_tensor *t,
                                   const struct osw_layer_norm *l)
{
    int64_t shape[2] = {l->n_rows, l->n};

    osw_onednn_shaped(o, name, t, 2, shape);
}

/* Weight and bias where they are there: which flags a primitive has. */
static inline void osw_onednn_affine(struct osw_onednn *o,
                                     const osw_tensor *weight,
                                     const osw_tensor *bias)
{
    if (weight) {
        o->spec.flags |= dnnl_use_scale;
        osw_onednn_flat(o, DNNL_ARG_SCALE, weight);
    }
    if (bias) {
        o->spec.flags |= dnnl_use_shift;
        osw_onednn_flat(o, DNNL_ARG_SHIFT, bias);
    }
}

#endif /* OSW_LIBRARY_LAYER_NORM_ONEDNN_H */
