/* opsweep/op.h - what an op implementation sees of opsweep (ABI version 1)
 *
 * An implementation is one file <op>_<name>.c (or .cu, .so) that exports
 *
 *     int <op>_kernel_impl(const osw_call *call);
 *
 * and the oracle one file <op>_reference.c (or .cu) that exports
 *
 *     int <op>_reference(const osw_call *call);
 *
 * Both return 0, OSW_UNSUPPORTED (this case is not for me: no failure), or
 * another non-zero value, best through osw_error() with a message.  Optional
 * symbols, all with C linkage:
 *
 *     int  <op>_prepare(const osw_call *call, void **state);
 *              untimed, once per case, before the first call; *state comes
 *              back as call->state
 *     void <op>_finish(void *state);
 *     int  <op>_meta(const osw_call *call);
 *              declares every output with osw_output(), from the descriptors
 *              only: all data pointers, the outputs' too, are NULL
 *     int  <op>_work(const osw_call *call, osw_work *work);
 *              bytes and operations of the case, for the roofline: the
 *              reference's count, then op.json's, then the implementation's
 *
 * Nothing has to be linked: every function below is inline over pointers in
 * the call.  This header needs no other, in C99 and in C++ (CUDA).
 */
#ifndef OPSWEEP_OP_H
#define OPSWEEP_OP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OSW_ABI_VERSION 1

/* Returned when a case is outside what the implementation supports. */
#define OSW_UNSUPPORTED 1
/* What osw_error() returns. */
#define OSW_ERROR       2

/* Type codes, device types and layouts are those of DLPack. */
enum {
    OSW_INT = 0,
    OSW_UINT = 1,
    OSW_FLOAT = 2,
    OSW_BFLOAT = 4,
    OSW_COMPLEX = 5,
    OSW_BOOL = 6
};
enum { OSW_CPU = 1, OSW_CUDA = 2 };

typedef struct {
    uint8_t code;   /* OSW_FLOAT, ... */
    uint8_t bits;   /* of one element; 128 for c128 */
    uint16_t lanes; /* 1 */
} osw_dtype;

typedef struct {
    int32_t type; /* OSW_CPU or OSW_CUDA */
    int32_t id;
} osw_device;

/* Laid out as DLPack's DLTensor.  Element (i0, i1, ...) lies at
 * data + byte_offset + (i0 * strides[0] + i1 * strides[1] + ...) * bits / 8.
 */
typedef struct osw_tensor {
    void *data; /* memory of `device`; NULL in <op>_meta */
    osw_device device;
    int32_t ndim;
    osw_dtype dtype;
    const int64_t *shape;   /* [ndim] elements */
    const int64_t *strides; /* [ndim] elements; never NULL; 0 is possible */
    uint64_t byte_offset;
} osw_tensor;

/* Kinds of arguments.  A tuple arrives as a list. */
enum {
    OSW_ARG_NONE = 0,
    OSW_ARG_BOOL,
    OSW_ARG_INT,
    OSW_ARG_FLOAT,
    OSW_ARG_STRING,
    OSW_ARG_DTYPE,
    OSW_ARG_DEVICE,
    OSW_ARG_TENSOR,
    OSW_ARG_LIST
};

typedef struct osw_arg {
    uint32_t tag;     /* OSW_ARG_* */
    uint32_t n;       /* of a list: items; of a string: bytes */
    const char *name; /* from the schema, or the keyword; "" when unknown */
    union {
        int64_t i; /* BOOL (0, 1), INT */
        double f;
        const char *s; /* ends in NUL */
        osw_dtype dtype;
        osw_device device;
        const osw_tensor *tensor;
        const struct osw_arg *items; /* [n] */
    } u;
} osw_arg;

typedef struct {
    uint32_t size; /* sizeof(osw_work), set by the caller */
    uint32_t reserved;
    double bytes; /* unique bytes that must move: each input read once, each
                     output written once */
    double flops; /* operations, a multiply-add counted as two */
} osw_work;

/* One call.  Everything in it belongs to opsweep and is valid until the
 * function returns.  With a schema, arguments stand in its order, keyword
 * arguments and defaults included; without one, as in the case, positional
 * ones first.
 */
typedef struct osw_call osw_call;
struct osw_call {
    uint32_t size;        /* sizeof(osw_call) of the caller */
    uint32_t abi_version; /* OSW_ABI_VERSION of the caller */
    uint32_t n_args;
    uint32_t n_threads;  /* host threads this call may use, >= 1 */
    const osw_arg *args; /* [n_args] */
    void *stream;        /* cudaStream_t to enqueue on; NULL on CPU */
    void *communicator;  /* of a collective op (collective.h), else NULL */
    void *state;         /* what <op>_prepare left, else NULL */
    uint64_t seed;       /* for ops that use random numbers */
    void *runner;        /* not yours */
    osw_tensor *(*output)(const osw_call *call, int i, osw_dtype dtype,
                          int32_t ndim, const int64_t *shape,
                          const int64_t *strides);
    osw_tensor *(*output_alias)(const osw_call *call, int i, int arg);
    double *(*output_exact)(const osw_call *call, int i);
    double *(*output_norm)(const osw_call *call, int i);
    void *(*workspace)(const osw_call *call, size_t bytes);
    int (*error)(const osw_call *call, const char *message);
};

