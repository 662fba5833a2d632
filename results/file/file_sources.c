/* results/file/file_sources.c - of which files a result file's cells were made
 */
#include "results/file/file_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SOURCES = 1 << 20, HEX = 64, SHORT = 16 };

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

/* --- are they as recorded? --- */

static bool ends_in(const char *file, size_t stem, const char *word)
{
    size_t n = strlen(word);

    return stem > n && file[stem - n - 1] == '_' &&
           strncmp(file + stem - n, word, n) == 0;
}

bool osw_file_sources_is_rest(const char *file)
{
    const char *dot = strrchr(file, '.');

    return strcmp(file, "op.json") == 0 ||
           strncmp(file, "gen_input.", 10) == 0 ||
           ends_in(file, dot ? (size_t)(dot - file) : strlen(file),
                   "reference");
}

static const struct osw_run_source *find(const struct osw_run_source *list,
                                         size_t n,
                                         const struct osw_run_source *like)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].file, like->file) == 0 &&
            strcmp(list[i].op, like->op) == 0)
            return &list[i];
    return NULL;
}

static bool has_op(const struct osw_run_source *list, size_t n, const char *op)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].op, op) == 0)
            return true;
    return false;
}

void osw_file_sources_digits(const struct osw_run_source *source, int n,
                             char *out)
{
    for (int i = 0; i < n / 2; i++)
        snprintf(out + 2 * i, 3, "%02x", source->sha256[i]);
}

static int differs(const osw_file_t *file, const struct osw_run_source *what,
                   const struct osw_run_source *was,
                   const struct osw_run_source *is, const char *where,
                   struct osw_error *err)
{
    char expected[SHORT + 1] = "nothing", found[SHORT + 1] = "nothing";

    if (was)
        osw_file_sources_digits(was, SHORT, expected);
    if (is)
        osw_file_sources_digits(is, SHORT, found);
    return osw_fail(err, OSW_BAD_INPUT,
                    "op '%s', file '%s': expected SHA-256 %s... as '%s' "
                    "records, found %s... in '%s'",
                    what->op, what->file, expected, osw_file_info(file)->path,
                    found, where);
}

static int check_one(const osw_file_t *file, const struct osw_run_source *was,
                     size_t n_was, const struct osw_run_source *is,
                     const char *where, struct osw_error *err)
{
    static const uint8_t unknown[HEX / 2];
    const struct osw_run_source *s = find(was, n_was, is);
    const struct osw_run_source *next = s ? s + 1 : NULL;

    if (!s || memcmp(s->sha256, unknown, HEX / 2) == 0 ||
        memcmp(s->sha256, is->sha256, HEX / 2) != 0)
        return differs(file, is, s, is, where, err);
    next = find(next, n_was - (size_t)(next - was), is);
    return next ? osw_fail(err, OSW_BAD_INPUT,
                           "'%s': op '%s', '%s': expected one SHA-256 in "
                           "/sources, found several: its runs were of "
                           "different code, compare them one by one",
                           osw_file_info(file)->path, is->op, is->file)
                : 0;
}

static int check_all(const osw_file_t *file, const struct osw_run_source *was,
                     size_t n_was, const struct osw_run_source *now, size_t n,
                     const char *where, struct osw_error *err)
{
    if (n > 0 && n_was == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected the digests of its sources in "
                        "/sources, found none: nothing says which code it ran",
                        osw_file_info(file)->path);
    for (size_t i = 0; i < n; i++)
        if (check_one(file, was, n_was, &now[i], where, err))
            return -1;
    for (size_t i = 0; i < n_was; i++)
        if (osw_file_sources_is_rest(was[i].file) &&
            has_op(now, n, was[i].op) && !find(now, n, &was[i]))
            return differs(file, &was[i], &was[i], NULL, where, err);
    return 0;
}

int osw_file_sources_check(const osw_file_t *file,
                           const struct osw_run_source *now, size_t n,
                           const char *where, struct osw_error *err)
{
    struct osw_run_source *was = NULL;
    size_t n_was = 0;
    int rc = osw_file_sources(file, &was, &n_was, err);

    if (rc == 0)
        rc = check_all(file, was, n_was, now, n, where, err);
    free(was);
    return rc;
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
