/* ops/catalog/backend.h - backends: where implementations come from, as a table
 */
#ifndef OSW_OPS_BACKEND_H
#define OSW_OPS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

struct osw_backend {
    const char *name;
    const char *alias; /* NULL: none */
    const char *summary;
    bool custom;        /* the user's root; else the shipped library */
    bool torch;         /* of operators of torch, whatever a folder brings */
    bool kernels;       /* the files of --kernels-dir */
    bool model;         /* a model writes them, for the user's root or ours */
    const char *file;   /* of all its implementations, beside the sandbox
                           program; NULL: each op has its own */
    const char *module; /* that has them, and Python must have; NULL: none */
    const char *judged_by; /* package without which none can be judged; NULL:
                              none */
    const char *none;      /* why an op has no implementation */
};

/* Row by name or alias, or NULL; osw_backend_at(i): NULL after the last. */
const struct osw_backend *osw_backend_find(const char *name);
const struct osw_backend *osw_backend_at(size_t i);

/* The i-th word that finds one: names, then aliases.  NULL after the last. */
const char *osw_backend_word(size_t i);

#endif /* OSW_OPS_BACKEND_H */
