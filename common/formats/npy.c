/* common/formats/npy.c - arrays as numpy's .npy files */
#include "common/formats/npy.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PREFIX = 10, /* magic, version, length of the header */
    ALIGN = 64,
    MAX_HEADER = 1024,
};

struct osw_npy {
    FILE *file;
    char *path;
    uint64_t left; /* bytes that its shape still asks for */
};

/* The whole head of the file into out[MAX_HEADER]; returns its length. */
static size_t make_head(char *out, const char *descr, int32_t ndim,
                        const int64_t *shape)
{
    char *text = out + PREFIX;
    size_t room = MAX_HEADER - PREFIX, used, end;

    used = (size_t)snprintf(
        text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (",
        descr);
    for (int32_t d = 0; d < ndim; d++)
        used += (size_t)snprintf(text + used, room - used, "%s%" PRId64,
                                 d ? ", " : "", shape[d]);
    used += (size_t)snprintf(text + used, room - used, "%s), }",
                             ndim == 1 ? "," : "");
    end = (PREFIX + used + 1 + ALIGN - 1) / ALIGN * ALIGN;
    assert(end <= MAX_HEADER);
    memset(text + used, ' ', end - PREFIX - used);
    out[end - 1] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((end - PREFIX) & 0xff);
    out[9] = (char)((end - PREFIX) >> 8);
    return end;
}

static int cannot_write(const osw_npy_t *npy, struct osw_error *err)
{
    return osw_fail_sys(err, errno, "cannot write '%s'", npy->path);
}

static void destroy(osw_npy_t *npy)
{
    if (npy && npy->file)
        fclose(npy->file);
    if (npy)
        free(npy->path);
    free(npy);
}

osw_npy_t *osw_npy_create(const char *path, const char *descr, int32_t ndim,
                          const int64_t *shape, struct osw_error *err)
{
    osw_npy_t *npy = calloc(1, sizeof(*npy));
    char head[MAX_HEADER];
    size_t n;

    assert(ndim >= 0 && ndim <= OSW_NPY_MAX_NDIM && strlen(descr) > 2);
    if (npy)
        npy->path = strdup(path);
    if (!npy || !npy->path) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for '%s'", path);
        destroy(npy);
        return NULL;
    }
    npy->left = strtoull(descr + 2, NULL, 10);
    for (int32_t d = 0; d < ndim; d++)
        npy->left *= (uint64_t)shape[d];
    npy->file = fopen(path, "we");
    n = make_head(head, descr, ndim, shape);
    if (!npy->file || fwrite(head, 1, n, npy->file) != n) {
        cannot_write(npy, err);
        destroy(npy);
        return NULL;
    }
    return npy;
}

int osw_npy_put(osw_npy_t *npy, const void *data, size_t n,
                struct osw_error *err)
{
    npy->left -= n;
    if (n > 0 && fwrite(data, 1, n, npy->file) != n)
        return cannot_write(npy, err);
    return 0;
}

int osw_npy_close(osw_npy_t *npy, struct osw_error *err)
{
    int rc = 0;

    if (!npy)
        return 0;
    if (ferror(npy->file) || fflush(npy->file))
        rc = cannot_write(npy, err);
    if (rc == 0 && npy->left)
        rc = osw_fail(err, OSW_INTERNAL,
                      "'%s': %" PRId64 " bytes short of its shape", npy->path,
                      (int64_t)npy->left);
    destroy(npy);
    return rc;
}
