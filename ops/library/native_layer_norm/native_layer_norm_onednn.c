/* ops/library/native_layer_norm/native_layer_norm_onednn.c - by oneDNN, whose
 * variance becomes rstd afterwards
 */
#include "../shared/layer_norm_onednn.h"

int native_layer_norm_kernel_impl(const osw_call *call)
{
    struct osw_layer_norm l = {0};
    struct osw_onednn o;
    int rc = osw_layer_norm_open(call, &l);
    float *rstd;

    if (rc)
        return rc;
    if (!osw_onednn_is_float(l.x->dtype) || osw_numel(l.x) == 0 ||
        !osw_onednn_layer_norm_takes(l.weight) ||
        !osw_onednn_layer_norm_takes(l.bias))
        return OSW_UNSUPPORTED;
    osw_onednn_begin(&o, call, osw_onednn_make_layer_norm, dnnl_alg_kind_undef);
    o.spec.beta = (float)l.eps;
    osw_onednn_rows(&o, DNNL_ARG_SRC, l.x, &l);
    osw_onednn_rows(&o, DNNL_ARG_DST, l.out, &l);
    osw_onednn_flat(&o, DNNL_ARG_MEAN, l.out_mean);
    osw_onednn_flat(&o, DNNL_ARG_VARIANCE, l.out_rstd);
    osw_onednn_affine(&o, l.weight, l.bias);
    rc = osw_onednn_run(&o);
    rstd = osw_data(l.out_rstd);
    for (int64_t i = 0; rc == 0 && i < l.n_rows; i++)
        rstd[i] = 1.0f / sqrtf(rstd[i] + (float)l.eps);
    return rc;
}
