/* opsweep/export_tvm.h - exported operators as functions of TVM-FFI, in plain C
 *
 * A table defines __tvm_ffi_NAME() for each operator by OSW_TVM_FUNCTION:
 * anything with DLPack's tensors can call it (numpy, JAX, CuPy, torch) by the
 * stable C interface of apache-tvm-ffi, of which nothing is included or linked.
 * All arguments are given in the schema's order, None where one is missing, and
 * then a contiguous tensor for each new result.  After export_torch.h, which
 * has dlopen() and dlsym() of older systems.
 */
#ifndef OPSWEEP_EXPORT_TVM_H
#define OPSWEEP_EXPORT_TVM_H

#include <dlfcn.h>
#include <opsweep/export.h>
#include <unistd.h>

/* TVMFFIAny: a value, or the address of an object. */
struct osw_tvm_any {
    int32_t type;
    uint32_t small_length; /* of a text in u.bytes */
    union {
        int64_t i;
        double f;
        const void *p;
        osw_dtype dtype;
        osw_device device;
        char bytes[8];
    } u;
};

enum {
    OSW_TVM_NONE = 0,
    OSW_TVM_INT = 1,
    OSW_TVM_BOOL = 2,
    OSW_TVM_FLOAT = 3,
    OSW_TVM_DTYPE = 5,
    OSW_TVM_DEVICE = 6,
    OSW_TVM_DLTENSOR = 7,
    OSW_TVM_RAW_TEXT = 8,
    OSW_TVM_SMALL_TEXT = 11,
    OSW_TVM_TEXT = 65,
    OSW_TVM_SHAPE = 69,
    OSW_TVM_TENSOR = 70,
    OSW_TVM_ARRAY = 71,
    OSW_TVM_LIST = 75,
    OSW_TVM_HEADER = 24 /* bytes of an object before what it holds */
};

/* What texts, shapes, arrays and lists hold. */
struct osw_tvm_cell {
    const void *data;
    int64_t n;
};

/* Of one operator. */
struct osw_tvm_op {
    int op, n_args, n_returns, n_written;
    const int *returns; /* [n_returns] the argument that it is; -1: new */
    const int *written; /* [n_written] arguments that are not returned */
};

enum { OSW_TVM_MAX_WORDS = 4096 };

/* A call on its way. */
struct osw_tvm_call {
    int64_t words[OSW_TVM_MAX_WORDS];
    int n;
    const char *wrong; /* what cannot be handed on; NULL: all can */
    const struct osw_tvm_op *op;
    const struct osw_tvm_any *outs; /* of new results */
    char text[200];
};

static void osw_tvm_word(struct osw_tvm_call *c, int64_t word)
{
    if (c->n < OSW_TVM_MAX_WORDS)
        c->words[c->n++] = word;
    else
        c->wrong = "more values than expected";
}

/* NULL: it is no tensor. */
static const osw_tensor *osw_tvm_tensor(const struct osw_tvm_any *a)
{
    const char *p = (const char *)a->u.p;

    return (const osw_tensor *)(a->type == OSW_TVM_DLTENSOR ? p
                                : a->type == OSW_TVM_TENSOR ? p + OSW_TVM_HEADER
                                                            : NULL);
}

static void osw_tvm_put_tensor(struct osw_tvm_call *c, const osw_tensor *t)
{
    int64_t step = 1, strides[OSW_EXPORT_MAX_NDIM];

    if (t->ndim > OSW_EXPORT_MAX_NDIM || t->dtype.lanes != 1) {
        c->wrong = "a tensor of too many dimensions, or of vectors";
        return;
    }
    if (t->device.type != OSW_CPU)
        c->wrong = "a tensor that is not on a processor";
    for (int32_t d = t->ndim - 1; d >= 0; d--) {
        strides[d] = t->strides ? t->strides[d] : step; /* NULL: contiguous */
        step *= t->shape[d] > 1 ? t->shape[d] : 1;
    }
    osw_tvm_word(c, OSW_ARG_TENSOR);
    osw_tvm_word(c, (int64_t)(intptr_t)t->data + (int64_t)t->byte_offset);
    osw_tvm_word(c, t->dtype.code);
    osw_tvm_word(c, t->dtype.bits);
    osw_tvm_word(c, t->ndim);
    for (int32_t d = 0; d < t->ndim; d++)
        osw_tvm_word(c, t->shape[d]);
    for (int32_t d = 0; d < t->ndim; d++)
        osw_tvm_word(c, strides[d]);
}

