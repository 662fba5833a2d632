/* shared/reduce_onednn.h - sum and mean over dimensions by oneDNN */
#ifndef OSW_LIBRARY_REDUCE_ONEDNN_H
#define OSW_LIBRARY_REDUCE_ONEDNN_H

#include "onednn.h"
#include "reduce.h"

/* md: src, dst, whose summed dimensions are 1 */
static inline dnnl_status_t
osw_onednn_make_reduction(const struct osw_onednn_spec *s,
                          const dnnl_memory_desc_t *md, dnnl_engine_t engine,
                          dnnl_primitive_desc_t *pd)
{
    dnnl_reduction_desc_t desc;
    dnnl_status_t rc =
        dnnl_reduction_desc_init(&desc, s->alg, &md[0], &md[1], 0.0f, 0.0f);

    return rc ? rc : dnnl_primitive_desc_create(pd, &desc, NULL, engine, NULL);
}

/* oneDNN reduces at least one dimension of more than one element. */
static inline int osw_onednn_reduce(const osw_call *call,
                                    const struct osw_reduce *r,
                                    dnnl_alg_kind_t alg)
{
    struct osw_onednn_loop l = {.n = 0};
    const osw_tensor *x = r->x;
    struct osw_onednn o;

    if (!osw_onednn_is_float(x->dtype) || !osw_onednn_is_float(r->out->dtype) ||
        x->ndim > OSW_RULE_DIMS || r->summed.numel <= 1)
        return OSW_UNSUPPORTED;
    if (osw_numel(x) == 0)
        return osw_numel(r->out) ? OSW_UNSUPPORTED : 0;
    l.ndim = x->ndim;
    memcpy(l.shape, x->shape, sizeof(l.shape[0]) * (size_t)x->ndim);
    osw_onednn_join(&l, x);
    memcpy(l.steps[l.n++], r->out_step,
           sizeof(l.steps[0][0]) * (size_t)x->ndim);
    osw_onednn_merge(&l);
    if (osw_onednn_repeats(&l, 0))
        return OSW_UNSUPPORTED;
    osw_onednn_begin(&o, call, osw_onednn_make_reduction, alg);
    osw_onednn_walk(&o, DNNL_ARG_SRC, x->dtype, osw_data(x), &l, 0);
    osw_onednn_walk(&o, DNNL_ARG_DST, r->out->dtype, osw_data(r->out), &l, 1);
    return osw_onednn_run(&o);
}

#endif /* OSW_LIBRARY_REDUCE_ONEDNN_H */
