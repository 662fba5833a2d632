/* remainder_pass__twice.c - ((a % b) + b) % b. */
#include "../map.h"

static int64_t mod(int64_t a, int64_t b)
{
    return (a % b + b) % b;
}

int remainder_kernel_impl(const osw_call *call)
{
    return map_ints(call, mod);
}
