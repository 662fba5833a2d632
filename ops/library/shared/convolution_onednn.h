/* shared/convolution_onednn.h - sums of a convolution by oneDNN
 *
 * oneDNN chooses the layouts that it is fastest with; tensors are reordered to
 * them and back in the call, as a program with plain tensors has to.  16-bit
 * tensors are computed in f32.  A transposed convolution is the gradient of a
 * plain one.  What is made once per case is made by <op>_prepare.
 */
#ifndef OSW_LIBRARY_CONVOLUTION_ONEDNN_H
#define OSW_LIBRARY_CONVOLUTION_ONEDNN_H

#include "level.h"

#include "convolution_dense.h"
#include "onednn.h"

#include <stdlib.h>

enum { OSW_CONV_ONEDNN_ARGS = 4 };

/* One tensor of a primitive: as it is given, and as oneDNN wants it. */
struct osw_conv_onednn_arg {
    int name, is_output;
    dnnl_memory_t given, wanted; /* one and the same without a reorder */
    dnnl_primitive_t reorder;
    int64_t bytes; /* of wanted, where it is another */
};

struct osw_conv_onednn {
    dnnl_primitive_t primitive; /* NULL: not asked for */
    int n;
    struct osw_conv_onednn_arg arg[OSW_CONV_ONEDNN_ARGS];
};

/* Which of the three tensors is made. */
enum osw_conv_makes { OSW_CONV_MAKES_Y, OSW_CONV_MAKES_X, OSW_CONV_MAKES_W };

static inline void osw_conv_onednn_drop(struct osw_conv_onednn *o)
{
    for (int i = 0; i < o->n; i++) {
        if (o->arg[i].wanted != o->arg[i].given)
            dnnl_memory_destroy(o->arg[i].wanted);
        dnnl_memory_destroy(o->arg[i].given);
        dnnl_primitive_destroy(o->arg[i].reorder);
    }
    dnnl_primitive_destroy(o->primitive);
    memset(o, 0, sizeof(*o));
}

#if DNNL_VERSION_MAJOR == 2

/* Shapes, in as many dimensions as the convolution has. */
struct osw_conv_onednn_shape {
    int n;
    dnnl_dims_t size;
};

static inline struct osw_conv_onednn_shape
osw_conv_onednn_image(int64_t batch, int64_t channels, const int64_t *size,
                      int dims)
{
    struct osw_conv_onednn_shape s = {2 + dims, {batch, channels}};

    for (int d = 0; d < dims; d++)
        s.size[2 + d] = size[OSW_CONV_DIMS - dims + d];
    return s;
}

static inline struct osw_conv_onednn_shape
osw_conv_onednn_weight(const struct osw_conv *c, int dims)
{
    struct osw_conv_onednn_shape s = {0, {0}};

    if (c->groups > 1)
        s.size[s.n++] = c->groups;
    s.size[s.n++] = c->n_y;
    s.size[s.n++] = c->n_x;
    for (int d = 0; d < dims; d++)
        s.size[s.n++] = c->k[OSW_CONV_DIMS - dims + d];
    return s;
}

/* Row-major, and whatever oneDNN likes. */
static inline dnnl_status_t
osw_conv_onednn_layouts(const struct osw_conv_onednn_shape *s,
                        dnnl_memory_desc_t *given, dnnl_memory_desc_t *any)
{
    dnnl_dims_t strides;
    int64_t dense = 1;
    dnnl_status_t rc;

    for (int d = s->n - 1; d >= 0; d--) {
        strides[d] = dense;
        dense *= s->size[d];
    }
    rc = dnnl_memory_desc_init_by_strides(given, s->n, s->size, dnnl_f32,
                                          strides);
    return rc ? rc
              : dnnl_memory_desc_init_by_tag(any, s->n, s->size, dnnl_f32,
                                             dnnl_format_tag_any);
}

