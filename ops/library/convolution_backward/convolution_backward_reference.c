/* ops/library/convolution_backward/convolution_backward_reference.c - the
 * gradients of input, weight and bias, in double
 */
#include "../shared/level.h"

#include "../shared/convolution_reference.h"
#include "../shared/convolution_work.h"

int convolution_backward_meta(const osw_call *call)
{
    struct osw_conv c = {0};

    return osw_conv_open_backward(call, &c);
}

static int input_gradient(const osw_call *call, const struct osw_conv *c,
                          struct osw_conv_block *blocks)
{
    struct osw_conv_sums s = {0};

    if (osw_conv_exact_of(call, c->i_dinput, &s.to))
        return OSW_ERROR;
    s.c = c;
    s.to_y = c->transposed;
    s.from = osw_conv_image_of(c->grad);
    s.w = osw_conv_image_of(c->weight);
    osw_conv_sum(call, &s, blocks);
    return 0;
}

static int weight_gradient(const osw_call *call, const struct osw_conv *c,
                           struct osw_conv_block *blocks)
{
    struct osw_conv_products w = {0};

    if (osw_conv_exact_of(call, c->i_dweight, &w.to))
        return OSW_ERROR;
    w.c = c;
    w.x = osw_conv_image_of(osw_conv_x(c));
    w.y = osw_conv_image_of(osw_conv_y(c));
    osw_conv_product_all(call, &w, blocks);
    return 0;
}

static int bias_gradient(const osw_call *call, const struct osw_conv *c)
{
    struct osw_conv_exact to;

    if (osw_conv_exact_of(call, c->i_dbias, &to))
        return OSW_ERROR;
    osw_conv_sum_channels(c->grad, to);
    return 0;
}

int convolution_backward_reference(const osw_call *call)
{
    struct osw_conv c = {0};
    struct osw_conv_block *blocks;
    int rc = osw_conv_open_backward(call, &c);

    if (rc)
        return rc;
    blocks = osw_conv_blocks(call);
    if (!blocks)
        return OSW_ERROR;
    if (c.dinput)
        rc = input_gradient(call, &c, blocks);
    if (!rc && c.dweight)
        rc = weight_gradient(call, &c, blocks);
    if (!rc && c.dbias)
        rc = bias_gradient(call, &c);
    return rc;
}

int convolution_backward_work(const osw_call *call, osw_work *work)
{
    return osw_conv_work_backward(call, work);
}
