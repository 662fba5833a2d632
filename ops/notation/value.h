/* ops/notation/value.h - arguments of a case as a tree of tagged values
 *
 * What the notation says, and nothing else: a tensor here is a description
 * (shape, dtype, strides), no data.  Trees live in an arena.
 */
#ifndef OSW_OPS_VALUE_H
#define OSW_OPS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/notation/dtype.h"

enum { OSW_MAX_NDIM = 16, OSW_MAX_OFFSET = 1 << 20 };

enum osw_value_kind {
    OSW_VALUE_NONE,
    OSW_VALUE_BOOL,
    OSW_VALUE_INT,
    OSW_VALUE_FLOAT,
    OSW_VALUE_STRING, /* 'text' */
    OSW_VALUE_DTYPE,  /* f16 */
    OSW_VALUE_WORD,   /* torch.strided and the like: kept as written */
    OSW_VALUE_TENSOR, /* T([2, 3], f32) */
    OSW_VALUE_LIST,
    OSW_VALUE_TUPLE,
    OSW_VALUE_DICT,
};

/* A tensor as described: sizes are checked when it is made, so that the
 * product of shape, and the extent by strides, fit in int64_t bytes.
 */
struct osw_tensor_desc {
    enum osw_dtype_id dtype;
    int32_t ndim;
    bool strided;           /* strides were given; else they are row-major */
    const int64_t *shape;   /* [ndim] elements, each >= 0 */
    const int64_t *strides; /* [ndim] elements, each >= 0; never NULL */
    int64_t offset; /* elements that are left out before the first one; the
                       memory before them is aligned */
};

struct osw_value {
    enum osw_value_kind kind;
    uint32_t n; /* items of LIST, TUPLE, DICT; bytes of STRING, WORD */
    union {
        bool b;
        int64_t i;
        double f;
        const char *s; /* STRING, WORD; ends in NUL */
        enum osw_dtype_id dtype;
        const struct osw_tensor_desc *tensor;
        const struct osw_value *items; /* [n] LIST, TUPLE; DICT: values */
    } u;
    const char *const *keys; /* [n] DICT only */
};

/* One case: ((args...), {kwargs}). */
struct osw_case {
    struct osw_value args;   /* TUPLE */
    struct osw_value kwargs; /* DICT */
};

#endif /* OSW_OPS_VALUE_H */