/* md: x, y, w, bias of y or NULL */
static inline dnnl_status_t
osw_conv_onednn_describe(const struct osw_conv *c, enum osw_conv_makes makes,
                         int dims, const dnnl_memory_desc_t *const *md,
                         dnnl_primitive_desc_t *pd)
{
    dnnl_engine_t engine = osw_onednn_process.engine;
    int first = OSW_CONV_DIMS - dims;
    dnnl_dims_t stride = {0}, pad = {0}, dilates = {0};
    dnnl_primitive_desc_t forward = NULL;
    dnnl_convolution_desc_t desc;
    dnnl_status_t rc;

    for (int d = 0; d < dims; d++) {
        stride[d] = c->stride[first + d];
        pad[d] = c->padding[first + d];
        dilates[d] = c->dilation[first + d] - 1;
    }
    rc = dnnl_dilated_convolution_forward_desc_init(
        &desc, dnnl_forward_training, dnnl_convolution_auto, md[0], md[2],
        makes == OSW_CONV_MAKES_X ? NULL : md[3], md[1], stride, dilates, pad,
        pad);
    if (!rc)
        rc = dnnl_primitive_desc_create(&forward, &desc, NULL, engine, NULL);
    if (makes == OSW_CONV_MAKES_Y) {
        *pd = forward;
        return rc;
    }
    if (!rc && makes == OSW_CONV_MAKES_X)
        rc = dnnl_dilated_convolution_backward_data_desc_init(
            &desc, dnnl_convolution_auto, md[0], md[2], md[1], stride, dilates,
            pad, pad);
    if (!rc && makes == OSW_CONV_MAKES_W)
        rc = dnnl_dilated_convolution_backward_weights_desc_init(
            &desc, dnnl_convolution_auto, md[0], md[2], md[3], md[1], stride,
            dilates, pad, pad);
    if (!rc)
        rc = dnnl_primitive_desc_create(pd, &desc, NULL, engine, forward);
    dnnl_primitive_desc_destroy(forward);
    return rc;
}

static inline dnnl_status_t
osw_conv_onednn_arg_of(struct osw_conv_onednn_arg *a, dnnl_primitive_desc_t pd,
                       const dnnl_memory_desc_t *given)
{
    const dnnl_memory_desc_t *wanted =
        dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, a->name);
    dnnl_engine_t engine = osw_onednn_process.engine;
    dnnl_primitive_desc_t reorder = NULL;
    dnnl_status_t rc =
        dnnl_memory_create(&a->given, given, engine, DNNL_MEMORY_NONE);

    a->wanted = a->given;
    if (rc || dnnl_memory_desc_equal(given, wanted))
        return rc;
    a->wanted = NULL;
    a->bytes = ((int64_t)dnnl_memory_desc_get_size(wanted) + 63) / 64 * 64;
    rc = dnnl_memory_create(&a->wanted, wanted, engine, DNNL_MEMORY_NONE);
    if (!rc)
        rc = dnnl_reorder_primitive_desc_create(
            &reorder, a->is_output ? wanted : given, engine,
            a->is_output ? given : wanted, engine, NULL);
    if (!rc)
        rc = dnnl_primitive_create(&a->reorder, reorder);
    dnnl_primitive_desc_destroy(reorder);
    return rc;
}

/* The primitive that makes one tensor, with its arguments x, y, w and bias. */
static inline dnnl_status_t osw_conv_onednn_make(struct osw_conv_onednn *o,
                                                 const struct osw_conv *c,
                                                 enum osw_conv_makes makes,
                                                 int bias)
{
    static const int names[3][OSW_CONV_ONEDNN_ARGS] = {
        {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS},
        {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, 0},
        {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS,
         DNNL_ARG_DIFF_BIAS}};
    static const int made[] = {1, 0, 2};
    int dims = c->input->ndim - 2;
    struct osw_conv_onednn_shape shape[] = {
        osw_conv_onednn_image(c->batch, c->groups * c->n_x, c->x, dims),
        osw_conv_onednn_image(c->batch, c->groups * c->n_y, c->y, dims),
        osw_conv_onednn_weight(c, dims),
        {1, {c->groups * c->n_y}}};
    dnnl_memory_desc_t given[OSW_CONV_ONEDNN_ARGS], any[OSW_CONV_ONEDNN_ARGS];
    const dnnl_memory_desc_t *md[OSW_CONV_ONEDNN_ARGS] = {NULL};
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t rc = dnnl_success;
    int n = bias ? 4 : 3;

    for (int i = 0; !rc && i < n; i++) {
        rc = osw_conv_onednn_layouts(&shape[i], &given[i], &any[i]);
        md[i] = &any[i];
    }
    if (!rc)
        rc = osw_conv_onednn_describe(c, makes, dims, md, &pd);
    if (!rc && osw_onednn_is_reference(pd))
        rc = dnnl_unimplemented;
    if (!rc)
        rc = dnnl_primitive_create(&o->primitive, pd);
    for (int i = 0; !rc && i < n; i++) {
        o->arg[o->n].name = names[makes][i];
        o->arg[o->n].is_output =
            i == made[makes] || (i == 3 && makes == OSW_CONV_MAKES_W);
        rc = osw_conv_onednn_arg_of(&o->arg[o->n++], pd, &given[i]);
    }
    dnnl_primitive_desc_destroy(pd);
    return rc;
}

