/* ops/backend.h - backends: where implementations come from, as a table */
#ifndef OSW_OPS_BACKEND_H
#define OSW_OPS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

struct osw_backend {
    const char *name;
    const char *summary;
    bool custom; /* the user's root; else the shipped library */
    bool torch;  /* torch's own operators, whatever a folder brings */
};

/* Row by name, or NULL; osw_backend_at(i): NULL behind the last. */
const struct osw_backend *osw_backend_find(const char *name);
const struct osw_backend *osw_backend_at(size_t i);

#endif /* OSW_OPS_BACKEND_H */
