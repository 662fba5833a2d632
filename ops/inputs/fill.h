/* ops/inputs/fill.h - what a tensor of a case is filled with, as data
 *
 * Written as text in op.json and gen_input.json: "normal", "smallint(2)",
 * "index(dim(weight, 0))".  Arguments are expressions over the case's bound
 * arguments (ops/inputs/expr.h), so that a fill is a pure function of op and
 * case.
 */
#ifndef OSW_OPS_FILL_H
#define OSW_OPS_FILL_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers go over the wire and into cell keys: never reused. */
/* clang-format off */
#define OSW_FILL_MAP(X)                                                        \
    /* number, NAME, text, arguments */                                        \
    X(1, NORMAL,      "normal",      0) /* mean 0, variance 1, |x| < 4.9 */    \
    X(2, UNIFORM,     "uniform",     0) /* [-1, 1) */                          \
    X(3, POSITIVE,    "positive",    0) /* [0.5, 1.5): for log, pow, division */ \
    X(4, SMALLINT,    "smallint",    1) /* integers in [-a, a] */              \
    X(5, INT,         "int",         2) /* integers in [a, b] */               \
    X(6, INDEX,       "index",       1) /* integers in [0, a), repeats occur;  \
                                           both ends are among two or more */  \
    X(7, BOOL,        "bool",        0) /* 0 or 1, evenly */                   \
    X(8, SPECIAL,     "special",     0) /* normal, among them NaN, +-Inf, +-0, \
                                           subnormals, largest / 16, ties */   \
    X(9, PERMUTATION, "permutation", 0) /* 0..n-1 shuffled, n: elements */     \
    X(10, CONSTANT,   "constant",    1) /* a everywhere */                     \
    X(11, OFFSET,     "offset",      1) /* a + normal */                      \
    X(12, DRAWN,       "drawn",       1) /* by gen_input.py, its case a */     \
    X(13, WIDE,        "wide",        0) /* integers of all lengths, half of   \
                                           them within 8 of a large one;       \
                                           others as by dtype */               \
    X(14, TIES,        "ties",        0) /* +-1 and up to 2^-11 more (f64:     \
                                           2^-32): equal in 16 (32) bits */    \
    X(15, UNIT,        "unit",        0) /* [0, 1): probabilities */           \
    X(16, ASCENDING,   "ascending",   2) /* rising from a to b along the last  \
                                           dimension: integers evenly, others  \
                                           at random */                        \
    X(17, SHARES,      "shares",      1) /* whole numbers that add up to a     \
                                           along the last dimension */         \
    X(18, DISTINCT,    "distinct",    2) /* of [0, a), shuffled: a runs of b   \
                                           elements have different ones */     \
    X(19, INDEPENDENT, "independent", 1) /* drawn, elements independent of     \
                                           each other and of other tensors */
/* clang-format on */

enum osw_fill_kind {
    OSW_FILL_DEFAULT = 0, /* by dtype: float normal, int int(-8, 8), bool */
#define X(number, NAME, text, n_args) OSW_FILL_##NAME = number,
    OSW_FILL_MAP(X)
#undef X
};

/* Do values come from code? */
static inline bool osw_fill_is_drawn(enum osw_fill_kind kind)
{
    return kind == OSW_FILL_DRAWN || kind == OSW_FILL_INDEPENDENT;
}

struct osw_fill {
    enum osw_fill_kind kind;
    double a, b; /* arguments, evaluated; 0 when the kind has none */
};

#endif /* OSW_OPS_FILL_H */
