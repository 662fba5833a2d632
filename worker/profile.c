/* worker/profile.c - the table of profiles: how hard to measure */
#include <string.h>

#include "worker/profile.h"

#define MS INT64_C(1000000)

/* clang-format off */
static const struct osw_profile profiles[] = {
    /* name      time   warm  min   max  move   look  ci     cap         block */
    { "smoke",   true,    1,   6,  200, false,  6, 0.05,   150 * MS,  2 * MS },
    { "sweep",   true,    2,  20, 1000, true,  10, 0.01,  2000 * MS,  4 * MS },
    { "precise", true,    4,  50, 2000, true,  10, 0.005, 15000 * MS, 5 * MS },
    { "correct", false,   0,   0,    0, false,  0, 0,      0,          0 },
};
/* clang-format on */

const struct osw_profile *osw_profile_at(size_t i)
{
    return i < sizeof(profiles) / sizeof(profiles[0]) ? &profiles[i] : NULL;
}

const struct osw_profile *osw_profile_find(const char *name)
{
    const struct osw_profile *p;

    for (size_t i = 0; (p = osw_profile_at(i)) != NULL; i++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}
