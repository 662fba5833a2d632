/* worker/judge/process/spawn.c - a sandbox process is started, or forked by a
 * zygote */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/reaper.h"
#include "common/stops.h"
#include "worker/judge/process/env_allowlist.h"
#include "worker/judge/process/sandbox_internal.h"
#include "worker/scratch.h"

enum {
    QUICK_US = 2000, /* most answers come within; waited for in one call */
    FORK_STEP_MS = 50,
};

extern char **environ;

/* --- start --- */

/* Variables that override those of our environment: the number of threads of
 * its slot, and settings that make idle threads sleep instead of spin, so that
 * they do not disturb other calls.
 */
static const struct {
    const char *name;
    const char *value; /* NULL: the slot's number of threads */
} variables[] = {
    {"OMP_NUM_THREADS", NULL},
    {"OPENBLAS_NUM_THREADS", NULL},
    {"MKL_NUM_THREADS", NULL},
    {"OMP_WAIT_POLICY", "passive"},
};

enum { N_VARIABLES = sizeof(variables) / sizeof(variables[0]) };

static bool is_variable(const char *entry)
{
    for (size_t k = 0; k < N_VARIABLES; k++) {
        size_t n = strlen(variables[k].name);

        if (strncmp(entry, variables[k].name, n) == 0 && entry[n] == '=')
            return true;
    }
    return false;
}

/* Is `entry` the variable that `setting` ("NAME=VALUE") sets? */
static bool is_same_variable(const char *entry, const char *setting)
{
    size_t n = strcspn(setting, "=");

    return n > 0 && strncmp(entry, setting, n) == 0 && entry[n] == '=';
}

static char **make_environ(const struct osw_sandbox_env *sandbox_env,
                           char texts[N_VARIABLES][40])
{
    const char *named = getenv("OPSWEEP_PASS_ENV");
    char *visible = sandbox_env->device->visible;
    size_t n = 0, kept = 0;
    char **env;

    while (environ[n])
        n++;
    env = calloc(n + N_VARIABLES + 2, sizeof(*env));
    if (!env)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (osw_env_allows(environ[i], named) && !is_variable(environ[i]) &&
            !is_same_variable(environ[i], visible))
            env[kept++] = environ[i];
    for (size_t k = 0; k < N_VARIABLES; k++) {
        if (variables[k].value)
            snprintf(texts[k], 40, "%s=%s", variables[k].name,
                     variables[k].value);
        else
            snprintf(texts[k], 40, "%s=%u", variables[k].name,
                     sandbox_env->n_threads);
        env[kept++] = texts[k];
    }
    if (visible[0])
        env[kept++] = visible;
    return env;
}

/* posix_spawn functions return an error number: they set no errno. */
static int spawn(const struct osw_sandbox_env *env, struct osw_sandbox *sandbox,
                 int sock, int out)
{
    char *argv[] = {(char *)(uintptr_t)env->sandbox_path,
                    (char *)(uintptr_t)env->device->ops->kind,
                    (char *)(uintptr_t)env->python,
                    env->zygote ? "zygote" : NULL, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t stops, standard;
    char texts[N_VARIABLES][40];
    char **environment;
    int e;

    environment = make_environ(env, texts);
    if (!environment)
        return ENOMEM;
    e = posix_spawn_file_actions_init(&files);
    if (e)
        goto out_env;
    e = posix_spawnattr_init(&attr);
    if (e)
        goto out_files;
    osw_stops(&stops);
    sigfillset(&standard);
    e = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!e)
        e = posix_spawn_file_actions_adddup2(&files, out, 1);
    if (!e)
        e = posix_spawn_file_actions_adddup2(&files, out, 2);
    if (!e)
        e = posix_spawn_file_actions_adddup2(&files, sock, OSW_PROTOCOL_FD);
    if (!e && sandbox->scratch[0])
        e = posix_spawn_file_actions_addchdir_np(&files, sandbox->scratch);
    if (!e)
        e = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP |
                                                POSIX_SPAWN_SETSIGMASK |
                                                POSIX_SPAWN_SETSIGDEF);
    if (!e)
        e = posix_spawnattr_setsigmask(&attr, &stops);
    if (!e)
        e = posix_spawnattr_setsigdefault(&attr, &standard);
    if (!e)
        e = posix_spawn(&sandbox->pid, argv[0], &files, &attr, argv,
                        environment);
    posix_spawnattr_destroy(&attr);
out_files:
    posix_spawn_file_actions_destroy(&files);
out_env:
    free(environment);
    return e;
}

/* Above the numbers that the child's own descriptors will take, so that a
 * dup2 onto 1, 2 or 3 never meets its own source.
 */
static int move_up(int fd)
{
    int up = fcntl(fd, F_DUPFD_CLOEXEC, 16);
    int e = up < 0 && errno == EINVAL ? EMFILE : errno; /* the limit is lower */

    close(fd);
    errno = e;
    return up;
}

/* Remove its folder with all files in it.  A file that a dying process writes
 * later is removed with the worker's folder.
 */
void osw_sandbox_free(struct osw_sandbox *sandbox)
{
    if (sandbox->scratch[0])
        osw_scratch_remove(sandbox->scratch);
    free(sandbox);
}

