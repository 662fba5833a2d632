/* worker/judge/process/sandbox.c - the life of one sandbox, as its judge sees
 * it */
#include "worker/judge/process/sandbox.h"

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
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/deadline.h"
#include "common/stops.h"
#include "common/undertaker.h"
#include "worker/judge/process/env_allowlist.h"
#include "worker/judge/process/watch.h"
#include "worker/scratch.h"

enum {
    TICK_MS = 100,
    QUICK_US = 2000,   /* most answers come within; waited for in one call */
    FORK_MS = 5000,    /* a zygote that makes no process is left */
    MANY_TASKS = 64,   /* more of the node: whose are they? */
    MOST_HELD_UP = 10, /* deadlines that such waits may add to one */
    REAP_MS = 5000,    /* a killed process that is still there is left behind */
};

#define TICK_NS  ((int64_t)TICK_MS * 1000000)
#define GROUP_NS INT64_C(1000000000)
#define GIB      ((double)(1 << 30))

extern char **environ;

/* --- start --- */

/* What op code finds in its environment whatever ours says: the threads of its
 * slot, and idle threads that sleep instead of spinning beside others' calls.
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

    close(fd);
    return up;
}

/* With all that was left in it.  What a process that is still dying writes
 * behind our back goes with the worker's folder.
 */
static void free_sandbox(struct osw_sandbox *sandbox)
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

    sock[0] = sock[1] = out[0] = out[1] = -1;
    if (!sandbox) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for a sandbox");
        return NULL;
    }
    sandbox->env = env;
    sandbox->socket = sandbox->output_fd = -1;
    sandbox->window.fd = sandbox->arena.fd = -1;
    if (make_scratch(sandbox) < 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0 ||
        pipe2(out, O_CLOEXEC) < 0)
        goto fail;
    sock[1] = move_up(sock[1]);
    out[1] = move_up(out[1]);
    if (sock[1] < 0 || out[1] < 0 || fcntl(out[0], F_SETFL, O_NONBLOCK) < 0)
        goto fail;
    (void)setsockopt(sock[0], SOL_SOCKET, SO_RCVTIMEO, &quick, sizeof(quick));
    return sandbox;
fail:
    osw_fail_sys(err, errno, "cannot make a sandbox's folder and channels");
    free_sandbox(sandbox);
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

/* Its own ends are the sandbox's from now on, the child's are the child's. */
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
            free_sandbox(sandbox);
        return NULL;
    }
    keep_ends(sandbox, sock, out);
    osw_undertaker_add(sandbox->pid);
    return sandbox;
}

/* --- output --- */

static void drain_output(struct osw_sandbox *sandbox)
{
    char buffer[4096];
    ssize_t n;

    /* Bounded, so that a flood cannot hold the judge. */
    for (int i = 0; i < 64 && sandbox->output_fd >= 0; i++) {
        size_t room = sizeof(sandbox->output) - 1 - sandbox->output_used, keep;

        n = read(sandbox->output_fd, buffer, sizeof(buffer));
        if (n <= 0) {
            if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
                close(sandbox->output_fd);
                sandbox->output_fd = -1;
            }
            return;
        }
        keep = (size_t)n < room ? (size_t)n : room;
        memcpy(sandbox->output + sandbox->output_used, buffer, keep);
        sandbox->output_used += (uint32_t)keep;
        sandbox->output_dropped += (uint64_t)n - keep;
    }
}

void osw_sandbox_drain(struct osw_sandbox *sandbox)
{
    drain_output(sandbox);
}

