/* ops/library/convolution_backward/convolution_backward_plain.c - the loops
 * that a user writes first
 */
#include "../shared/plain_convolution.h"

static void bias_gradient(const struct osw_conv *c, const double *grad)
{
    int64_t n = osw_conv_n_out(c);
    int64_t size = osw_conv_prod(c->transposed ? c->x : c->y);

    for (int64_t channel = 0; channel < n; channel++) {
        double sum = 0.0;

        for (int64_t i = 0; i < c->batch; i++)
            for (int64_t j = 0; j < size; j++)
                sum += grad[(i * n + channel) * size + j];
        osw_store(c->dbias->dtype, osw_at(c->dbias, channel), sum);
    }
}

int convolution_backward_kernel_impl(const osw_call *call)
{
    struct osw_conv c = {0};
    int rc = osw_conv_open_backward(call, &c);
    double *room, *grad, *input, *weight;

    if (rc)
        return rc;
    osw_conv_flatten(&c);
    room = (double *)osw_workspace(
        call,
        (size_t)(osw_numel(c.grad) + osw_numel(c.input) + osw_numel(c.weight) +
                 osw_plain_conv_scratch(&c) * call->n_threads) *
            sizeof(double));
    if (!room)
        return OSW_ERROR;
    grad = osw_plain_conv_copy(c.grad, &room);
    input = osw_plain_conv_copy(c.input, &room);
    weight = osw_plain_conv_copy(c.weight, &room);
    if (c.dinput)
        osw_plain_conv_planes(call, &c, c.transposed, grad, weight, NULL,
                              c.dinput, room);
    if (c.dweight)
        osw_plain_conv_kernels(call, &c, c.transposed ? grad : input,
                               c.transposed ? input : grad, c.dweight, room);
    if (c.dbias)
        bias_gradient(&c, grad);
    return 0;
}