static int make_scratch(struct osw_sandbox *sandbox)
{
    if (!sandbox->env->work_dir)
        return 0;
    snprintf(sandbox->scratch, sizeof(sandbox->scratch), "%s/sandbox-XXXXXX",
             sandbox->env->work_dir);
    if (mkdtemp(sandbox->scratch))
        return 0;
    sandbox->scratch[0] = '\0';
    return -1;
}

/* A sandbox with its folder made and its channels open: sock[0] and out[0] are
 * its own, the others the child's.  NULL with err set.
 */
static struct osw_sandbox *make_sandbox(const struct osw_sandbox_env *env,
                                        int sock[2], int out[2],
                                        struct osw_error *err)
{
    struct osw_sandbox *sandbox = calloc(1, sizeof(*sandbox));
    struct timeval quick = {.tv_usec = QUICK_US};
    const int yes = 1;

    sock[0] = sock[1] = out[0] = out[1] = -1;
    if (!sandbox) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for a sandbox");
        return NULL;
    }
    sandbox->env = env;
    sandbox->socket = sandbox->output_fd = -1;
    sandbox->window.fd = sandbox->arena.fd = sandbox->segment_fd = -1;
    sandbox->pulse.group_ns = osw_clock_ns();
    if (make_scratch(sandbox) < 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0 ||
        pipe2(out, O_CLOEXEC) < 0)
        goto fail;
    sock[1] = move_up(sock[1]);
    out[1] = move_up(out[1]);
    if (sock[1] < 0 || out[1] < 0 || fcntl(out[0], F_SETFL, O_NONBLOCK) < 0)
        goto fail;
    (void)setsockopt(sock[0], SOL_SOCKET, SO_RCVTIMEO, &quick, sizeof(quick));
    if (setsockopt(sock[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) < 0)
        goto fail;
    return sandbox;
fail:
    if (errno == EMFILE)
        osw_fail(err, OSW_SYSTEM,
                 "too many open files for a sandbox: ulimit -n 4096");
    osw_fail_sys(err, errno, "cannot make a sandbox's folder and channels");
    osw_sandbox_free(sandbox);
    return NULL;
}

static void close_ends(int sock[2], int out[2])
{
    for (int i = 0; i < 2; i++) {
        if (sock[i] >= 0)
            close(sock[i]);
        if (out[i] >= 0)
            close(out[i]);
    }
}

/* Close the child's ends here; our own ends now belong to the sandbox. */
static void keep_ends(struct osw_sandbox *sandbox, const int sock[2],
                      const int out[2])
{
    close(sock[1]);
    close(out[1]);
    sandbox->socket = sock[0];
    sandbox->output_fd = out[0];
}

struct osw_sandbox *osw_sandbox_start(const struct osw_sandbox_env *env,
                                      struct osw_error *err)
{
    int sock[2], out[2], e;
    struct osw_sandbox *sandbox = make_sandbox(env, sock, out, err);

    e = sandbox ? spawn(env, sandbox, sock[1], out[1]) : 0;
    if (e)
        osw_fail_sys(err, e, "cannot start '%s'", env->sandbox_path);
    if (!sandbox || e) {
        close_ends(sock, out);
        if (sandbox)
            osw_sandbox_free(sandbox);
        return NULL;
    }
    keep_ends(sandbox, sock, out);
    osw_reaper_add(sandbox->pid);
    return sandbox;
}

/* Until the new process or the end of its parent can be read; imports may take
 * long.
 */
static bool await_fork(struct osw_sandbox *zygote, struct pollfd p[2],
                       int64_t within_ns)
{
    int64_t until = osw_clock_ns() + within_ns;
    int n = 0;

    while (n == 0 && osw_clock_ns() < until) {
        n = poll(p, 2, FORK_STEP_MS);
        if (n < 0 && errno == EINTR)
            n = 0;
        osw_sandbox_tick(zygote);
    }
    return n > 0;
}

/* The new process reports its own id: it is not our child at first, and becomes
 * our child when its parent has ended.
 */
struct osw_sandbox *osw_sandbox_fork(struct osw_sandbox *zygote,
                                     const struct osw_sandbox_env *env,
                                     const char *import, int64_t within_ns)
{
    struct osw_writer w = osw_sandbox_writer(zygote);
    struct pollfd p[2] = {{.events = POLLIN}, {.fd = zygote->socket}};
    struct osw_sandbox *sandbox;
    char what[sizeof(sandbox->scratch) + sizeof(env->device->visible) + 32];
    int sock[2], out[2];
    int32_t pid = 0;

    sandbox = make_sandbox(env, sock, out, NULL);
    if (!sandbox) {
        close_ends(sock, out);
        return NULL;
    }
    snprintf(what, sizeof(what), "%s\n%s\n%s\n%s", env->device->ops->kind,
             sandbox->scratch, import, env->device->visible);
    osw_write_str(&w, what);
    if (osw_sandbox_send_fds(zygote, &w, (int[]){sock[1], out[1]}, 2) == 0) {
        p[0].fd = sock[0];
        if (!await_fork(zygote, p, within_ns) ||
            recv(sock[0], &pid, sizeof(pid), MSG_DONTWAIT) != sizeof(pid))
            pid = 0;
    }
    if (pid <= 0) {
        close_ends(sock, out);
        if (sandbox)
            osw_sandbox_free(sandbox);
        return NULL;
    }
    sandbox->pid = pid;
    osw_reaper_add(pid);
    keep_ends(sandbox, sock, out);
    return sandbox;
}
