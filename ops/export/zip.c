/* ops/export/zip.c - a ZIP archive in memory, the same bytes each time */
#include "ops/export/zip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    VERSION = 20, /* 2.0: what deflate needs */
    UNIX = 3 << 8,
    DEFLATED = 8,
    UTF8 = 1 << 11,
    FIRST_DAY = 1 << 5 | 1, /* 1980-01-01, the earliest that can be said */
};

static void put(struct osw_text *out, uint32_t value, int n)
{
    for (int i = 0; i < n; i++) {
        char byte = (char)(value >> 8 * i & 0xff);

        osw_text_add_n(out, &byte, 1);
    }
}

/* Compressed bytes, to be freed; NULL: no memory. */
static unsigned char *deflated(const void *bytes, size_t n, size_t *used)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)n};
    unsigned char *out = NULL;
    size_t room;

    /* -15: no header of zlib's own */
    if (deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    room = deflateBound(&z, (uLong)n);
    out = malloc(room ? room : 1);
    if (out) {
        z.next_out = out;
        z.avail_out = (uInt)room;
        if (deflate(&z, Z_FINISH) == Z_STREAM_END) {
            *used = z.total_out;
        } else {
            free(out);
            out = NULL;
        }
    }
    deflateEnd(&z);
    return out;
}

/* What both the entry and the directory say of a file. */
static void put_entry(struct osw_text *out, const char *name, uint32_t crc,
                      size_t packed, size_t n)
{
    put(out, VERSION, 2);
    put(out, UTF8, 2);
    put(out, DEFLATED, 2);
    put(out, 0, 2); /* time */
    put(out, FIRST_DAY, 2);
    put(out, crc, 4);
    put(out, (uint32_t)packed, 4);
    put(out, (uint32_t)n, 4);
    put(out, (uint32_t)strlen(name), 2);
    put(out, 0, 2); /* no extra field */
}

int osw_zip_add(struct osw_zip *zip, const char *name, const void *bytes,
                size_t n, bool program, struct osw_error *err)
{
    uint32_t at = (uint32_t)zip->bytes.used;
    unsigned char *packed;
    size_t used = 0;
    uint32_t crc;

    if (zip->n == OSW_ZIP_MAX_ENTRIES || n >= OSW_ZIP_MAX_BYTES / 2 ||
        zip->bytes.used >= OSW_ZIP_MAX_BYTES / 2 || strlen(name) > 1024)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected at most %d files of 1 GiB together, "
                        "and names of 1024 bytes",
                        name, OSW_ZIP_MAX_ENTRIES);
    packed = deflated(bytes, n, &used);
    if (!packed)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for an archive");
    crc = (uint32_t)crc32(crc32(0, NULL, 0), bytes, (uInt)n);
    osw_text_add_n(&zip->bytes, "PK\3\4", 4);
    put_entry(&zip->bytes, name, crc, used, n);
    osw_text_add(&zip->bytes, name);
    osw_text_add_n(&zip->bytes, (const char *)packed, used);
    free(packed);

    osw_text_add_n(&zip->directory, "PK\1\2", 4);
    put(&zip->directory, UNIX | VERSION, 2);
    put_entry(&zip->directory, name, crc, used, n);
    put(&zip->directory, 0, 4); /* comment, disk */
    put(&zip->directory, 0, 2); /* inner attributes */
    put(&zip->directory, (program ? 0100755U : 0100644U) << 16, 4);
    put(&zip->directory, at, 4);
    osw_text_add(&zip->directory, name);
    zip->n++;
    return zip->bytes.failed || zip->directory.failed
               ? osw_fail(err, OSW_NO_MEMORY, "no memory for an archive")
               : 0;
}

int osw_zip_end(struct osw_zip *zip, struct osw_error *err)
{
    uint32_t at = (uint32_t)zip->bytes.used;

    osw_text_add_n(&zip->bytes, zip->directory.data ? zip->directory.data : "",
                   zip->directory.used);
    osw_text_add_n(&zip->bytes, "PK\5\6", 4);
    put(&zip->bytes, 0, 4); /* disks */
    put(&zip->bytes, (uint32_t)zip->n, 2);
    put(&zip->bytes, (uint32_t)zip->n, 2);
    put(&zip->bytes, (uint32_t)zip->directory.used, 4);
    put(&zip->bytes, at, 4);
    put(&zip->bytes, 0, 2); /* comment */
    return zip->bytes.failed || zip->directory.failed
               ? osw_fail(err, OSW_NO_MEMORY, "no memory for an archive")
               : 0;
}

void osw_zip_free(struct osw_zip *zip)
{
    osw_text_free(&zip->bytes);
    osw_text_free(&zip->directory);
    *zip = (struct osw_zip){.n = 0};
}