static void osw_tvm_put_text(struct osw_tvm_call *c, const char *s, int64_t n)
{
    osw_tvm_word(c, OSW_ARG_STRING);
    osw_tvm_word(c, n);
    osw_tvm_word(c, (int64_t)(intptr_t)s);
}

static void osw_tvm_put(struct osw_tvm_call *c, const struct osw_tvm_any *a);

static void osw_tvm_put_cell(struct osw_tvm_call *c,
                             const struct osw_tvm_any *a)
{
    const struct osw_tvm_cell *cell =
        (const struct osw_tvm_cell *)((const char *)a->u.p + OSW_TVM_HEADER);

    if (a->type == OSW_TVM_TEXT) {
        osw_tvm_put_text(c, (const char *)cell->data, cell->n);
        return;
    }
    osw_tvm_word(c, OSW_ARG_LIST);
    osw_tvm_word(c, cell->n);
    for (int64_t i = 0; i < cell->n && !c->wrong; i++)
        if (a->type != OSW_TVM_SHAPE) {
            osw_tvm_put(c, (const struct osw_tvm_any *)cell->data + i);
        } else {
            osw_tvm_word(c, OSW_ARG_INT);
            osw_tvm_word(c, ((const int64_t *)cell->data)[i]);
        }
}

static void osw_tvm_put(struct osw_tvm_call *c, const struct osw_tvm_any *a)
{
    switch (a->type) {
    case OSW_TVM_NONE:
        osw_tvm_word(c, OSW_ARG_NONE);
        break;
    case OSW_TVM_INT:
    case OSW_TVM_BOOL:
    case OSW_TVM_FLOAT: /* its bits */
        osw_tvm_word(c, a->type == OSW_TVM_INT    ? OSW_ARG_INT
                        : a->type == OSW_TVM_BOOL ? OSW_ARG_BOOL
                                                  : OSW_ARG_FLOAT);
        osw_tvm_word(c, a->u.i);
        break;
    case OSW_TVM_DTYPE:
        osw_tvm_word(c, OSW_ARG_DTYPE);
        osw_tvm_word(c, a->u.dtype.code);
        osw_tvm_word(c, a->u.dtype.bits);
        break;
    case OSW_TVM_DEVICE:
        osw_tvm_word(c, OSW_ARG_DEVICE);
        osw_tvm_word(c, a->u.device.type);
        osw_tvm_word(c, a->u.device.id);
        break;
    case OSW_TVM_DLTENSOR:
    case OSW_TVM_TENSOR:
        osw_tvm_put_tensor(c, osw_tvm_tensor(a));
        break;
    case OSW_TVM_RAW_TEXT:
        osw_tvm_put_text(c, (const char *)a->u.p,
                         (int64_t)strlen((const char *)a->u.p));
        break;
    case OSW_TVM_SMALL_TEXT:
        osw_tvm_put_text(c, a->u.bytes, a->small_length);
        break;
    case OSW_TVM_TEXT:
    case OSW_TVM_SHAPE:
    case OSW_TVM_ARRAY:
    case OSW_TVM_LIST:
        osw_tvm_put_cell(c, a);
        break;
    default:
        c->wrong = "an argument of another kind than tensors, numbers, texts, "
                   "dtypes and lists";
    }
}

/* --- outputs --- */

static const char *osw_tvm_make(void *to, int i, osw_tensor *t)
{
    struct osw_tvm_call *c = (struct osw_tvm_call *)to;
    const struct osw_tvm_any *at = c->outs;
    const osw_tensor *out;
    osw_tensor given;
    char a[80], b[80];

    for (int k = 0; k < i; k++)
        at += c->op->returns[k] < 0;
    out = osw_tvm_tensor(at);
    if (!out)
        return "expected a tensor for each result, after the arguments";
    given = *out;
    if (given.ndim != t->ndim || given.dtype.code != t->dtype.code ||
        given.dtype.bits != t->dtype.bits ||
        memcmp(given.shape, t->shape, (size_t)t->ndim * sizeof(*t->shape))) {
        osw_export_shape(a, sizeof(a), t->dtype, t->ndim, t->shape);
        osw_export_shape(b, sizeof(b), given.dtype, given.ndim, given.shape);
        snprintf(c->text, sizeof(c->text), "result %d is a %s, found a %s", i,
                 a, b);
        return c->text;
    }
    if (given.device.type != OSW_CPU ||
        (given.strides && !osw_is_contiguous(&given)))
        return "expected contiguous tensors on a processor for results";
    t->data = (char *)given.data + given.byte_offset;
    return NULL;
}

