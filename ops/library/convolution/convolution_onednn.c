/* ops/library/convolution/convolution_onednn.c - by oneDNN */
#include "../shared/convolution_onednn.h"

int convolution_prepare(const osw_call *call, void **state)
{
    struct osw_conv c = {0};
    int rc = osw_conv_open(call, &c);
    struct osw_conv_onednn *o;

    *state = NULL;
    if (rc)
        return rc;
    if (!osw_conv_onednn_takes(&c) || (c.transposed && c.bias))
        return OSW_UNSUPPORTED;
    o = (struct osw_conv_onednn *)calloc(1, sizeof(*o));
    *state = o;
    if (!o)
        return OSW_ERROR;
    return osw_conv_onednn_prepare(
        call, o, &c, c.transposed ? OSW_CONV_MAKES_X : OSW_CONV_MAKES_Y,
        c.bias != NULL);
}

void convolution_finish(void *state)
{
    struct osw_conv_onednn *o = (struct osw_conv_onednn *)state;

    if (o)
        osw_conv_onednn_drop(o);
    free(o);
}

int convolution_kernel_impl(const osw_call *call)
{
    const struct osw_conv_onednn *o =
        (const struct osw_conv_onednn *)call->state;
    struct osw_conv c = {0};
    int rc = osw_conv_open(call, &c);
    void *data[OSW_CONV_ONEDNN_ARGS] = {NULL};
    int from, to;
    float *room;

    if (rc)
        return rc;
    if (!o)
        return osw_error(call, "was not prepared");
    room = (float *)osw_workspace(
        call,
        (size_t)(osw_conv_copy_floats(c.input) +
                 osw_conv_copy_floats(c.weight) + osw_conv_copy_floats(c.out) +
                 (c.bias ? osw_conv_copy_floats(c.bias) : 0)) *
                sizeof(float) +
            (size_t)osw_conv_onednn_bytes(o) + 64);
    if (!room)
        return OSW_ERROR;
    to = c.transposed ? 0 : 1;
    from = 1 - to;
    data[from] = (void *)(uintptr_t)osw_conv_dense(call, c.input, &room);
    data[2] = (void *)(uintptr_t)osw_conv_dense(call, c.weight, &room);
    if (c.bias)
        data[3] = (void *)(uintptr_t)osw_conv_dense(call, c.bias, &room);
    data[to] = osw_conv_target(c.out, &room);
    rc = osw_conv_onednn_run(call, o, data, (char *)room);
    if (!rc && data[to] != osw_data(c.out))
        osw_conv_store(call, (const float *)data[to], c.out);
    return rc;
}
