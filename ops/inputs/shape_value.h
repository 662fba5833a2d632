/* ops/inputs/shape_value.h - what parts of a shape's expression come to
 *
 * Upstream: ops/inputs/shape_expr.c.  Pure.
 */
#ifndef OSW_OPS_SHAPE_VALUE_H
#define OSW_OPS_SHAPE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OSW_SHAPE_MAX_ITEMS = 64, /* of a list */
    OSW_SHAPE_MAX_PARAMETERS = 8,
    OSW_SHAPE_WHY = 96, /* bytes of a message */
};

enum osw_shape_kind { OSW_SHAPE_NOTHING, OSW_SHAPE_NUMBER, OSW_SHAPE_LIST };

struct osw_shape_value {
    enum osw_shape_kind kind; /* NOTHING: None */
    int64_t number;
    size_t n; /* items of a list */
    int64_t items[OSW_SHAPE_MAX_ITEMS];
};

/* A function of the language. */
struct osw_shape_function {
    const char *name;
    /* Kinds of parameters: n a number, l a list, o a list or None; `*`: the
     * last repeats, up to OSW_SHAPE_MAX_PARAMETERS.
     */
    const char *takes;
    enum osw_shape_kind makes;
    /* 0, or -1 with the reason in why.  out->kind is set by the caller. */
    int (*call)(const struct osw_shape_value *v, size_t n,
                struct osw_shape_value *out, char why[OSW_SHAPE_WHY]);
};

/* Ends with a row without a name. */
extern const struct osw_shape_function osw_shape_functions[];

/* a // b, or a % b with `rest`, rounded down as in Python; b is not 0.  -1 when
 * it does not fit.
 */
int osw_shape_divide(int64_t a, int64_t b, bool rest, int64_t *out);

/* An end of a slice of n items, which may be negative, as one of 0..n. */
size_t osw_shape_clip(int64_t at, size_t n);

#endif /* OSW_OPS_SHAPE_VALUE_H */
