/* remainder_value__sign_of_dividend.c - wrong: C's %. */
#include "../map.h"

static int64_t mod(int64_t a, int64_t b)
{
    return a % b;
}

int remainder_kernel_impl(const osw_call *call)
{
    return map_ints(call, mod);
}
