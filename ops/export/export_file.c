/* ops/export/export_file.c - reading sources, writing a package's files */
#include "ops/export/export_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/paths.h"

int osw_export_read_bytes(osw_arena_t *arena, const char *path,
                          const void **out, size_t *n_bytes,
                          struct osw_error *err)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    struct stat st;
    long size = -1;
    size_t n = 0;

    if (f && fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
        fclose(f);
        return osw_fail(err, OSW_BAD_INPUT, "'%s' is a folder, expected a file",
                        path);
    }
    if (f && fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    if (!f || size < 0) {
        osw_fail_sys(err, errno, "cannot read '%s'", path);
        if (f)
            fclose(f);
        return -1;
    }
    rewind(f);
    if (size <= OSW_EXPORT_MAX_FILE_BYTES)
        bytes = osw_arena_alloc(arena, (size_t)size + 1);
    if (bytes)
        n = fread(bytes, 1, (size_t)size, f);
    fclose(f);
    if (size > OSW_EXPORT_MAX_FILE_BYTES)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected at most %d bytes, found %ld", path,
                        OSW_EXPORT_MAX_FILE_BYTES, size);
    if (!bytes)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for '%s'", path);
    *out = bytes;
    *n_bytes = n;
    return 0;
}

int osw_export_read(osw_arena_t *arena, const char *path, const char **text,
                    struct osw_error *err)
{
    const void *bytes;
    size_t n;

    if (osw_export_read_bytes(arena, path, &bytes, &n, err) < 0)
        return -1;
    if (strlen(bytes) != n)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected a text, found a zero byte", path);
    *text = bytes;
    return 0;
}

int osw_export_put(const char *path, const void *bytes, size_t n,
                   struct osw_error *err)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    bool done;
    FILE *f;

    if (slash && (size_t)(slash - path) < sizeof(folder)) {
        memcpy(folder, path, (size_t)(slash - path));
        folder[slash - path] = '\0';
        if (osw_paths_make_folders(folder, 0777, err) < 0)
            return -1;
    }
    f = fopen(path, "wxb");
    if (!f)
        return osw_fail_sys(err, errno, "cannot write '%s'", path);
    done = fwrite(bytes, 1, n, f) == n;
    if (fclose(f) != 0 || !done)
        return osw_fail_sys(err, errno, "cannot write '%s'", path);
    return 0;
}
