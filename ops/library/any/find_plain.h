/* ops/library/any/find_plain.h - a plain loop that stops at the first element
 * that is FOUND(v), which a file defines before it includes this
 */
#ifndef OSW_LIBRARY_FIND_PLAIN_H
#define OSW_LIBRARY_FIND_PLAIN_H

#include "../shared/plain.h"
#include "any.h"

#define FIND(d, code, bits, E, get, put, ...)                                  \
    static int find_##d(const char *p, int64_t step, int64_t n)                \
    {                                                                          \
        const E *x = (const E *)(const void *)p;                               \
        int64_t i;                                                             \
                                                                               \
        for (i = 0; i < n; i++)                                                \
            if (FOUND(get(x[i * step])))                                       \
                return 1;                                                      \
        return 0;                                                              \
    }
#define ROW(d, code, bits, E, get, put, ...) {code, bits, find_##d},

OSW_PLAIN_16_AND_32(FIND, )
OSW_PLAIN_64(FIND, )
OSW_PLAIN_INTEGERS(FIND, )

/* Is an element FOUND?  -1: of a dtype that is not known. */
static int find(const osw_tensor *x)
{
    static const struct {
        int code, bits;
        int (*find)(const char *p, int64_t step, int64_t n);
    } finders[] = {OSW_PLAIN_16_AND_32(ROW, ) OSW_PLAIN_64(ROW, )
                       OSW_PLAIN_INTEGERS(ROW, )};
    int64_t n = osw_numel(x), cols = n, step = 1, i;
    size_t k = 0;

    while (
        k < sizeof(finders) / sizeof(finders[0]) &&
        (finders[k].code != x->dtype.code || finders[k].bits != x->dtype.bits))
        k++;
    if (k == sizeof(finders) / sizeof(finders[0]))
        return -1;
    if (x->ndim && !osw_is_contiguous(x)) {
        cols = x->shape[x->ndim - 1];
        step = x->strides[x->ndim - 1];
    }
    for (i = 0; i < n; i += cols)
        if (finders[k].find((const char *)osw_at(x, osw_offset(x, i)), step,
                            cols))
            return 1;
    return 0;
}

#endif /* OSW_LIBRARY_FIND_PLAIN_H */
