/* ops/library/convolution/convolution_plain.c - the loops that a user writes
 * first
 */
#include "../shared/plain_convolution.h"

int convolution_kernel_impl(const osw_call *call)
{
    struct osw_conv c = {0};
    int rc = osw_conv_open(call, &c);
    double *room, *input, *weight;

    if (rc)
        return rc;
    osw_conv_flatten(&c);
    room = (double *)osw_workspace(
        call, (size_t)(osw_numel(c.input) + osw_numel(c.weight) +
                       osw_plain_conv_scratch(&c) * call->n_threads) *
                  sizeof(double));
    if (!room)
        return OSW_ERROR;
    input = osw_plain_conv_copy(c.input, &room);
    weight = osw_plain_conv_copy(c.weight, &room);
    osw_plain_conv_planes(call, &c, !c.transposed, input, weight, c.bias, c.out,
                          room);
    return 0;
}
