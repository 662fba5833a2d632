/* ops/export/export_sources.c - sources of op folders, with the headers that
 * they include
 */
#include "ops/export/export_sources.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops/build/include_line.h"
#include "ops/export/export_file.h"

const char *osw_export_plain_path(osw_arena_t *arena, const char *path)
{
    char *out = osw_arena_strdup(arena, path);
    size_t used = 0;

    if (!out || *path == '/')
        return NULL;
    while (*path) {
        size_t n = strcspn(path, "/");

        if (n == 2 && strncmp(path, "..", 2) == 0) {
            if (used == 0)
                return NULL;
            while (used > 0 && out[used - 1] != '/')
                used--;
            used -= used > 0;
        } else if (n > 0 && !(n == 1 && *path == '.')) {
            if (used > 0)
                out[used++] = '/';
            memmove(out + used, path, n);
            used += n;
        }
        path += n + (path[n] == '/');
    }
    out[used] = '\0';
    return used > 0 ? out : NULL;
}

/* Without links and `..`; a name that is not there as it is. */
static const char *real_name(osw_arena_t *arena, const char *path)
{
    char *real = realpath(path, NULL);
    const char *copy = real ? osw_arena_strdup(arena, real) : path;

    free(real);
    return copy;
}

/* Is it copied?  -1 with err set: from another file. */
static int is_done(const struct osw_export_copies *done, const char *place,
                   const char *from, bool *yes, struct osw_error *err)
{
    *yes = false;
    for (size_t i = 0; i < done->n; i++) {
        if (strcmp(done->place[i], place) != 0)
            continue;
        *yes = true;
        if (strcmp(done->from[i], from) == 0)
            return 0;
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' and '%s' both go to csrc/%s: export them into "
                        "packages of their own",
                        done->from[i], from, place);
    }
    return 0;
}

static int note_done(struct osw_export_copies *done, const char *place,
                     const char *from, struct osw_error *err)
{
    if (done->n == OSW_EXPORT_MAX_SOURCES)
        return osw_fail(err, OSW_BAD_INPUT,
                        "expected at most %d sources and headers",
                        OSW_EXPORT_MAX_SOURCES);
    done->place[done->n] = place;
    done->from[done->n++] = from;
    return 0;
}

/* Copy root/place to to/place, unless it is there; all that it includes by
 * quotes and that is there follows.
 */
int osw_export_copy_source(osw_arena_t *arena, const char *op_dir,
                           const char *folder, const char *file, const char *to,
                           struct osw_export_copies *done,
                           struct osw_error *err)
{
    const char *raw = osw_arena_printf(arena, "ops/%s/%s", folder, file);
    const char *place = raw ? osw_export_plain_path(arena, raw) : NULL;
    const char *from = osw_arena_printf(arena, "%s/%s", op_dir, file);
    const char *target, *text, *slash = strrchr(file, '/');
    bool yes;

    if (!place || strncmp(place, "ops/", 4) != 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s/%s' lies outside of the ops' root: expected "
                        "headers there, or beside the op",
                        op_dir, file);
    if (!from)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for sources");
    from = real_name(arena, from);
    if (!from)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for sources");
    if (is_done(done, place, from, &yes, err) < 0)
        return -1;
    if (yes)
        return 0;
    target = osw_arena_printf(arena, "%s/%s", to, place);
    if (!target || note_done(done, place, from, err) < 0 ||
        osw_export_read(arena, from, &text, err) < 0 ||
        osw_export_put(target, text, strlen(text), err) < 0)
        return -1;
    for (const char *line = text; *line;
         line += strcspn(line, "\n"), line += *line == '\n') {
        const char *name = osw_include_line(arena, line), *next, *path;

        if (!name)
            continue;
        next = osw_arena_printf(
            arena, "%.*s%s", slash ? (int)(slash - file + 1) : 0, file, name);
        path = next ? osw_arena_printf(arena, "%s/%s", op_dir, next) : NULL;
        if (!path)
            return osw_fail(err, OSW_NO_MEMORY, "no memory for sources");
        if (access(path, R_OK) == 0 &&
            osw_export_copy_source(arena, op_dir, folder, next, to, done, err) <
                0)
            return -1;
    }
    return 0;
}
