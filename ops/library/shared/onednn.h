/* shared/onednn.h - ops by oneDNN, over the caller's tensors
 *
 * An implementation lists its tensors as arguments of one primitive and runs
 * it.  The primitive is made once per shape, layout, dtype and number of
 * threads; the last few are kept in the process, as a program that calls an op
 * again and again would keep them.  Tensors are described by their strides and
 * never copied.  What oneDNN has no optimised code for is OSW_UNSUPPORTED.
 *
 * Debian's oneDNN runs on OpenMP: omp_set_num_threads() decides its threads.
 */
#ifndef OSW_LIBRARY_ONEDNN_H
#define OSW_LIBRARY_ONEDNN_H

#include "level.h"

#include "views.h"

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>

/* The C interface is that of oneDNN 2.  Of another version every primitive is
 * unimplemented.
 */
#if DNNL_VERSION_MAJOR != 2
#define OSW_ONEDNN_NONE                                                        \
    ((void)s, (void)md, (void)engine, (void)pd,                                \
     (dnnl_status_t)dnnl_unimplemented)
#define OSW_ONEDNN_DESC                                  __attribute__((unused)) int
#define dnnl_eltwise_desc_t                              OSW_ONEDNN_DESC
#define dnnl_binary_desc_t                               OSW_ONEDNN_DESC
#define dnnl_reduction_desc_t                            OSW_ONEDNN_DESC
#define dnnl_softmax_v2_desc_t                           OSW_ONEDNN_DESC
#define dnnl_layer_normalization_desc_t                  OSW_ONEDNN_DESC
#define dnnl_matmul_desc_t                               OSW_ONEDNN_DESC
#define dnnl_eltwise_forward_desc_init(...)              OSW_ONEDNN_NONE
#define dnnl_eltwise_backward_desc_init(...)             OSW_ONEDNN_NONE
#define dnnl_binary_desc_init(...)                       OSW_ONEDNN_NONE
#define dnnl_reduction_desc_init(...)                    OSW_ONEDNN_NONE
#define dnnl_softmax_v2_forward_desc_init(...)           OSW_ONEDNN_NONE
#define dnnl_softmax_v2_backward_desc_init(...)          OSW_ONEDNN_NONE
#define dnnl_layer_normalization_forward_desc_init(...)  OSW_ONEDNN_NONE
#define dnnl_layer_normalization_backward_desc_init(...) OSW_ONEDNN_NONE
#define dnnl_matmul_desc_init(...)                       OSW_ONEDNN_NONE
#define dnnl_primitive_desc_create(...)                  OSW_ONEDNN_NONE
#define dnnl_reorder_primitive_desc_create(...)          OSW_ONEDNN_NONE
#define dnnl_concat_primitive_desc_create(...)           OSW_ONEDNN_NONE
#endif

enum {
    OSW_ONEDNN_DIMS = DNNL_MAX_NDIMS,
    OSW_ONEDNN_ARGS = 33, /* of one primitive: cat of up to 32 tensors */
    OSW_ONEDNN_KEPT = 16, /* primitives */
};

/* One tensor of a primitive. */
struct osw_onednn_arg {
    int32_t name; /* DNNL_ARG_SRC, ... */
    int32_t type; /* dnnl_data_type_t */
    int64_t ndim; /* at least 1 */
    dnnl_dims_t shape, strides;
};

struct osw_onednn_spec;

/* How a kind of primitive is described to oneDNN: md[i] is that of args[i]. */
typedef dnnl_status_t osw_onednn_make(const struct osw_onednn_spec *s,
                                      const dnnl_memory_desc_t *md,
                                      dnnl_engine_t engine,
                                      dnnl_primitive_desc_t *pd);

/* Everything that decides which primitive is made. */
struct osw_onednn_spec {
    osw_onednn_make *make;
    dnnl_alg_kind_t alg;
    dnnl_prop_kind_t prop;
    uint32_t flags;
    int32_t axis, n_threads;
    float alpha, beta;
    int64_t geometry[8]; /* of windows: in the order of their kind */
    int64_t n_args;
    struct osw_onednn_arg args[OSW_ONEDNN_ARGS];
};

