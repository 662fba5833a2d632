/* ops/build/build_deps.c - the files that a build read, and what they come to
 */
#include "ops/build/build_deps.h"

#include <sha256.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ops/build/build_request.h"
#include "ops/build/file_hash.h"

static const char first_line[] = "opsweep deps 1\n";

/* --- from a rule --- */

struct reader {
    const struct osw_build_roots *roots;
    struct osw_text *manifest;
    char *toolkit; /* folder of CUDA's headers; NULL: not seen yet */
};

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
    return path[used] ? used : 0;
}

/* Links point this way in one release of CUDA and that way in another. */
static void add_far_file(const char *path, struct reader *reader)
{
    const char *base = strrchr(path, '/');
    char *real = realpath(path, NULL);

    if (real && !reader->toolkit && base &&
        strcmp(base, "/cuda_runtime.h") == 0) {
        reader->toolkit = real;
        real[folder_length(real)] = '\0';
        real = NULL;
        osw_text_printf(reader->manifest, "t %s\n", path);
    } else if (!real || !reader->toolkit ||
               below(real, reader->toolkit, strlen(reader->toolkit)) == 0) {
        osw_text_printf(reader->manifest, "a %s\n", path);
    }
    free(real);
}

/* The longer root wins: a folder may hold the other. */
static void add_file(const char *path, struct reader *reader)
{
    const char *source = skip_dots(reader->roots->source);
    const char *include = skip_dots(reader->roots->include_dir);
    const char *at = skip_dots(path);
    size_t s = below(at, source, folder_length(source));
    size_t i = below(at, include, strlen(include));

    if (strcmp(at, source) == 0)
        return;
    if (s > 0 && s >= i)
        osw_text_printf(reader->manifest, "s %s\n", at + s);
    else if (i > 0)
        osw_text_printf(reader->manifest, "i %s\n", at + i);
    else if (at[0] && at[0] != '/' && !strchr(source, '/'))
        osw_text_printf(reader->manifest, "s %s\n", at);
    else
        add_far_file(path, reader);
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

static int read_rule(const char *at, const char *end, struct reader *reader)
{
    char path[OSW_BUILD_MAX_PATH];

    for (at = skip_blanks(at, end); at < end && *at != '\n';
         at = skip_blanks(at, end)) {
        if (!take_file(&at, end, path, sizeof(path)) || !path[0])
            return -1;
        add_file(path, reader);
    }
    return 0;
}

int osw_build_deps_from_rule(const char *rule, size_t n,
                             const struct osw_build_roots *roots,
                             struct osw_text *manifest)
{
    struct reader reader = {.roots = roots, .manifest = manifest};
    const char *at = memchr(rule, ':', n);
    int rc;

    if (!at || n > OSW_BUILD_DEPS_MAX_BYTES)
        return -1;
    osw_text_add(manifest, first_line);
    rc = read_rule(at + 1, rule + n, &reader);
    free(reader.toolkit);
    if (manifest->failed || manifest->used > OSW_BUILD_DEPS_MAX_BYTES)
        return -1;
    return rc;
}

/* --- to a name --- */

/* The root of a line's letter, and its length; false: no such letter. */
static bool find_root(char letter, const struct osw_build_roots *roots,
                      const char **root, size_t *n)
{
    *root = letter == 'i' ? roots->include_dir : roots->source;
    *n = letter == 'i'   ? strlen(roots->include_dir)
         : letter == 's' ? folder_length(roots->source)
                         : 0;
    return letter && strchr("siat", letter);
}

static int resolve(const char *line, size_t n,
                   const struct osw_build_roots *roots, char *path, size_t size)
{
    const char *root;
    size_t root_n;
    int used;

    if (n < 3 || n > OSW_BUILD_MAX_PATH || line[1] != ' ' ||
        !find_root(line[0], roots, &root, &root_n))
        return -1;
    used = snprintf(path, size, "%.*s%s%.*s", (int)root_n, root,
                    root_n > 0 ? "/" : "", (int)(n - 2), line + 2);
    return used < 0 || (size_t)used >= size ? -1 : 0;
}

static int hash_stamp(SHA2_CTX *sha, const char *path)
{
    struct stat st;
    char text[64];
    int n;

    if (stat(path, &st) < 0)
        return -1;
    n = snprintf(text, sizeof(text), "%lld %lld.%09ld", (long long)st.st_size,
                 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    SHA256Update(sha, (const uint8_t *)text, (size_t)n);
    return 0;
}

static int hash_line(SHA2_CTX *sha, const char *line, size_t n,
                     const struct osw_build_roots *roots, int64_t *newest_ns)
{
    char path[OSW_BUILD_MAX_PATH];
    struct osw_file_hash hash;

    if (resolve(line, n, roots, path, sizeof(path)) < 0)
        return -1;
    SHA256Update(sha, (const uint8_t *)line, n + 1); /* with its end */
    if (line[0] == 't')
        return hash_stamp(sha, path);
    if (osw_file_hash(path, &hash, NULL) < 0)
        return -1;
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
