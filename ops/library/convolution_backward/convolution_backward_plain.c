/* ops/library/convolution_backward/convolution_backward_plain.c - the loops
 * that a user writes first
 */
#include "../shared/plain_convolution.h"

static double channel_sum(const struct osw_conv *c, const double *grad,
                          const double *none, int64_t channel)
{
    int64_t n = osw_conv_n_out(c);
    int64_t inner = osw_conv_prod(c->transposed ? c->x : c->y);
    double sum = 0.0;

    (void)none;
    for (int64_t i = 0; i < c->batch; i++)
        for (int64_t j = 0; j < inner; j++)
            sum += grad[(i * n + channel) * inner + j];
    return sum;
}

int convolution_backward_kernel_impl(const osw_call *call)
{
    struct osw_conv c = {0};
    int rc = osw_conv_open_backward(call, &c);
    const double *grad, *input, *weight;
    double *room;

    if (rc)
        return rc;
    room = (double *)osw_workspace(call, (size_t)(osw_numel(c.grad) +
                                                  osw_numel(c.input) +
                                                  osw_numel(c.weight) + 1) *
                                             8);
    if (!room)
        return OSW_ERROR;
    grad = osw_plain_conv_copy(c.grad, &room);
    input = osw_plain_conv_copy(c.input, &room);
    weight = osw_plain_conv_copy(c.weight, &room);
    if (c.dinput)
        osw_plain_conv_run(call, &c,
                           c.transposed ? osw_plain_conv_y : osw_plain_conv_x,
                           grad, weight, NULL, c.dinput);
    if (c.dweight)
        osw_plain_conv_run(call, &c, osw_plain_conv_w,
                           c.transposed ? grad : input,
                           c.transposed ? input : grad, NULL, c.dweight);
    if (c.dbias)
        osw_plain_conv_run(call, &c, channel_sum, grad, NULL, NULL, c.dbias);
    return 0;
}
