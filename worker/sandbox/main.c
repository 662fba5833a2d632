/* worker/sandbox/main.c - opsweep-sandbox: the only place where op code runs
 *
 * Started by a worker with its end of a socket as descriptor 3; see
 * worker/protocol.h.  It first drops the rights that op code must not have.
 * For Python it becomes the interpreter that it was given, which loads the rest
 * of the sandbox, and isolates itself before it loads anything else.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/confine.h"
#include "common/paths.h"
#include "common/reaper.h"
#include "ops/build/compiler_limits.h"
#include "worker/launch_floor.h"
#include "worker/protocol.h"
#include "worker/sandbox/isolate.h"
#include "worker/sandbox/session.h"
#include "worker/scratch.h"

/* Soft and hard limits, as a table. */
static const struct {
    __rlimit_resource_t resource;
    rlim_t limit;
} limits[] = {
    {RLIMIT_CORE, 0},
    {RLIMIT_NOFILE, 256},
    {RLIMIT_FSIZE, (rlim_t)1 << 30},
};

static void limit_resources(void)
{
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct rlimit now;

        if (getrlimit(limits[i].resource, &now) < 0)
            continue;
        now.rlim_cur = limits[i].limit;
        if (now.rlim_max == RLIM_INFINITY || now.rlim_max > limits[i].limit)
            now.rlim_max = limits[i].limit;
        (void)setrlimit(limits[i].resource, &now);
    }
}

/* Launchers leave sockets open.  The cores are those of the worker's slot. */
static void drop_inheritance(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd >= 0) {
        ssize_t n = write(fd, "500", 3); /* out of memory: the op goes first */

        (void)n;
        close(fd);
    }
    (void)close_range(OSW_PROTOCOL_FD + 1, ~0U, 0);
}

/* The python module lies beside this program, and so do the plugins. */
static int become_python(char *python, char *device, char *how)
{
    struct osw_error err = OSW_ERROR_INIT;
    const char *self = osw_paths_self(&err);
    char home[PATH_MAX], script[PATH_MAX + 32];
    char *argv[] = {python, "-B", "-u", script, device, how, NULL};

    if (!self) {
        fprintf(stderr, "sandbox: %s\n", err.text);
        return 1;
    }
    snprintf(home, sizeof(home), "%s", self);
    *strrchr(home, '/') = '\0';
    snprintf(script, sizeof(script), "%s/python/opsweep_host.py", home);
    (void)setenv("OPSWEEP_HOME", home, 1);
    execv(python, argv);
    fprintf(stderr, "sandbox: cannot start '%s': %s\n", python,
            strerror(errno));
    return 1;
}

/* A compiler: what it reads may end in its messages, or in what it makes. */
static int run_compiler(char **argv, const char *word)
{
    osw_compiler_limits_set();
    if (strcmp(word, OSW_COMPILER_WORD) != 0)
        osw_isolate_reads(strcmp(word, OSW_CONFINE_OPS_WORD) == 0);
    execvp(argv[0], argv);
    fprintf(stderr, "cannot start '%s': %s\n", argv[0], strerror(errno));
    return 127;
}

static int open_first(const struct osw_device_ops *ops, struct osw_device **out,
                      struct osw_error *err)
{
    return osw_device_open(ops, 0, out, err);
}

int main(int argc, char **argv)
{
    pid_t parent = getppid();

    if (argc > 1 && strcmp(argv[1], OSW_REAPER_WORD) == 0) {
        osw_reaper_serve(STDIN_FILENO, osw_scratch_remove);
        return 0;
    }
    if (argc > 2 && (strcmp(argv[1], OSW_COMPILER_WORD) == 0 ||
                     strcmp(argv[1], OSW_CONFINE_WORD) == 0 ||
                     strcmp(argv[1], OSW_CONFINE_OPS_WORD) == 0))
        return run_compiler(argv + 2, argv[1]);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
        return 1;
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit_resources();
    drop_inheritance();
    if (argc > 1 && strcmp(argv[1], "--probe") == 0)
        return osw_isolate_probe(argc > 2 ? argv[2] : "cpu");
    if (argc > 1 && strcmp(argv[1], OSW_LAUNCH_WORD) == 0)
        return osw_launch_probe(argc, argv);
    if (fcntl(OSW_PROTOCOL_FD, F_GETFD) < 0) {
        fprintf(stderr, "opsweep-sandbox is started by opsweep itself\n");
        return 2;
    }
    if (argc > 2)
        return become_python(argv[2], argv[1], argv[3]);
    osw_isolate(argc > 1 ? argv[1] : "cpu");
    return osw_sandbox_loop(OSW_PROTOCOL_FD, argc > 1 ? argv[1] : "cpu",
                            open_first);
}
