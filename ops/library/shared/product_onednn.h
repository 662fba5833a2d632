/* shared/product_onednn.h - the product by oneDNN's matmul
 *
 * Only what matmul reads as it lies, with scales of 1: a, b, and the addend as
 * its bias.
 */
#ifndef OSW_LIBRARY_PRODUCT_ONEDNN_H
#define OSW_LIBRARY_PRODUCT_ONEDNN_H

#include "onednn.h"
#include "product.h"

/* md: src, weights, dst, and bias where there is one */
static inline dnnl_status_t
osw_onednn_make_matmul(const struct osw_onednn_spec *s,
                       const dnnl_memory_desc_t *md, dnnl_engine_t engine,
                       dnnl_primitive_desc_t *pd)
{
    dnnl_matmul_desc_t desc;
    dnnl_status_t rc = dnnl_matmul_desc_init(
        &desc, &md[0], &md[1], s->n_args == 4 ? &md[3] : NULL, &md[2]);

    return rc ? rc : dnnl_primitive_desc_create(pd, &desc, NULL, engine, NULL);
}

/* The addend in two dimensions. */
static inline void osw_onednn_bias(struct osw_onednn *o, const osw_tensor *t,
                                   const struct osw_product *p)
{
    struct osw_matrix m = osw_product_plus(p);
    int64_t shape[2] = {p->m, p->n}, steps[2] = {m.row, m.col};

    osw_onednn_arg(o, DNNL_ARG_BIAS, t->dtype, m.data, 2, shape, steps);
}

static inline int osw_onednn_product(const osw_call *call,
                                     const struct osw_product *p)
{
    struct osw_onednn o;

    if (!osw_onednn_is_float(p->out->dtype) || p->alpha != 1.0 ||
        (p->plus && p->beta != 1.0))
        return OSW_UNSUPPORTED;
    if (osw_numel(p->out) == 0)
        return 0;
    if (p->k == 0)
        return OSW_UNSUPPORTED;
    osw_onednn_begin(&o, call, osw_onednn_make_matmul, dnnl_alg_kind_undef);
    osw_onednn_tensor(&o, DNNL_ARG_SRC, p->a);
    osw_onednn_tensor(&o, DNNL_ARG_WEIGHTS, p->b);
    osw_onednn_tensor(&o, DNNL_ARG_DST, p->out);
    if (p->plus)
        osw_onednn_bias(&o, p->plus, p);
    return osw_onednn_run(&o);
}

#endif /* OSW_LIBRARY_PRODUCT_ONEDNN_H */
