/* opsweep/export.h - exported operators: arguments in, implementations tried
 *
 * One file of a package includes it after it defined the table of operators
 * (csrc/table.c).  Arguments come as a row of 64-bit words, so that any
 * language can call: see osw_export_call().  Needs libc alone.
 */
#ifndef OPSWEEP_EXPORT_H
#define OPSWEEP_EXPORT_H

#include <opsweep/export_prepared.h>
#include <opsweep/op.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct osw_export_op {
    const char *name;
    const struct osw_export_impl *impls; /* best first; ends with a NULL name */
};

/* Defined by the file that includes this one. */
extern const struct osw_export_op osw_export_ops[];
extern const int osw_export_n_ops;

/* What osw_export_call() returns beside OSW_UNSUPPORTED and OSW_ERROR. */
#define OSW_EXPORT_WORKSPACE                                                   \
    3 /* give osw_export_wanted() bytes, call again                            \
       */

enum {
    OSW_EXPORT_MAX_ARGS = 64,
    OSW_EXPORT_MAX_ITEMS = 512, /* of all lists together */
    OSW_EXPORT_MAX_OUTPUTS = 16,
    OSW_EXPORT_MAX_NDIM = 16,
    /* tags beside OSW_ARG_*: an output that is an argument; one that need not
       be declared */
    OSW_EXPORT_OUTPUT_ALIAS = 9,
    OSW_EXPORT_OUTPUT_WRITTEN = 10
};

/* Gives output i memory: *t has its dtype and shape, and gets its data, which
 * is contiguous.  Returns NULL, or why there is none.
 */
typedef const char *osw_export_make(void *to, int i, osw_tensor *t);

static __thread char osw_export_text[512];
static __thread int64_t osw_export_bytes;

/* A call on its way. */
struct osw_export_frame {
    const int64_t *at, *end; /* words that are not read yet */
    osw_device device;
    osw_arg args[OSW_EXPORT_MAX_ARGS];
    osw_arg items[OSW_EXPORT_MAX_ITEMS];
    osw_tensor tensors[OSW_EXPORT_MAX_ITEMS];
    osw_tensor made[OSW_EXPORT_MAX_OUTPUTS];
    int64_t made_dims[OSW_EXPORT_MAX_OUTPUTS][2 * OSW_EXPORT_MAX_NDIM];
    int n_items, n_tensors;
    int n_outputs, n_required, n_declared;
    osw_tensor *outputs[OSW_EXPORT_MAX_OUTPUTS];
    int alias[OSW_EXPORT_MAX_OUTPUTS]; /* the argument that it is; -1: new */
    osw_export_make *make;             /* of outputs that are not there yet */
    void *make_to;
    void *workspace; /* as given; on a processor: our own */
    int64_t workspace_bytes;
    int refused; /* by its layout: try another one */
    int wants_workspace;
};

/* --- reading words --- */

static int64_t osw_export_word(struct osw_export_frame *f)
{
    return f->at < f->end ? *f->at++ : 0;
}

static osw_tensor *osw_export_tensor(struct osw_export_frame *f)
{
    osw_tensor *t;

    if (f->n_tensors == OSW_EXPORT_MAX_ITEMS || f->end - f->at < 4)
        return NULL;
    t = &f->tensors[f->n_tensors++];
    t->data = (void *)(intptr_t)osw_export_word(f);
    t->dtype.code = (uint8_t)osw_export_word(f);
    t->dtype.bits = (uint8_t)osw_export_word(f);
    t->dtype.lanes = 1;
    t->ndim = (int32_t)osw_export_word(f);
    t->device = f->device;
    t->byte_offset = 0;
    if (t->ndim < 0 || t->ndim > OSW_EXPORT_MAX_NDIM ||
        f->end - f->at < 2 * t->ndim)
        return NULL;
    t->shape = f->at;
    t->strides = f->at + t->ndim;
    f->at += 2 * t->ndim;
    return t;
}