const char *osw_sandbox_take_output(struct osw_sandbox *sandbox)
{
    drain_output(sandbox);
    if (sandbox->output_dropped) {
        char note[64];
        int n = snprintf(note, sizeof(note), "\n[%llu more bytes]",
                         (unsigned long long)sandbox->output_dropped);
        size_t at = sizeof(sandbox->output) - 1 - (size_t)n;

        if (at > sandbox->output_used)
            at = sandbox->output_used;
        memcpy(sandbox->output + at, note, (size_t)n);
        sandbox->output_used = (uint32_t)(at + (size_t)n);
    }
    sandbox->output[sandbox->output_used] = '\0';
    for (uint32_t i = 0; i < sandbox->output_used; i++)
        if (sandbox->output[i] == '\0')
            sandbox->output[i] = '?';
    sandbox->output_used = 0;
    sandbox->output_dropped = 0;
    return sandbox->output;
}

/* --- death --- */

static void describe_end(struct osw_sandbox *sandbox, int status)
{
    struct osw_sandbox_end *end = &sandbox->end;

    if (end->state != OSW_STATE_NONE)
        return; /* we ended it, and said why */
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && osw_watch_oom()) {
        end->state = OSW_STATE_OOM;
        end->signal = SIGKILL;
        snprintf(end->text, sizeof(end->text),
                 "killed by the kernel for want of memory");
    } else if (WIFSIGNALED(status)) {
        end->state = OSW_STATE_CRASH;
        end->signal = WTERMSIG(status);
        snprintf(end->text, sizeof(end->text), "killed by signal %d (%s)%s",
                 end->signal, strsignal(end->signal),
                 end->signal == SIGKILL
                     ? ", by itself or by the kernel for want of memory"
                     : "");
    } else {
        end->state = OSW_STATE_EXITED;
        end->exit_code = WEXITSTATUS(status);
        snprintf(end->text, sizeof(end->text),
                 "ended the process with exit status %d", end->exit_code);
    }
}