struct osw_onednn {
    const osw_call *call;
    int rc; /* of the arguments so far: 0 or OSW_UNSUPPORTED */
    struct osw_onednn_spec spec;
    void *data[OSW_ONEDNN_ARGS];
};

/* A primitive that was made. */
struct osw_onednn_kept {
    struct osw_onednn_spec spec;
    dnnl_primitive_t primitive; /* NULL: free */
    dnnl_exec_arg_t exec[OSW_ONEDNN_ARGS];
};

static struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    struct osw_onednn_kept kept[OSW_ONEDNN_KEPT];
    int last; /* used last */
    int next; /* replaced next */
} osw_onednn_process;

/* --- arguments --- */

static inline int osw_onednn_is_float(osw_dtype t)
{
    return (t.code == OSW_FLOAT && t.bits <= 32) || t.code == OSW_BFLOAT;
}

/* A bool is moved as u8. */
static inline dnnl_data_type_t osw_onednn_type(osw_dtype t)
{
    switch (t.code << 8 | t.bits) {
    case OSW_FLOAT << 8 | 32:
        return dnnl_f32;
    case OSW_FLOAT << 8 | 16:
        return dnnl_f16;
    case OSW_BFLOAT << 8 | 16:
        return dnnl_bf16;
    case OSW_INT << 8 | 32:
        return dnnl_s32;
    case OSW_INT << 8 | 8:
        return dnnl_s8;
    case OSW_UINT << 8 | 8:
    case OSW_BOOL << 8 | 8:
        return dnnl_u8;
    default:
        return dnnl_data_type_undef;
    }
}

static inline void osw_onednn_begin(struct osw_onednn *o, const osw_call *call,
                                    osw_onednn_make *make, dnnl_alg_kind_t alg)
{
    memset(&o->spec, 0, offsetof(struct osw_onednn_spec, args));
    o->call = call;
    o->rc = 0;
    o->spec.make = make;
    o->spec.alg = alg;
    o->spec.n_threads = (int32_t)call->n_threads;
}

/* The next argument.  A step of 0 repeats: there the shape is 1.  Strides of
 * dimensions of size 1 are those of a dense tensor.
 */
static inline void osw_onednn_arg(struct osw_onednn *o, int name,
                                  osw_dtype dtype, void *data, int32_t ndim,
                                  const int64_t *shape, const int64_t *steps)
{
    dnnl_data_type_t type = osw_onednn_type(dtype);
    struct osw_onednn_arg *a;
    int64_t dense = 1;

    if (type == dnnl_data_type_undef || ndim > OSW_ONEDNN_DIMS ||
        o->spec.n_args == OSW_ONEDNN_ARGS)
        o->rc = OSW_UNSUPPORTED;
    if (o->rc)
        return;
    a = &o->spec.args[o->spec.n_args];
    memset(a, 0, sizeof(*a));
    a->name = name;
    a->type = type;
    a->ndim = ndim ? ndim : 1;
    a->shape[0] = a->strides[0] = 1;
    for (int32_t d = ndim - 1; d >= 0; d--) {
        a->shape[d] = steps[d] ? shape[d] : 1;
        a->strides[d] = a->shape[d] == 1 ? dense : steps[d];
        dense = a->strides[d] * a->shape[d];
    }
    o->data[o->spec.n_args++] = data;
}

/* A tensor as it lies.  Elements that share a place are not for oneDNN. */
static inline void osw_onednn_tensor(struct osw_onednn *o, int name,
                                     const osw_tensor *t)
{
    for (int32_t d = 0; d < t->ndim; d++)
        if (t->strides[d] == 0 && t->shape[d] > 1)
            o->rc = OSW_UNSUPPORTED;
    if (t->ndim <= OSW_RULE_DIMS) {
        int64_t steps[OSW_RULE_DIMS];

        for (int32_t d = 0; d < t->ndim; d++)
            steps[d] = t->shape[d] == 1 ? 1 : t->strides[d];
        osw_onednn_arg(o, name, t->dtype, osw_data(t), t->ndim, t->shape,
                       steps);
    } else {
        o->rc = OSW_UNSUPPORTED;
    }
}