/* 0, or -1 when the words are none of ours. */
static int osw_export_arg(struct osw_export_frame *f, osw_arg *a, int depth)
{
    int64_t n;

    memset(a, 0, sizeof(*a));
    a->name = "";
    if (f->at >= f->end)
        return -1;
    a->tag = (uint32_t)osw_export_word(f);
    switch (a->tag) {
    case OSW_ARG_NONE:
        return 0;
    case OSW_ARG_BOOL:
    case OSW_ARG_INT:
        a->u.i = osw_export_word(f);
        return 0;
    case OSW_ARG_FLOAT:
        n = osw_export_word(f);
        memcpy(&a->u.f, &n, sizeof(a->u.f));
        return 0;
    case OSW_ARG_STRING:
        a->n = (uint32_t)osw_export_word(f);
        a->u.s = (const char *)(intptr_t)osw_export_word(f);
        return 0;
    case OSW_ARG_DTYPE:
        a->u.dtype.code = (uint8_t)osw_export_word(f);
        a->u.dtype.bits = (uint8_t)osw_export_word(f);
        a->u.dtype.lanes = 1;
        return 0;
    case OSW_ARG_DEVICE:
        a->u.device.type = (int32_t)osw_export_word(f);
        a->u.device.id = (int32_t)osw_export_word(f);
        return 0;
    case OSW_ARG_TENSOR:
        a->u.tensor = osw_export_tensor(f);
        return a->u.tensor ? 0 : -1;
    case OSW_ARG_LIST:
        n = osw_export_word(f);
        if (depth > 0 || n < 0 || n > OSW_EXPORT_MAX_ITEMS - f->n_items)
            return -1;
        a->n = (uint32_t)n;
        a->u.items = f->items + f->n_items;
        f->n_items += (int)n;
        for (int64_t i = 0; i < n; i++)
            if (osw_export_arg(f, (osw_arg *)&a->u.items[i], 1) < 0)
                return -1;
        return 0;
    default:
        return -1;
    }
}

static int osw_export_outputs(struct osw_export_frame *f, osw_call *call)
{
    int64_t n = osw_export_word(f);

    if (n < 0 || n > OSW_EXPORT_MAX_OUTPUTS)
        return -1;
    f->n_outputs = (int)n;
    f->n_required = 0;
    for (int i = 0; i < f->n_outputs; i++) {
        int64_t tag = osw_export_word(f), arg;

        f->alias[i] = -1;
        if (tag != OSW_EXPORT_OUTPUT_WRITTEN)
            f->n_required = i + 1;
        if (tag == OSW_ARG_NONE && f->make)
            continue;
        if (tag == OSW_ARG_TENSOR) {
            f->outputs[i] = osw_export_tensor(f);
            if (!f->outputs[i])
                return -1;
            continue;
        }
        arg = osw_export_word(f);
        if ((tag != OSW_EXPORT_OUTPUT_ALIAS &&
             tag != OSW_EXPORT_OUTPUT_WRITTEN) ||
            arg < 0 || arg >= (int64_t)call->n_args ||
            call->args[arg].tag != OSW_ARG_TENSOR)
            return -1;
        f->alias[i] = (int)arg;
        f->outputs[i] = (osw_tensor *)call->args[arg].u.tensor;
    }
    return 0;
}

/* --- what implementations ask for --- */

static int osw_export_report(const osw_call *call, const char *message)
{
    (void)call;
    snprintf(osw_export_text, sizeof(osw_export_text), "%s", message);
    return OSW_ERROR;
}

static void osw_export_shape(char *to, size_t size, osw_dtype dtype,
                             int32_t ndim, const int64_t *shape)
{
    int n = snprintf(to, size, "%d-bit type %d [", dtype.bits, dtype.code);

    for (int32_t d = 0; d < ndim && n > 0 && (size_t)n < size; d++)
        n += snprintf(to + n, size - (size_t)n, "%s%lld", d ? ", " : "",
                      (long long)shape[d]);
    if (n > 0 && (size_t)n < size)
        snprintf(to + n, size - (size_t)n, "]");
}

/* Do they share memory? */
static int osw_export_overlap(const osw_tensor *a, const osw_tensor *b)
{
    const osw_tensor *both[] = {a, b};
    uintptr_t from[2], to[2];

    for (int k = 0; k < 2; k++) {
        const osw_tensor *t = both[k];
        uintptr_t bytes = (uintptr_t)t->dtype.bits / 8;
        int empty = 0;

        from[k] = (uintptr_t)t->data;
        to[k] = from[k] + bytes;
        for (int32_t d = 0; d < t->ndim; d++) {
            int64_t reach = (t->shape[d] - 1) * t->strides[d];

            empty |= t->shape[d] == 0;
            if (reach > 0)
                to[k] += (uintptr_t)reach * bytes;
            else
                from[k] -= (uintptr_t)-reach * bytes;
        }
        if (empty)
            return 0;
    }
    return from[0] < to[1] && from[1] < to[0];
}

/* NULL, or why output i cannot lie where it was put. */
static const char *osw_export_refuse(const struct osw_export_frame *f, int i)
{
    int shared = 0;

    for (int k = 0; k < f->n_tensors; k++)
        shared |= osw_export_overlap(&f->made[i], &f->tensors[k]);
    for (int k = 0; k < f->n_outputs; k++)
        shared |= k != i && f->outputs[k] == &f->made[k] &&
                  osw_export_overlap(&f->made[i], &f->made[k]);
    return shared ? "an out shares memory with an argument or another out"
                  : NULL;
}

