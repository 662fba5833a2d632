/* any - is any element not 0?  A plain loop that stops at the first one. */
#include "../shared/plain.h"

#define FIND(d, code, bits, E, get, put, ...)                                  \
    static int find_##d(const char *p, int64_t step, int64_t n)                \
    {                                                                          \
        const E *x = (const E *)(const void *)p;                               \
        int64_t i;                                                             \
                                                                               \
        for (i = 0; i < n; i++)                                                \
            if (get(x[i * step]) != 0)                                         \
                return 1;                                                      \
        return 0;                                                              \
    }
#define ROW(d, code, bits, E, get, put, ...) {code, bits, find_##d},

OSW_PLAIN_16_AND_32(FIND, )
OSW_PLAIN_64(FIND, )
OSW_PLAIN_INTEGERS(FIND, )

static int any_of(const osw_tensor *x)
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

/* A single truth, as a u8 where self is u8. */
int any_kernel_impl(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    osw_dtype t = osw_rule_dtype(OSW_BOOL, 8);
    int found = self ? any_of(self) : -1;
    osw_tensor *out;

    if (found < 0)
        return OSW_UNSUPPORTED;
    if (osw_is(self, OSW_UINT, 8))
        t = self->dtype;
    out = osw_output(call, 0, t, 0, NULL, NULL);
    if (!out)
        return OSW_ERROR;
    *(uint8_t *)osw_data(out) = (uint8_t)found;
    return 0;
}
