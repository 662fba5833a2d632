/* ops/library/native_batch_norm_backward/native_batch_norm_backward_cudnn.cu -
 * by cuDNN, which has all three gradients at once, of training alone
 */
#include "../shared/batch_norm_cudnn.cuh"

static int takes(const struct osw_batch_norm *b)
{
    return b->training && b->i_out >= 0 && b->i_dweight >= 0 &&
           b->i_dbias >= 0 && b->weight.data &&
           osw_cudnn_takes_channels(b, &b->weight) &&
           osw_cudnn_takes_channels(b, &b->mean) &&
           osw_cudnn_takes_channels(b, &b->invstd);
}

extern "C" int native_batch_norm_backward_prepare(const osw_call *call,
                                                  void **state)
{
    struct osw_batch_norm b = {};
    const struct osw_image *const images[] = {&b.x, &b.grad, &b.out};
    int rc;

    *state = NULL;
    b.like_input = 1;
    rc = osw_batch_norm_open_backward(call, &b);
    if (rc)
        return rc;
    if (b.i_out < 0)
        return OSW_UNSUPPORTED;
    return osw_cudnn_prepare_batch_norm(call, images, 3, state);
}

extern "C" void native_batch_norm_backward_finish(void *state)
{
    osw_cudnn_images_finish(state);
}

extern "C" int native_batch_norm_backward_kernel_impl(const osw_call *call)
{
    struct osw_batch_norm b = {};
    struct osw_cudnn_images *s;
    int rc;

    b.like_input = 1;
    rc = osw_batch_norm_open_backward(call, &b);
    if (rc)
        return rc;
    if (!takes(&b))
        return OSW_UNSUPPORTED;
    s = osw_cudnn_images_begin(call);
    if (!s)
        return OSW_ERROR;
    return osw_cudnn_done(
        call, cudnnBatchNormalizationBackward(
                  s->handle, CUDNN_BATCHNORM_SPATIAL,
                  osw_cudnn_factor(s, &osw_cudnn_one),
                  osw_cudnn_factor(s, &osw_cudnn_zero),
                  osw_cudnn_factor(s, &osw_cudnn_one),
                  osw_cudnn_factor(s, &osw_cudnn_zero), s->tensor[0], b.x.data,
                  s->tensor[1], b.grad.data, s->tensor[2], b.out.data,
                  s->tensor[3], b.weight.data, b.dweight.data, b.dbias.data,
                  b.eps, b.mean.data, b.invstd.data));
}
