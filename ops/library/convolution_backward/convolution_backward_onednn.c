/* ops/library/convolution_backward/convolution_backward_onednn.c - by oneDNN */
#include "../shared/convolution_onednn.h"

struct gradients {
    struct osw_conv_onednn input, weight; /* and that of the bias */
};

int convolution_backward_prepare(const osw_call *call, void **state)
{
    struct osw_conv c = {0};
    int rc = osw_conv_open_backward(call, &c);
    struct gradients *g;

    *state = NULL;
    if (rc)
        return rc;
    /* The gradient of a bias comes with that of the weight. */
    if (!osw_conv_onednn_takes(&c) || (c.dbias && (c.transposed || !c.dweight)))
        return OSW_UNSUPPORTED;
    g = (struct gradients *)calloc(1, sizeof(*g));
    *state = g;
    if (!g)
        return OSW_ERROR;
    if (c.dinput)
        rc = osw_conv_onednn_prepare(
            call, &g->input, &c,
            c.transposed ? OSW_CONV_MAKES_Y : OSW_CONV_MAKES_X, 0);
    if (!rc && c.dweight)
        rc = osw_conv_onednn_prepare(call, &g->weight, &c, OSW_CONV_MAKES_W,
                                     c.dbias != NULL);
    return rc;
}

void convolution_backward_finish(void *state)
{
    struct gradients *g = (struct gradients *)state;

    if (g) {
        osw_conv_onednn_drop(&g->input);
        osw_conv_onednn_drop(&g->weight);
    }
    free(g);
}

static int64_t floats_of(const osw_tensor *t)
{
    return t ? osw_conv_copy_floats(t) : 0;
}

static float *workspace(const osw_call *call, const struct osw_conv *c,
                        const struct gradients *g)
{
    int64_t input = osw_conv_onednn_bytes(&g->input);
    int64_t weight = osw_conv_onednn_bytes(&g->weight);
    int64_t floats = floats_of(c->grad) + floats_of(c->input) +
                     floats_of(c->weight) + floats_of(c->dinput) +
                     floats_of(c->dweight) + floats_of(c->dbias);

    return (float *)osw_workspace(
        call, (size_t)(floats * 4 + (input > weight ? input : weight) + 64));
}

static void *dense(const osw_call *call, const osw_tensor *t, float **room)
{
    return (void *)(uintptr_t)osw_conv_dense(call, t, room);
}

static void store(const osw_call *call, const void *from, osw_tensor *t)
{
    if (t && from != osw_data(t))
        osw_conv_store(call, (const float *)from, t);
}

int convolution_backward_kernel_impl(const osw_call *call)
{
    const struct gradients *g = (const struct gradients *)call->state;
    struct osw_conv c = {0};
    int rc = osw_conv_open_backward(call, &c);
    void *data[OSW_CONV_ONEDNN_ARGS] = {NULL};
    void *grad, *dinput = NULL, *dweight = NULL, *dbias = NULL;
    float *room;

    if (rc)
        return rc;
    if (!g)
        return osw_error(call, "was not prepared");
    room = workspace(call, &c, g);
    if (!room)
        return OSW_ERROR;
    grad = dense(call, c.grad, &room);
    if (c.dinput) {
        dinput = osw_conv_target(c.dinput, &room);
        data[c.transposed ? 1 : 0] = dinput;
        data[c.transposed ? 0 : 1] = grad;
        data[2] = dense(call, c.weight, &room);
    }
    if (c.dinput)
        rc = osw_conv_onednn_run(call, &g->input, data, (char *)room);
    if (!rc && c.dweight) {
        dweight = osw_conv_target(c.dweight, &room);
        dbias = c.dbias ? osw_conv_target(c.dbias, &room) : NULL;
        data[c.transposed ? 0 : 1] = grad;
        data[c.transposed ? 1 : 0] = dense(call, c.input, &room);
        data[2] = dweight;
        data[3] = dbias;
        rc = osw_conv_onednn_run(call, &g->weight, data, (char *)room);
    }
    if (!rc) {
        store(call, dinput, c.dinput);
        store(call, dweight, c.dweight);
        store(call, dbias, c.dbias);
    }
    return rc;
}
