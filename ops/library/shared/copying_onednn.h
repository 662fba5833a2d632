/* shared/copying_onednn.h - copies, with or without conversion, by oneDNN
 */
#ifndef OSW_LIBRARY_COPYING_ONEDNN_H
#define OSW_LIBRARY_COPYING_ONEDNN_H

#include "onednn.h"

/* md: src, dst */
static inline dnnl_status_t
osw_onednn_make_reorder(const struct osw_onednn_spec *s,
                        const dnnl_memory_desc_t *md, dnnl_engine_t engine,
                        dnnl_primitive_desc_t *pd)
{
    (void)s;
    return dnnl_reorder_primitive_desc_create(pd, &md[0], engine, &md[1],
                                              engine, NULL);
}

/* Integers are not converted: oneDNN rounds to the nearest where a cast
 * truncates.  Nor is anything rounded to bf16: the instruction that it uses
 * where there is one takes subnormal numbers for zero.
 */
static inline int osw_onednn_converts(osw_dtype to, osw_dtype from)
{
    return osw_rule_same(to, from) ||
           (to.code == OSW_FLOAT && osw_onednn_is_float(to) &&
            osw_onednn_is_float(from));
}

/* from into to, of one shape */
static inline int osw_onednn_copy(const osw_call *call, const osw_tensor *to,
                                  const osw_tensor *from)
{
    struct osw_onednn_loop l = {.n = 0};
    struct osw_onednn o;

    if (!osw_view_fits(to, from) ||
        !osw_onednn_converts(to->dtype, from->dtype))
        return OSW_UNSUPPORTED;
    if (osw_numel(to) == 0)
        return 0;
    l.ndim = to->ndim;
    memcpy(l.shape, to->shape, sizeof(l.shape[0]) * (size_t)to->ndim);
    osw_onednn_join(&l, from);
    osw_onednn_join(&l, to);
    osw_onednn_merge(&l);
    if (osw_onednn_repeats(&l, 0) || osw_onednn_repeats(&l, 1))
        return OSW_UNSUPPORTED;
    osw_onednn_begin(&o, call, osw_onednn_make_reorder, dnnl_alg_kind_undef);
    osw_onednn_walk(&o, DNNL_ARG_FROM, from->dtype, osw_data(from), &l, 0);
    osw_onednn_walk(&o, DNNL_ARG_TO, to->dtype, osw_data(to), &l, 1);
    return osw_onednn_run(&o);
}

#endif /* OSW_LIBRARY_COPYING_ONEDNN_H */
