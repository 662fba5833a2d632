/* ops/export/zip.h - a ZIP archive in memory, the same bytes each time
 *
 * Entries are deflated, and all of one date, so that an archive depends on
 * nothing but what was added.  No ZIP64: entries and the archive stay below
 * OSW_ZIP_MAX_BYTES.
 *
 * Upstream: ops/export/wheel.c.
 */
#ifndef OSW_OPS_ZIP_H
#define OSW_OPS_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"

#define OSW_ZIP_MAX_BYTES (UINT32_C(1) << 31)

enum { OSW_ZIP_MAX_ENTRIES = 4096 };

/* An archive on its way; begin with {0}.  Free it by osw_zip_free(). */
struct osw_zip {
    struct osw_text bytes;     /* whole after osw_zip_end() */
    struct osw_text directory; /* what comes last */
    size_t n;
};

/* Add a file.  0, or -1 with err set: OSW_NO_MEMORY, OSW_BAD_INPUT (too
 * large, or too many).
 */
int osw_zip_add(struct osw_zip *zip, const char *name, const void *bytes,
                size_t n, bool program, struct osw_error *err) OSW_MUST_CHECK;

/* Add the directory: zip->bytes is the archive.  As osw_zip_add(). */
int osw_zip_end(struct osw_zip *zip, struct osw_error *err) OSW_MUST_CHECK;

void osw_zip_free(struct osw_zip *zip);

#endif /* OSW_OPS_ZIP_H */
