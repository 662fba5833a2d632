/* shared/softmax_onednn.h - gradients of softmax and its logarithm by
 * oneDNN
 *
 * Not the functions themselves: of a row with an infinity or NaN, whose results
 * are NaN, oneDNN's are finite.
 */
#ifndef OSW_LIBRARY_SOFTMAX_ONEDNN_H
#define OSW_LIBRARY_SOFTMAX_ONEDNN_H

#include "onednn.h"
#include "softmax.h"

/* md: diff_dst, dst, diff_src */
static inline dnnl_status_t osw_onednn_make_softmax_backward(
    const struct osw_onednn_spec *s, const dnnl_memory_desc_t *md,
    dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    dnnl_primitive_desc_t forward = NULL;
    dnnl_softmax_v2_desc_t desc;
    dnnl_status_t rc = dnnl_softmax_v2_forward_desc_init(
        &desc, dnnl_forward_training, s->alg, &md[1], &md[1], s->axis);

    if (!rc)
        rc = dnnl_primitive_desc_create(&forward, &desc, NULL, engine, NULL);
    if (!rc)
        rc = dnnl_softmax_v2_backward_desc_init(&desc, s->alg, &md[2], &md[0],
                                                &md[1], s->axis);
    if (!rc)
        rc = dnnl_primitive_desc_create(pd, &desc, NULL, engine, forward);
    dnnl_primitive_desc_destroy(forward);
    return rc;
}

/* What <op>_kernel_impl of (grad_output, output, dim, input_dtype) does. */
static inline int osw_onednn_softmax_backward(const osw_call *call,
                                              dnnl_alg_kind_t alg)
{
    struct osw_softmax s = {0};
    struct osw_onednn o;
    int rc = osw_softmax_open_backward(call, &s);

    if (rc || osw_numel(s.out.tensor) == 0)
        return rc;
    osw_onednn_begin(&o, call, osw_onednn_make_softmax_backward, alg);
    o.spec.axis = s.x.dim;
    osw_onednn_tensor(&o, DNNL_ARG_DIFF_DST, s.x.tensor);
    osw_onednn_tensor(&o, DNNL_ARG_DST, s.y.tensor);
    osw_onednn_tensor(&o, DNNL_ARG_DIFF_SRC, s.out.tensor);
    return osw_onednn_run(&o);
}

#endif /* OSW_LIBRARY_SOFTMAX_ONEDNN_H */