/* Behind how it ended: the last line that it printed, of what was kept. */
static void add_last_words(struct osw_sandbox *sandbox)
{
    size_t used = strlen(sandbox->end.text), n = sandbox->output_used, from;
    char *text = sandbox->end.text + used;

    while (n > 0 &&
           (sandbox->output[n - 1] == '\n' || sandbox->output[n - 1] == ' '))
        n--;
    for (from = n; from > 0 && sandbox->output[from - 1] != '\n'; from--)
        ;
    if (from == n)
        return;
    snprintf(text, sizeof(sandbox->end.text) - used, ": %.*s", (int)(n - from),
             sandbox->output + from);
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

/* Processes that were killed for a reason of ours and need not be waited for:
 * on a device the end of one takes a while.
 */
static pid_t dying[64];

static void reap_dying(void)
{
    for (size_t i = 0; i < sizeof(dying) / sizeof(dying[0]); i++)
        if (dying[i] && waitpid(dying[i], NULL, WNOHANG) != 0)
            dying[i] = 0;
}

static bool leave_dying(pid_t pid)
{
    reap_dying();
    for (size_t i = 0; i < sizeof(dying) / sizeof(dying[0]); i++)
        if (!dying[i]) {
            dying[i] = pid;
            return true;
        }
    return false;
}

/* Kill the whole group, wait for the leader.  The group is killed while the
 * leader is a zombie at most, so that its number cannot be anybody else's.
 */
static void kill_and_reap(struct osw_sandbox *sandbox)
{
    int64_t until = osw_clock_ns() + (int64_t)REAP_MS * 1000000;
    siginfo_t info = {.si_pid = 0};
    int status = 0;

    if (!sandbox->pid)
        return;
    /* Dead on its own already?  Then its own status counts, not our kill. */
    (void)waitid(P_PID, (id_t)sandbox->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    (void)kill(-sandbox->pid, SIGKILL);
    (void)kill(sandbox->pid, SIGKILL);
    if (sandbox->end.state == OSW_STATE_NONE ||
        !sandbox->env->device->ops->own_memory || !leave_dying(sandbox->pid))
        while (waitpid(sandbox->pid, &status, WNOHANG) == 0 &&
               osw_clock_ns() < until)
            osw_clock_sleep_ns(200000);
    drain_output(sandbox);
    describe_end(sandbox, status);
    sandbox->end.early = !sandbox->given || !sandbox->ready;
    if (sandbox->end.early)
        add_last_words(sandbox);
    osw_undertaker_remove(sandbox->pid);
    sandbox->pid = 0;
    if (sandbox->socket >= 0)
        close(sandbox->socket);
    sandbox->socket = -1;
}

void osw_sandbox_end_as(struct osw_sandbox *sandbox, enum osw_state state,
                        const char *why)
{
    if (!sandbox->pid)
        return;
    sandbox->end.state = state;
    snprintf(sandbox->end.text, sizeof(sandbox->end.text), "%s", why);
    kill_and_reap(sandbox);
}

void osw_sandbox_fail_protocol(struct osw_sandbox *sandbox, const char *why)
{
    char text[sizeof(sandbox->end.text)];

    snprintf(text, sizeof(text), "the sandbox broke the protocol: %s", why);
    osw_sandbox_end_as(sandbox, OSW_STATE_CRASH, text);
}

/* The socket closed: the process is about to be gone.  Give it a moment to
 * leave its own status before anything is killed.
 */
static void await_end(struct osw_sandbox *sandbox)
{
    int64_t until = osw_clock_ns() + 200000000;
    siginfo_t info = {.si_pid = 0};

    while (waitid(P_PID, (id_t)sandbox->pid, &info,
                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0 && osw_clock_ns() < until)
        osw_clock_sleep_ns(100000);
    if (info.si_pid == 0) {
        osw_sandbox_fail_protocol(sandbox, "it closed its socket");
        return;
    }
    kill_and_reap(sandbox);
}

static void time_out(struct osw_sandbox *sandbox, int64_t deadline_ns)
{
    sandbox->end.state = OSW_STATE_TIMEOUT;
    snprintf(sandbox->end.text, sizeof(sandbox->end.text),
             "no answer within its deadline of %.1f s",
             (double)deadline_ns * 1e-9);
    kill_and_reap(sandbox);
}

void osw_sandbox_destroy(struct osw_sandbox *sandbox)
{
    if (!sandbox)
        return;
    if (sandbox->end.state == OSW_STATE_NONE)
        sandbox->end.state = OSW_STATE_EXITED;
    kill_and_reap(sandbox);
    if (sandbox->output_fd >= 0)
        close(sandbox->output_fd);
    osw_device_cpu_ops.map_destroy(NULL, &sandbox->window);
    sandbox->env->device->ops->map_destroy(sandbox->env->device,
                                           &sandbox->arena);
    free_sandbox(sandbox);
}

/* --- talk --- */

int osw_sandbox_send(struct osw_sandbox *sandbox, const struct osw_writer *w)
{
    ssize_t n;

    if (!sandbox->pid)
        return -1;
    do
        n = send(sandbox->socket, w->data, w->used, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n == (ssize_t)w->used)
        return 0;
    await_end(sandbox);
    return -1;
}

static int send_with_fds(struct osw_sandbox *sandbox,
                         const struct osw_writer *w, const int *fds, size_t n)
{
    struct iovec part = {w->data, w->used};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control;
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = CMSG_SPACE(n * sizeof(int))};
    struct cmsghdr *c;

    memset(&control, 0, sizeof(control));
    c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n * sizeof(int));
    memcpy(CMSG_DATA(c), fds, n * sizeof(int));
    if (sendmsg(sandbox->socket, &m, MSG_NOSIGNAL) == (ssize_t)w->used)
        return 0;
    await_end(sandbox);
    return -1;
}

/* Too much memory, or too many processes?  The process itself is looked at in
 * every tick, its whole group when the node has many more tasks than before,
 * or now and then.
 */
static void watch(struct osw_sandbox *sandbox)
{
    uint64_t ceiling =
        sandbox->env->max_rss ? sandbox->env->max_rss : UINT64_MAX;
    struct osw_sandbox_pulse *pulse = &sandbox->pulse;
    int64_t now = osw_clock_ns();
    uint16_t n_tasks, more;
    struct osw_watch use;
    char text[128];

    if (now - pulse->last_ns < TICK_NS)
        return;
    if (osw_watch_on_disk(sandbox->pid))
        pulse->disk_ns += TICK_NS;
    pulse->last_ns = now;
    n_tasks = osw_watch_tasks();
    more = (uint16_t)(n_tasks - pulse->n_tasks);
    use = osw_watch_process(sandbox->pid);
    if (now - pulse->group_ns >= GROUP_NS ||
        (more > MANY_TASKS && more < UINT16_MAX / 2)) {
        use = osw_watch_group(sandbox->pid);
        pulse->group_ns = now;
        pulse->n_tasks = n_tasks;
    }
    snprintf(text, sizeof(text), "it made %u processes, more than %d",
             use.n_processes, (int)OSW_WATCH_PROCESSES);
    if (use.n_processes > OSW_WATCH_PROCESSES)
        osw_sandbox_end_as(sandbox, OSW_STATE_CRASH, text);
    snprintf(text, sizeof(text),
             "%u processes held %.2f GiB, more than %.2f GiB (--max-rss)",
             use.n_processes, (double)use.bytes / GIB, (double)ceiling / GIB);
    if (use.bytes > ceiling)
        osw_sandbox_end_as(sandbox, OSW_STATE_OOM, text);
}

/* Time that was no call's; how much in all has a limit. */
static void prolong(struct osw_deadline *deadline, int64_t more_ns,
                    int64_t *patience_ns)
{
    if (more_ns > *patience_ns)
        more_ns = *patience_ns;
    *patience_ns -= more_ns;
    deadline->until_ns += more_ns;
}

/* Others had its cores, or its disk: so much later is its deadline, and how
 * much in all has a limit.  False: hardly so.
 */
static bool is_held_up(struct osw_sandbox *sandbox,
                       struct osw_deadline *deadline, int64_t *patience_ns)
{
    int64_t waited_ns = osw_watch_waited(sandbox->pid);
    int64_t more_ns =
        waited_ns - sandbox->pulse.waited_ns + sandbox->pulse.disk_ns;

    if (more_ns < TICK_NS || *patience_ns < TICK_NS)
        return false;
    sandbox->pulse.waited_ns = waited_ns;
    sandbox->pulse.disk_ns = 0;
    prolong(deadline, more_ns, patience_ns);
    return true;
}

/* It compiled something meanwhile, of which it tells (worker/sandbox/python:
 * Triton).
 */
static bool is_progress(const struct osw_sandbox *sandbox, ssize_t n)
{
    return n == 1 && (unsigned char)sandbox->message[0] == OSW_TALK_PROGRESS;
}

/* The size of a message that came, or 0 when it is longer than any. */
static size_t bounded(struct osw_sandbox *sandbox, ssize_t n)
{
    if (n <= (ssize_t)sizeof(sandbox->message))
        return (size_t)n;
    osw_sandbox_fail_protocol(sandbox, "message too long");
    return 0;
}

/* One message into sandbox->message; its size, or 0 with the sandbox dead. */
static size_t receive(struct osw_sandbox *sandbox, int64_t deadline_ns)
{
    int64_t now = osw_clock_ns();
    struct osw_deadline deadline = osw_deadline_in(deadline_ns, now);
    int64_t patience_ns =
        deadline_ns < INT64_MAX / MOST_HELD_UP ? deadline_ns * MOST_HELD_UP : 0;
    ssize_t quick;

    if (!sandbox->pid)
        return 0;
    quick = recv(sandbox->socket, sandbox->message, sizeof(sandbox->message),
                 MSG_TRUNC);
    if (quick > 0 && !is_progress(sandbox, quick))
        return bounded(sandbox, quick);
    sandbox->pulse =
        (struct osw_sandbox_pulse){.last_ns = now,
                                   .group_ns = now,
                                   .waited_ns = osw_watch_waited(sandbox->pid),
                                   .n_tasks = osw_watch_tasks()};
    while (sandbox->pid) {
        struct pollfd p[2] = {{.fd = sandbox->socket, .events = POLLIN},
                              {.fd = sandbox->output_fd, .events = POLLIN}};
        int64_t left_ms =
            osw_deadline_left(&deadline, osw_clock_ns(), 2 * TICK_NS) / 1000000;
        ssize_t n;

        if (left_ms < 0 && is_held_up(sandbox, &deadline, &patience_ns))
            continue;
        if (left_ms < 0) {
            time_out(sandbox, deadline_ns);
            return 0;
        }
        if (poll(p, 2, left_ms < TICK_MS ? (int)left_ms + 1 : TICK_MS) < 0 &&
            errno != EINTR) {
            osw_sandbox_fail_protocol(sandbox, strerror(errno));
            return 0;
        }
        if (p[1].revents)
            drain_output(sandbox);
        if (p[0].revents) {
            n = recv(sandbox->socket, sandbox->message,
                     sizeof(sandbox->message), MSG_DONTWAIT | MSG_TRUNC);
            if (n > 0 && !is_progress(sandbox, n))
                return bounded(sandbox, n);
            if (n > 0) {
                prolong(&deadline, osw_clock_ns() - now, &patience_ns);
                now = osw_clock_ns();
            } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
                await_end(sandbox);
                return 0;
            }
        }
        if (sandbox->env->tick)
            sandbox->env->tick(sandbox->env->tick_arg);
        watch(sandbox);
    }
    return 0;
}

