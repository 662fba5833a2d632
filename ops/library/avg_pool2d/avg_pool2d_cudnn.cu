/* avg_pool2d - the mean of each window, by cuDNN */
#include "../shared/pool_cudnn.cuh"

extern "C" int avg_pool2d_prepare(const osw_call *call, void **state)
{
    struct osw_pool p = {};
    int rc;

    *state = NULL;
    p.like_input = 1;
    rc = osw_pool_open_avg(call, &p);
    return rc ? rc : osw_cudnn_prepare_pool(call, &p, state);
}

extern "C" void avg_pool2d_finish(void *state)
{
    osw_cudnn_images_finish(state);
}

extern "C" int avg_pool2d_kernel_impl(const osw_call *call)
{
    struct osw_pool p = {};
    struct osw_cudnn_images *s;
    int rc;

    p.like_input = 1;
    rc = osw_pool_open_avg(call, &p);
    if (rc)
        return rc;
    s = osw_cudnn_images_begin(call);
    if (!s)
        return OSW_ERROR;
    return osw_cudnn_done(
        call, cudnnPoolingForward(
                  s->handle, s->pooling, osw_cudnn_factor(s, &osw_cudnn_one),
                  s->tensor[0], p.in.data, osw_cudnn_factor(s, &osw_cudnn_zero),
                  s->tensor[1], p.out.data));
}
