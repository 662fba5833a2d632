/* mpi_runner/generate/build_ahead.c - compilers that run while a wave is judged
 */
#include "mpi_runner/generate/build_ahead.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "mpi_runner/diagnose/subrun.h"
#include "mpi_runner/generate/wave.h"

enum { MAX_JOBS = 16 };

void osw_build_ahead_init(struct osw_build_ahead *a, const char *folder,
                          const char *device, const struct osw_lang *lang)
{
    *a = (struct osw_build_ahead){.pid = -1};
    if (strcmp(device, "cpu") != 0 && !lang->python)
        a->device = device;
    if (snprintf(a->root, PATH_MAX, "%s/" OSW_WAVE_ROOT, folder) >= PATH_MAX ||
        snprintf(a->log, PATH_MAX, "%s/.waves/build.log", folder) >= PATH_MAX)
        a->device = NULL;
}

void osw_build_ahead_want(struct osw_build_ahead *a)
{
    a->wanted = a->device != NULL;
}

/* The other half is for ranks and what they start. */
static int count_jobs(void)
{
    cpu_set_t cores;
    int half = sched_getaffinity(0, sizeof(cores), &cores) == 0
                   ? CPU_COUNT(&cores) / 2
                   : 1;

    return half < 1 ? 1 : half < MAX_JOBS ? half : MAX_JOBS;
}

void osw_build_ahead_look(struct osw_build_ahead *a)
{
    char jobs[24];
    const char *const words[] = {"build", "--device", a->device, "--jobs",
                                 jobs,    a->root,    NULL};
    struct osw_error err = OSW_ERROR_INIT;

    if (a->pid > 0 && osw_subrun_ended(a->pid))
        a->pid = -1;
    if (!a->wanted || a->pid > 0)
        return;
    a->wanted = false;
    snprintf(jobs, sizeof(jobs), "%d", count_jobs());
    a->pid = osw_subrun_begin(words, a->log, &err);
    if (a->pid < 0)
        osw_log(OSW_LOG_DEBUG, "nothing is built ahead: %s", err.text);
}

void osw_build_ahead_stop(struct osw_build_ahead *a)
{
    osw_subrun_end(a->pid);
    a->pid = -1;
    a->wanted = false;
}