int osw_sandbox_receive(struct osw_sandbox *sandbox, uint8_t kind,
                        int64_t deadline_ns, struct osw_reader *r)
{
    size_t n = receive(sandbox, deadline_ns);

    if (n == 0)
        return -1;
    *r = osw_reader(sandbox->message, n);
    if (osw_protocol_kind(r) == kind)
        return 0;
    osw_sandbox_fail_protocol(sandbox, "an answer to no question");
    return -1;
}

/* The window itself stays where it is: only the device's copy is shifted. */
struct osw_zone_memory osw_sandbox_zone(const struct osw_sandbox *sandbox,
                                        enum osw_zone zone)
{
    const struct osw_map *arena = &sandbox->arena;

    if (zone == OSW_ZONE_WINDOW)
        return (struct osw_zone_memory){
            sandbox->window.base,
            sandbox->window.base ? sandbox->window.bytes : 0, 0};
    return (struct osw_zone_memory){
        arena->base ? (unsigned char *)arena->base + sandbox->shift : NULL,
        arena->base ? arena->bytes - OSW_MAX_SHIFT : 0, OSW_MAX_SHIFT};
}

void osw_sandbox_used(struct osw_sandbox *sandbox, uint64_t bytes)
{
    if (!sandbox->env->device->ops->own_memory && sandbox->high_water < bytes)
        sandbox->high_water = bytes;
}