/* A contiguous tensor, seen in another shape. */
static inline void osw_onednn_shaped(struct osw_onednn *o, int name,
                                     const osw_tensor *t, int32_t ndim,
                                     const int64_t *shape)
{
    struct osw_view v;

    if (osw_is_contiguous(t)) {
        osw_view_as(&v, t, ndim, shape);
        osw_onednn_tensor(o, name, &v.t);
    } else {
        o->rc = OSW_UNSUPPORTED;
    }
}

static inline void osw_onednn_flat(struct osw_onednn *o, int name,
                                   const osw_tensor *t)
{
    int64_t n = osw_numel(t);

    osw_onednn_shaped(o, name, t, 1, &n);
}

/* --- loops: tensors that are walked together --- */

struct osw_onednn_loop {
    int n;        /* tensors */
    int32_t ndim; /* of the loop */
    int64_t shape[OSW_RULE_DIMS];
    int64_t steps[3][OSW_RULE_DIMS]; /* elements; 0 repeats */
};

/* Steps of t, broadcast to the shape of the loop; a NULL repeats one number. */
static inline void osw_onednn_join(struct osw_onednn_loop *l,
                                   const osw_tensor *t)
{
    int32_t lead = l->ndim - (t ? t->ndim : 0);

    for (int32_t d = 0; d < l->ndim; d++)
        l->steps[l->n][d] =
            d < lead || t->shape[d - lead] == 1 ? 0 : t->strides[d - lead];
    l->n++;
}

/* Merge neighbouring dimensions that all tensors walk as one. */
static inline void osw_onednn_merge(struct osw_onednn_loop *l)
{
    int32_t k = -1;

    for (int32_t d = 0; d < l->ndim; d++) {
        int64_t size = l->shape[d];
        int one = k >= 0;

        if (size == 1)
            continue;
        for (int i = 0; i < l->n; i++)
            one = one && l->steps[i][k] == l->steps[i][d] * size;
        if (one) {
            l->shape[k] *= size;
        } else {
            l->shape[++k] = size;
        }
        for (int i = 0; i < l->n; i++)
            l->steps[i][k] = l->steps[i][d];
    }
    l->ndim = k + 1;
}

static inline void osw_onednn_walk(struct osw_onednn *o, int name,
                                   osw_dtype dtype, void *data,
                                   const struct osw_onednn_loop *l, int i)
{
    osw_onednn_arg(o, name, dtype, data, l->ndim, l->shape, l->steps[i]);
}

static inline int osw_onednn_repeats(const struct osw_onednn_loop *l, int i)
{
    for (int32_t d = 0; d < l->ndim; d++)
        if (l->steps[i][d] == 0)
            return 1;
    return 0;
}

/* --- running --- */

static inline int osw_onednn_failed(const osw_call *call, const char *what,
                                    dnnl_status_t status)
{
    char message[128];

    if (status == dnnl_unimplemented)
        return OSW_UNSUPPORTED;
    snprintf(message, sizeof(message), "oneDNN %s: status %d", what,
             (int)status);
    return osw_error(call, message);
}

static inline dnnl_status_t osw_onednn_open(void)
{
    dnnl_status_t rc = dnnl_success;

    if (!osw_onednn_process.engine)
        rc = dnnl_engine_create(&osw_onednn_process.engine, dnnl_cpu, 0);
    if (!rc && !osw_onednn_process.stream)
        rc = dnnl_stream_create(&osw_onednn_process.stream,
                                osw_onednn_process.engine,
                                dnnl_stream_default_flags);
    return rc;
}

static inline void osw_onednn_drop(struct osw_onednn_kept *k)
{
    for (int64_t i = 0; i < k->spec.n_args; i++) {
        dnnl_memory_destroy(k->exec[i].memory);
        k->exec[i].memory = NULL;
    }
    dnnl_primitive_destroy(k->primitive);
    k->primitive = NULL;
    k->spec.n_args = 0;
}

static inline size_t osw_onednn_bytes(const struct osw_onednn_spec *s)
{
    return offsetof(struct osw_onednn_spec, args) +
           (size_t)s->n_args * sizeof(s->args[0]);
}

/* oneDNN falls back to plain reference code, one element at a time, where it
 * has no other: nothing to compare an implementation with.
 */
