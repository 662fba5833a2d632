/* mpi_runner/batch/job_comment.c - the comment of a job: which file it writes
 */
#include "mpi_runner/batch/job_comment.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/batch/batch_script.h"

static const char ours[] = "opsweep";

const char *osw_job_comment(osw_arena_t *arena, const char *path,
                            struct osw_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *folder =
        slash ? osw_arena_strndup(arena, path, (size_t)(name - path)) : ".";
    char full[PATH_MAX];
    const char *comment;

    if (folder && !realpath(folder, full)) {
        osw_fail(err, OSW_BAD_INPUT, "'%s': cannot find the folder '%s'", path,
                 folder);
        return NULL;
    }
    comment = folder ? osw_arena_printf(arena, "%s:%s%s%s", ours, full,
                                        full[1] ? "/" : "", name)
                     : NULL;
    if (!comment)
        osw_fail(err, OSW_NO_MEMORY, "no memory for a file's name");
    return comment;
}

const char *osw_job_comment_shards(osw_arena_t *arena, const char *comment)
{
    return osw_arena_printf(arena, "%.*s.shard-%%a.h5",
                            osw_batch_base_length(comment), comment);
}

bool osw_job_comment_is_ours(const char *comment)
{
    size_t n = sizeof(ours) - 1;

    return strncmp(comment, ours, n) == 0 &&
           (!comment[n] || comment[n] == ' ' || comment[n] == ':');
}

bool osw_job_comment_stops(const char *comment)
{
    static const char word[] = " stops";

    return osw_job_comment_is_ours(comment) &&
           strncmp(comment + sizeof(ours) - 1, word, sizeof(word) - 1) == 0;
}

const char *osw_job_comment_file(const char *comment)
{
    const char *colon =
        osw_job_comment_is_ours(comment) ? strchr(comment, ':') : NULL;
    const char *file = colon ? colon + 1 + strspn(colon + 1, " ") : "";

    return *file ? file : NULL;
}
