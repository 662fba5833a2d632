/* ops/library/native_batch_norm/native_batch_norm_onednn.c - by oneDNN, whose
 * variance becomes the deviation afterwards
 */
#include "../shared/batch_norm_onednn.h"

int native_batch_norm_kernel_impl(const osw_call *call)
{
    struct osw_batch_norm b = {.like_input = 1};
    struct osw_onednn o;
    int rc = osw_batch_norm_open(call, &b);

    if (rc)
        return rc;
    if (!osw_onednn_is_float(b.x.dtype) || b.n == 0 ||
        !osw_onednn_alike(&b.x, &b.out))
        return OSW_UNSUPPORTED;
    osw_onednn_begin(&o, call, osw_onednn_make_batch_norm, dnnl_alg_kind_undef);
    o.spec.beta = (float)b.eps;
    o.spec.prop = b.training ? dnnl_forward_training : dnnl_forward_inference;
    if (!b.training)
        o.spec.flags |= dnnl_use_global_stats;
    osw_onednn_image(&o, DNNL_ARG_SRC, &b.x);
    osw_onednn_image(&o, DNNL_ARG_DST, &b.out);
    osw_onednn_channels(&o, DNNL_ARG_MEAN,
                        b.training ? &b.mean : &b.running_mean, b.x.c);
    osw_onednn_channels(&o, DNNL_ARG_VARIANCE,
                        b.training ? &b.invstd : &b.running_var, b.x.c);
    if (b.weight.data) {
        o.spec.flags |= dnnl_use_scale;
        osw_onednn_channels(&o, DNNL_ARG_SCALE, &b.weight, b.x.c);
    }
    if (b.bias.data) {
        o.spec.flags |= dnnl_use_shift;
        osw_onednn_channels(&o, DNNL_ARG_SHIFT, &b.bias, b.x.c);
    }
    rc = osw_onednn_run(&o);
    for (int64_t c = 0; rc == 0 && b.training && c < b.x.c; c++)
        osw_batch_norm_keep(&b, c, osw_channels_get(&b.mean, c, 0),
                            osw_channels_get(&b.invstd, c, 0));
    return rc;
}
