/* shared/power.h - powers of integers */
#ifndef OSW_LIBRARY_POWER_H
#define OSW_LIBRARY_POWER_H

#include <opsweep/elements.h>

/* By squaring; wraps around.  Of negative powers only those of 1 and -1 are
 * integers.
 */
OSW_HD static inline int64_t osw_int_power(int64_t base, int64_t exponent)
{
    uint64_t y = 1, x = (uint64_t)base;

    if (exponent < 0)
        return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
    for (; exponent; exponent >>= 1, x *= x)
        if (exponent & 1)
            y *= x;
    return (int64_t)y;
}

#endif /* OSW_LIBRARY_POWER_H */
