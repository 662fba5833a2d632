/* ops/catalog/backend.c - backends: where implementations come from, as a table
 */
#include "ops/catalog/backend.h"

#include <string.h>

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct osw_backend backends[] = {
    {.name = "library",
     .summary = "the implementations that opsweep ships",
     .none = "no implementation for this device"},
    {.name = "custom_ops",
     .summary = "those of your own root (--custom-ops-root)",
     .custom = true,
     .none = "no implementation for this device"},
    {.name = "aten",
     .summary = "torch's own operators, of any name",
     .torch = true,
     .file = "opsweep_aten.py",
     .judged_by = "torch",
     .none = "no implementation"},
    {.name = "directory",
     .alias = "pregenerated",
     .summary = "BackendBench's folders of kernels (--kernels-dir)",
     .torch = true,
     .kernels = true,
     .none = "not covered: no kernel in --kernels-dir"},
    {.name = "flag_gems",
     .summary = "what the Python package flag_gems has for them",
     .torch = true,
     .file = "opsweep_flag_gems.py",
     .module = "flag_gems",
     .none = "no implementation"},
    {.name = "llm",
     .summary = "what a model writes for them (of `opsweep run`)",
     .model = true,
     .none = "no implementation"},
};

const struct osw_backend *osw_backend_find(const char *name)
{
    for (size_t i = 0; i < N_ELEM(backends); i++)
        if (strcmp(backends[i].name, name) == 0 ||
            (backends[i].alias && strcmp(backends[i].alias, name) == 0))
            return &backends[i];
    return NULL;
}

const struct osw_backend *osw_backend_at(size_t i)
{
    return i < N_ELEM(backends) ? &backends[i] : NULL;
}

const char *osw_backend_word(size_t i)
{
    if (i < N_ELEM(backends))
        return backends[i].name;
    i -= N_ELEM(backends);
    for (size_t k = 0; k < N_ELEM(backends); k++)
        if (backends[k].alias && i-- == 0)
            return backends[k].alias;
    return NULL;
}
