/* ops/backend.c - backends: where implementations come from, as a table */
#include "ops/backend.h"

#include <string.h>

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct osw_backend backends[] = {
    {"library", "the implementations that opsweep ships", false, false},
    {"custom_ops", "those of your own root (--custom-ops-root)", true, false},
    {"aten", "torch's own operators, of any name", false, true},
};

const struct osw_backend *osw_backend_find(const char *name)
{
    for (size_t i = 0; i < N_ELEM(backends); i++)
        if (strcmp(backends[i].name, name) == 0)
            return &backends[i];
    return NULL;
}

const struct osw_backend *osw_backend_at(size_t i)
{
    return i < N_ELEM(backends) ? &backends[i] : NULL;
}
