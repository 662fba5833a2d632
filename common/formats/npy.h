/* common/formats/npy.h - arrays as numpy's .npy files
 *
 * Format 1.0: magic, version, a header that is a Python literal, padded so
 * that the data begin at a multiple of 64 bytes; then the elements, row-major,
 * as they lie in memory here.  numpy.load() and many others read it.
 */
#ifndef OSW_COMMON_FORMATS_NPY_H
#define OSW_COMMON_FORMATS_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum { OSW_NPY_MAX_NDIM = 32 };

typedef struct osw_npy osw_npy_t;

/* Create `path`, replacing what is there, for an array of shape[ndim] whose
 * elements numpy calls `descr`: "<f4", "|b1"; its number is the bytes of one.
 * Returns an array that the caller owns and must osw_npy_close(), or NULL with
 * err set: OSW_SYSTEM, OSW_NO_MEMORY.
 */
osw_npy_t *osw_npy_create(const char *path, const char *descr, int32_t ndim,
                          const int64_t *shape,
                          struct osw_error *err) OSW_MUST_CHECK;

/* Append n bytes of elements.  0, or -1 with err set. */
int osw_npy_put(osw_npy_t *npy, const void *data, size_t n,
                struct osw_error *err) OSW_MUST_CHECK;

/* Close and release it, NULL is ignored.  Returns 0, or -1 with err set: it
 * could not be written, or holds fewer or more elements than its shape says
 * (OSW_INTERNAL).
 */
int osw_npy_close(osw_npy_t *npy, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_COMMON_FORMATS_NPY_H */
