/* ops/scaffold/yaml_ops.c - which op folders an ExecuTorch file names */
#include "ops/scaffold/yaml_ops.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/paths.h"
#include "ops/export/export_file.h"
#include "ops/notation/pte.h"
#include "ops/notation/schema_out.h"

/* An overload's name without "out" or "_out" at its end. */
static size_t overload_length(const char *overload)
{
    size_t n = strlen(overload);

    if (strcmp(overload, "out") == 0)
        return 0;
    return n > 4 && strcmp(overload + n - 4, "_out") == 0 ? n - 4 : n;
}

const char *osw_yaml_ops_shipped(osw_arena_t *arena,
                                 const struct osw_schema *schema,
                                 struct osw_error *err)
{
    const char *library = osw_paths_library_dir(err), *dir;
    const char *overload = osw_schema_torch_functional(schema);
    size_t n = overload ? strlen(overload) : overload_length(schema->overload);

    if (!library)
        return NULL;
    dir = osw_arena_printf(arena, "%s/%s%s%.*s", library, schema->name,
                           n ? "__" : "", (int)n,
                           overload ? overload : schema->overload);
    return dir && access(dir, F_OK) == 0 ? dir : NULL;
}

const char *osw_yaml_ops_folder(osw_arena_t *arena,
                                const struct osw_schema *functional)
{
    return osw_arena_printf(arena, "%s%s%s", functional->name,
                            *functional->overload ? "__" : "",
                            functional->overload);
}

/* NULL: err is set. */
static const char *name_of(osw_arena_t *arena, const struct osw_yaml_op *op,
                           struct osw_error *err)
{
    const struct osw_schema *s = &op->schema;
    struct osw_schema functional;
    const char *dir, *name;
    size_t n;

    if (op->is_func) {
        if (osw_schema_functional(arena, s, &functional, err) < 0)
            return NULL;
        name = osw_yaml_ops_folder(arena, &functional);
    } else {
        dir = osw_yaml_ops_shipped(arena, s, err);
        n = overload_length(s->overload);
        name = dir ? strrchr(dir, '/') + 1
                   : osw_arena_printf(arena, "%s%s%.*s", s->name, n ? "." : "",
                                      (int)n, s->overload);
    }
    if (!name)
        osw_fail(err, OSW_NO_MEMORY, "no memory for the ops' names");
    return err->status == OSW_OK ? name : NULL;
}

static int add_all(osw_arena_t *arena, const char *path,
                   const char *const **names, size_t *n, struct osw_error *err)
{
    struct osw_ops_yaml yaml;
    const char **all;
    const void *text;
    size_t length;

    if (access(path, R_OK) < 0)
        return osw_fail(err, OSW_BAD_INPUT, "cannot open: %s", strerror(errno));
    if (osw_export_read_bytes(arena, path, &text, &length, err) < 0 ||
        (osw_pte_is(text, length)
             ? osw_pte_read(arena, text, length, &yaml, err)
             : osw_ops_yaml_read(arena, text, length, &yaml, err)) < 0)
        return -1;
    if (yaml.n == 0)
        return osw_fail(err, OSW_BAD_INPUT, "expected operators, found none");
    all = osw_arena_array(arena, *n + yaml.n, sizeof(*all));
    if (!all)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the ops' names");
    for (size_t i = 0; i < *n; i++)
        all[i] = (*names)[i];
    for (size_t i = 0; i < yaml.n; i++) {
        all[*n + i] = name_of(arena, &yaml.at[i], err);
        if (!all[*n + i])
            return -1;
    }
    *names = all;
    *n += yaml.n;
    return 0;
}

int osw_yaml_ops_add(osw_arena_t *arena, const char *path,
                     const char *const **names, size_t *n,
                     struct osw_error *err)
{
    int rc = add_all(arena, path, names, n, err);

    if (rc < 0)
        osw_error_in(err, "'%s'", path);
    return rc;
}