static inline int osw_onednn_is_reference(dnnl_primitive_desc_t pd)
{
    const char *name = NULL;

    return !dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name) &&
           name &&
           (strncmp(name, "ref", 3) == 0 || strncmp(name, "simple", 6) == 0);
}

#if DNNL_VERSION_MAJOR == 2

/* Make primitive and memory objects of a spec.  A layout that oneDNN cannot
 * describe is unimplemented, too.
 */
static inline dnnl_status_t osw_onednn_create(struct osw_onednn_kept *k)
{
    const struct osw_onednn_spec *s = &k->spec;
    dnnl_engine_t engine = osw_onednn_process.engine;
    dnnl_memory_desc_t md[OSW_ONEDNN_ARGS];
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t rc = dnnl_success;

    for (int64_t i = 0; i < s->n_args; i++)
        if (dnnl_memory_desc_init_by_strides(
                &md[i], (int)s->args[i].ndim, s->args[i].shape,
                (dnnl_data_type_t)s->args[i].type, s->args[i].strides))
            return dnnl_unimplemented;
    rc = s->make(s, md, engine, &pd);
    if (!rc && osw_onednn_is_reference(pd))
        rc = dnnl_unimplemented;
    if (!rc)
        rc = dnnl_primitive_create(&k->primitive, pd);
    dnnl_primitive_desc_destroy(pd);
    for (int64_t i = 0; !rc && i < s->n_args; i++) {
        k->exec[i].arg = s->args[i].name;
        rc = dnnl_memory_create(&k->exec[i].memory, &md[i], engine,
                                DNNL_MEMORY_NONE);
    }
    return rc;
}

#else

static inline dnnl_status_t osw_onednn_create(struct osw_onednn_kept *k)
{
    (void)k;
    return dnnl_unimplemented;
}

#endif

/* The primitive of a spec: the one used last, another that is kept, or a new
 * one in place of the oldest.
 */
static inline dnnl_status_t osw_onednn_find(const struct osw_onednn_spec *s,
                                            struct osw_onednn_kept **out)
{
    size_t bytes = osw_onednn_bytes(s);
    struct osw_onednn_kept *k;
    dnnl_status_t rc;

    for (int i = 0; i < OSW_ONEDNN_KEPT; i++) {
        int at = (osw_onednn_process.last + i) % OSW_ONEDNN_KEPT;

        k = &osw_onednn_process.kept[at];
        if (k->primitive && memcmp(&k->spec, s, bytes) == 0) {
            osw_onednn_process.last = at;
            *out = k;
            return dnnl_success;
        }
    }
    osw_onednn_process.last = osw_onednn_process.next;
    osw_onednn_process.next = (osw_onednn_process.next + 1) % OSW_ONEDNN_KEPT;
    k = &osw_onednn_process.kept[osw_onednn_process.last];
    osw_onednn_drop(k);
    memcpy(&k->spec, s, bytes);
    rc = osw_onednn_create(k);
    if (rc)
        osw_onednn_drop(k);
    *out = k;
    return rc;
}

/* Run the primitive on the arguments.  0, OSW_UNSUPPORTED or an error. */
static inline int osw_onednn_run(struct osw_onednn *o)
{
    struct osw_onednn_kept *k = NULL;
    dnnl_status_t rc;

    if (o->rc)
        return o->rc;
    omp_set_num_threads((int)o->call->n_threads);
    rc = osw_onednn_open();
    if (!rc)
        rc = osw_onednn_find(&o->spec, &k);
    if (rc)
        return osw_onednn_failed(o->call, "cannot make the primitive", rc);
    for (int64_t i = 0; !rc && i < o->spec.n_args; i++)
        rc = dnnl_memory_set_data_handle(k->exec[i].memory, o->data[i]);
    if (!rc)
        rc = dnnl_primitive_execute(k->primitive, osw_onednn_process.stream,
                                    (int)o->spec.n_args, k->exec);
    if (!rc)
        rc = dnnl_stream_wait(osw_onednn_process.stream);
    return rc ? osw_onednn_failed(o->call, "cannot run the primitive", rc) : 0;
}

#endif /* OSW_LIBRARY_ONEDNN_H */
