/* ops/tool.c - run a program such as a compiler, with a deadline */
#include "ops/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/stops.h"

enum { TICK_MS = 50 };

/* --- environment: ours, in the C locale, with another TMPDIR --- */

static bool is_variable(const char *entry, const char *name)
{
    size_t n = strlen(name);

    return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

/* Entries are borrowed, the array is the caller's to free. */
static char **make_environment(char *tmp_dir)
{
    static char locale[] = "LC_ALL=C";
    size_t n = 0, used = 0;
    char **env;

    while (environ[n])
        n++;
    env = calloc(n + 3, sizeof(*env));
    if (!env)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (!is_variable(environ[i], "LC_ALL") &&
            !(tmp_dir && is_variable(environ[i], "TMPDIR")))
            env[used++] = environ[i];
    env[used++] = locale;
    if (tmp_dir)
        env[used++] = tmp_dir;
    return env;
}

/* --- start --- */

static int set_files(posix_spawn_file_actions_t *files, int out_fd, bool split)
{
    int e = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null",
                                             O_RDONLY, 0);

    if (e == 0)
        e = posix_spawn_file_actions_adddup2(files, out_fd, STDOUT_FILENO);
    if (e == 0 && split)
        e = posix_spawn_file_actions_addopen(files, STDERR_FILENO, "/dev/null",
                                             O_WRONLY, 0);
    if (e == 0 && !split)
        e = posix_spawn_file_actions_adddup2(files, out_fd, STDERR_FILENO);
    return e;
}

static int set_attributes(posix_spawnattr_t *attr)
{
    sigset_t stops, all;
    int e;

    osw_stops(&stops);
    sigfillset(&all);
    e = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP |
                                           POSIX_SPAWN_SETSIGMASK |
                                           POSIX_SPAWN_SETSIGDEF);
    if (e == 0)
        e = posix_spawnattr_setsigmask(attr, &stops);
    if (e == 0)
        e = posix_spawnattr_setsigdefault(attr, &all);
    return e;
}

/* posix_spawn functions return an error number and set no errno. */
static int start(const struct osw_tool *tool, char **env, int out_fd,
                 pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    int e;

    e = posix_spawn_file_actions_init(&files);
    if (e)
        return e;
    e = posix_spawnattr_init(&attr);
    if (e)
        goto out_files;
    e = set_files(&files, out_fd, tool->split);
    if (e == 0)
        e = set_attributes(&attr);
    if (e == 0)
        e = posix_spawnp(pid, tool->argv[0], &files, &attr,
                         (char *const *)(uintptr_t)tool->argv, env);
    posix_spawnattr_destroy(&attr);
out_files:
    posix_spawn_file_actions_destroy(&files);
    return e;
}

/* --- watch --- */

static void tick(const struct osw_tool *tool)
{
    if (tool->tick)
        tool->tick(tool->tick_arg);
}

/* Read until the end of output or the deadline; true: the end. */
static bool drain(const struct osw_tool *tool, int fd)
{
    char chunk[16384];

    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = poll(&p, 1, TICK_MS);
        ssize_t n;

        tick(tool);
        if (osw_clock_ns() >= tool->deadline_ns)
            return false;
        if (ready <= 0)
            continue;
        n = read(fd, chunk, sizeof(chunk));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return true;
        if (tool->sink)
            tool->sink(tool->sink_arg, chunk, (size_t)n);
    }
}

/* Wait for the end without reaping: the zombie keeps the group's number from
 * being given to somebody else until the group was killed.
 */
static bool ended(const struct osw_tool *tool, pid_t pid)
{
    for (int64_t nap_ns = 100000;; nap_ns = 2000000) {
        siginfo_t info = {.si_pid = 0};

        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 &&
            errno != EINTR)
            return true;
        if (info.si_pid == pid)
            return true;
        if (osw_clock_ns() >= tool->deadline_ns)
            return false;
        osw_clock_sleep_ns(nap_ns);
        tick(tool);
    }
}

static int reap(pid_t pid, struct osw_tool_end *end, struct osw_error *err)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return osw_fail_sys(err, errno, "cannot wait for process %d",
                                (int)pid);
    end->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return 0;
}

int osw_tool_run(const struct osw_tool *tool, struct osw_tool_end *end,
                 struct osw_error *err)
{
    struct osw_tool_end got = {.exit_code = -1};
    char *tmp_dir = NULL, **env = NULL;
    int fds[2] = {-1, -1}, rc = -1, e;
    pid_t pid;

    if (tool->tmp_dir && asprintf(&tmp_dir, "TMPDIR=%s", tool->tmp_dir) < 0) {
        tmp_dir = NULL;
        goto no_memory;
    }
    env = make_environment(tmp_dir);
    if (!env)
        goto no_memory;
    if (pipe2(fds, O_CLOEXEC) < 0) {
        osw_fail_sys(err, errno, "cannot make a pipe");
        goto out;
    }
    e = start(tool, env, fds[1], &pid);
    if (e) {
        osw_fail_sys(err, e, "cannot start '%s'", tool->argv[0]);
        goto out;
    }
    close(fds[1]); /* now only the program holds the writing end */
    fds[1] = -1;
    got.late = !drain(tool, fds[0]) || !ended(tool, pid);
    kill(-pid, SIGKILL);
    rc = reap(pid, &got, err);
    if (rc == 0)
        *end = got;
    goto out;

no_memory:
    osw_fail(err, OSW_NO_MEMORY, "no memory to start '%s'", tool->argv[0]);
out:
    if (fds[0] >= 0)
        close(fds[0]);
    if (fds[1] >= 0)
        close(fds[1]);
    free(env);
    free(tmp_dir);
    return rc;
}