/* Output i, as it is asked for. */
static osw_tensor *osw_export_new(struct osw_export_frame *f, int i,
                                  osw_dtype dtype, int32_t ndim,
                                  const int64_t *shape)
{
    osw_tensor *t = &f->made[i];
    int64_t *dims = f->made_dims[i], step = 1;
    const char *why = "an output has too many dimensions";

    if (ndim <= OSW_EXPORT_MAX_NDIM) {
        memset(t, 0, sizeof(*t));
        for (int32_t d = ndim - 1; d >= 0; d--) {
            dims[d] = shape[d];
            dims[ndim + d] = step;
            step *= shape[d] > 1 ? shape[d] : 1;
        }
        t->dtype = dtype;
        t->ndim = ndim;
        t->shape = dims;
        t->strides = dims + ndim;
        t->device = f->device;
        why = f->make(f->make_to, i, t);
        why = why ? why : osw_export_refuse(f, i);
    }
    if (why)
        snprintf(osw_export_text, sizeof(osw_export_text), "%s", why);
    else
        f->outputs[i] = t;
    return why ? NULL : t;
}

static osw_tensor *osw_export_output(const osw_call *call, int i,
                                     osw_dtype dtype, int32_t ndim,
                                     const int64_t *shape,
                                     const int64_t *strides)
{
    struct osw_export_frame *f = (struct osw_export_frame *)call->runner;
    osw_tensor *t, asked;
    char a[160], b[160];

    if (i < 0 || i >= f->n_outputs || f->alias[i] >= 0) {
        snprintf(osw_export_text, sizeof(osw_export_text),
                 "asks for output %d as a new tensor, which the schema does "
                 "not say",
                 i);
        return NULL;
    }
    t = f->outputs[i];
    if (!t && !(t = osw_export_new(f, i, dtype, ndim, shape)))
        return NULL;
    if (t->ndim != ndim || t->dtype.code != dtype.code ||
        t->dtype.bits != dtype.bits ||
        memcmp(t->shape, shape, (size_t)ndim * sizeof(*shape)) != 0) {
        osw_export_shape(a, sizeof(a), dtype, ndim, shape);
        osw_export_shape(b, sizeof(b), t->dtype, t->ndim, t->shape);
        snprintf(osw_export_text, sizeof(osw_export_text),
                 "asks for output %d as %s, op.json's outputs say %s", i, a, b);
        return NULL;
    }
    asked = *t;
    asked.strides = strides;
    if (strides && !osw_is_contiguous(&asked)) {
        f->refused = 1; /* outputs are contiguous: contiguous inputs help */
        return NULL;
    }
    if (i >= f->n_declared)
        f->n_declared = i + 1;
    return t;
}

static osw_tensor *osw_export_alias(const osw_call *call, int i, int arg)
{
    struct osw_export_frame *f = (struct osw_export_frame *)call->runner;

    if (i < 0 || i >= f->n_outputs || f->alias[i] != arg) {
        snprintf(osw_export_text, sizeof(osw_export_text),
                 "writes output %d into argument %d, which the schema does "
                 "not say",
                 i, arg);
        return NULL;
    }
    if (i >= f->n_declared)
        f->n_declared = i + 1;
    return f->outputs[i];
}

static void *osw_export_workspace(const osw_call *call, size_t bytes)
{
    struct osw_export_frame *f = (struct osw_export_frame *)call->runner;

    if (f->device.type == OSW_CPU) {
        size_t whole = (bytes + 255) / 256 * 256;

        if (f->workspace || whole < bytes) /* one piece per call */
            return NULL;
        f->workspace = aligned_alloc(256, whole ? whole : 256);
        return f->workspace;
    }
    if (f->workspace && (int64_t)bytes <= f->workspace_bytes)
        return f->workspace;
    osw_export_bytes = bytes ? (int64_t)bytes : 1;
    f->wants_workspace = 1;
    return NULL;
}

/* --- calling --- */

/* The kernel, with what was prepared for such calls. */
static int osw_export_prepared(const struct osw_export_impl *impl,
                               osw_call *call, struct osw_export_frame *f)
{
    struct osw_export_kept *kept;
    int rc = osw_export_take(impl, call, f->device, f->outputs, f->n_outputs,
                             &f->refused, &kept);

    if (!kept)
        return osw_export_report(call, "no memory for what is prepared");
    f->n_declared = 0;
    call->state = kept->state;
    if (rc == 0)
        rc = impl->kernel(call);
    call->state = NULL;
    osw_export_give(kept, call);
    return rc;
}

static int osw_export_try(const struct osw_export_impl *impl, osw_call *call,
                          struct osw_export_frame *f)
{
    const char *failed;
    int rc;

