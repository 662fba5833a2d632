/* ops/build/tool.c - run programs such as compilers, with a deadline */
#include "ops/build/tool.h"

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
#include "common/reaper.h"
#include "common/stops.h"
#include "common/text.h"

/* Looks at a program come between other work. */
#define GAP_NS INT64_C(10000000000)

enum {
    TICK_MS = 50,
    CHUNKS = 16, /* of output, at one poll */
};

void osw_tool_to_text(void *text, const char *bytes, size_t n)
{
    osw_text_add_n(text, bytes, n);
}

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

static int set_files(posix_spawn_file_actions_t *files, int out_fd,
                     const struct osw_tool *tool)
{
    static const char nowhere[] = "/dev/null";
    int e = posix_spawn_file_actions_addopen(
        files, STDIN_FILENO, tool->input ? tool->input : nowhere, O_RDONLY, 0);

    if (e == 0)
        e = posix_spawn_file_actions_adddup2(files, out_fd, STDOUT_FILENO);
    if (e == 0 && tool->split)
        e = posix_spawn_file_actions_addopen(
            files, STDERR_FILENO, tool->errors ? tool->errors : nowhere,
            O_WRONLY | (tool->errors ? O_CREAT | O_TRUNC : 0), 0600);
    if (e == 0 && !tool->split)
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
    e = set_files(&files, out_fd, tool);
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

/* Take what is there, at most so much at a time; true: no more will come. */
static bool drain(struct osw_tool_process *process)
{
    const struct osw_tool *tool = process->tool;
    char chunk[16384];

    for (int i = 0; i < CHUNKS; i++) {
        ssize_t n = read(process->fd, chunk, sizeof(chunk));

        if (n < 0)
            return errno != EINTR && errno != EAGAIN;
        if (n == 0)
            return true;
        if (tool->sink)
            tool->sink(tool->sink_arg, chunk, (size_t)n);
    }
    return false;
}

/* Without reaping: the zombie keeps the group's number from being given to
 * another process until the group was killed.
 */
static bool ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};

    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
        return errno != EINTR;
    return info.si_pid == pid;
}

static void close_output(struct osw_tool_process *process)
{
    if (process->fd >= 0)
        close(process->fd);
    process->fd = -1;
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

int osw_tool_poll(struct osw_tool_process *process, struct osw_tool_end *end,
                  struct osw_error *err)
{
    struct osw_tool_end got = {.exit_code = -1};

    if (process->fd >= 0 && drain(process))
        close_output(process);
    if (process->fd >= 0 || !ended(process->pid)) {
        if (osw_deadline_left(&process->deadline, osw_clock_ns(), GAP_NS) > 0)
            return 0;
        got.late = true;
    }
    kill(-process->pid, SIGKILL);
    osw_reaper_remove(process->pid);
    close_output(process);
    if (reap(process->pid, &got, err) < 0)
        return -1;
    *end = got;
    return 1;
}

int osw_tool_start(const struct osw_tool *tool,
                   struct osw_tool_process *process, struct osw_error *err)
{
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
    if (pipe2(fds, O_CLOEXEC) < 0 || fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0) {
        osw_fail_sys(err, errno, "cannot make a pipe");
        goto out;
    }
    e = start(tool, env, fds[1], &pid);
    if (e) {
        osw_fail_sys(err, e, "cannot start '%s'", tool->argv[0]);
        goto out;
    }
    osw_reaper_add(pid);
    *process = (struct osw_tool_process){
        tool, pid, fds[0], osw_deadline_in(tool->deadline_ns, osw_clock_ns())};
    fds[0] = -1;
    rc = 0;
    goto out;

no_memory:
    osw_fail(err, OSW_NO_MEMORY, "no memory to start '%s'", tool->argv[0]);
out:
    if (fds[0] >= 0)
        close(fds[0]);
    if (fds[1] >= 0)
        close(fds[1]); /* now only the program holds the writing end */
    free(env);
    free(tmp_dir);
    return rc;
}

/* Until something may have happened, and not for long. */
static void nap(const struct osw_tool_process *process, int64_t *nap_ns)
{
    struct pollfd p = {.fd = process->fd, .events = POLLIN};

    if (process->fd >= 0) {
        poll(&p, 1, TICK_MS);
        return;
    }
    osw_clock_sleep_ns(*nap_ns);
    *nap_ns = 2000000;
}

int osw_tool_run(const struct osw_tool *tool, struct osw_tool_end *end,
                 struct osw_error *err)
{
    struct osw_tool_process process;
    int64_t nap_ns = 100000;
    int rc;

    if (osw_tool_start(tool, &process, err) < 0)
        return -1;
    while ((rc = osw_tool_poll(&process, end, err)) == 0) {
        nap(&process, &nap_ns);
        if (tool->tick)
            tool->tick(tool->tick_arg);
    }
    return rc < 0 ? -1 : 0;
}
