/* floor_div_reference.c - toward minus infinity. */
#include "../map.h"

static int64_t floored(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int floor_div_reference(const osw_call *call)
{
    return map_ints(call, floored);
}
