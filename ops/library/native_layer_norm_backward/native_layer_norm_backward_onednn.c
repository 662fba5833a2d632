/* ops/library/native_layer_norm_backward/native_layer_norm_backward_onednn.c -
 * by oneDNN, which takes the variance: 1 / rstd^2, with an epsilon of 0
 */
#include "../shared/layer_norm_onednn.h"

static int takes(const struct osw_layer_norm *l)
{
    return osw_onednn_is_float(l->x->dtype) &&
           osw_rule_same(l->x->dtype, l->grad->dtype) && osw_numel(l->x) > 0 &&
           osw_onednn_layer_norm_takes(l->weight) &&
           osw_onednn_layer_norm_takes(l->mean) &&
           osw_onednn_layer_norm_takes(l->rstd) &&
           osw_onednn_layer_norm_takes(l->bias) && (l->weight || !l->dweight) &&
           (l->bias || !l->dbias);
}

/* The output, or scratch memory like `like` for one that was not asked for. */
static osw_tensor either(const osw_tensor *out, const osw_tensor *like,
                         char **scratch)
{
    osw_tensor t = out ? *out : *like;

    if (!out) {
        t.data = *scratch;
        t.byte_offset = 0;
        *scratch += (osw_numel(like) * (like->dtype.bits / 8) + 63) / 64 * 64;
    }
    return t;
}

static void set_variance(const osw_tensor *variance, const osw_tensor *rstd)
{
    float *to = osw_data(variance);
    const float *from = osw_data(rstd);

    for (int64_t i = 0; i < osw_numel(rstd); i++)
        to[i] = 1.0f / (from[i] * from[i]);
}

/* Gradients of weight and bias.  oneDNN gives that of each parameter that it
 * is told of, or none; the bias is told where its gradient is asked for.
 */
static void add_gradients(struct osw_onednn *o, const struct osw_layer_norm *l,
                          char **scratch)
{
    osw_tensor dweight;

    osw_onednn_affine(o, l->weight, l->dbias ? l->bias : NULL);
    o->spec.prop = l->dweight || l->dbias ? dnnl_backward : dnnl_backward_data;
    if (o->spec.prop == dnnl_backward && l->weight) {
        dweight = either(l->dweight, l->weight, scratch);
        osw_onednn_flat(o, DNNL_ARG_DIFF_SCALE, &dweight);
    }
    if (l->dbias)
        osw_onednn_flat(o, DNNL_ARG_DIFF_SHIFT, l->dbias);
}

int native_layer_norm_backward_kernel_impl(const osw_call *call)
{
    struct osw_layer_norm l = {0};
    int rc = osw_layer_norm_open_backward(call, &l);
    osw_tensor variance, dx;
    struct osw_onednn o;
    char *scratch;

    if (rc)
        return rc;
    if (!takes(&l))
        return OSW_UNSUPPORTED;
    scratch = osw_workspace(
        call, (size_t)(osw_numel(l.x) + l.n + l.n_rows) * 4 + 3 * 64);
    if (!scratch)
        return OSW_ERROR;
    variance = either(NULL, l.rstd, &scratch);
    set_variance(&variance, l.rstd);
    dx = either(l.dx, l.x, &scratch);
    osw_onednn_begin(&o, call, osw_onednn_make_layer_norm_backward,
                     dnnl_alg_kind_undef);
    osw_onednn_rows(&o, DNNL_ARG_SRC, l.x, &l);
    osw_onednn_rows(&o, DNNL_ARG_DIFF_SRC, &dx, &l);
    osw_onednn_flat(&o, DNNL_ARG_MEAN, l.mean);
    osw_onednn_flat(&o, DNNL_ARG_VARIANCE, &variance);
    osw_onednn_rows(&o, DNNL_ARG_DIFF_DST, l.grad, &l);
    add_gradients(&o, &l, &scratch);
    return osw_onednn_run(&o);
}
