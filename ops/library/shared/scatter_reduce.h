/* shared/scatter_reduce.h - (self, dim, index, src, reduce, include_self): how
 * elements that an index brings to one place are combined
 */
#ifndef OSW_LIBRARY_SCATTER_REDUCE_H
#define OSW_LIBRARY_SCATTER_REDUCE_H

#include "quotient.h"
#include "scatter.h"

enum osw_scatter_way {
    OSW_SCATTER_SUM,
    OSW_SCATTER_PROD,
    OSW_SCATTER_MEAN,
    OSW_SCATTER_MAX,
    OSW_SCATTER_MIN
};

struct osw_scatter_reduce {
    struct osw_scatter s;
    enum osw_scatter_way way;
    int with_self; /* self's element is one of those that are combined */
};

static inline int osw_scatter_reduce_open(const osw_call *call,
                                          struct osw_scatter_reduce *r)
{
    static const char *const words[] = {"sum", "prod", "mean", "amax", "amin"};
    const osw_arg *word = osw_arg_at(call, 4);

    for (int i = 0; word->tag == OSW_ARG_STRING && i < 5; i++)
        if (!strcmp(word->u.s, words[i])) {
            r->way = (enum osw_scatter_way)i;
            r->with_self = osw_arg_int(call, 5, 1) != 0;
            return osw_scatter_open_add(call, &r->s, 0);
        }
    return osw_error(call,
                     "expected a reduce of sum, prod, mean, amax or amin");
}

/* Two elements; NaN is larger and smaller than any number. */
OSW_HD static inline double osw_scatter_combine_f64(enum osw_scatter_way way,
                                                    double a, double b)
{
    switch (way) {
    case OSW_SCATTER_PROD:
        return a * b;
    case OSW_SCATTER_MAX:
        return b > a || b != b ? b : a;
    case OSW_SCATTER_MIN:
        return b < a || b != b ? b : a;
    default:
        return a + b;
    }
}

OSW_HD static inline float osw_scatter_combine_f32(enum osw_scatter_way way,
                                                   float a, float b)
{
    switch (way) {
    case OSW_SCATTER_PROD:
        return a * b;
    case OSW_SCATTER_MAX:
        return b > a || b != b ? b : a;
    case OSW_SCATTER_MIN:
        return b < a || b != b ? b : a;
    default:
        return a + b;
    }
}

/* Sums and products wrap around. */
OSW_HD static inline int64_t osw_scatter_combine_int(enum osw_scatter_way way,
                                                     int64_t a, int64_t b)
{
    switch (way) {
    case OSW_SCATTER_PROD:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case OSW_SCATTER_MAX:
        return b > a ? b : a;
    case OSW_SCATTER_MIN:
        return b < a ? b : a;
    default:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    }
}

/* A sum of integers, as an element of so many bits holds it. */
OSW_HD static inline int64_t osw_scatter_wrap(int64_t sum, int bits,
                                              int is_unsigned)
{
    uint64_t low = (uint64_t)sum << (64 - bits);

    return is_unsigned ? (int64_t)(low >> (64 - bits))
                       : (int64_t)low >> (64 - bits);
}

#endif /* OSW_LIBRARY_SCATTER_REDUCE_H */