#else

static inline dnnl_status_t osw_conv_onednn_make(struct osw_conv_onednn *o,
                                                 const struct osw_conv *c,
                                                 enum osw_conv_makes makes,
                                                 int bias)
{
    (void)o, (void)c, (void)makes, (void)bias;
    return dnnl_unimplemented;
}

#endif

/* Is it one that oneDNN is asked for? */
static inline int osw_conv_onednn_takes(const struct osw_conv *c)
{
    return osw_convert_knows(c->input->dtype) && osw_numel(c->input) > 0 &&
           osw_numel(c->weight) > 0;
}

static inline int osw_conv_onednn_prepare(const osw_call *call,
                                          struct osw_conv_onednn *o,
                                          const struct osw_conv *c,
                                          enum osw_conv_makes makes, int bias)
{
    dnnl_status_t rc;

    omp_set_num_threads((int)call->n_threads);
    rc = osw_onednn_open();
    if (!rc)
        rc = osw_conv_onednn_make(o, c, makes, bias);
    return rc ? osw_onednn_failed(call, "cannot make the primitive", rc) : 0;
}

/* Bytes of scratch for what is reordered. */
static inline int64_t osw_conv_onednn_bytes(const struct osw_conv_onednn *o)
{
    int64_t n = 0;

    for (int i = 0; i < o->n; i++)
        n += o->arg[i].bytes;
    return n;
}

static inline dnnl_status_t
osw_conv_onednn_reorder(const struct osw_conv_onednn_arg *a)
{
    dnnl_exec_arg_t exec[] = {
        {DNNL_ARG_FROM, a->is_output ? a->wanted : a->given},
        {DNNL_ARG_TO, a->is_output ? a->given : a->wanted}};

    return a->reorder ? dnnl_primitive_execute(
                            a->reorder, osw_onednn_process.stream, 2, exec)
                      : dnnl_success;
}

/* data: x, y, w and bias in dense floats; those that are made are written. */
static inline int osw_conv_onednn_run(const osw_call *call,
                                      const struct osw_conv_onednn *o,
                                      void *const *data, char *scratch)
{
    dnnl_exec_arg_t exec[OSW_CONV_ONEDNN_ARGS];
    dnnl_status_t rc = dnnl_success;

    omp_set_num_threads((int)call->n_threads);
    for (int i = 0; !rc && i < o->n; i++) {
        const struct osw_conv_onednn_arg *a = &o->arg[i];

        exec[i].arg = a->name;
        exec[i].memory = a->wanted;
        rc = dnnl_memory_set_data_handle(a->given, data[i]);
        if (!rc && a->reorder)
            rc = dnnl_memory_set_data_handle(a->wanted, scratch);
        scratch += a->bytes;
        if (!rc && !a->is_output)
            rc = osw_conv_onednn_reorder(a);
    }
    if (!rc)
        rc = dnnl_primitive_execute(o->primitive, osw_onednn_process.stream,
                                    o->n, exec);
    for (int i = 0; !rc && i < o->n; i++)
        if (o->arg[i].is_output)
            rc = osw_conv_onednn_reorder(&o->arg[i]);
    if (!rc)
        rc = dnnl_stream_wait(osw_onednn_process.stream);
    return rc ? osw_onednn_failed(call, "cannot run the primitive", rc) : 0;
}

#endif /* OSW_LIBRARY_CONVOLUTION_ONEDNN_H */
