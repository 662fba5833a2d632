/* shared/elementwise_onednn.h - elementwise ops by oneDNN
 *
 * Not relu, clamp, maximum and minimum, which lose NaN there, nor the
 * derivatives of relu, in which NaN * 0 is NaN, and of leaky_relu, for which
 * NaN is above 0.
 */
#ifndef OSW_LIBRARY_ELEMENTWISE_ONEDNN_H
#define OSW_LIBRARY_ELEMENTWISE_ONEDNN_H

#include "onednn.h"
#include "rows.h"

/* --- elementwise: md is of src or dst (and, backward, the gradients) --- */

static inline dnnl_status_t
osw_onednn_make_eltwise(const struct osw_onednn_spec *s,
                        const dnnl_memory_desc_t *md, dnnl_engine_t engine,
                        dnnl_primitive_desc_t *pd)
{
    dnnl_eltwise_desc_t desc;
    dnnl_status_t rc = dnnl_eltwise_forward_desc_init(
        &desc, dnnl_forward_training, s->alg, &md[0], s->alpha, s->beta);

    return rc ? rc : dnnl_primitive_desc_create(pd, &desc, NULL, engine, NULL);
}

static inline dnnl_status_t osw_onednn_make_eltwise_backward(
    const struct osw_onednn_spec *s, const dnnl_memory_desc_t *md,
    dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    dnnl_primitive_desc_t forward = NULL;
    dnnl_eltwise_desc_t desc;
    dnnl_status_t rc = osw_onednn_make_eltwise(s, md, engine, &forward);

    if (!rc)
        rc = dnnl_eltwise_backward_desc_init(&desc, s->alg, &md[1], &md[0],
                                             s->alpha, s->beta);
    if (!rc)
        rc = dnnl_primitive_desc_create(pd, &desc, NULL, engine, forward);
    dnnl_primitive_desc_destroy(forward);
    return rc;
}

/* out, declared, from x of the same shape and dtype: alg(x, alpha, beta). */
static inline int osw_onednn_eltwise(const osw_call *call, const osw_tensor *x,
                                     const osw_tensor *out, dnnl_alg_kind_t alg,
                                     float alpha, float beta)
{
    struct osw_onednn o;

    if (!osw_onednn_is_float(x->dtype) || !osw_rule_same(x->dtype, out->dtype))
        return OSW_UNSUPPORTED;
    if (osw_numel(out) == 0)
        return 0;
    osw_onednn_begin(&o, call, osw_onednn_make_eltwise, alg);
    o.spec.alpha = alpha;
    o.spec.beta = beta;
    osw_onednn_flat(&o, DNNL_ARG_SRC, x);
    osw_onednn_flat(&o, DNNL_ARG_DST, out);
    return osw_onednn_run(&o);
}

/* What <op>_kernel_impl of alg(self) does. */
static inline int osw_onednn_unary(const osw_call *call, dnnl_alg_kind_t alg,
                                   float alpha)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out;

    if (!x || !osw_onednn_is_float(x->dtype))
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    return out ? osw_onednn_eltwise(call, x, out, alg, alpha, 0.0f) : OSW_ERROR;
}

/* What that of a derivative does: arguments 0, grad_output, and 1, which is
 * what `name` says: DNNL_ARG_SRC or DNNL_ARG_DST of the op.
 */
static inline int osw_onednn_derivative(const osw_call *call,
                                        dnnl_alg_kind_t alg, float alpha,
                                        int name)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_tensor *x = osw_arg_tensor(call, 1);
    struct osw_onednn o;
    osw_tensor *out;

    if (!grad || !x || !osw_onednn_is_float(x->dtype) ||
        !osw_rule_same(x->dtype, grad->dtype) || !osw_rows_same_shape(x, grad))
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!out)
        return OSW_ERROR;
    if (osw_numel(out) == 0)
        return 0;
    osw_onednn_begin(&o, call, osw_onednn_make_eltwise_backward, alg);
    o.spec.alpha = alpha;
    osw_onednn_flat(&o, name, x);
    osw_onednn_flat(&o, DNNL_ARG_DIFF_DST, grad);
    osw_onednn_flat(&o, DNNL_ARG_DIFF_SRC, out);
    return osw_onednn_run(&o);
}

/* --- binary: md is of src0, src1, dst --- */

static inline dnnl_status_t
osw_onednn_make_binary(const struct osw_onednn_spec *s,
                       const dnnl_memory_desc_t *md, dnnl_engine_t engine,
                       dnnl_primitive_desc_t *pd)
{
    dnnl_binary_desc_t desc;
    dnnl_status_t rc =
        dnnl_binary_desc_init(&desc, s->alg, &md[0], &md[1], &md[2]);

    return rc ? rc : dnnl_primitive_desc_create(pd, &desc, NULL, engine, NULL);
}

/* One operand: a tensor of the common dtype, or a number in float. */
static inline void osw_onednn_operand(struct osw_onednn *o, int name,
                                      const struct osw_rule_plan *plan,
                                      const struct osw_onednn_loop *l, int i,
                                      float *number)
{
    const osw_tensor *t = plan->x[i].tensor;
    osw_dtype f32 = osw_rule_dtype(OSW_FLOAT, 32);

    *number = (float)plan->x[i].number;
    if (t && !osw_rule_same(t->dtype, plan->common))
        o->rc = OSW_UNSUPPORTED;
    osw_onednn_walk(o, name, t ? t->dtype : f32, t ? osw_data(t) : number, l,
                    i);
}

/* What <op>_kernel_impl of alg(self, other) does: rule has two operands, and
 * a third that has to be 1 (alpha).  The second may be broadcast.
 */
static inline int osw_onednn_binary(const osw_call *call,
                                    const struct osw_rule *rule,
                                    dnnl_alg_kind_t alg)
{
    struct osw_onednn_loop l = {.n = 0};
    struct osw_rule_plan plan;
    struct osw_onednn o;
    float numbers[2];
    int rc, first = 0;
    osw_tensor *out = osw_rule_declare(call, rule, &plan, &rc);

    if (!out)
        return rc;
    if (!osw_onednn_is_float(plan.common) ||
        !osw_rule_same(out->dtype, plan.common) ||
        (rule->n == 3 && plan.x[2].number != 1.0))
        return OSW_UNSUPPORTED;
    if (osw_numel(out) == 0)
        return 0;
    l.ndim = plan.ndim;
    memcpy(l.shape, plan.shape, sizeof(l.shape));
    osw_onednn_join(&l, plan.x[0].tensor);
    osw_onednn_join(&l, plan.x[1].tensor);
    osw_onednn_join(&l, out);
    osw_onednn_merge(&l);
    if (osw_onednn_repeats(&l, 0) && alg != dnnl_binary_sub &&
        alg != dnnl_binary_div)
        first = 1;
    if (osw_onednn_repeats(&l, first))
        return OSW_UNSUPPORTED;
    osw_onednn_begin(&o, call, osw_onednn_make_binary, alg);
    osw_onednn_operand(&o, DNNL_ARG_SRC_0, &plan, &l, first, &numbers[0]);
    osw_onednn_operand(&o, DNNL_ARG_SRC_1, &plan, &l, !first, &numbers[1]);
    osw_onednn_walk(&o, DNNL_ARG_DST, out->dtype, osw_data(out), &l, 2);
    return osw_onednn_run(&o);
}

#endif /* OSW_LIBRARY_ELEMENTWISE_ONEDNN_H */
