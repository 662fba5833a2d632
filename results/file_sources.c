/* results/file_sources.c - of which files a result file's cells were made */
#include "results/file_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SOURCES = 1 << 20, HEX = 64 };

static bool take_hex(const char *hex, uint8_t out[32])
{
    if (strlen(hex) != HEX || strspn(hex, "0123456789abcdef") != HEX)
        return false;
    for (int i = 0; i < 32; i++) {
        unsigned byte;

        if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
            return false;
        out[i] = (uint8_t)byte;
    }
    return true;
}

static bool is_there(const struct osw_run_source *list, size_t n,
                     const struct osw_run_source *like)
{
    for (size_t i = n; i-- > 0;)
        if (memcmp(list[i].sha256, like->sha256, sizeof(like->sha256)) == 0 &&
            strcmp(list[i].file, like->file) == 0 &&
            strcmp(list[i].op, like->op) == 0)
            return true;
    return false;
}

int osw_file_sources(const osw_file_t *file, struct osw_run_source **list,
                     size_t *n, struct osw_error *err)
{
    uint64_t rows = osw_file_rows(file, "/sources");
    const char *const *op, *const *name, *const *hex;
    struct osw_run_source *grown;

    if (rows == 0)
        return 0;
    if (rows > MAX_SOURCES)
        return osw_fail(err, OSW_BAD_INPUT, "'%s': more than %d /sources",
                        osw_file_info(file)->path, MAX_SOURCES);
    grown = realloc(*list, (*n + rows) * sizeof(*grown));
    if (!grown)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the sources of '%s'",
                        osw_file_info(file)->path);
    *list = grown;
    if (osw_file_texts(file, "/sources/op", rows, &op, err) ||
        osw_file_texts(file, "/sources/file", rows, &name, err) ||
        osw_file_texts(file, "/sources/sha256", rows, &hex, err))
        return -1;
    for (uint64_t i = 0; i < rows; i++) {
        struct osw_run_source source = {.op = op[i], .file = name[i]};

        if (!take_hex(hex[i], source.sha256))
            return osw_fail(err, OSW_BAD_INPUT,
                            "'%s' is damaged: /sources/sha256 of '%s' is no "
                            "digest",
                            osw_file_info(file)->path, name[i]);
        if (!is_there(grown, *n, &source))
            grown[(*n)++] = source;
    }
    return 0;
}

const char *osw_file_environment(const osw_file_t *file, const char *key)
{
    uint64_t n = osw_file_rows(file, "/provenance");
    struct osw_error unused = OSW_ERROR_INIT;
    const char *const *keys, *const *values;

    if (n == 0 ||
        osw_file_texts(file, "/provenance/env_key", n, &keys, &unused) ||
        osw_file_texts(file, "/provenance/env_value", n, &values, &unused))
        return NULL;
    for (uint64_t i = 0; i < n; i++)
        if (strcmp(keys[i], key) == 0)
            return values[i];
    return NULL;
}