/* The number that _make() has, or the argument that a return is. */
static void osw_tvm_put_outputs(struct osw_tvm_call *c,
                                const struct osw_tvm_op *op,
                                const struct osw_tvm_any *args)
{
    int64_t *count = &c->words[c->n];
    int n = op->n_returns;

    osw_tvm_word(c, 0);
    for (int i = 0; i < op->n_returns; i++)
        if (op->returns[i] < 0) {
            osw_tvm_word(c, OSW_ARG_NONE);
        } else {
            osw_tvm_word(c, OSW_EXPORT_OUTPUT_ALIAS);
            osw_tvm_word(c, op->returns[i]);
        }
    for (int i = 0; i < op->n_written; i++)
        if (args[op->written[i]].type != OSW_TVM_NONE) {
            osw_tvm_word(c, OSW_EXPORT_OUTPUT_WRITTEN);
            osw_tvm_word(c, op->written[i]);
            n++;
        }
    if (!c->wrong)
        *count = n;
}

/* --- calling --- */

static void osw_tvm_raise(const char *kind, const char *text)
{
    void (*set)(const char *, const char *) = NULL;
    void *lib;

    *(void **)&set = dlsym(RTLD_DEFAULT, "TVMFFIErrorSetRaisedFromCStr");
    lib = set ? NULL : dlopen("libtvm_ffi.so", RTLD_NOLOAD | RTLD_NOW);
    if (lib)
        *(void **)&set = dlsym(lib, "TVMFFIErrorSetRaisedFromCStr");
    if (set)
        set(kind, text);
}

/* Returns 0; or -1 with an error raised, as TVM-FFI wants it. */
static int osw_tvm_run(const struct osw_tvm_op *op,
                       const struct osw_tvm_any *args, int32_t n)
{
    struct osw_tvm_call c;
    int n_new = 0, rc = OSW_ERROR;
    char said[600];

    c.n = 0;
    c.wrong = NULL;
    c.op = op;
    c.outs = args + op->n_args;
    for (int i = 0; i < op->n_returns; i++)
        n_new += op->returns[i] < 0;
    if (n != op->n_args + n_new) {
        snprintf(c.text, sizeof(c.text),
                 "expected %d arguments and %d results, found %d together",
                 op->n_args, n_new, n);
        c.wrong = c.text;
    }
    osw_tvm_word(&c, OSW_CPU);
    osw_tvm_word(&c, 0);
    osw_tvm_word(&c, sysconf(_SC_NPROCESSORS_ONLN)); /* threads */
    for (int i = 0; i < 4; i++) /* stream, seed, workspace */
        osw_tvm_word(&c, 0);
    osw_tvm_word(&c, op->n_args);
    for (int i = 0; i < op->n_args && !c.wrong; i++)
        osw_tvm_put(&c, &args[i]);
    if (!c.wrong)
        osw_tvm_put_outputs(&c, op, args);
    if (!c.wrong)
        rc = osw_export_call_making(op->op, c.words, c.n, osw_tvm_make, &c);
    if (rc == 0)
        return 0;
    snprintf(said, sizeof(said), "%s: %s", osw_export_ops[op->op].name,
             c.wrong                 ? c.wrong
             : rc == OSW_UNSUPPORTED ? "no implementation takes these arguments"
                                     : osw_export_text);
    osw_tvm_raise(rc == OSW_UNSUPPORTED ? "NotImplementedError" : "ValueError",
                  said);
    return -1;
}

#define OSW_TVM_FUNCTION(name, row)                                            \
    int __tvm_ffi_##name(void *self, const struct osw_tvm_any *args,           \
                         int32_t n, struct osw_tvm_any *result)                \
    {                                                                          \
        (void)self;                                                            \
        (void)result;                                                          \
        return osw_tvm_run(row, args, n);                                      \
    }

#endif /* OPSWEEP_EXPORT_TVM_H */
