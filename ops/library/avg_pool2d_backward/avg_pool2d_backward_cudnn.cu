/* avg_pool2d_backward - the gradient of means of windows, by cuDNN, which looks
 * at no values of the forward op
 */
#include "../shared/pool_cudnn.cuh"

extern "C" int avg_pool2d_backward_prepare(const osw_call *call, void **state)
{
    struct osw_pool p = {};
    int rc = osw_pool_open_avg_backward(call, &p);

    *state = NULL;
    return rc ? rc : osw_cudnn_prepare_pool(call, &p, state);
}

extern "C" void avg_pool2d_backward_finish(void *state)
{
    osw_cudnn_images_finish(state);
}

extern "C" int avg_pool2d_backward_kernel_impl(const osw_call *call)
{
    struct osw_pool p = {};
    struct osw_cudnn_images *s;
    int rc = osw_pool_open_avg_backward(call, &p);

    if (rc)
        return rc;
    s = osw_cudnn_images_begin(call);
    if (!s)
        return OSW_ERROR;
    /* x and y only have to be there: their places are those of the gradients */
    return osw_cudnn_done(
        call, cudnnPoolingBackward(
                  s->handle, s->pooling, osw_cudnn_factor(s, &osw_cudnn_one),
                  s->tensor[1], p.out.data, s->tensor[1], p.out.data,
                  s->tensor[0], p.in.data, osw_cudnn_factor(s, &osw_cudnn_zero),
                  s->tensor[0], p.in.data));
}
