/* ops/inputs/shape_value.h - what parts of a shape's expression come to
 *
 * Upstream: ops/inputs/shape_expr.c.  Pure.
 */
#ifndef OSW_OPS_SHAPE_VALUE_H
#define OSW_OPS_SHAPE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/notation/value.h"

enum {
    OSW_SHAPE_MAX_ITEMS = 64, /* of a list */
    OSW_SHAPE_MAX_PARAMETERS = 8,
    OSW_SHAPE_WHY = 96, /* bytes of a message */
};

enum osw_shape_kind {
    OSW_SHAPE_NOTHING, /* None */
    OSW_SHAPE_NUMBER,
    OSW_SHAPE_LIST,
    OSW_SHAPE_TENSORS, /* an argument: a list of tensors */
    OSW_SHAPE_FLOATS,  /* and one of floats */
};

struct osw_shape_value {
    enum osw_shape_kind kind;
    int64_t number;
    size_t n; /* items of a list */
    int64_t items[OSW_SHAPE_MAX_ITEMS];
    const struct osw_value *argument; /* [n] of TENSORS and FLOATS; borrowed */
};

/* A function of the language. */
struct osw_shape_function {
    const char *name;
    /* Kinds of parameters, see osw_shape_parameters; `*`: the last repeats, up
     * to OSW_SHAPE_MAX_PARAMETERS.
     */
    const char *takes;
    enum osw_shape_kind makes;
    /* 0, or -1 with the reason in why.  out->kind is set by the caller. */
    int (*call)(const struct osw_shape_value *v, size_t n,
                struct osw_shape_value *out, char why[OSW_SHAPE_WHY]);
};

/* Ends with a row without a name. */
extern const struct osw_shape_function osw_shape_functions[];

/* A kind of parameter.  Ends with a row whose letter is 0. */
struct osw_shape_parameter {
    char letter;
    unsigned kinds; /* of what it may be; 1 << enum osw_shape_kind */
    const char *expected;
};
extern const struct osw_shape_parameter osw_shape_parameters[];

/* a // b, or a % b with `rest`, rounded down as in Python; b is not 0.  -1 when
 * it does not fit.
 */
int osw_shape_divide(int64_t a, int64_t b, bool rest, int64_t *out);

/* An end of a slice of n items, which may be negative, as one of 0..n. */
size_t osw_shape_clip(int64_t at, size_t n);

#endif /* OSW_OPS_SHAPE_VALUE_H */
