/* ops/library/convolution_backward/convolution_backward_cudnn.cu - by cuDNN;
 * the input, whose gradient lies otherwise, is contiguous
 */
#include "../shared/convolution_cudnn.cuh"

/* cuDNN adds partial sums of a depthwise weight's gradient in f16 by
 * deterministic algorithms, too: cuDNN 9 on an H100 was up to 3 units in the
 * last place off.
 */
static int rounds_often(const struct osw_conv *c)
{
    return c->dweight && osw_is(c->weight, OSW_FLOAT, 16) && c->groups > 1 &&
           c->n_x == 1;
}

extern "C" int convolution_backward_prepare(const osw_call *call, void **state)
{
    struct osw_conv c = {};
    int rc = osw_conv_open_backward(call, &c);
    struct osw_conv_cudnn *s;
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;

    *state = NULL;
    if (!rc && (!osw_is_contiguous(c.input) || rounds_often(&c)))
        rc = OSW_UNSUPPORTED;
    if (!rc)
        rc = osw_conv_cudnn_prepare(call, &c, osw_conv_x(&c), osw_conv_y(&c),
                                    state);
    if (rc)
        return rc;
    s = (struct osw_conv_cudnn *)*state;
    if (c.dinput)
        status =
            c.transposed ? osw_conv_cudnn_find_y(s) : osw_conv_cudnn_find_x(s);
    if (!status && c.dweight)
        status = osw_conv_cudnn_find_w(s);
    return osw_cudnn_done(call, status);
}

extern "C" void convolution_backward_finish(void *state)
{
    osw_conv_cudnn_finish(state);
}

extern "C" int convolution_backward_kernel_impl(const osw_call *call)
{
    struct osw_conv c = {};
    int rc = osw_conv_open_backward(call, &c);
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
    struct osw_conv_cudnn *s;
    void *workspace;

    if (rc)
        return rc;
    s = osw_conv_cudnn_begin(call, &workspace);
    if (!s)
        return OSW_ERROR;
    if (c.dinput && c.transposed)
        status =
            osw_conv_cudnn_make_y(s, c.grad, c.weight, c.dinput, workspace);
    else if (c.dinput)
        status =
            osw_conv_cudnn_make_x(s, c.grad, c.weight, c.dinput, workspace);
    if (!status && c.dweight)
        status = osw_conv_cudnn_make_w(s, osw_conv_x(&c), osw_conv_y(&c),
                                       c.dweight, workspace);
    if (!status && c.dbias)
        status = cudnnConvolutionBackwardBias(
            s->handle, osw_cudnn_scalar(&s->scalars, &osw_cudnn_one),
            c.transposed ? s->x : s->y, osw_data(c.grad),
            osw_cudnn_scalar(&s->scalars, &osw_cudnn_zero), s->bias,
            osw_data(c.dbias));
    return osw_cudnn_done(call, status);
}
