/* ops/library/convolution/convolution_reference.c - in double */
#include "../shared/level.h"

#include "../shared/convolution_reference.h"
#include "../shared/convolution_work.h"

int convolution_meta(const osw_call *call)
{
    struct osw_conv c = {0};

    return osw_conv_open(call, &c);
}

int convolution_reference(const osw_call *call)
{
    struct osw_conv c = {0};
    struct osw_conv_sums s = {0};
    struct osw_conv_block *blocks;
    int rc = osw_conv_open(call, &c);

    if (rc)
        return rc;
    blocks = osw_conv_blocks(call);
    if (!blocks || osw_conv_exact_of(call, 0, &s.to))
        return OSW_ERROR;
    s.c = &c;
    s.to_y = !c.transposed;
    s.from = osw_conv_image_of(c.input);
    s.w = osw_conv_image_of(c.weight);
    s.bias = c.bias;
    osw_conv_sum(call, &s, blocks);
    return 0;
}

int convolution_work(const osw_call *call, osw_work *work)
{
    return osw_conv_work(call, work);
}
