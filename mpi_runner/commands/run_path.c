/* mpi_runner/commands/run_path.c - where a run's result file goes */
#include "mpi_runner/commands/run_path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/guard.h"
#include "results/file/file.h"
#include "results/file/run_place.h"

const char *osw_run_path(osw_arena_t *memory, const struct osw_campaign *c)
{
    const char *named = getenv("OPSWEEP_OUTPUT");
    time_t now = time(NULL);
    struct tm utc;
    char date[32];

    if (*c->output)
        return c->output;
    if (named && *named)
        return named;
    gmtime_r(&now, &utc);
    strftime(date, sizeof(date), "%Y%m%dT%H%M%S", &utc);
    return osw_arena_printf(memory, "opsweep-%s-%s.h5", c->suite, date);
}

/* In a process of its own: the file is untrusted. */
static int try_file(void *arg, struct osw_error *err)
{
    const char *path = *(const char **)arg;
    osw_file_t *file = osw_file_open(path, err);
    int rc = -1;

    if (file && osw_file_info(file)->complete)
        osw_fail(err, OSW_NOTHING, "'%s' is finished: nothing is left to judge",
                 path);
    else if (file)
        rc = 0;
    osw_file_close(file);
    return rc;
}

int osw_run_path_resume(const char *path, struct osw_error *err)
{
    char journal[PATH_MAX];
    int n = snprintf(journal, sizeof(journal), "%s.journal", path);

    if (n < (int)sizeof(journal) && access(journal, F_OK) == 0)
        return 0;
    if (access(path, F_OK) == 0)
        return osw_guard_call(try_file, &path, err) < 0
                   ? osw_error_in(err, "option '--resume'")
                   : 0;
    if (osw_run_place_linked(path, err) < 0)
        return osw_error_in(err, "option '--resume'");
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--resume': expected a result file or its journal, "
                    "found neither '%s' nor '%s.journal'",
                    path, path);
}
