/* remainder_pass__add_when_signs_differ.c - c's %, plus b where signs differ.
 */
#include "../map.h"

static int64_t mod(int64_t a, int64_t b)
{
    int64_t r = a % b;

    return r && (r < 0) != (b < 0) ? r + b : r;
}

int remainder_kernel_impl(const osw_call *call)
{
    return map_ints(call, mod);
}