    f->refused = f->n_declared = f->wants_workspace = 0;
    osw_export_text[0] = '\0';
    osw_export_launch_error(); /* of an earlier call */
    for (int i = 0; f->make && i < f->n_outputs; i++)
        if (f->outputs[i] == &f->made[i])
            f->outputs[i] = NULL;
    rc =
        impl->prepare ? osw_export_prepared(impl, call, f) : impl->kernel(call);
    failed = osw_export_launch_error();
    if (f->device.type == OSW_CPU) {
        free(f->workspace);
        f->workspace = NULL;
    }
    if (rc == 0 && failed) {
        snprintf(osw_export_text, sizeof(osw_export_text), "launch failed: %s",
                 failed);
        return OSW_ERROR;
    }
    if (rc != 0 && f->wants_workspace)
        return OSW_EXPORT_WORKSPACE;
    if (rc != 0 && f->refused)
        return OSW_UNSUPPORTED;
    if (rc == 0 && f->n_declared < f->n_required)
        return osw_export_report(call, "did not make every output");
    return rc;
}

/* As osw_export_call(), below, of which an output may also be OSW_ARG_NONE: the
 * implementation says its dtype and shape, and `make` gives it memory.
 */
int osw_export_call_making(int op, const int64_t *words, int64_t n,
                           osw_export_make *make, void *to)
{
    struct osw_export_frame f;
    osw_call call;
    int rc = OSW_UNSUPPORTED;

    memset(&f, 0, offsetof(struct osw_export_frame, args));
    memset(&f.n_items, 0,
           sizeof(f) - offsetof(struct osw_export_frame, n_items));
    memset(&call, 0, sizeof(call));
    f.make = make;
    f.make_to = to;
    f.at = words;
    f.end = words + n;
    call.size = sizeof(call);
    call.abi_version = OSW_ABI_VERSION;
    f.device.type = (int32_t)osw_export_word(&f);
    f.device.id = (int32_t)osw_export_word(&f);
    call.n_threads = (uint32_t)osw_export_word(&f);
    call.stream = (void *)(intptr_t)osw_export_word(&f);
    call.seed = (uint64_t)osw_export_word(&f);
    f.workspace = (void *)(intptr_t)osw_export_word(&f);
    f.workspace_bytes = osw_export_word(&f);
    call.n_args = (uint32_t)osw_export_word(&f);
    call.args = f.args;
    call.runner = &f;
    call.output = osw_export_output;
    call.output_alias = osw_export_alias;
    call.workspace = osw_export_workspace;
    call.error = osw_export_report;
    if (op < 0 || op >= osw_export_n_ops || call.n_args > OSW_EXPORT_MAX_ARGS)
        return osw_export_report(&call, "no such operator, or too many "
                                        "arguments");
    for (uint32_t i = 0; i < call.n_args; i++)
        if (osw_export_arg(&f, &f.args[i], 0) < 0)
            return osw_export_report(&call, "an argument is too large");
    if (osw_export_outputs(&f, &call) < 0)
        return osw_export_report(&call, "an output is too large");
    for (const struct osw_export_impl *impl = osw_export_ops[op].impls;
         impl->name && rc == OSW_UNSUPPORTED; impl++)
        rc = osw_export_try(impl, &call, &f);
    if (rc != 0 && rc != OSW_UNSUPPORTED && !osw_export_text[0])
        snprintf(osw_export_text, sizeof(osw_export_text), "returned %d", rc);
    return rc;
}

/* Call operator `op` of the table.  words [n] are: device type and number,
 * threads, stream, seed, workspace and its bytes; the number of arguments and
 * each of them; the number of outputs and each of them.  An argument is a tag
 * OSW_ARG_* and then BOOL, INT: the value; FLOAT: its bits; STRING: bytes,
 * address; DTYPE: code, bits; DEVICE: type, number; LIST: items, each item;
 * TENSOR: address, code, bits, dimensions, sizes, strides.  An output is a
 * contiguous TENSOR, or OSW_EXPORT_OUTPUT_ALIAS (_WRITTEN: one that need not be
 * declared) and the argument's number.
 *
 * Returns 0; OSW_UNSUPPORTED when no implementation takes these arguments as
 * they lie; OSW_EXPORT_WORKSPACE; or an error, for which osw_export_error()
 * has words.
 */
int osw_export_call(int op, const int64_t *words, int64_t n)
{
    return osw_export_call_making(op, words, n, NULL, NULL);
}

/* Of this thread's last call: words on its error; bytes of workspace that it
 * wants.
 */
const char *osw_export_error(void)
{
    return osw_export_text;
}

int64_t osw_export_wanted(void)
{
    return osw_export_bytes;
}

#endif /* OPSWEEP_EXPORT_H */