int osw_sandbox_result(struct osw_sandbox *sandbox, int64_t deadline_ns)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_reader r;

    if (osw_sandbox_receive(sandbox, OSW_TALK_RESULT, deadline_ns, &r) < 0)
        return -1;
    if (osw_protocol_get_result(&r,
                                osw_sandbox_zone(sandbox, sandbox->zone).bytes,
                                &sandbox->result, &err) == 0)
        return 0;
    osw_sandbox_fail_protocol(sandbox, err.text);
    return -1;
}

int64_t osw_sandbox_cpu_ns(const struct osw_sandbox *sandbox)
{
    struct timespec t;
    clockid_t clock;

    if (!sandbox->pid || clock_getcpuclockid(sandbox->pid, &clock) != 0 ||
        clock_gettime(clock, &t) < 0)
        return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int osw_sandbox_threads(const struct osw_sandbox *sandbox)
{
    int n = osw_watch_threads(sandbox->pid);
    cpu_set_t cores;

    if (sched_getaffinity(0, sizeof(cores), &cores) == 0 &&
        n > CPU_COUNT(&cores))
        n = CPU_COUNT(&cores); /* who sleeps uses none */
    return n > 0 ? n : 1;
}

bool osw_sandbox_has_ended(const struct osw_sandbox *sandbox)
{
    siginfo_t info = {.si_pid = 0};

    return !sandbox->pid || (waitid(P_PID, (id_t)sandbox->pid, &info,
                                    WEXITED | WNOHANG | WNOWAIT) == 0 &&
                             info.si_pid != 0);
}

int osw_sandbox_await(struct osw_sandbox *sandbox, int64_t deadline_ns)
{
    struct osw_reader r;

    if (!sandbox->ready &&
        osw_sandbox_receive(sandbox, OSW_TALK_READY, deadline_ns, &r) < 0)
        return -1;
    sandbox->ready = true;
    return 0;
}

/* The new process says its number itself: it is not a child of ours at first,
 * and belongs to us once its parent is gone.
 */
struct osw_sandbox *osw_sandbox_fork(struct osw_sandbox *zygote,
                                     const struct osw_sandbox_env *env,
                                     struct osw_error *err)
{
    struct osw_writer w = osw_writer(zygote->message, sizeof(zygote->message));
    struct pollfd p = {.events = POLLIN};
    struct osw_sandbox *sandbox;
    char what[sizeof(sandbox->scratch) + 32];
    int sock[2], out[2];
    int32_t pid = 0;

    sandbox = make_sandbox(env, sock, out, err);
    if (!sandbox) {
        close_ends(sock, out);
        return NULL;
    }
    snprintf(what, sizeof(what), "%s\n%s", env->device->ops->kind,
             sandbox->scratch);
    osw_write_str(&w, what);
    if (send_with_fds(zygote, &w, (int[]){sock[1], out[1]}, 2) == 0) {
        p.fd = sock[0];
        if (poll(&p, 1, FORK_MS) <= 0 ||
            recv(sock[0], &pid, sizeof(pid), MSG_DONTWAIT) != sizeof(pid))
            pid = 0;
    }
    if (pid <= 0) {
        osw_fail(err, OSW_CHILD, "the zygote made no sandbox");
        close_ends(sock, out);
        if (sandbox)
            free_sandbox(sandbox);
        return NULL;
    }
    sandbox->pid = pid;
    osw_undertaker_add(pid);
    keep_ends(sandbox, sock, out);
    return sandbox;
}

/* Wait for LOADED.  As osw_sandbox_load; `what` could not be done. */
static int await_loaded(struct osw_sandbox *sandbox, int64_t deadline_ns,
                        enum osw_status status, struct osw_loaded *loaded,
                        struct osw_error *err)
{
    struct osw_error bad = OSW_ERROR_INIT;
    struct osw_reader r;

    if (osw_sandbox_receive(sandbox, OSW_TALK_LOADED, deadline_ns, &r) < 0)
        return -1;
    if (osw_protocol_get_loaded(&r, loaded, &bad) < 0) {
        osw_sandbox_fail_protocol(sandbox, bad.text);
        return -1;
    }
    if (!loaded->ok)
        return osw_fail(err, status, "%s", loaded->text);
    loaded->text = "";
    return 0;
}

int osw_sandbox_begin_load(struct osw_sandbox *sandbox,
                           const struct osw_load *load, struct osw_error *err)
{
    struct osw_writer w =
        osw_writer(sandbox->message, sizeof(sandbox->message));

    if (!sandbox->window.base &&
        osw_device_cpu_ops.map_create(NULL, sandbox->env->window_bytes,
                                      &sandbox->window, err) < 0)
        return -1;
    osw_protocol_put_load(&w, load);
    if (w.overrun)
        return osw_fail(err, OSW_BAD_INPUT, "path of '%s' is too long",
                        load->symbol);
    if (send_with_fds(sandbox, &w, &sandbox->window.fd, 1) < 0)
        return -1;
    sandbox->given = true;
    return 0;
}

int osw_sandbox_end_load(struct osw_sandbox *sandbox, int64_t deadline_ns,
                         struct osw_error *err)
{
    struct osw_loaded loaded;

    if (osw_sandbox_await(sandbox, deadline_ns) < 0 ||
        await_loaded(sandbox, deadline_ns, OSW_BAD_INPUT, &loaded, err) < 0)
        return -1;
    sandbox->traits = loaded;
    sandbox->loaded = true;
    return 0;
}

int osw_sandbox_load(struct osw_sandbox *sandbox, const struct osw_load *load,
                     int64_t deadline_ns, struct osw_error *err)
{
    return osw_sandbox_begin_load(sandbox, load, err) < 0
               ? -1
               : osw_sandbox_end_load(sandbox, deadline_ns, err);
}

int osw_sandbox_load_again(struct osw_sandbox *sandbox,
                           const struct osw_load *load, int64_t deadline_ns,
                           struct osw_error *err)
{
    struct osw_writer w =
        osw_writer(sandbox->message, sizeof(sandbox->message));

    osw_protocol_put_load(&w, load);
    if (w.overrun)
        return osw_fail(err, OSW_BAD_INPUT, "path of '%s' is too long",
                        load->symbol);
    return osw_sandbox_send(sandbox, &w) < 0
               ? -1
               : osw_sandbox_end_load(sandbox, deadline_ns, err);
}

int osw_sandbox_reload(struct osw_sandbox *sandbox, int64_t deadline_ns)
{
    struct osw_writer w =
        osw_writer(sandbox->message, sizeof(sandbox->message));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_loaded loaded;

    osw_write_u8(&w, OSW_TALK_RELOAD);
    return osw_sandbox_send(sandbox, &w) < 0
               ? -1
               : await_loaded(sandbox, deadline_ns, OSW_CHILD, &loaded, &err);
}

/* --- arenas --- */

static int offer(struct osw_sandbox *sandbox, const struct osw_map *map,
                 int64_t deadline_ns, struct osw_error *err)
{
    struct osw_writer w =
        osw_writer(sandbox->message, sizeof(sandbox->message));
    struct osw_arena_offer m = {.bytes = map->base ? map->bytes : 0};
    struct osw_loaded loaded;

    memcpy(m.handle, map->handle, sizeof(m.handle));
    osw_protocol_put_arena(&w, &m);
    return osw_sandbox_send(sandbox, &w) < 0
               ? -1
               : await_loaded(sandbox, deadline_ns, OSW_DEVICE, &loaded, err);
}

/* The old arena is given back first: both may not fit. */
int osw_sandbox_fit(struct osw_sandbox *sandbox, enum osw_zone zone,
                    uint64_t bytes, int64_t deadline_ns, struct osw_error *err)
{
    const struct osw_map none = {.fd = -1};
    struct osw_device *dev = sandbox->env->device;

    if (bytes <= osw_sandbox_zone(sandbox, zone).bytes)
        return 0;
    if (zone == OSW_ZONE_WINDOW)
        return osw_fail(err, OSW_NO_MEMORY, "%llu bytes in a window of %llu",
                        (unsigned long long)bytes,
                        (unsigned long long)sandbox->window.bytes);
    if (sandbox->arena.base) {
        if (offer(sandbox, &none, deadline_ns, err) < 0)
            return -1;
        dev->ops->map_destroy(dev, &sandbox->arena);
    }
    if (dev->ops->map_create(dev, bytes + OSW_MAX_SHIFT, &sandbox->arena, err) <
        0)
        return -1;
    return offer(sandbox, &sandbox->arena, deadline_ns, err);
}
