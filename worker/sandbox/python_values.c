/* worker/sandbox/python_values.c - arguments as Python has them
 *
 * Tensors lie over the memory that the judge shares, by DLPack and without a
 * copy.
 */
#include <stdlib.h>

#include "worker/protocol.h"
#include "worker/sandbox/python_api.h"

/* DLPack's DLManagedTensor. */
struct managed {
    osw_tensor tensor;
    void *context;
    void (*deleter)(struct managed *self);
    int64_t dims[2 * OSW_MAX_NDIM];
};

_Static_assert(sizeof(osw_tensor) == 48, "laid out as DLPack's DLTensor");

static void drop_managed(struct managed *m)
{
    free(m);
}

/* Frees the tensor if it is still in its capsule. */
static void drop_capsule(osw_python_object *capsule)
{
    if (osw_py.IsCapsule(capsule, "dltensor"))
        drop_managed(osw_py.CapsulePointer(capsule, "dltensor"));
}

static osw_python_object *capsule_of(const osw_tensor *t)
{
    struct managed *m = calloc(1, sizeof(*m));
    size_t n = (size_t)t->ndim;
    osw_python_object *capsule;

    if (!m)
        return NULL;
    m->tensor = *t;
    m->tensor.data = osw_data(t); /* older torch takes no byte_offset */
    m->tensor.byte_offset = 0;
    m->deleter = drop_managed;
    for (size_t d = 0; d < n; d++) {
        m->dims[d] = t->shape[d];
        m->dims[OSW_MAX_NDIM + d] = t->strides[d];
    }
    m->tensor.shape = m->dims;
    m->tensor.strides = m->dims + OSW_MAX_NDIM;
    if (t->dtype.code == OSW_BOOL) /* older torch knows no bool here */
        m->tensor.dtype.code = OSW_UINT;
    capsule = osw_py.Capsule(m, "dltensor", drop_capsule);
    if (!capsule)
        free(m);
    return capsule;
}

static osw_python_object *dims_of(const int64_t *dims, int32_t n,
                                  int64_t factor)
{
    osw_python_object *items[OSW_MAX_NDIM];

    for (int32_t d = 0; d < n; d++)
        items[d] = osw_py.Int(dims[d] * factor);
    return osw_python_pack(n, items);
}

int64_t osw_python_extent(const osw_tensor *t)
{
    struct osw_output o = {.dtype = osw_dtype_from_dl(t->dtype)->id,
                           .ndim = t->ndim};

    for (int32_t d = 0; d < t->ndim; d++) {
        o.shape[d] = t->shape[d];
        o.strides[d] = t->strides[d];
    }
    return osw_output_extent(&o);
}

osw_python_object *osw_python_tensor(const osw_tensor *t)
{
    const struct osw_dtype_info *dtype = osw_dtype_from_dl(t->dtype);
    int64_t bytes = (int64_t)dtype->bytes;

    return OSW_PYTHON_ASK(
        "tensor", capsule_of(t), osw_py.Int((long long)(intptr_t)osw_data(t)),
        osw_py.Int(osw_python_extent(t)), osw_python_text(dtype->name),
        dims_of(t->shape, t->ndim, 1), dims_of(t->strides, t->ndim, bytes));
}

/* --- arguments --- */

/* A list, tuple or dict, whichever the case has. */
static osw_python_object *make_items(const osw_arg *a)
{
    int64_t kind = a->u.items[a->n].u.i;
    osw_python_object *all = kind == OSW_ITEMS_DICT    ? osw_py.Dict()
                             : kind == OSW_ITEMS_TUPLE ? osw_py.Tuple(a->n)
                                                       : osw_py.List(a->n);

    for (uint32_t i = 0; all && i < a->n; i++) {
        osw_python_object *item = osw_python_value(&a->u.items[i]);

        if (!item) {
            osw_py.Drop(all);
            return NULL;
        }
        if (kind == OSW_ITEMS_TUPLE) {
            osw_py.SetItem(all, i, item);
        } else if (kind == OSW_ITEMS_LIST) {
            osw_py.SetListItem(all, i, item);
        } else {
            osw_py.SetKey(all, a->u.items[i].name, item);
            osw_py.Drop(item);
        }
    }
    return all;
}

osw_python_object *osw_python_value(const osw_arg *a)
{
    switch (a->tag) {
    case OSW_ARG_BOOL:
        return osw_py.Bool(a->u.i != 0);
    case OSW_ARG_INT:
        return osw_py.Int(a->u.i);
    case OSW_ARG_FLOAT:
        return osw_py.Float(a->u.f);
    case OSW_ARG_STRING:
        return OSW_PYTHON_ASK("word", osw_python_text(a->u.s),
                              osw_python_text(a->name));
    case OSW_ARG_DTYPE:
        return OSW_PYTHON_ASK(
            "dtype", osw_python_text(osw_dtype_from_dl(a->u.dtype)->name));
    case OSW_ARG_TENSOR:
        return osw_python_tensor(a->u.tensor);
    case OSW_ARG_LIST:
        return make_items(a);
    default:
        return osw_python_or_none(NULL);
    }
}

/* --- what is written --- */

/* Aliases of tensors, in a tuple once it is there. */
struct aliases {
    osw_python_object *tuple;
    ssize_t n;
};

static bool is_restored(const struct osw_case_received *job,
                        const unsigned char *base, const void *data)
{
    for (uint32_t i = 0; i < job->n_restores; i++)
        if (base + job->restores[i].to == data)
            return true;
    return false;
}

/* Those of argument `arg`, of which `a` is a part. */
static void add_restored(const struct osw_case_received *job,
                         const unsigned char *base, const osw_arg *a,
                         uint32_t arg, uint32_t *place, struct aliases *to)
{
    for (uint32_t i = 0; a->tag == OSW_ARG_LIST && i < a->n; i++)
        add_restored(job, base, &a->u.items[i], arg, place, to);
    if (a->tag != OSW_ARG_TENSOR)
        return;
    if (is_restored(job, base, osw_data(a->u.tensor))) {
        if (to->tuple)
            osw_py.SetItem(to->tuple, to->n,
                           osw_py.Int(osw_output_alias_of(arg, *place)));
        to->n++;
    }
    (*place)++;
}

osw_python_object *osw_python_declared(const struct osw_case_received *job,
                                       const unsigned char *base)
{
    struct aliases to = {.tuple = NULL};

    for (int pass = 0; pass < 2; pass++) { /* count, then fill */
        if (pass > 0)
            to.tuple = osw_py.Tuple(to.n);
        if (pass > 0 && !to.tuple)
            return NULL;
        to.n = 0;
        for (uint32_t i = 0; i < job->n_args; i++) {
            uint32_t place = 0;

            add_restored(job, base, &job->args[i], i, &place, &to);
        }
    }
    return to.tuple;
}
