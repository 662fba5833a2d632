/* ops/catalog/op_own.c - opsweep's own Python files as implementations */
#include "ops/catalog/op_own.h"

#include <string.h>

#include "common/paths.h"

const char *osw_op_own_path(osw_arena_t *arena, const char *file,
                            struct osw_error *err)
{
    const char *sandbox = osw_paths_sandbox(err);
    const char *slash = sandbox ? strrchr(sandbox, '/') : NULL;
    const char *path =
        slash ? osw_arena_printf(arena, "%.*s/python/%s",
                                 (int)(slash - sandbox), sandbox, file)
              : NULL;

    if (sandbox && !path)
        osw_fail(err, OSW_NO_MEMORY, "no memory for an op");
    return path;
}

const struct osw_op_file *osw_op_own_file(osw_arena_t *arena, const char *name,
                                          const char *file, const char *symbol,
                                          struct osw_error *err)
{
    struct osw_op_file *f = osw_arena_array(arena, 1, sizeof(*f));
    const char *slash = strrchr(file, '/');
    const char *path = slash ? file : osw_op_own_path(arena, file, err);

    if (!f || !path) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for an op");
        return NULL;
    }
    *f = (struct osw_op_file){.name = name,
                              .file = slash ? slash + 1 : file,
                              .path = path,
                              .words = "",
                              .symbol = symbol,
                              .shared = strncmp(file, "opsweep_aten", 12) == 0,
                              .language = osw_language_of(file)};
    return f;
}
