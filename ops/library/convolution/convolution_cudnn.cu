/* ops/library/convolution/convolution_cudnn.cu - by cuDNN */
#include "../shared/convolution_cudnn.cuh"

/* A sum that is rounded to 16 bits before the bias is added is rounded twice.
 */
static cudnnStatus_t find(const struct osw_conv *c, struct osw_conv_cudnn *s)
{
    bool twice = c->bias && (osw_convert_is_f16(c->input->dtype) ||
                             osw_convert_is_bf16(c->input->dtype));

    if (c->transposed)
        return twice ? CUDNN_STATUS_NOT_SUPPORTED : osw_conv_cudnn_find_x(s);
    return twice ? osw_conv_cudnn_find_biased(s) : osw_conv_cudnn_find_y(s);
}

extern "C" int convolution_prepare(const osw_call *call, void **state)
{
    struct osw_conv c = {};
    int rc = osw_conv_open(call, &c);

    *state = NULL;
    if (!rc)
        rc = osw_conv_cudnn_prepare(call, &c, c.transposed ? c.out : c.input,
                                    c.transposed ? c.input : c.out, state);
    if (rc)
        return rc;
    return osw_cudnn_done(call, find(&c, (struct osw_conv_cudnn *)*state));
}

extern "C" void convolution_finish(void *state)
{
    osw_conv_cudnn_finish(state);
}

extern "C" int convolution_kernel_impl(const osw_call *call)
{
    struct osw_conv c = {};
    int rc = osw_conv_open(call, &c);
    struct osw_conv_cudnn *s;
    cudnnStatus_t status;
    void *workspace;

    if (rc)
        return rc;
    if (c.bias && c.bias->strides[0] != 1)
        return OSW_UNSUPPORTED;
    s = osw_conv_cudnn_begin(call, &workspace);
    if (!s)
        return OSW_ERROR;
    if (c.transposed)
        status = osw_conv_cudnn_make_x(s, c.input, c.weight, c.out, workspace);
    else if (s->identity)
        status = osw_conv_cudnn_make_biased(s, c.input, c.weight, c.bias, c.out,
                                            workspace);
    else
        status = osw_conv_cudnn_make_y(s, c.input, c.weight, c.out, workspace);
    if (!status && c.bias && !s->identity)
        status = cudnnAddTensor(
            s->handle, osw_cudnn_scalar(&s->scalars, &osw_cudnn_one), s->bias,
            osw_data(c.bias), osw_cudnn_scalar(&s->scalars, &osw_cudnn_one),
            c.transposed ? s->x : s->y, osw_data(c.out));
    return osw_cudnn_done(call, status);
}
