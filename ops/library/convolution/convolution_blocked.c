/* ops/library/convolution/convolution_blocked.c - in tiles of a product; where
 * a group has few channels, in planes
 */
#include "../shared/convolution_blocked.h"
#include "../shared/convolution_planes.h"

static int in_planes(const osw_call *call, const struct osw_conv *c)
{
    struct osw_conv_few s = {c,
                             !c->transposed,
                             osw_conv_image_of(c->input),
                             osw_conv_image_of(c->weight),
                             osw_conv_image_of(c->out),
                             c->bias};
    char *scratch = (char *)osw_workspace(
        call, (size_t)osw_conv_few_bytes(c, s.to_y) * call->n_threads);

    if (!scratch)
        return OSW_ERROR;
    osw_conv_few_channels(call, &s, scratch);
    return 0;
}

static int in_tiles(const osw_call *call, const struct osw_conv *c)
{
    struct osw_conv_job s = {c, !c->transposed, NULL, NULL, c->bias, c->out};
    int64_t n_turned = s.to_y ? 0 : osw_numel(c->weight);
    struct osw_tile *tiles = (struct osw_tile *)osw_workspace(
        call, sizeof(*tiles) * call->n_threads +
                  (size_t)(osw_conv_copy_floats(c->input) +
                           osw_conv_copy_floats(c->weight) + n_turned) *
                      sizeof(float));
    const float *weight;
    float *room;

    if (!tiles)
        return OSW_ERROR;
    room = (float *)(void *)(tiles + call->n_threads);
    s.from = osw_conv_dense(call, c->input, &room);
    weight = osw_conv_dense(call, c->weight, &room);
    osw_conv_blocked(call, &s, weight, room, tiles);
    return 0;
}

int convolution_kernel_impl(const osw_call *call)
{
    struct osw_conv c = {0};
    int rc = osw_conv_open(call, &c);

    if (rc)
        return rc;
    if (!osw_convert_knows(c.input->dtype))
        return OSW_UNSUPPORTED;
    if (osw_numel(c.out) == 0)
        return 0;
    if ((c.transposed ? c.n_x : c.n_y) <= OSW_CONV_FEW)
        return in_planes(call, &c);
    osw_conv_flatten(&c);
    return in_tiles(call, &c);
}
