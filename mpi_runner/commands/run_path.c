/* mpi_runner/commands/run_path.c - where a run's result file goes */
#include "mpi_runner/commands/run_path.h"

#include <stdlib.h>
#include <time.h>

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
