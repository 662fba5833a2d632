/* ops/build_deps.c - the files that a build read, and what they come to */
#include "ops/build_deps.h"

#include <sha256.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/build.h"
#include "ops/file_hash.h"

static const char first_line[] = "opsweep deps 1\n";

/* --- from a rule --- */

static const char *skip_dots(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        for (path += 2; *path == '/';)
            path++;
    return path;
}

/* The folder's length in `path`; 0: the current one. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) : 0;
}

/* How many bytes of path are the folder; 0: none, it lies elsewhere. */
static size_t below(const char *path, const char *folder, size_t n)
{
    size_t used = n;

    while (n > 0 && folder[n - 1] == '/')
        used = --n;
    if (n == 0 || strncmp(path, folder, n) != 0 || path[n] != '/')
        return 0;
    while (path[used] == '/')
        used++;
    return used;
}

static bool is_toolkit(const char *path, const struct osw_build_roots *roots)
{
    char *real = roots->toolkit ? realpath(path, NULL) : NULL;
    bool yes = real && below(real, roots->toolkit, strlen(roots->toolkit)) > 0;

    free(real);
    return yes;
}

/* The longer root wins: a folder may hold the other. */
static void add_file(const char *path, const struct osw_build_roots *roots,
                     struct osw_text *manifest)
{
    const char *source = skip_dots(roots->source);
    const char *include = skip_dots(roots->include_dir);
    const char *at = skip_dots(path);
    size_t s = below(at, source, folder_length(source));
    size_t i = below(at, include, strlen(include));

    if (strcmp(at, source) == 0)
        return;
    if (s > 0 && s >= i)
        osw_text_printf(manifest, "s %s\n", at + s);
    else if (i > 0)
        osw_text_printf(manifest, "i %s\n", at + i);
    else if (at[0] != '/' && folder_length(source) == 0 && source[0] != '/')
        osw_text_printf(manifest, "s %s\n", at);
    else if (!is_toolkit(path, roots))
        osw_text_printf(manifest, "a %s\n", path);
}

/* One file of a rule, its quotes undone; false: one that no line can hold. */
static bool take_file(const char **at, const char *end, char *path, size_t size)
{
    const char *p = *at;
    size_t n = 0;

    for (; p < end && *p != ' ' && *p != '\n'; p++) {
        if (*p == '\\' && p + 1 < end && (p[1] == ' ' || p[1] == '#'))
            p++;
        else if (*p == '\\' && p + 1 < end && p[1] == '\n')
            break;
        else if (*p == '$' && p + 1 < end && p[1] == '$')
            p++;
        if ((unsigned char)*p < ' ' || n + 1 >= size)
            return false;
        path[n++] = *p;
    }
    path[n] = '\0';
    *at = p;
    return true;
}

static const char *skip_blanks(const char *at, const char *end)
{
    for (;; at++)
        if (end - at >= 2 && at[0] == '\\' && at[1] == '\n')
            at++;
        else if (at == end || *at != ' ')
            return at;
}

int osw_build_deps_from_rule(const char *rule, size_t n,
                             const struct osw_build_roots *roots,
                             struct osw_text *manifest)
{
    const char *end = rule + n, *at = memchr(rule, ':', n);
    char path[OSW_BUILD_MAX_PATH];

    if (!at || n > OSW_BUILD_DEPS_MAX_BYTES)
        return -1;
    osw_text_add(manifest, first_line);
    for (at = skip_blanks(at + 1, end); at < end && *at != '\n';
         at = skip_blanks(at, end)) {
        if (!take_file(&at, end, path, sizeof(path)) || !path[0])
            return -1;
        add_file(path, roots, manifest);
    }
    return manifest->failed || manifest->used > OSW_BUILD_DEPS_MAX_BYTES ? -1
                                                                         : 0;
}

/* --- to a name --- */

static int resolve(const char *line, size_t n,
                   const struct osw_build_roots *roots, char *path, size_t size)
{
    const char *root = line[0] == 'i' ? roots->include_dir : roots->source;
    size_t root_n =
        line[0] == 'i' ? strlen(root) : folder_length(roots->source);
    int used;

    if (n < 3 || n > OSW_BUILD_MAX_PATH || line[1] != ' ')
        return -1;
    if (line[0] == 'a')
        root_n = 0;
    else if (line[0] != 's' && line[0] != 'i')
        return -1;
    used = snprintf(path, size, "%.*s%s%.*s", (int)root_n, root,
                    root_n > 0 ? "/" : "", (int)(n - 2), line + 2);
    return used < 0 || (size_t)used >= size ? -1 : 0;
}

static int hash_line(SHA2_CTX *sha, const char *line, size_t n,
                     const struct osw_build_roots *roots, int64_t *newest_ns)
{
    char path[OSW_BUILD_MAX_PATH];
    struct osw_file_hash hash;

    if (resolve(line, n, roots, path, sizeof(path)) < 0 ||
        osw_file_hash(path, &hash, NULL) < 0)
        return -1;
    SHA256Update(sha, (const uint8_t *)line, n + 1); /* with its end */
    SHA256Update(sha, hash.sha256, sizeof(hash.sha256));
    if (hash.changed_unix_ns > *newest_ns)
        *newest_ns = hash.changed_unix_ns;
    return 0;
}

int osw_build_deps_name(const char *manifest, size_t n,
                        const struct osw_build_roots *roots, const char *key,
                        char name[OSW_BUILD_NAME_SIZE], int64_t *newest_ns)
{
    size_t at = sizeof(first_line) - 1, files = 0;
    int64_t newest = 0;
    SHA2_CTX sha;

    if (n < at || n > OSW_BUILD_DEPS_MAX_BYTES || memchr(manifest, '\0', n) ||
        memcmp(manifest, first_line, at) != 0 || manifest[n - 1] != '\n')
        return -1;
    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)key, strlen(key) + 1);
    while (at < n) {
        const char *line = manifest + at;
        size_t length =
            (size_t)((const char *)memchr(line, '\n', n - at) - line);

        if (++files > OSW_BUILD_DEPS_MAX_FILES ||
            hash_line(&sha, line, length, roots, &newest) < 0)
            return -1;
        at += length + 1;
    }
    SHA256End(&sha, name);
    if (newest_ns)
        *newest_ns = newest;
    return 0;
}
