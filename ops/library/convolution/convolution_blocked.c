/* ops/library/convolution/convolution_blocked.c - in tiles of a product; where
 * a group has few channels, in planes
 */
#include "../shared/convolution_blocked.h"
#include "../shared/convolution_planes.h"

static int in_planes(const osw_call *call, const struct osw_conv *c)
{
    struct osw_conv_few s = {.c = c,
                             .to_y = !c->transposed,
                             .from = osw_conv_image_of(c->input),
                             .w = osw_conv_image_of(c->weight),
                             .to = osw_conv_image_of(c->out),
                             .bias = c->bias};
    size_t planes = (size_t)osw_conv_few_bytes(c, s.to_y) * call->n_threads;
    char *scratch =
        (char *)osw_workspace(call, planes + sizeof(struct osw_conv_tap) *
                                                 (size_t)osw_conv_prod(c->k));

    if (!scratch)
        return OSW_ERROR;
    osw_conv_few_channels(
        call, &s, (struct osw_conv_tap *)(void *)(scratch + planes), scratch);
    return 0;
}

static int in_tiles(const osw_call *call, const struct osw_conv *c)
{
    struct osw_conv_job s = {
        .c = c, .to_y = !c->transposed, .bias = c->bias, .to = c->out};
    int64_t n_turned = s.to_y ? 0 : osw_numel(c->weight);
    int64_t n_taps = osw_conv_prod(c->k);
    struct osw_conv_scratch *tiles = (struct osw_conv_scratch *)osw_workspace(
        call, sizeof(*tiles) * call->n_threads +
                  sizeof(struct osw_conv_tap) * (size_t)n_taps +
                  (size_t)(osw_conv_copy_floats(c->input) +
                           osw_conv_copy_floats(c->weight) + n_turned) *
                      sizeof(float));
    struct osw_conv_tap *taps;
    const float *weight;
    float *room;

    if (!tiles)
        return OSW_ERROR;
    taps = (struct osw_conv_tap *)(void *)(tiles + call->n_threads);
    room = (float *)(void *)(taps + n_taps);
    s.from = osw_conv_dense(call, c->input, &room);
    weight = osw_conv_dense(call, c->weight, &room);
    osw_conv_blocked(call, &s, weight, room, taps, tiles);
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
    if (osw_conv_is_few(&c, !c.transposed))
        return in_planes(call, &c);
    osw_conv_flatten(&c);
    return in_tiles(call, &c);
}