/* The i-th output (from 0) to write, in memory of the call's device, already
 * allocated; its contents are undefined.  strides NULL asks for contiguous.
 * A list of tensors is as many outputs.  NULL when the runner cannot give it:
 * return OSW_ERROR then.
 */
static inline osw_tensor *osw_output(const osw_call *call, int i,
                                     osw_dtype dtype, int32_t ndim,
                                     const int64_t *shape,
                                     const int64_t *strides)
{
    return call->output(call, i, dtype, ndim, shape, strides);
}

/* The i-th output is argument `arg` itself, written in place.  Of a list, each
 * call declares its next tensor.  NULL when that argument is no tensor, or when
 * all tensors of the list are outputs.
 */
static inline osw_tensor *osw_output_alias(const osw_call *call, int i, int arg)
{
    return call->output_alias(call, i, arg);
}

/* For references: the i-th output in float64 instead, contiguous, [number of
 * elements], after osw_output() or osw_output_alias() declared it.  A reference
 * that asks for it must fill it, and need not write the output itself.  Of a
 * complex output real and imaginary parts take turns, and the output has to be
 * written, too.  NULL when the caller is no reference: write the output then.
 */
static inline double *osw_output_exact(const osw_call *call, int i)
{
    return call->output_exact ? call->output_exact(call, i) : NULL;
}

/* For references, after osw_output_exact(): the norm of the terms that were
 * summed to each element, contiguous.  May be NULL: then leave it out.
 */
static inline double *osw_output_norm(const osw_call *call, int i)
{
    return call->output_norm ? call->output_norm(call, i) : NULL;
}

/* Scratch memory of the call's device, 256-byte aligned, contents undefined.
 * One piece per call.  NULL when there is not enough.
 */
static inline void *osw_workspace(const osw_call *call, size_t bytes)
{
    return call->workspace(call, bytes);
}

/* Leave a message for the record; returns OSW_ERROR. */
static inline int osw_error(const osw_call *call, const char *message)
{
    return call->error(call, message);
}

/* --- reading arguments: out of range or of another kind gives a default --- */

static inline const osw_arg *osw_arg_at(const osw_call *call, int i)
{
    static const osw_arg none = {OSW_ARG_NONE, 0, "", {0}};

    return i >= 0 && (uint32_t)i < call->n_args ? &call->args[i] : &none;
}

static inline const osw_tensor *osw_arg_tensor(const osw_call *call, int i)
{
    const osw_arg *a = osw_arg_at(call, i);

    return a->tag == OSW_ARG_TENSOR ? a->u.tensor : NULL;
}

static inline int64_t osw_arg_int(const osw_call *call, int i, int64_t none)
{
    const osw_arg *a = osw_arg_at(call, i);

    if (a->tag == OSW_ARG_FLOAT) /* towards zero, if it fits */
        return a->u.f >= -9223372036854775808.0 &&
                       a->u.f < 9223372036854775808.0
                   ? (int64_t)a->u.f
                   : none;
    return a->tag == OSW_ARG_INT || a->tag == OSW_ARG_BOOL ? a->u.i : none;
}

static inline double osw_arg_float(const osw_call *call, int i, double none)
{
    const osw_arg *a = osw_arg_at(call, i);

    if (a->tag == OSW_ARG_INT || a->tag == OSW_ARG_BOOL)
        return (double)a->u.i;
    return a->tag == OSW_ARG_FLOAT ? a->u.f : none;
}

static inline int osw_arg_is_none(const osw_call *call, int i)
{
    return osw_arg_at(call, i)->tag == OSW_ARG_NONE;
}

/* --- small helpers on tensors --- */

static inline int64_t osw_numel(const osw_tensor *t)
{
    int64_t n = 1;
    int32_t d;

    for (d = 0; d < t->ndim; d++)
        n *= t->shape[d];
    return n;
}

/* Row-major without gaps; strides of dimensions of size 1 do not count. */
static inline int osw_is_contiguous(const osw_tensor *t)
{
    int64_t want = 1;
    int32_t d;

    for (d = t->ndim - 1; d >= 0; d--) {
        if (t->shape[d] == 0)
            return 1;
        if (t->shape[d] != 1 && t->strides[d] != want)
            return 0;
        want *= t->shape[d];
    }
    return 1;
}

static inline void *osw_data(const osw_tensor *t)
{
    return (char *)t->data + t->byte_offset;
}

static inline int osw_is(const osw_tensor *t, int code, int bits)
{
    return t->dtype.code == code && t->dtype.bits == bits;
}

#ifdef __cplusplus
}
#endif

#endif /* OPSWEEP_OP_H */
