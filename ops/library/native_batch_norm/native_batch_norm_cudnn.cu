/* ops/library/native_batch_norm/native_batch_norm_cudnn.cu - by cuDNN */
#include "../shared/batch_norm_cudnn.cuh"

static int takes(const struct osw_batch_norm *b)
{
    return b->weight.data && b->bias.data &&
           osw_cudnn_takes_channels(b, &b->weight) &&
           osw_cudnn_takes_channels(b, &b->bias) &&
           !b->running_mean.data == !b->running_var.data &&
           (!b->running_mean.data ||
            (osw_cudnn_takes_channels(b, &b->running_mean) &&
             osw_cudnn_takes_channels(b, &b->running_var)));
}

extern "C" int native_batch_norm_prepare(const osw_call *call, void **state)
{
    struct osw_batch_norm b = {};
    const struct osw_image *const images[] = {&b.x, &b.out};
    int rc;

    *state = NULL;
    b.like_input = 1;
    rc = osw_batch_norm_open(call, &b);
    return rc ? rc : osw_cudnn_prepare_batch_norm(call, images, 2, state);
}

extern "C" void native_batch_norm_finish(void *state)
{
    osw_cudnn_images_finish(state);
}

extern "C" int native_batch_norm_kernel_impl(const osw_call *call)
{
    struct osw_batch_norm b = {};
    struct osw_cudnn_images *s;
    int rc;

    b.like_input = 1;
    rc = osw_batch_norm_open(call, &b);
    if (rc)
        return rc;
    if (!takes(&b))
        return OSW_UNSUPPORTED;
    s = osw_cudnn_images_begin(call);
    if (!s)
        return OSW_ERROR;
    if (!b.training)
        return osw_cudnn_done(call, cudnnBatchNormalizationForwardInference(
                                        s->handle, CUDNN_BATCHNORM_SPATIAL,
                                        osw_cudnn_factor(s, &osw_cudnn_one),
                                        osw_cudnn_factor(s, &osw_cudnn_zero),
                                        s->tensor[0], b.x.data, s->tensor[1],
                                        b.out.data, s->tensor[2], b.weight.data,
                                        b.bias.data, b.running_mean.data,
                                        b.running_var.data, b.eps));
    return osw_cudnn_done(
        call, cudnnBatchNormalizationForwardTraining(
                  s->handle, CUDNN_BATCHNORM_SPATIAL,
                  osw_cudnn_factor(s, &osw_cudnn_one),
                  osw_cudnn_factor(s, &osw_cudnn_zero), s->tensor[0], b.x.data,
                  s->tensor[1], b.out.data, s->tensor[2], b.weight.data,
                  b.bias.data, b.momentum, b.running_mean.data,
                  b.running_var.data, b.eps, b.mean.data, b.invstd.data));
}
